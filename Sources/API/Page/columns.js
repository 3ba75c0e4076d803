// The columns of the table: what each shows, and by which order of the service it can be sorted.

import { actionsCell, isEnded } from './row-actions.js'
import { el, setAttribute, setText } from './dom.js'
import { duration, fullInstant, host, instant, rate, size, sizeOf } from './format.js'
import { reason, stateWord } from './words.js'

/// A column whose cells have one text.
function text(id, label, settings, read) {
  return {
    id, label, ...settings,
    make(cell) {
      return row => {
        setText(cell, read(row))
        setAttribute(cell, 'title', settings.title?.(row))
      }
    },
  }
}

const select = {
  id: 'select', label: 'Select', isFixed: true,
  make(cell, { onSelect }) {
    const box = el('input', { type: 'checkbox' })
    let current = null
    box.addEventListener('click', event => onSelect(current, event.shiftKey))
    cell.append(box)
    return (row, { isSelected }) => {
      current = row
      box.checked = isSelected
      setAttribute(box, 'aria-label', `Select ${row.name}`)
    }
  },
}

const name = {
  id: 'name', label: 'Name', sort: 'name', isFixed: true,
  make(cell, { onOpen }) {
    let current = null
    const title = el('button', { type: 'button', class: 'name', onclick: () => onOpen(current.id) })
    const word = el('span', { class: 'tag' })
    const why = el('span', { class: 'reason' })
    cell.append(title, el('div', { class: 'why' }, word, why))
    return row => {
      current = row
      setText(title, row.name)
      setAttribute(title, 'title', row.name)
      setText(word, stateWord(row))
      setAttribute(word, 'class', `tag ${row.state}`)
      const words = reason(row)
      setText(why, words ? ` · ${words}` : '')
      setAttribute(why, 'title', words)
    }
  },
}

/// The share of the bytes that are here, from 0 to 100; null if the size is not known.
export function percent(row) {
  if (row.state === 'completed') return 100
  const { received_bytes: received, total_bytes: total, verified_bytes: verified } = row.progress
  if (total === null || total === undefined) return null
  if (total === 0) return row.state === 'running' ? 100 : 0
  return Math.min(100, Math.floor((row.phase === 'verifying' && verified !== null ? verified : received) / total * 100))
}

const progress = {
  id: 'progress', label: 'Progress', isFixed: true,
  make(cell) {
    const bar = el('progress', { max: 100 })
    const share = el('span')
    const bytes = el('span')
    const line = el('div', { class: 'share' }, share, bytes)
    cell.append(bar, line)
    return row => {
      const value = percent(row)
      bar.hidden = row.state === 'completed' || (value === null && row.state !== 'running')
      setAttribute(bar, 'class', row.state)
      setAttribute(bar, 'aria-label', `Progress of ${row.name}`)
      if (value === null) bar.removeAttribute('value')
      else if (bar.value !== value || !bar.hasAttribute('value')) bar.value = value
      setText(bar, value === null ? '' : `${value} %`)
      setText(share, row.state === 'completed' || value === null ? '' : `${value} %`)
      setText(bytes, amount(row))
    }
  },
}

const gone = file => (file.expired_at ? 'the file expired' : 'the file is gone')

function amount(row) {
  const { received_bytes: received, total_bytes: total } = row.progress
  if (row.state === 'completed') return row.file?.available === false ? gone(row.file) : size(row.file?.size_bytes)
  if (total !== null) return sizeOf(received, total)
  if (received) return `${size(received)}, size unknown`
  return isEnded(row) ? '' : 'size unknown'
}

const speed = {
  id: 'speed', label: 'Speed', class: 'number', isShown: true,
  make(cell) {
    const now = el('div')
    const left = el('div', { class: 'reason' })
    cell.append(now, left)
    return row => {
      const { bytes_per_second: bytes, eta_seconds: seconds } = row.progress
      const isRunning = row.state === 'running'
      setText(now, isRunning ? rate(bytes) : '')
      setText(left, isRunning && seconds !== null && seconds !== undefined ? `${duration(seconds)} left` : '')
    }
  },
}

const number = { class: 'number' }

const columns = [
  select,
  name,
  progress,
  text('size', 'Size', { ...number, sort: 'size' }, row =>
    size(row.file?.size_bytes ?? row.progress.total_bytes)),
  speed,
  text('host', 'Host', {}, row => host(row.url)),
  text('session', 'Session', {}, row => row.session ?? ''),
  text('priority', 'Priority', { ...number, sort: 'priority' }, row => String(row.priority)),
  text('added', 'Added', { sort: 'created_at', title: row => fullInstant(row.created_at) }, row =>
    instant(row.created_at)),
  text('finished', 'Finished', { sort: 'finished_at', title: row => fullInstant(row.finished_at) },
    row => instant(row.finished_at)),
  { id: 'actions', label: 'Actions', isFixed: true, make: actionsCell },
]

export const allColumns = columns
export const optionalColumns = columns.filter(column => !column.isFixed)
export const usualColumns = optionalColumns.filter(column => column.isShown).map(column => column.id)
