// The buttons of a row: those that its state allows, and a menu for the rest.

import { iconButton } from './dom.js'

/// The two buttons that are most useful in each state. The service says which actions are possible.
export function mainActions(row) {
  if (row.state === 'completed') return row.file?.available === false ? ['retry', 'delete'] : ['save', 'delete']
  const allowed = new Set(row.allowed_actions)
  const offered = ['pause', 'resume', 'retry', 'cancel'].filter(name => allowed.has(name))
  // A download that waits can be tried now, which is more useful than to pause it.
  const first = row.state === 'waiting' && allowed.has('resume') ? 'resume' : offered[0]
  const second = isEnded(row) ? 'delete' : 'cancel'
  return [first, offered.includes(second) || second === 'delete' ? second : null].filter(Boolean)
}

export const isEnded = row => ['completed', 'failed', 'cancelled'].includes(row.state)

const LABELS = {
  pause: 'Pause', resume: 'Resume', retry: 'Retry', cancel: 'Cancel', save: 'Save', delete: 'Delete',
}

export const actionLabel = (name, row) => name === 'resume' && row.state === 'waiting' ? 'Try now' : LABELS[name]

export function actionsCell(cell, { onAction, onMenu }) {
  let current = null
  let shown = ''
  const more = iconButton('more', 'More', () => onMenu(current, more))
  cell.append(more)
  return row => {
    current = row
    const names = mainActions(row)
    const state = `${names} ${row.state} ${row.name}`
    if (state === shown) return
    shown = state
    const focused = cell.contains(document.activeElement) ? document.activeElement.dataset.action : null
    const buttons = names.map(name =>
      iconButton(name, `${actionLabel(name, row)} ${row.name}`, () => onAction(name, current), { 'data-action': name }))
    more.setAttribute('aria-label', `More for ${row.name}`)
    cell.replaceChildren(...buttons, more)
    // The focus stays where it was, though the button is another one.
    if (focused !== null && focused !== undefined) {
      const same = buttons.find(button => button.dataset.action === focused) ?? buttons[0] ?? more
      same.focus({ preventScroll: true })
    }
  }
}
