// The view of events: the log, as it is written.

import { get } from './api.js'
import { dialog } from './dialog.js'
import { el } from './dom.js'
import { soon } from './frames.js'
import { fullInstant, instant } from './format.js'
import { button, fault, heading } from './panel.js'
import { spaced } from './words.js'

const MOST = 300
const TAGS = {
  completed: 'completed', failed: 'failed', started: 'running', resumed: 'running', waiting: 'waiting',
    retrying: 'waiting',
  finished: 'completed', disabled: 'failed', file_missing: 'failed', expired: 'failed',
}

export class EventLogView {
  #place
  #list = el('ol', { class: 'log', 'aria-label': 'Events, newest first' })
  #waiting = []
  #newest = 0
  #isPaused = false
  #isShown = false

  constructor(place) { this.#place = place }

  async enter() {
    this.#isShown = true
    const pause = button('Pause', () => {
      this.#isPaused = !this.#isPaused
      pause.textContent = this.#isPaused ? 'Go on' : 'Pause'
      pause.setAttribute('aria-pressed', String(this.#isPaused))
      if (!this.#isPaused) soon(this.#draw)
    })
    this.#place.replaceChildren(heading('Events', 'What happens, as it is recorded. Webhooks get the same events.',
      pause), this.#list)
    await this.#read()
  }

  leave() { this.#isShown = false }

  async #read() {
    try {
      const { newest_seq: newest } = await get('events?limit=1')
      const { items } = await get(`events?limit=200&after_seq=${Math.max(0, (newest ?? 0) - 200)}`)
      this.#list.replaceChildren()
      this.#newest = 0
      this.#waiting = [...items, ...this.#waiting]
      soon(this.#draw)
    } catch (problem) {
      if (problem.status === 410) return
      this.#list.replaceChildren(fault(problem, () => this.#read()))
    }
  }

  event(event) {
    this.#waiting.push(event)
    if (this.#waiting.length > MOST) this.#waiting.shift()
    if (this.#isShown && !this.#isPaused) soon(this.#draw)
  }

  #draw = () => {
    if (this.#isPaused) return
    for (const event of this.#waiting) {
      if (event.seq <= this.#newest) continue
      this.#newest = event.seq
      this.#list.prepend(line(event))
    }
    this.#waiting = []
    while (this.#list.childElementCount > MOST) this.#list.lastChild.remove()
    if (!this.#list.hasChildNodes()) this.#list.append(el('li', { class: 'empty' }, 'Nothing has happened yet.'))
  }
}

function line(event) {
  const [family, word = ''] = event.type.split('.')
  const { data } = event
  const subject = data.name ?? data.session ?? data.url ?? data.id ?? ''
  return el('li', {}, el('button', { type: 'button', onclick: () => showEvent(event) },
    el('time', { datetime: event.timestamp, title: fullInstant(event.timestamp) }, instant(event.timestamp)),
    el('span', { class: `tag ${TAGS[word] ?? 'paused'}` }, family === 'download' ? spaced(word)
      : `${family} ${spaced(word)}`),
    el('span', { class: 'subject' }, subject), el('span', { class: 'number' }, `#${event.seq}`)))
}

function showEvent(event) {
  dialog(`${event.type} #${event.seq}`, el('pre', { tabindex: '0' }, JSON.stringify(event, null, 2)), { isWide: true })
}
