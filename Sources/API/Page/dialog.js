// Dialogs, and menus that a button opens.

import { el, iconButton } from './dom.js'

/// Shows a dialog until it is closed. `Escape` closes it, and the focus goes back to where it was.
export function dialog(title, content, { buttons = [], isWide = false } = {}) {
  const id = `dialog-${Math.random().toString(36).slice(2)}`
  const close = () => element.close()
  const element = el('dialog', { 'aria-labelledby': id, class: isWide ? 'wide' : '' },
    el('div', { class: 'dialog-head' }, el('h2', { id }, title), iconButton('cancel', 'Close', close)),
    el('div', { class: 'dialog-body' }, ...[content].flat()),
    buttons.length > 0 && el('div', { class: 'dialog-foot' }, ...buttons))
  element.addEventListener('close', () => element.remove())
  document.body.append(element)
  element.showModal()
  return element
}

/// Asks a question, and resolves to the name of the button, or to null.
///
/// - Parameter choices: `{ name, label, kind }`, the last is the main one. It has the focus, unless it destroys
///   something: then the first has it, so that `Enter` alone destroys nothing.
export function ask(title, content, choices) {
  return new Promise(resolve => {
    let answer = null
    const buttons = choices.map(({ name, label, kind = 'quiet' }) =>
      el('button', { type: 'button', class: kind, onclick: () => { answer = name; shown.close() } }, label))
    const shown = dialog(title, content, { buttons })
    const isDestructive = choices.at(-1).kind?.includes('danger')
    buttons.at(isDestructive ? 0 : -1).focus()
    shown.addEventListener('close', () => resolve(answer))
  })
}

/// Shows a menu below a button. Arrows move in it, `Escape` closes it.
///
/// - Parameter items: `{ label, run, kind }`; null is a line between groups.
export function menu(button, items) {
  const element = el('div', { class: 'menu', popover: 'auto' }, ...items.map(item => item === null
    ? el('hr')
    : el('button', {
      type: 'button', class: item.kind ?? '', onclick: () => { element.hidePopover(); item.run() },
    }, item.label)))
  element.addEventListener('toggle', event => { if (event.newState === 'closed') element.remove() })
  element.addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const buttons = [...element.querySelectorAll('button')]
    buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus()
  })
  document.body.append(element)
  element.showPopover()
  place(element, button)
  element.querySelector('button')?.focus()
}

function place(element, button) {
  const anchor = button.getBoundingClientRect()
  const { width, height } = element.getBoundingClientRect()
  const below = anchor.bottom + 4 + height <= innerHeight
  element.style.left = `${Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))}px`
  element.style.top = `${Math.max(8, below ? anchor.bottom + 4 : anchor.top - 4 - height)}px`
}
