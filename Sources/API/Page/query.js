// What a list shows: filters and order, as parameters for the service and as a rule for events.

import { host } from './format.js'

const TEXT_OF_FILTER = { host: 'host', error: 'error_code', session: 'session', label: 'label' }

/// The members of a download that a row needs.
export const FIELDS = [
  'id', 'counters', 'name', 'state', 'phase', 'waiting_for', 'waiting_reason', 'allowed_actions', 'url', 'session',
  'directory', 'priority', 'progress', 'error', 'file', 'labels', 'created_at', 'finished_at', 'next_attempt_at',
    'skipped',
].join(',')

/// Splits what was typed into the search field: words in the form `host:…`, `label:…`, `error:…` and `session:…` are
/// filters, the rest is searched in names and URLs.
export function parseSearch(text) {
  const filters = { label: [] }
  const rest = []
  for (const word of text.trim().split(/\s+/)) {
    const found = /^(host|error|session|label):(.+)$/.exec(word)
    if (!found) rest.push(word)
    else if (found[1] === 'label') filters.label.push(found[2])
    else filters[TEXT_OF_FILTER[found[1]]] = found[2]
  }
  return { ...filters, q: rest.join(' ') }
}

/// The parameters of `GET /downloads`.
export function parameters(query) {
  const entries = Object.entries(filter(query)).flatMap(([name, value]) =>
    name === 'label' ? value.map(label => [name, label]) : [[name, String(value)]])
  return new URLSearchParams([...entries, ['sort', query.sort]])
}

/// The filter of an action on many downloads.
export function filter({ state, session, q, host, error_code, label }) {
  return Object.fromEntries(Object.entries({ state, session, q, host, error_code, label })
    .filter(([, value]) => value !== undefined && value !== '' && value.length !== 0))
}

const folded = text => text.toLocaleLowerCase()

/// Whether a download belongs into the list.
export function matches(row, { state, session, q, host: wanted, error_code, label }) {
  if (state?.length && !state.includes(row.state)) return false
  if (session && row.session !== session) return false
  if (error_code && row.error?.code !== error_code) return false
  if (wanted && host(row.url) !== folded(wanted) && host(row.url).replace(/:\d+$/, '') !== folded(wanted)) return false
  if (q && !folded(row.name).includes(folded(q)) && !folded(row.url.split('?')[0]).includes(folded(q))) return false
  return !label?.some(text => row.labels?.[text.slice(0, text.indexOf(':'))] !== text.slice(text.indexOf(':') + 1))
}

const KEYS = {
  created_at: row => row.created_at, finished_at: row => row.finished_at ?? '', priority: row => row.priority,
  size: row => row.progress?.total_bytes ?? -1, name: row => folded(row.name),
}

/// Compares two downloads by an order as `-created_at`. Equal ones are ordered by their id, as by the service.
export function comparison(sort) {
  const sign = sort.startsWith('-') ? -1 : 1
  const key = KEYS[sort.replace('-', '')]
  return (a, b) => {
    const [first, second] = [key(a), key(b)]
    if (first !== second) return first < second ? -sign : sign
    return a.id === b.id ? 0 : a.id < b.id ? -sign : sign
  }
}
