// The requests of a download as a timeline: what was asked, what came, and what was decided.

import { el } from './dom.js'
import { instant, milliseconds, plural, size } from './format.js'
import { decision, spaced } from './words.js'

const GOOD = new Set(['accept', 'already_complete', null])

/// Requests of one moment with the same answer become one line: eight connections are opened at once.
function grouped(attempts) {
  const groups = []
  for (const attempt of attempts) {
    const key = [attempt.run, attempt.attempt, attempt.decision, attempt.reason, attempt.http_status,
      attempt.error].join()
    const last = groups.at(-1)
    if (last?.key === key) last.attempts.push(attempt)
    else groups.push({ key, attempts: [attempt] })
  }
  return groups.map(group => group.attempts)
}

export function attemptLines(download, attempts) {
  const lines = grouped(attempts).map(line)
  if (download.finished_at) {
    lines.unshift(el('li', { class: download.state }, ENDS[download.state], el('small', {},
      instant(download.finished_at))))
  }
  lines.push(el('li', {}, 'Added', el('small', {}, instant(download.created_at))))
  return lines
}

const ENDS = { completed: 'Completed', failed: 'Failed', cancelled: 'Cancelled' }

function line(group) {
  const [newest] = group
  const oldest = group.at(-1)
  return el('li', { class: GOOD.has(newest.decision) ? '' : newest.decision === 'fail' ? 'failed' : 'waiting' },
    title(newest, oldest, group.length),
    el('small', {}, facts(newest, oldest, group.length)),
    newest.error && el('small', {}, spaced(newest.error)))
}

function facts(newest, oldest, number) {
  const bytes = newest.received_bytes
  return [
    instant(oldest.started_at),
    newest.http_status ? `HTTP ${newest.http_status}` : null,
    newest.decision === 'accept' ? null : number > 1 ? plural(number, 'request') : rangeWords(newest),
    number === 1 && bytes ? `${size(bytes)} came` : null,
    number === 1 ? milliseconds(newest.duration_ms) : null,
    newest.redirects ? plural(newest.redirects, 'redirect') : null,
    newest.remote_address,
  ].filter(Boolean).join(' · ')
}

function title(newest, oldest, number) {
  if (newest.decision !== 'accept') return [decision(newest.decision), spaced(newest.reason)].filter(Boolean).join(': ')
  if (oldest.range === null) return 'Started'
  return number === 1 ? `Went on at ${size(oldest.range.first)}` : `Fetched ${number} parts at once`
}

const rangeWords = ({ range }) => range ? `from ${size(range.first)}` : 'the whole file'
