// The views of downloads: table, search, order, selection and details.

import { Actions, copy } from './actions.js'
import { allColumns, optionalColumns } from './columns.js'
import { Detail } from './detail.js'
import { menu } from './dialog.js'
import { $, el, setAttribute, setText } from './dom.js'
import { editDownload } from './edit.js'
import { editMany } from './edit-many.js'
import { soon } from './frames.js'
import { count, plural } from './format.js'
import { List } from './list.js'
import { announce } from './messages.js'
import { VIEWS, writeAddress } from './nav.js'
import { remember, remembered } from './preferences.js'
import { filter, parseSearch } from './query.js'
import { actionLabel, mainActions } from './row-actions.js'
import { Selection } from './selection.js'
import { service } from './service.js'
import { showSession } from './session-bar.js'
import { Table } from './table.js'
import { ACTIONS, stateWord } from './words.js'

const SORTS = [['-created_at', 'Newest first'], ['created_at', 'Oldest first'], ['name', 'Name'], ['-size',
  'Largest first'],
  ['-priority', 'Priority'], ['-finished_at', 'Finished last']]
/// Changes of state that are read aloud.
const TOLD = new Set(['completed', 'failed', 'paused', 'cancelled'])

export class DownloadsView {
  list = new List(() => this.#changed())
  selection = new Selection(() => this.#selectionChanged())
  actions = new Actions({ onRow: row => this.#apply(row), onRemoved: id => this.#removed(id) })
  detail = new Detail({
    action: (name, row) => this.actions.one(name, row),
    row: row => this.#apply(row, { isFromDetail: true }),
    close: () => this.show(null),
  })
  table = new Table(this.list, this.selection, {
    open: id => this.show(id), action: (name, row) => this.actions.one(name, row),
    menu: (row, button) => this.#openMenu(row, button), sort: sort => this.#sort(sort), rangeChanged: () => {},
  })
  #view = 'all'
  #session = null
  #events = new Map()

  constructor() {
    $('table').append(this.table.element)
    $('sort').append(...SORTS.map(([value, label]) => el('option', { value }, label)))
    $('sort').addEventListener('change', event => this.#sort(event.target.value))
    let timer = null
    $('search').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => this.#open(), 250) })
    $('columns').addEventListener('click', () => this.#chooseColumns())
    for (const name of Object.keys(ACTIONS)) {
      $('bulk-actions').append(el('button', {
        type: 'button', class: name === 'delete' ? 'quiet danger' : 'quiet', 'data-action': name,
          onclick: () => this.act(name),
      }, ACTIONS[name].label))
    }
    $('bulk-actions').append(el('button', { type: 'button', class: 'quiet', onclick: () => this.#editMany() },
      'Change…'))
    $('unselect').addEventListener('click', () => this.selection.clear())
    $('try-again').addEventListener('click', () => this.list.reload())
    this.detail.close()
  }

  // MARK: What is shown

  get path() { return this.#session === null ? this.#view : `session/${encodeURIComponent(this.#session)}` }

  /// Shows the view that the address names.
  enter({ name, argument, shown }) {
    const session = name === 'session' ? argument : null
    const view = VIEWS[name] ? name : 'all'
    if (view !== this.#view || session !== this.#session || !this.list.query) {
      [this.#view, this.#session] = [view, session]
      this.selection.clear()
      scrollTo(0, 0)
      this.#open()
    }
    this.#showDetail(shown)
    showSession(session)
    setText($('view-title'), session ?? VIEWS[view].title)
  }

  #open() {
    const sort = remembered('sort', '-created_at')
    $('sort').value = sort
    const search = parseSearch($('search').value)
    const session = this.#session ?? search.session
    this.list.open({ ...search, session, state: VIEWS[this.#view].states, sort })
    this.table.headChanged()
  }

  #sort(sort) {
    remember('sort', sort)
    this.#open()
  }

  reload() { if (this.list.query) this.list.reload() }

  #changed() {
    this.table.changed()
    soon(this.#showState)
  }

  #showState = () => {
    const { rows, total, isLowerBound, isComplete, problem, query } = this.list
    const isEmpty = rows.length === 0 && isComplete && !problem
    $('table').hidden = isEmpty
    $('empty').hidden = !isEmpty
    if (isEmpty) this.#showEmpty(query)
    $('list-fault').hidden = !problem || problem.isOffline
    if (problem) setText($('list-fault-text'), problem.message)
    setText($('total'), total === null ? '' : `${count(total)}${isLowerBound ? ' or more' : ''}`)
    setAttribute($('total'), 'title', total === null ? null : plural(total, 'download'))
    $('table').classList.toggle('loading', this.list.isLoading && rows.length === 0)
  }

  #showEmpty({ q, state, session }) {
    const isFiltered = $('search').value.trim() !== ''
    const [title, text] = isFiltered ? ['Nothing found',
      `No download here has “${q || $('search').value}” in its name or URL.`]
      : session ? ['No downloads', 'This session has none any more.']
        : EMPTY[this.#view] ?? EMPTY.all
    setText($('empty-title'), title)
    setText($('empty-text'), text)
    $('empty').dataset.view = state.length || isFiltered ? '' : 'all'
  }

  // MARK: Events

  /// Events are collected, and shown together before the next frame.
  event(event) {
    const { id } = event.data
    this.#events.set(id, event)
    soon(this.#flush)
  }

  /// Only so many in a frame: a thousand events come at once when a thousand downloads are added.
  #flush = () => {
    const end = performance.now() + 6
    for (const [id, { type, data }] of this.#events) {
      this.#events.delete(id)
      if (type === 'download.deleted') this.#removed(id)
      else this.#apply(data, { isEvent: true })
      if (performance.now() > end) break
    }
    if (this.#events.size > 0) soon(this.#flush)
    this.table.changed()
    this.#showState()
  }

  #apply(row, { isEvent = false, isFromDetail = false } = {}) {
    const shift = this.list.apply(row)
    if (shift) this.table.shifted(shift.index, shift.added)
    if (isEvent && row.previous_state && row.previous_state !== row.state && TOLD.has(row.state)) {
      announce(`${row.name}: ${stateWord(row)}`)
    }
    if (!isFromDetail) this.detail.changed(row)
    this.table.changed()
    soon(this.#showState)
  }

  #removed(id) {
    const shift = this.list.remove(id)
    if (shift) this.table.shifted(shift.index, shift.added)
    this.selection.forget(id)
    if (this.detail.id === id) this.show(null)
    this.table.changed()
    soon(this.#showState)
  }

  progress({ id, phase, progress }) {
    this.list.progress(id, phase, progress)
    this.detail.progress(id, progress)
    this.table.changed()
  }

  // MARK: Details

  /// - Parameter id: nil closes the details.
  show(id) { writeAddress(this.path, id, { replaces: this.detail.id !== null || id === null }) }

  #showDetail(id) {
    this.table.setOpened(id)
    document.body.classList.toggle('has-detail', id !== null)
    const wasOpen = this.detail.id !== null
    if (id) this.detail.open(id, this.list.get(id))
    else if (wasOpen) this.detail.close()
    // On a narrow screen the details cover the list, so the focus follows.
    if (matchMedia('(max-width: 1180px)').matches && id && !wasOpen) $('detail').querySelector('h2')?.focus()
  }

  // MARK: Actions

  #openMenu(row, button) {
    const others = ['pause', 'resume', 'retry', 'cancel'].filter(name =>
      row.allowed_actions.includes(name) && !mainActions(row).includes(name))
    const item = name => ({ label: actionLabel(name, row), run: () => this.actions.one(name, row) })
    const digest = Object.entries(row.file?.digests ?? {})[0]
    menu(button, [
      { label: 'Details', run: () => this.show(row.id) },
      { label: 'Change…', run: () => editDownload(row, changed => this.#apply(changed)) },
      ...others.map(item),
      ...(row.state === 'completed' && !row.allowed_actions.includes('retry')
        ? [{ label: 'Fetch again', run: () => this.actions.one('again', row) }] : []),
      null,
      { label: 'Copy URL', run: () => copy('URL', row.url) },
      ...(digest ? [{ label: `Copy ${digest[0].toUpperCase()}`, run: () => copy('Digest', digest[1]) }] : []),
      { label: 'Copy id', run: () => copy('Id', row.id) },
      null,
      { label: 'Delete…', kind: 'danger', run: () => this.actions.one('delete', row) },
    ])
  }

  /// Acts on what is selected, or on the row that the keyboard is at.
  async act(name) {
    const target = this.#target()
    if (!target) {
      const row = this.table.currentRow
      if (row && (name === 'delete' || row.allowed_actions.includes(name))) await this.actions.one(name, row)
      return
    }
    if (await this.actions.many(name, target)) {
      this.selection.clear()
      service.noticed()
      this.list.reload()
    }
  }

  #target() {
    const { selection, list } = this
    if (selection.isEmpty) return null
    if (selection.isAll && !list.isComplete) return { filter: filter(list.query), count: list.total ?? 0,
      rows: list.rows }
    const rows = selection.isAll ? list.rows : [...selection.ids].map(id => list.get(id)).filter(Boolean)
    if (selection.isAll && rows.length > 100) return { filter: filter(list.query), count: rows.length, rows }
    const ids = selection.isAll ? rows.map(row => row.id) : [...selection.ids]
    return ids.length > 0 ? { ids, count: ids.length, rows } : null
  }

  #editMany() {
    const target = this.#target()
    editMany({ ...target, query: this.list.query }, row => this.#apply(row), () => this.selection.clear())
  }

  #selectionChanged() {
    this.table.changed()
    soon(this.#showSelection)
  }

  #showSelection = () => {
    const target = this.#target()
    $('bulk').hidden = !target
    $('list-tools').hidden = Boolean(target)
    if (!target) return
    setText($('selected'), `${count(target.count)} selected`)
    const isAllowed = name => target.filter ? true : name === 'delete'
      ? target.rows.length > 0 : target.rows.some(row => row.allowed_actions?.includes(name))
    for (const button of $('bulk-actions').querySelectorAll('[data-action]')) button.hidden = !isAllowed(button.dataset.action)
  }

  /// `r` resumes what is paused, and retries what has ended.
  resumeOrRetry() {
    const rows = this.#target()?.rows ?? [this.table.currentRow].filter(Boolean)
    return this.act(rows.some(row => row.allowed_actions.includes('resume')) ? 'resume' : 'retry')
  }

  toggleCurrent() { if (this.table.currentRow) this.table.select(this.table.currentID) }

  #chooseColumns() {
    const shown = new Set(this.table.shownColumns)
    menu($('columns'), optionalColumns.map(({ id, label }) => ({
      label: `${shown.has(id) ? '✓' : '\u2003'} ${label}`,
      run: () => {
        if (!shown.delete(id)) shown.add(id)
        this.table.showColumns(allColumns.filter(column => shown.has(column.id)
          && !column.isFixed).map(column => column.id))
      },
    })))
  }
}

const EMPTY = {
  all: ['Nothing here yet', 'Paste a URL above, or drop links, a list of URLs or a Metalink anywhere on this page.'],
  active: ['Nothing runs', 'Downloads that run now are shown here.'],
  waiting: ['Nothing waits', 'Downloads that wait are shown here, with the reason.'],
  paused: ['Nothing is paused', 'Paused downloads keep their bytes.'],
  done: ['Nothing is done yet', 'Finished files are shown here.'],
  failed: ['Nothing failed', 'Downloads that gave up are shown here, with the reason and what to do.'],
  cancelled: ['Nothing was cancelled', 'Cancelled downloads can be retried.'],
}

