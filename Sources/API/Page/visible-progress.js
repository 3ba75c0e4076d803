// Readings of the rows that are seen. A stream reports at most twenty transfers a second; with more running, the page
// asks for those in sight, so that their bars move.

import { get } from './api.js'

const INTERVAL = 1500
/// The stream alone is enough for so many.
const FEW = 15

export class VisibleProgress {
  #view
  #isBusy = false

  constructor(view) {
    this.#view = view
    setInterval(() => this.#read(), INTERVAL)
  }

  async #read() {
    if (document.hidden || this.#isBusy || document.body.dataset.panel !== 'downloads') return
    const { list, table } = this.#view
    const running = table.visibleRows.filter(row => row.state === 'running').slice(0, 60)
    if (running.length <= FEW && list.rows.length < 200) return
    if (running.length === 0) return
    this.#isBusy = true
    try {
      const values = new URLSearchParams({ id: running.map(row => row.id).join(','), fields: 'id,phase,progress',
        limit: '60' })
      for (const { id, phase, progress } of (await get(`downloads?${values}`)).items) list.progress(id, phase, progress)
      table.changed()
    } catch { /* The next one may succeed. */ } finally {
      this.#isBusy = false
    }
  }
}
