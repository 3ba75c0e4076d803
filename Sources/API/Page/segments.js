// The segments of a file, drawn as a bar: what was received, what each connection fetches, and what is missing.

import { get } from './api.js'
import { percent } from './columns.js'
import { el, setAttribute, setText } from './dom.js'
import { plural, rate, sizeOf } from './format.js'

export class Segments {
  #bar = el('div', { class: 'segments', role: 'img' })
  #text = el('p', { class: 'reason' })
  element = el('div', { class: 'segment-box' }, this.#bar, this.#text)
  #id
  #row = null
  #segments = []

  constructor(id) { this.#id = id }

  show(row) {
    this.#row = row
    this.element.hidden = ['completed', 'cancelled'].includes(row.state) || row.progress.total_bytes === null
    this.#draw()
  }

  progress(progress) {
    if (!this.#row) return
    Object.assign(this.#row.progress, progress)
    if (this.#segments.length === 0) this.#draw()
  }

  async read() {
    if (!this.#row || this.element.hidden) return
    try {
      this.#segments = (await get(`downloads/${this.#id}/segments`)).items
      this.#draw()
    } catch {
      // The bar stays as it is. The details say what is wrong with the service.
    }
  }

  #draw() {
    const value = percent(this.#row)
    const whole = { weight: 1, share: value ?? 0, state: this.#row.state, title: '' }
    const isKnown = this.#segments.length > 0 && this.#segments.at(-1).last_byte !== null
    const pieces = isKnown ? this.#segments.map(segment => this.#piece(segment)) : [whole]
    while (this.#bar.childElementCount > pieces.length) this.#bar.lastChild.remove()
    while (this.#bar.childElementCount < pieces.length) this.#bar.append(el('i', {}, el('b')))
    pieces.forEach(({ weight, share, state, title }, index) => {
      const piece = this.#bar.children[index]
      piece.style.flexGrow = String(weight)
      piece.firstChild.style.width = `${share}%`
      setAttribute(piece, 'data-state', state)
      setAttribute(piece, 'title', title)
    })
    const open = this.#row.progress.connections ?? 0
    setText(this.#text, open ? plural(open, 'connection') : '')
    const amount = value === null ? 'size unknown' : `${value} % in all`
    setAttribute(this.#bar, 'aria-label', `${plural(pieces.length, 'part')}, ${amount}`)
  }

  /// Received bytes have the colour of the download's state.
  #piece({ first_byte: first, last_byte: last, received_bytes: bytes, state, bytes_per_second: speed, authority }) {
    const weight = last - first + 1
    const isRunning = state === 'running' && this.#row.state === state
    const parts = [sizeOf(bytes, weight), isRunning && rate(speed), authority && `from ${authority}`]
    return {
      weight, share: bytes / weight * 100, state: isRunning ? state : this.#row.state,
      title: parts.filter(Boolean).join(', '),
    }
  }
}
