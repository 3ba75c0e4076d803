// The downloads of a view, in order: pages are read as far as they are needed, and events keep them up to date.

import { get } from './api.js'
import { FIELDS, comparison, matches, parameters } from './query.js'

const FIRST_PAGE = 60
const PAGE = 200
/// So many rows are there below the last visible one, before they are needed.
const AHEAD = 800

export class List {
  rows = []
  query = null
  /// How many downloads the service has found; it may have found more.
  total = null
  isLowerBound = false
  isComplete = false
  isLoading = false
  problem = null
  #byID = new Map()
  /// Revisions of downloads that have left the list: an older state of them on a page is not shown.
  #left = new Map()
  #cursor = null
  #compare = null
  #turn = 0
  #wanted = 0
  #onChange

  constructor(onChange) { this.#onChange = onChange }

  get(id) { return this.#byID.get(id) }

  /// Shows other downloads. What was shown stays until the first page is there.
  open(query) {
    this.query = query
    this.#compare = comparison(query.sort)
    this.#wanted = 0
    return this.reload()
  }

  async reload() {
    this.#turn += 1
    this.isLoading = false
    this.#cursor = null
    this.isComplete = false
    this.#left.clear()
    await this.#load(true)
  }

  /// Reads further pages if a row this far down is about to be shown.
  need(index) {
    this.#wanted = index
    if (!this.isComplete && !this.isLoading && !this.problem && this.rows.length < index + AHEAD) this.#load(false)
  }

  async #load(isFirst) {
    const turn = this.#turn
    this.isLoading = true
    try {
      const page = await get(this.#path(isFirst))
      if (turn !== this.#turn) return
      if (isFirst) this.#clear()
      this.#add(page)
      this.problem = null
      this.isLoading = false
      this.#onChange()
      // A page may be empty and not be the last.
      if (!this.isComplete && this.rows.length < this.#wanted + AHEAD) await this.#load(false)
    } catch (error) {
      if (turn !== this.#turn) return
      this.isLoading = false
      this.problem = error
      this.#onChange()
    }
  }

  #path(isFirst) {
    const values = parameters(this.query)
    values.set('fields', FIELDS)
    values.set('limit', isFirst ? FIRST_PAGE : PAGE)
    if (isFirst) values.set('count', 'true')
    else values.set('cursor', this.#cursor)
    return `downloads?${values}`
  }

  #clear() {
    this.rows = []
    this.#byID.clear()
  }

  #add(page) {
    for (const row of page.items) {
      if ((this.#left.get(row.id) ?? -1) >= row.counters.revision) continue
      if (this.#byID.has(row.id)) continue
      this.#byID.set(row.id, row)
      const last = this.rows.at(-1)
      // Pages come in order; an event may have put rows between them.
      if (!last || this.#compare(last, row) < 0) this.rows.push(row)
      else this.rows.splice(this.#place(row), 0, row)
    }
    this.#cursor = page.next_cursor
    this.isComplete = page.next_cursor === null
    if (page.total !== undefined) [this.total, this.isLowerBound] = [page.total, page.total_is_lower_bound]
    if (this.isComplete) [this.total, this.isLowerBound] = [this.rows.length, false]
  }

  /// The first place whose row does not come before this one.
  #place(row) {
    let [low, high] = [0, this.rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(this.rows[middle], row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  indexOf(row) {
    const index = this.#place(row)
    return this.rows[index] === row ? index : this.rows.indexOf(row)
  }

  /// Takes the state of a download from an event or an answer.
  ///
  /// - Returns: The place at which a row was inserted or removed; nil if the places of all rows are as before.
  apply(row) {
    const known = this.#byID.get(row.id)
    if (known && known.counters.revision > row.counters.revision) return null
    if (!this.query || !matches(row, this.query)) {
      this.#left.set(row.id, row.counters.revision)
      return known ? this.#take(known) : null
    }
    this.#left.delete(row.id)
    if (!known) return this.#insert(row)
    // An event has no progress of a transfer; what the last reading said is nearer.
    const progress = row.state === 'running' && known.state === 'running' &&
      known.progress.received_bytes > row.progress.received_bytes ? known.progress : row.progress
    if (this.#compare(known, row) === 0) {
      Object.assign(known, row, { progress })
      return null
    }
    this.#take(known)
    return this.#insert(Object.assign(known, row, { progress }))
  }

  #insert(row) {
    const index = this.#place(row)
    if (this.total !== null) this.total += 1
    if (index === this.rows.length && !this.isComplete) return null
    this.rows.splice(index, 0, row)
    this.#byID.set(row.id, row)
    return { index, added: 1 }
  }

  #take(row) {
    const index = this.indexOf(row)
    this.#byID.delete(row.id)
    if (this.total !== null) this.total -= 1
    if (index < 0) return null
    this.rows.splice(index, 1)
    return { index, added: -1 }
  }

  /// A download was deleted.
  remove(id) {
    this.#left.set(id, Infinity)
    const known = this.#byID.get(id)
    return known ? this.#take(known) : null
  }

  progress(id, phase, progress) {
    const row = this.#byID.get(id)
    if (!row || row.state !== 'running') return
    row.phase = phase
    Object.assign(row.progress, progress)
  }
}
