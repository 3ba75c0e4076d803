// The view of webhooks: who is told of what, and how its deliveries go.

import { get, newKey, patch, post, remove } from './api.js'
import { copy } from './actions.js'
import { DeliveriesView } from './deliveries.js'
import { ask, dialog } from './dialog.js'
import { el, link } from './dom.js'
import { Mistake, field, formParts, input } from './form.js'
import { count, instant } from './format.js'
import { complain, message } from './messages.js'
import { button, empty, filler, heading, simpleTable } from './panel.js'
import { spaced } from './words.js'

const TYPES = [['download.completed', 'A download is done'], ['download.failed', 'A download failed'],
  ['download.*', 'Any change of a download'], ['session.finished', 'A session is done'], ['*', 'Everything']]

export class WebhooksView {
  #fill
  #deliveries

  constructor(place) {
    this.#fill = filler(place)
    this.#deliveries = new DeliveriesView(this.#fill)
  }

  enter(id) {
    if (id) this.#deliveries.enter(id)
    else this.#show()
  }

  leave() { this.#deliveries.leave() }

  /// Something was delivered, or a webhook was disabled.
  event(event, id) {
    if (!event.type.startsWith('webhook.')) return
    if (id) this.#deliveries.changed()
    else this.#show()
  }

  #show() { return this.#fill(() => this.#build()) }

  async #build() {
    const { items } = await get('webhooks?limit=200')
    const head = heading('Webhooks', 'Addresses that are told of events by a signed POST, again and again until they accept.',
      button('Add a webhook', () => this.#add(), 'primary'))
    if (items.length === 0) return [head, empty('No webhooks yet',
      'Add one, and your program hears of each download that ends.')]
    return [head, simpleTable('Webhooks', ['Address', 'State', 'Events', 'Delivered', ''],
      items.map(item => this.#row(item)))]
  }

  #row(webhook) {
    const { stats } = webhook
    const failing = stats.consecutive_failures > 0 ? `${count(stats.consecutive_failures)} failures in a row` : ''
    const state = webhook.enabled ? (failing ? ['waiting', 'Failing'] : ['completed', 'On']) : ['paused', 'Off']
    const why = webhook.enabled ? failing : spaced(webhook.disabled_reason)
    const isOwn = webhook.created_by === 'api'
    return [
      [el('a', { href: `#webhooks/${webhook.id}`, class: 'name' }, webhook.url), webhook.description && el('p',
        { class: 'reason' }, webhook.description)],
      [el('span', { class: `tag ${state[0]}` }, state[1]), why && el('p', { class: 'reason' }, why)],
      webhook.types.join(', '),
      [count(stats.succeeded), el('p', { class: 'reason' }, stats.last_success_at ? instant(stats.last_success_at)
        : 'never')],
      [button('Ping', () => this.#ping(webhook)),
        isOwn && button(webhook.enabled ? 'Turn off' : 'Turn on', () => this.#change(webhook)),
        isOwn && button('New secret', () => this.#rotate(webhook)),
        isOwn && button('Delete', () => this.#delete(webhook), 'quiet danger')],
    ]
  }

  #add() {
    const url = field('Address', input({ placeholder: 'https://example.com/hook' }), { pointer: '/url', isWide: true })
    const about = field('Description', input(), { pointer: '/description', isWide: true })
    const boxes = TYPES.map(([type, label], index) => el('label', { class: 'check' },
      el('input', { type: 'checkbox', value: type, checked: index < 2 }), label))
    const types = field('Tell it of', el('input', { type: 'hidden' }), { pointer: '/types', isWide: true })
    types.element.querySelector('label').replaceWith(el('b', {}, 'Tell it of'))
    types.element.append(...boxes)
    const form = formParts([url, types, about], 'Add the webhook', async () => {
      const chosen = boxes.map(box => box.firstChild).filter(box => box.checked).map(box => box.value)
      if (!url.value) throw new Mistake('/url', 'Expected a URL, as https://example.com/hook')
      if (chosen.length === 0) throw new Mistake('/types', 'Choose at least one.')
      const body = { url: url.value, types: chosen, ...(about.value && { description: about.value }) }
      const webhook = await post('webhooks', body, { key: newKey() })
      shown.close()
      showSecret(webhook.secret, 'The webhook is added.')
      this.#show()
    })
    const shown = dialog('Add a webhook', form)
    url.input.focus()
  }

  async #ping(webhook) {
    try {
      await post(`webhooks/${webhook.id}/ping`, undefined, { key: newKey() })
      message('A test event is on its way.', { action: { label: 'Show',
        run: () => { location.hash = `webhooks/${webhook.id}` } } })
    } catch (problem) {
      complain('Ping', problem)
    }
  }

  async #change(webhook) {
    try {
      await patch(`webhooks/${webhook.id}`, { enabled: !webhook.enabled })
      await this.#show()
    } catch (problem) {
      complain(webhook.enabled ? 'Turn off' : 'Turn on', problem)
    }
  }

  async #rotate(webhook) {
    const text = 'The present secret signs too for one more day, so that the receiver can change over.'
    const choices = [{ name: null, label: 'Keep it' }, { name: 'yes', label: 'Make a new secret', kind: 'primary' }]
    if (!await ask('Make a new secret?', el('p', {}, text), choices)) return
    try {
      const { secret } = await post(`webhooks/${webhook.id}/rotate-secret`, {}, { key: newKey() })
      showSecret(secret, 'The secret is changed.')
    } catch (problem) {
      complain('New secret', problem)
    }
  }

  async #delete(webhook) {
    const choices = [{ name: null, label: 'Keep it' }, { name: 'yes', label: 'Delete the webhook',
      kind: 'primary danger' }]
    if (!await ask('Delete the webhook?', el('p', {}, link(webhook.url), ' gets no more events.'), choices)) return
    try {
      await remove(`webhooks/${webhook.id}`)
      await this.#show()
    } catch (problem) {
      complain('Delete', problem)
    }
  }
}

function showSecret(secret, title) {
  dialog(title, [el('p', {}, 'The receiver checks signatures with this secret. It is not shown again.'),
    el('pre', { tabindex: '0' }, secret)], { buttons: [button('Copy', () => copy('Secret', secret), 'primary')] })
}
