// The header: speed of the last minute, counts, disk, limit, pause of all, connection and theme.

import { patch } from './api.js'
import { $, setAttribute, setText, svg } from './dom.js'
import { count, rate, size } from './format.js'
import { editLimits } from './limits.js'
import { complain } from './messages.js'
import { service } from './service.js'
import { currentTheme, nextTheme, setTheme } from './theme.js'

const [WIDTH, HEIGHT] = [120, 30]
const line = svg('path', { class: 'spark-line' })
const area = svg('path', { class: 'spark-area' })

export function startHeader() {
  $('spark').append(area, line)
  service.addEventListener('stats', showStats)
  service.addEventListener('limits', showLimits)
  $('limit').addEventListener('click', () => editLimits())
  $('pause-all').addEventListener('click', togglePause)
  $('theme').addEventListener('click', () => { setTheme(nextTheme()); showTheme() })
  showTheme()
}

function showTheme() {
  const text = `Theme: ${currentTheme()}. Change to ${nextTheme()}`
  setAttribute($('theme'), 'aria-label', text)
  setAttribute($('theme'), 'title', text)
}

function showStats() {
  const { stats, speeds } = service
  drawSpeeds(speeds)
  if (!stats) return
  const { counts, disk } = stats
  setText($('speed'), rate(stats.bytes_per_second))
  setText($('counts'), `${count(counts.running)} running · ${count(counts.queued)} queued`)
  const rest = [['waiting', counts.waiting], ['paused', counts.paused], ['failed', counts.failed]]
    .filter(([, number]) => number > 0).map(([word, number]) => `${count(number)} ${word}`)
  setText($('counts-more'), rest.join(' · ') || 'nothing waits or failed')
  setText($('disk'), disk.free_bytes === null ? 'Disk unknown' : `${size(disk.free_bytes)} free`)
  setText($('disk-more'), disk.reserved_bytes ? `${size(disk.reserved_bytes)} reserved` : 'none reserved')
  document.title = counts.running ? `${rate(stats.bytes_per_second)} · ${counts.running} running – Cormorant`
    : 'Cormorant'
}

function drawSpeeds(speeds) {
  const highest = Math.max(1, ...speeds.filter(speed => speed !== null))
  // What was before the page was opened is not known, and not drawn.
  const first = Math.max(0, speeds.findIndex(speed => speed !== null))
  const x = index => (index * WIDTH / (speeds.length - 1)).toFixed(1)
  const y = speed => (HEIGHT - 2 - (speed ?? 0) / highest * (HEIGHT - 5)).toFixed(1)
  const points = speeds.slice(first).map((speed, index) => `${x(first + index)} ${y(speed)}`)
  setAttribute(line, 'd', `M${points.join('L')}`)
  setAttribute(area, 'd', `M${x(first)} ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}z`)
  setAttribute($('spark'), 'aria-label', `Speed over the last minute, at most ${rate(highest === 1 ? 0 : highest)}`)
}

function showLimits() {
  const { limits } = service
  const limit = limits.now.rate_bytes_per_second
  const isPaused = limits.now.paused
  setText($('limit'), isPaused ? 'all paused' : limit ? `of ${rate(limit)}` : 'no limit')
  setText($('pause-all'), limits.paused ? 'Resume all' : 'Pause all')
  setAttribute($('pause-all'), 'aria-pressed', String(limits.paused))
  $('pause-all').classList.toggle('pressed', limits.paused)
  document.body.classList.toggle('all-paused', isPaused)
}

async function togglePause() {
  const isPaused = service.limits?.paused ?? false
  try {
    service.setLimits(await patch('limits', { paused: isPaused ? null : true }))
    // The settings may say that everything is paused.
    if (isPaused && service.limits.paused) service.setLimits(await patch('limits', { paused: false }))
    service.noticed()
  } catch (problem) {
    complain(isPaused ? 'Resume all' : 'Pause all', problem)
  }
}

const STATES = { live: 'live', connecting: 'connecting', offline: 'offline', asleep: 'asleep' }

/// Shows whether changes arrive.
export function showConnection(state) {
  setText($('connection'), STATES[state])
  setAttribute($('connection'), 'data-state', state)
  $('offline').hidden = state !== 'offline'
}
