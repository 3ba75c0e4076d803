// The deliveries of a webhook: each with its attempts and what the receiver answered.

import { get, newKey, post } from './api.js'
import { dialog } from './dialog.js'
import { el } from './dom.js'
import { choice, field, formParts } from './form.js'
import { instant, milliseconds, plural } from './format.js'
import { complain, message } from './messages.js'
import { button, empty, heading, simpleTable } from './panel.js'

const TAGS = { succeeded: 'completed', failed: 'failed', aborted: 'cancelled', disabled: 'paused', pending: 'waiting',
  delivering: 'running' }
const WORDS = { succeeded: 'Accepted', failed: 'Failed', aborted: 'Given up', disabled: 'Kept back',
  pending: 'Waiting', delivering: 'Being sent' }

export class DeliveriesView {
  #fill
  #id = null
  #timer = null
  #state = ''
  /// Cursors of the pages up to the one that is shown.
  #cursors = ['']

  constructor(fill) { this.#fill = fill }

  enter(id) {
    if (id !== this.#id) [this.#state, this.#cursors] = ['', ['']]
    this.#id = id
    this.#show()
    clearInterval(this.#timer)
    this.#timer = setInterval(() => {
      if (!document.hidden && !document.querySelector('dialog[open]')
        && !document.activeElement?.closest('#panel select')) this.#show()
    }, 3000)
  }

  leave() { clearInterval(this.#timer) }
  changed() { this.#show() }

  #show() { return this.#fill(() => this.#build()) }

  async #build() {
    const webhook = await get(`webhooks/${this.#id}`)
    const values = new URLSearchParams({ limit: '50', ...(this.#state && { state: this.#state }) })
    if (this.#cursors.at(-1)) values.set('cursor', this.#cursors.at(-1))
    const page = await get(`webhooks/${this.#id}/deliveries?${values}`)
    const filter = choice([['', 'All states'], ...Object.entries(WORDS)], this.#state)
    filter.setAttribute('aria-label', 'State of the deliveries')
    filter.addEventListener('change', () => { [this.#state, this.#cursors] = [filter.value,
      ['']]; filter.blur(); this.#show() })
    const head = heading('Deliveries', webhook.url, filter,
      button('Ping', () => this.#send('ping', 'A test event is on its way.')),
      button('Send again…', () => this.#recover()))
    const back = el('a', { href: '#webhooks', class: 'back' }, 'All webhooks')
    const names = await subjects(page.items)
    const rows = page.items.map(delivery => this.#row(delivery, names.get(delivery.seq)))
    const table = rows.length > 0
      ? simpleTable('Deliveries', ['Event', 'Download', 'State', 'Attempts', 'Time', ''], rows)
      : empty('No deliveries', this.#state ? 'None is in this state.' : 'Events that match the webhook are shown here.')
    return [back, head, table, this.#pages(page)]
  }

  #pages(page) {
    const move = change => { change(); this.#show() }
    return el('div', { class: 'pages' },
      this.#cursors.length > 1 && button('Newer', () => move(() => this.#cursors.pop())),
      page.next_cursor && button('Older', () => move(() => this.#cursors.push(page.next_cursor))))
  }

  #row(delivery, download) {
    const due = delivery.state === 'pending' && delivery.next_attempt_at
    // One that is due waits for its turn.
    const next = !due ? '' : new Date(due) <= new Date() ? 'due now' : `next try ${instant(due)}`
    return [
      el('b', {}, delivery.event_type),
      download ? el('a', { href: `#all?show=${download.id}` }, download.name ?? download.id) : '',
      [el('span', { class: `tag ${TAGS[delivery.state] ?? 'paused'}` }, WORDS[delivery.state] ?? delivery.state), next
        && el('p', { class: 'reason' }, next)],
      String(delivery.counters.attempt), instant(delivery.finished_at ?? delivery.created_at),
      [button('Look', () => this.#look(delivery)),
        !['pending', 'delivering'].includes(delivery.state) && button('Redeliver', () => this.#redeliver(delivery))],
    ]
  }

  async #look(delivery) {
    try {
      const detail = await get(`webhooks/${this.#id}/deliveries/${delivery.id}`)
      const attempts = detail.attempts.map(attempt => el('li', { class: attempt.http_status >= 200
        && attempt.http_status < 300 ? 'completed' : 'waiting' },
        attempt.http_status ? `Answered ${attempt.http_status}` : attempt.error ?? 'No answer',
        el('small', {}, [instant(attempt.started_at), milliseconds(attempt.duration_ms),
          attempt.remote_address].filter(Boolean).join(' · ')),
        attempt.error && attempt.http_status && el('small', {}, attempt.error),
        attempt.response_excerpt && el('pre', {}, attempt.response_excerpt)))
      dialog(`${delivery.event_type} to the webhook`, [
        el('h3', {}, attempts.length ? plural(attempts.length, 'attempt') : 'Not sent yet'), el('ol',
          { class: 'time' }, ...attempts),
        el('h3', {}, 'What is sent'), el('pre', { tabindex: '0' }, indented(detail.body)),
      ], { isWide: true })
    } catch (problem) {
      complain('Delivery', problem)
    }
  }

  #redeliver(delivery) { return this.#send(`deliveries/${delivery.id}/redeliver`, 'It is sent again now.') }

  async #send(path, text) {
    try {
      await post(`webhooks/${this.#id}/${path}`, undefined, { key: newKey() })
      message(text)
      this.#show()
    } catch (problem) {
      complain('Send', problem)
    }
  }

  #recover() {
    const since = field('Deliveries of the last', choice([['1', 'hour'], ['24', 'day'], ['168', 'week'], ['720',
      '30 days']], '24'), { pointer: '/created_after' })
    const form = formParts([since], 'Send them again', async () => {
      const after = new Date(Date.now() - Number(since.value) * 3_600_000 + 60_000).toISOString()
      const { scheduled } = await post(`webhooks/${this.#id}/recover`, { created_after: after }, { key: newKey() })
      shown.close()
      message(`${plural(scheduled, 'delivery', 'deliveries')} are sent again.`)
      this.#show()
    })
    const shown = dialog('Send again what failed, waits or was kept back', form)
  }
}

/// The downloads of deliveries, by the numbers of their events: a delivery itself does not name it. What the event log no
/// longer has is missing.
async function subjects(deliveries) {
  const found = new Map()
  const missing = new Set(deliveries.map(delivery => delivery.seq))
  while (missing.size > 0) {
    const first = Math.min(...missing)
    missing.delete(first)
    const page = await get(`events?${new URLSearchParams({ after_seq: first - 1, limit: 200 })}`)
    for (const event of page.items) {
      missing.delete(event.seq)
      if (event.type.startsWith('download.')) found.set(event.seq, event.data)
    }
  }
  return found
}

function indented(text) { try { return JSON.stringify(JSON.parse(text), null, 2) } catch { return text } }
