// The list of views, with how many downloads each has.

import { $, el, setAttribute, setText } from './dom.js'
import { count } from './format.js'
import { service } from './service.js'

/// The views of downloads. Those without `isRare` are always there; the others when they have a download.
export const VIEWS = {
  all: { title: 'All', states: [] },
  active: { title: 'Active', states: ['running'] },
  waiting: { title: 'Waiting', states: ['queued', 'waiting'] },
  paused: { title: 'Paused', states: ['paused'], isRare: true },
  done: { title: 'Done', states: ['completed'] },
  failed: { title: 'Failed', states: ['failed'] },
  cancelled: { title: 'Cancelled', states: ['cancelled'], isRare: true },
}
export const PANELS = { hosts: 'Hosts', webhooks: 'Webhooks', events: 'Events', settings: 'Settings' }

const links = new Map()

function addLink(place, name, title) {
  const number = el('span')
  const link = el('a', { href: `#${name}` }, el('b', { class: 'plain-name' }, title), number)
  links.set(name, { link, number })
  place.append(link)
}

export function startNav() {
  for (const [name, view] of Object.entries(VIEWS)) addLink($('views'), name, view.title)
  for (const [name, title] of Object.entries(PANELS)) addLink($('panels'), name, title)
  service.addEventListener('stats', showCounts)
  service.addEventListener('sessions', showSessions)
}

const sum = states => states.reduce((total, state) => total + (service.stats.counts[state] ?? 0), 0)

function showCounts() {
  if (!service.stats) return
  for (const [name, view] of Object.entries(VIEWS)) {
    const total = sum(view.states.length ? view.states : Object.keys(service.stats.counts))
    const { link, number } = links.get(name)
    setText(number, count(total))
    link.hidden = Boolean(view.isRare) && total === 0 && !link.hasAttribute('aria-current')
  }
  const backlog = service.stats.webhooks.pending_deliveries
  setText(links.get('webhooks').number, backlog ? count(backlog) : '')
}

const MOST_SESSIONS = 12

function showSessions() {
  const place = $('sessions')
  const sessions = service.sessions.slice(0, MOST_SESSIONS)
  $('sessions-title').hidden = sessions.length === 0
  for (const name of [...links.keys()]) if (name.startsWith('session/')) links.delete(name)
  place.replaceChildren()
  for (const session of sessions) {
    const name = `session/${encodeURIComponent(session.name)}`
    addLink(place, name, session.name)
    const total = Object.values(session.counts).reduce((a, b) => a + b, 0)
    setText(links.get(name).number, session.open_count ? `${count(total - session.open_count)} of ${count(total)}`
      : 'done')
    setAttribute(links.get(name).link, 'title', session.description ?? session.name)
  }
  markCurrent(current)
}

let current = ''

export function markCurrent(name) {
  current = name
  for (const [other, { link }] of links) {
    setAttribute(link, 'aria-current', other === name ? 'page' : null)
    if (other === name) { link.hidden = false; link.scrollIntoView({ block: 'nearest', inline: 'nearest' }) }
  }
}

/// The view that the address names: `#waiting`, `#session/nightly`, `#webhooks/wh_…`; and `?show=` for the details.
export function readAddress() {
  const [path, rest] = location.hash.slice(1).split('?')
  const [name, ...more] = path.split('/')
  return { name: name || 'all', argument: decoded(more.join('/')), shown: new URLSearchParams(rest).get('show') }
}

function decoded(text) { try { return decodeURIComponent(text) } catch { return text } }

/// Changes the address, and so the view. Moving between details of the same view adds no step to go back.
export function writeAddress(path, shown, { replaces = false } = {}) {
  const hash = `#${path}${shown ? `?show=${shown}` : ''}`
  if (hash === location.hash) return
  if (replaces) {
    history.replaceState(null, '', hash)
    dispatchEvent(new HashChangeEvent('hashchange'))
  } else {
    location.hash = hash
  }
}
