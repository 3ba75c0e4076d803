// The view of hosts: what is known of each, why it is limited, and its own rate limit.

import { get, patch } from './api.js'
import { dialog } from './dialog.js'
import { el } from './dom.js'
import { Mistake, field, formParts, input } from './form.js'
import { instant, localized, plural, rate } from './format.js'
import { rateField, typedRate } from './limits.js'
import { message } from './messages.js'
import { button, empty, filler, heading, simpleTable } from './panel.js'
import { spaced } from './words.js'

const TAGS = { available: 'completed', throttled: 'waiting', blocked: 'failed', probing: 'waiting' }

export class HostsView {
  #fill
  #timer = null

  constructor(place) { this.#fill = filler(place) }

  enter() {
    const read = () => this.#fill(() => this.#build())
    read()
    this.#timer = setInterval(() => { if (!document.hidden && !document.querySelector('dialog[open]')) read() }, 4000)
  }

  leave() { clearInterval(this.#timer) }

  async #build() {
    const { items } = await get('hosts?limit=200')
    const head = heading('Hosts',
      'Where files come from. A host that asks for a pause or refuses gets fewer connections for a while.',
      button('Limit a host…', () => this.#edit(null)))
    if (items.length === 0) {
      return [head, empty('No host is in use', 'A host is shown while it is used, is limited, or asked for a pause.')]
    }
    return [head, simpleTable('Hosts', ['Host', 'State', 'Connections', 'Rate limit', ''],
      items.map(host => this.#row(host)))]
  }

  #row(host) {
    const state = el('span', { class: `tag ${TAGS[host.state] ?? 'paused'}` }, spaced(host.state))
    const why = host.waiting_reason ?? spaced(host.reason)
    return [
      el('b', {}, host.authority), [state, why && el('p', { class: 'reason' }, localized(why))],
      `${host.open_connections} of ${host.connection_limit}`,
      host.limits.rate_bytes_per_second ? rate(host.limits.rate_bytes_per_second) : 'none',
      [button('Limit…', () => this.#edit(host)), host.events.length > 0 && button('Events', () => showEvents(host))],
    ]
  }

  /// - Parameter host: nil asks which host.
  #edit(host) {
    const name = field('Host', input({ value: host?.authority ?? '', placeholder: 'cdn.example.com:443' }),
      { pointer: '/authority', hint: 'A name or address, and the port.' })
    const limit = rateField('Rate limit', '/limits/rate_bytes_per_second', host?.limits.rate_bytes_per_second)
    const form = formParts(host ? [limit] : [name, limit], 'Save limit', async () => {
      const bytes = typedRate(limit, '/limits/rate_bytes_per_second') || null
      await limitHost(name.value, bytes)
      shown.close()
      message(bytes ? `${name.value} is limited to ${rate(bytes)}.` : `${name.value} has no limit of its own.`)
      this.#fill(() => this.#build())
    })
    const shown = dialog(host ? `Limit ${host.authority}` : 'Limit a host', form)
  }
}

async function limitHost(authority, bytes) {
  if (!/^[^\s/?#@]+:\d+$/.test(authority)) {
    throw new Mistake('/authority', `“${authority}” is no host with a port. Expected one as cdn.example.com:443.`)
  }
  try {
    await patch(`hosts/${encodeURIComponent(authority)}`, { limits: { rate_bytes_per_second: bytes } })
  } catch (problem) {
    if (problem.status === 404) throw new Mistake('/authority', `“${authority}” is no host with a port.`)
    throw problem
  }
}

function showEvents(host) {
  const lines = host.events.map(event => el('li', { class: event.cause === 'success' ? '' : 'waiting' },
    spaced(event.cause),
    el('small', {}, `${instant(event.at)} · then ${plural(event.connection_limit, 'connection')} at most`)))
  dialog(`What led to the limit of ${host.authority}`, el('ol', { class: 'time' }, ...lines))
}
