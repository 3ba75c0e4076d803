// Which downloads are selected: some by their ids, or all that a view finds.

export class Selection {
  ids = new Set()
  isAll = false
  #onChange

  constructor(onChange) { this.#onChange = onChange }

  get isEmpty() { return !this.isAll && this.ids.size === 0 }
  has(id) { return this.isAll || this.ids.has(id) }

  /// - Parameter rows: The loaded rows: "all" becomes these if one is taken out.
  toggle(id, rows) {
    if (this.isAll) {
      this.isAll = false
      this.ids = new Set(rows.map(row => row.id))
    }
    if (!this.ids.delete(id)) this.ids.add(id)
    this.#onChange()
  }

  /// Adds the rows between two, both included.
  addRange(first, last, rows) {
    for (let index = Math.min(first, last); index <= Math.max(first, last); index += 1) this.ids.add(rows[index].id)
    this.#onChange()
  }

  toggleAll() {
    this.isAll = !this.isAll
    this.ids.clear()
    this.#onChange()
  }

  clear() {
    if (this.isEmpty) return
    this.isAll = false
    this.ids.clear()
    this.#onChange()
  }

  forget(id) { if (this.ids.delete(id)) this.#onChange() }
}
