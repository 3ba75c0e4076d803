// The view of settings: limits that can be changed here, how the page looks, and the settings of the service.

import { get, hasToken, isMissing, setToken } from './api.js'
import { el } from './dom.js'
import { choice, field } from './form.js'
import { duration, size } from './format.js'
import { limitsForm, scheduleText } from './limits.js'
import { button, filler, heading, simpleTable } from './panel.js'
import { service } from './service.js'
import { currentTheme, setTheme } from './theme.js'

export class SettingsView {
  #fill

  constructor(place) { this.#fill = filler(place) }

  enter() { this.#fill(() => this.#build()) }

  async #build() {
    await service.readLimits()
    const settings = await optional('settings')
    return [
      heading('Settings', 'Limits apply at once, and survive restarts. Other settings are read when the service starts.'),
      el('section', { class: 'card' }, el('h3', {}, 'Limits'), ...(service.limits
        ? [...scheduleText(service.limits), limitsForm(service.limits)] : [el('p', {},
          'The limits could not be read.')])),
      el('section', { class: 'card' }, el('h3', {}, 'This page'), themeField(), tokenLine(), bookmarklet()),
      el('section', { class: 'card' }, el('h3', {}, 'The service'), facts(service.stats)),
      ...settingsTable(settings),
    ]
  }
}

/// A resource that not every version of the service has.
async function optional(path) {
  try { return await get(path) } catch (problem) {
    if (isMissing(problem) || problem.status === 403) return null
    throw problem
  }
}

function themeField() {
  const input = choice([['system', 'As the system'], ['light', 'Light'], ['dark', 'Dark']], currentTheme())
  input.addEventListener('change', () => setTheme(input.value))
  return field('Theme', input).element
}

function tokenLine() {
  if (!hasToken()) return el('p', { class: 'hint' }, 'This service needs no token from you.')
  return el('p', {}, 'You are signed in with a token. ', button('Sign out',
    () => { setToken(null); location.reload() }))
}

/// The bookmarklet opens this page with the address of the page that is seen.
function bookmarklet() {
  const page = JSON.stringify(new URL('.', document.baseURI).href)
  const code = `javascript:open(${page}+'?add='+encodeURIComponent(location.href))`
  return el('details', {}, el('summary', {}, 'A bookmark that downloads the page you see'),
    el('p', { class: 'hint' }, 'Make a bookmark with this as its address:'), el('pre', { tabindex: '0' }, code))
}

function facts(stats) {
  if (!stats) return el('p', {}, 'The service cannot be reached.')
  const lines = [
    ['Runs for', duration(stats.uptime_seconds)], ['Received since its start', size(stats.received_bytes_since_start)],
    ['Open connections', String(stats.connections)], ['Free on the disk', size(stats.disk.free_bytes) || 'unknown'],
    ['Promised to downloads', size(stats.disk.reserved_bytes)], ['Deliveries that wait',
      String(stats.webhooks.pending_deliveries)],
  ]
  for (const { root, available, free_bytes: free } of stats.roots ?? []) {
    lines.push([`Free in the root ${root}`, available ? size(free) || 'unknown' : 'not reachable'])
  }
  return el('dl', {}, ...lines.flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)]))
}

function settingsTable(settings) {
  if (!settings) return []
  const rows = settings.items.map(item =>
    [el('code', {}, item.name), el('span', { class: 'value' }, item.value ?? 'none'), item.origin ?? '',
      item.description ?? ''])
  return [el('section', { class: 'card' }, el('h3', {}, 'Settings of the service'),
    el('p', { class: 'hint' }, 'Flags win over the environment, and that over the file. Secrets are not shown.'),
    simpleTable('Settings of the service', ['Setting', 'Value', 'From', 'Meaning'], rows))]
}
