// The table: of all rows, only those that are seen are in the document.

import { allColumns, usualColumns } from './columns.js'
import { el, setAttribute, setText } from './dom.js'
import { soon } from './frames.js'
import { remember, remembered } from './preferences.js'

/// Rows above and below the visible ones, so that a fast scroll meets rows.
const MARGIN = 12

export class Table {
  #list
  #selection
  #handlers
  #body = el('tbody', { role: 'rowgroup' })
  #head = el('thead', { role: 'rowgroup' })
  #widths = el('colgroup')
  #above = el('tr', { class: 'space', 'aria-hidden': 'true' }, el('td'))
  #below = el('tr', { class: 'space', 'aria-hidden': 'true' }, el('td'))
  #views = new Map()
  #spare = []
  #columns = []
  #rowHeight = 56
  #first = 0
  #last = 0
  #opened = null
  /// The row that the keyboard is at.
  currentID = null
  element

  /// - Parameter handlers: `open`, `action`, `menu`, `sort` and `rangeChanged`.
  constructor(list, selection, handlers) {
    this.#list = list
    this.#selection = selection
    this.#handlers = handlers
    this.element = el('table', { role: 'table', 'aria-label': 'Downloads' }, this.#widths, this.#head, this.#body)
    this.#body.append(this.#above, this.#below)
    this.showColumns(remembered('columns', usualColumns))
    addEventListener('scroll', () => this.changed(), { passive: true })
    addEventListener('resize', () => { this.#measure(); this.changed() })
    this.#body.addEventListener('click', event => this.#clicked(event))
    this.#body.addEventListener('focusin', event => {
      this.currentID = event.target.closest('tr')?.dataset.id ?? this.currentID
    })
  }

  // MARK: Columns

  get shownColumns() { return this.#columns.map(column => column.id) }

  showColumns(ids) {
    this.#columns = allColumns.filter(column => column.isFixed || ids.includes(column.id))
    remember('columns', ids)
    for (const view of this.#views.values()) view.element.remove()
    this.#views.clear()
    this.#spare = []
    this.#widths.replaceChildren(...this.#columns.map(column => el('col', { class: `${column.id}-col` })))
    this.#showHead()
    this.#measure()
    this.changed()
  }

  #showHead() {
    const cells = this.#columns.map(column => this.#headCell(column))
    this.#head.replaceChildren(el('tr', { role: 'row' }, ...cells))
  }

  #headCell(column) {
    const sort = this.#list.query?.sort ?? ''
    const settings = { scope: 'col', role: 'columnheader', class: `${column.class ?? ''} ${column.id}-head` }
    if (column.id === 'select') {
      this.selectAll = el('input', {
        type: 'checkbox', 'aria-label': 'Select all', onclick: () => this.#selection.toggleAll(),
      })
      return el('th', settings, this.selectAll)
    }
    if (column.id === 'actions') return el('th', settings, el('span', { class: 'unseen' }, 'Actions'))
    if (!column.sort) return el('th', settings, column.label)
    const isSorted = sort.replace('-', '') === column.sort
    const isDown = sort.startsWith('-')
    if (isSorted) settings['aria-sort'] = isDown ? 'descending' : 'ascending'
    // Names begin at A, everything else with the newest or largest.
    const next = isSorted ? (isDown ? column.sort : `-${column.sort}`) : (column.sort === 'name' ? 'name'
      : `-${column.sort}`)
    return el('th', settings, el('button', { type: 'button', class: 'sort', onclick: () => this.#handlers.sort(next) },
      column.label, el('span', { class: 'arrow', 'aria-hidden': 'true' }, isSorted ? (isDown ? ' ↓' : ' ↑') : '')))
  }

  // MARK: Rows

  /// The height of a row is set by the stylesheet; it differs on phones.
  #measure() {
    this.#rowHeight = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 56
  }

  changed() { soon(this.#render) }

  headChanged() { this.#showHead(); this.changed() }

  setOpened(id) {
    this.#opened = id
    this.changed()
  }

  /// The rows that are seen now.
  get visibleRows() { return this.#list.rows.slice(this.#first, this.#last) }

  #render = () => {
    if (!this.element.isConnected) return
    const rows = this.#list.rows
    const top = this.#above.getBoundingClientRect().top
    const seen = Math.ceil(innerHeight / this.#rowHeight)
    const start = Math.max(0, Math.floor(-top / this.#rowHeight))
    const first = Math.max(0, Math.min(start, rows.length - seen) - MARGIN)
    const last = Math.min(rows.length, start + seen + MARGIN)
    this.#show(rows, first, last)
    this.#above.firstChild.style.height = `${first * this.#rowHeight}px`
    this.#below.firstChild.style.height = `${(rows.length - last) * this.#rowHeight}px`
    setAttribute(this.element, 'aria-rowcount', this.#list.isComplete ? rows.length + 1 : -1)
    this.#showSelectAll()
    const isMoved = first !== this.#first || last !== this.#last
    ;[this.#first, this.#last] = [first, last]
    this.#list.need(last)
    if (isMoved) this.#handlers.rangeChanged()
  }

  #show(rows, first, last) {
    const wanted = new Set()
    for (let index = first; index < last; index += 1) wanted.add(rows[index].id)
    for (const [id, view] of this.#views) {
      if (wanted.has(id)) continue
      this.#views.delete(id)
      view.element.remove()
      this.#spare.push(view)
    }
    let place = this.#above.nextSibling
    for (let index = first; index < last; index += 1) {
      const row = rows[index]
      let view = this.#views.get(row.id)
      if (!view) {
        view = this.#spare.pop() ?? this.#makeRow()
        this.#views.set(row.id, view)
      }
      this.#update(view, row, index)
      if (view.element === place) place = place.nextSibling
      else this.#body.insertBefore(view.element, place)
    }
    this.#spare.length = Math.min(this.#spare.length, 2 * MARGIN)
  }

  #makeRow() {
    const handlers = {
      onOpen: id => this.#handlers.open(id),
      onAction: (name, row) => this.#handlers.action(name, row),
      onMenu: (row, button) => this.#handlers.menu(row, button),
      onSelect: (row, isRange) => this.select(row.id, isRange),
    }
    const element = el('tr', { role: 'row' })
    const updates = this.#columns.map(column => {
      const cell = el('td', { role: 'cell', class: `${column.class ?? ''} ${column.id}-cell`.trim() })
      element.append(cell)
      return column.make(cell, handlers)
    })
    return { element, updates }
  }

  #update(view, row, index) {
    const { element } = view
    const isSelected = this.#selection.has(row.id)
    if (element.dataset.id !== row.id) element.dataset.id = row.id
    if (element.dataset.state !== row.state) element.dataset.state = row.state
    setAttribute(element, 'aria-rowindex', index + 2)
    setAttribute(element, 'aria-selected', isSelected ? 'true' : null)
    setAttribute(element, 'aria-current', row.id === this.#opened ? 'true' : null)
    for (const update of view.updates) update(row, { isSelected })
  }

  #showSelectAll() {
    const { isAll, ids } = this.#selection
    this.selectAll.checked = isAll
    this.selectAll.indeterminate = !isAll && ids.size > 0
  }

  // MARK: Keyboard and mouse

  #clicked(event) {
    if (event.target.closest('button, input, a')) return
    const id = event.target.closest('tr')?.dataset.id
    if (id && !String(getSelection())) this.#handlers.open(id)
  }

  /// - Parameter isRange: Selects all rows from the one that was selected last.
  select(id, isRange = false) {
    const rows = this.#list.rows
    const index = rows.findIndex(row => row.id === id)
    const last = rows.findIndex(row => row.id === this.lastSelected)
    if (isRange && last >= 0) this.#selection.addRange(last, index, rows)
    else this.#selection.toggle(id, rows)
    this.lastSelected = id
  }

  get currentRow() { return this.#list.get(this.currentID) }

  /// Moves the focus to the next row, or the one before.
  move(step) {
    const rows = this.#list.rows
    if (rows.length === 0) return
    const row = this.currentRow
    const from = row ? this.#list.indexOf(row) : step > 0 ? this.#first + MARGIN * (this.#first > 0) - 1 : this.#last
    this.focus(Math.max(0, Math.min(rows.length - 1, from + step)))
  }

  focus(index) {
    const row = this.#list.rows[index]
    if (!row) return
    this.currentID = row.id
    this.#reveal(index)
    this.#render()
    this.#views.get(row.id)?.element.querySelector('.name')?.focus({ preventScroll: true })
  }

  #reveal(index) {
    const top = this.#above.getBoundingClientRect().top + index * this.#rowHeight
    const cover = this.#head.getBoundingClientRect().bottom
    if (top < cover) scrollBy(0, top - cover)
    else if (top + this.#rowHeight > innerHeight - 40) scrollBy(0, top + this.#rowHeight - innerHeight + 40)
  }

  /// Rows came or went above the visible ones: what is seen stays where it is.
  shifted(index, added) {
    if (index < this.#first + MARGIN && this.#first > 0) scrollBy(0, added * this.#rowHeight)
  }
}
