// What the views of hosts, webhooks, events and settings have in common.

import { el } from './dom.js'

export const heading = (title, text, ...buttons) =>
  el('div', { class: 'panel-head' }, el('div', {}, el('h2', {}, title), text && el('p', { class: 'hint' }, text)),
    ...buttons)

export const button = (label, onclick, kind = 'quiet') => el('button', { type: 'button', class: kind, onclick }, label)

/// A table of a view; cells are text or elements.
export function simpleTable(label, heads, rows) {
  return el('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': label },
    el('table', { class: 'simple', 'aria-label': label },
      el('thead', {}, el('tr', {}, ...heads.map(head => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, ...rows.map(cells => el('tr', {}, ...cells.map(cell => el('td', {}, ...[cell].flat())))))))
}

export const empty = (title, text) => el('div', { class: 'empty' }, el('h3', {}, title), el('p', {}, text))

export const fault = (problem, again) =>
  el('div', { class: 'empty' }, el('h3', {}, 'This could not be read'), el('p', {}, problem.message),
    button('Try again', again))

/// Fills a place with what `build` makes, or says why it could not. An older answer does not replace a newer one.
export function filler(place) {
  let turn = 0
  return async function fill(build) {
    const mine = turn += 1
    try {
      const content = await build()
      if (mine === turn) place.replaceChildren(...[content].flat())
    } catch (problem) {
      if (mine === turn) place.replaceChildren(fault(problem, () => fill(build)))
    }
  }
}
