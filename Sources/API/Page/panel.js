// What the views of hosts, webhooks, events and settings have in common.

import { el } from './dom.js'

export const heading = (title, text, ...buttons) =>
  el('div', { class: 'panel-head' }, el('div', {}, el('h2', {}, title), text && el('p', { class: 'hint' }, text)),
    ...buttons)

export const button = (label, onclick, kind = 'quiet') => el('button', { type: 'button', class: kind, onclick }, label)

/// A table of a view; cells are text or elements. On a phone each row is a block, and its cells say their heads; the
/// roles keep it a table then.
export function simpleTable(label, heads, rows) {
  const row = cells => el('tr', { role: 'row' }, ...cells)
  const cell = (content, index) => el('td', { role: 'cell', 'data-head': heads[index] }, ...[content].flat())
  return el('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': label },
    el('table', { class: 'simple', role: 'table', 'aria-label': label },
      el('thead', { role: 'rowgroup' }, row(heads.map(head => el('th', { scope: 'col', role: 'columnheader' }, head)))),
      el('tbody', { role: 'rowgroup' }, ...rows.map(cells => row(cells.map(cell))))))
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
