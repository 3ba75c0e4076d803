// What is known of the session that is shown, and what can be done with all of it.

import { get, patch } from './api.js'
import { dialog } from './dialog.js'
import { $, el } from './dom.js'
import { area, field, formParts, input } from './form.js'
import { wholeNumber } from './add-options.js'
import { count, plural, rate, size, sizeOf } from './format.js'
import { rateField, typedRate } from './limits.js'
import { complain, message } from './messages.js'
import { service } from './service.js'

let current = null

/// Shows a session above its downloads; nothing for null.
export async function showSession(name) {
  current = name
  $('session').hidden = name === null
  if (name === null) return
  try {
    const session = await get(`sessions/${encodeURIComponent(name)}`)
    if (current === name) draw(session)
  } catch {
    if (current === name) $('session').hidden = true
  }
}

service.addEventListener('sessions', () => { if (current !== null) showSession(current) })

function draw(session) {
  const total = Object.values(session.counts).reduce((a, b) => a + b, 0)
  const limits = [
    session.limits.rate_bytes_per_second && `at most ${rate(session.limits.rate_bytes_per_second)}`,
    session.limits.max_concurrent && `${count(session.limits.max_concurrent)} at once`,
    session.limits.max_bytes && `${size(session.limits.max_bytes)} in all`,
    session.sealed && 'sealed',
  ].filter(Boolean)
  const done = `${count(session.counts.completed)} of ${plural(total, 'download')} done`
  const bytes = session.total_bytes ? sizeOf(session.received_bytes, session.total_bytes) : ''
  const act = (action, label) => session.open_count > 0 &&
    el('button', { type: 'button', class: 'quiet', onclick: () => actOn(session.name, action, label) }, label)
  $('session').replaceChildren(
    el('div', {}, el('b', {}, session.name), session.description && el('p', {}, session.description),
      el('p', { class: 'reason' }, [done, bytes, ...limits].filter(Boolean).join(' · '))),
    act('pause', 'Pause all'), act('resume', 'Resume all'),
    el('button', { type: 'button', class: 'quiet', onclick: () => edit(session) }, 'Change…'))
}

async function actOn(name, action, label) {
  try {
    const { acted } = await patch(`sessions/${encodeURIComponent(name)}`, { action })
    message(`${label}: ${plural(acted?.changed ?? 0, 'download')} of ${name}.`)
    service.readSessions()
  } catch (problem) {
    complain(label, problem)
  }
}

function edit(session) {
  const { limits } = session
  const speed = rateField('Rate limit', '/limits/rate_bytes_per_second', limits.rate_bytes_per_second)
  const slots = field('At once', input({ value: limits.max_concurrent ?? '', inputmode: 'numeric' }),
    { pointer: '/limits/max_concurrent', hint: 'Downloads that run at once. Empty: no limit.' })
  const about = field('Description', area({ rows: '2' }), { pointer: '/description' })
  about.input.value = session.description ?? ''
  const form = formParts([speed, slots, about], 'Save', async () => {
    const body = {
      limits: {
        rate_bytes_per_second: typedRate(speed, '/limits/rate_bytes_per_second') || null,
        max_concurrent: slots.value ? wholeNumber(slots, '/limits/max_concurrent') : null,
      },
      description: about.value || null,
    }
    await patch(`sessions/${encodeURIComponent(session.name)}`, body)
    shown.close()
    service.readSessions()
  })
  const shown = dialog(`Change ${session.name}`, form)
}
