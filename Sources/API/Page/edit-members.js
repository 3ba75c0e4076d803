// The members of a download that can be changed: how each is shown and typed.

import { parseDigest, parsePairs, wholeNumber } from './add-options.js'
import { Mistake, area, choice, field, input } from './form.js'
import { parseDuration } from './format.js'
import { rateField, typedRate } from './limits.js'
import { isEnded } from './row-actions.js'

const UNCHANGED = 'Empty: as it is.'

/// A member. `typed` reads its field; a field that was not touched changes nothing. `isSecret` members are written only,
/// so that their field begins empty. Members of `access` are about the way to the file.
class Member {
  constructor(pointer, label, settings = {}) {
    Object.assign(this, { pointer, label, group: 'main', shown: () => '', make: () => input(), typed: textOrNull },
      settings)
  }

  /// - Returns: `{ field, change }`: the field, and what makes its change of the request's body.
  open(download) {
    const made = this.field?.(download)
      ?? field(this.label, this.make(), { pointer: this.pointer, hint: this.hint, isWide: this.isWide })
    if (!this.field) made.input.value = this.shown(download)
    const before = made.value
    return {
      field: made,
      change: body => { if (made.value !== before) set(body, this.pointer, this.typed(made, download)) },
    }
  }
}

function set(body, pointer, value) {
  const names = pointer.slice(1).split('/')
  const last = names.pop()
  for (const name of names) body = body[name] ??= {}
  body[last] = value
}

const textOrNull = ({ value }) => value === '' ? null : value
const lines = () => area({ rows: '2' })
const pairs = known => Object.entries(known ?? {}).map(([name, value]) => `${name}: ${value}`).join('\n')

function folderOf({ file, directory }) {
  const path = file?.path
  return path ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : directory ?? ''
}

/// A label that is no longer there is removed.
function labels({ value }, download) {
  const typed = parsePairs(value, '/labels', '“env: prod”')
  const gone = Object.keys(download.labels ?? {}).filter(name => !(name in typed)).map(name => [name, null])
  return { ...Object.fromEntries(gone), ...typed }
}

/// "name:password", or the token alone.
function login({ value }) {
  if (value === '') return null
  const colon = value.indexOf(':')
  return colon < 0 ? { scheme: 'bearer', token: value }
    : { scheme: 'basic', username: value.slice(0, colon), password: value.slice(colon + 1) }
}

function instantOf({ input }, pointer) {
  if (!input.value) return null
  const at = new Date(input.value)
  if (Number.isNaN(at.getTime())) throw new Mistake(pointer, 'Expected a day and a time.')
  return at.toISOString()
}

/// The instant in the form of an input of the type datetime-local, which has no time zone.
function localTime(text) {
  if (!text) return ''
  const at = new Date(text)
  return new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function keepSeconds({ value }) {
  if (value === '') return 'forever'
  const seconds = parseDuration(value)
  if (seconds !== null) return seconds
  throw new Mistake('/keep_file_seconds', `“${value}” is no time. Type a number and a unit, as 7 d or 12 h.`)
}

const number = (pointer, known) => ({
  make: () => input({ inputmode: 'numeric' }), shown: download => String(known(download) ?? ''),
  typed: made => made.value === '' ? null : wholeNumber(made, pointer),
})

/// The members of finished files too.
const OF_FILES = [
  new Member('/filename', 'File name', { isWide: true, shown: download => download.filename ?? download.name }),
  new Member('/directory', 'Folder', { shown: folderOf, hint: 'Below the downloads folder. Empty: the folder itself.' }),
  new Member('/keep_file_seconds', 'Keep the file', { hint: 'From now or its end on, as 7 d. Empty: forever.',
    shown: download => typeof download.keep_file_seconds === 'number' ? `${download.keep_file_seconds} s` : '',
    typed: keepSeconds }),
  new Member('/labels', 'Labels', { make: lines, hint: 'One on each line, as env: prod.',
    shown: download => pairs(download.labels), typed: labels }),
  new Member('/description', 'Description', { make: lines, isWide: true,
    shown: download => download.description ?? '' }),
]

/// The members of downloads that have not ended.
const OF_OPEN = [
  new Member('/priority', 'Priority', { ...number('/priority', download => download.priority),
    hint: '−100 to 100, higher first.', typed: made => wholeNumber(made, '/priority') }),
  new Member('/limits/rate_bytes_per_second', 'Rate limit', {
    field: download => rateField('Rate limit', '/limits/rate_bytes_per_second',
      download.limits?.rate_bytes_per_second),
    typed: made => typedRate(made, '/limits/rate_bytes_per_second') || null }),
  new Member('/limits/connections', 'Connections', { hint: '1 to 32. Empty: as the settings say.',
    ...number('/limits/connections', download => download.limits?.connections) }),
  new Member('/max_attempts', 'Attempts without progress', { hint: 'Empty: no limit but the time.',
    ...number('/max_attempts', download => download.max_attempts) }),
  new Member('/not_before_at', 'Start at', { make: () => input({ type: 'datetime-local' }),
    shown: download => localTime(download.not_before_at), typed: made => instantOf(made, '/not_before_at') }),
  new Member('/deadline_at', 'Deadline', { make: () => input({ type: 'datetime-local' }),
    shown: download => localTime(download.deadline_at), typed: made => instantOf(made, '/deadline_at') }),
  new Member('/session', 'Session', { make: () => input({ list: 'session-names' }),
    shown: download => download.session ?? '' }),
]

/// The members of downloads whose file is not there: also of those that failed, for the next run.
const OF_TRANSFERS = [
  new Member('/url', 'URL', { isWide: true, shown: download => download.url, hint: 'To change what follows in a running download, pause it first.',
    typed: ({ value }) => value }),
  new Member('/authentication', 'Login', { group: 'access', make: () => input({ type: 'password' }), typed: login,
    hint: `As name:password, or a token. It is stored encrypted. ${UNCHANGED}` }),
  new Member('/request_headers', 'Request headers', { group: 'access', make: lines,
    hint: `One on each line, as Referer: https://example.com/. They are added to those that it has. ${UNCHANGED}`,
    typed: ({ value }) => parsePairs(value, '/request_headers', '“Referer: https://example.com/”') }),
  new Member('/cookies', 'Cookies', { group: 'access', make: lines, hint: `One on each line, as session: 1. ${UNCHANGED}`,
    typed: ({ value }) => parsePairs(value, '/cookies', '“session: 1”') }),
  new Member('/mirrors', 'Mirrors', { group: 'access', make: lines, hint: 'URLs of the same file, one on each line.',
    shown: download => (download.mirrors ?? []).join('\n'),
    typed: ({ value }) => value.split('\n').map(line => line.trim()).filter(Boolean) }),
  new Member('/proxy', 'Proxy', { group: 'access', make: () => input({ placeholder: 'http://proxy.example:3128' }),
    hint: `none for a direct connection. ${UNCHANGED}` }),
  new Member('/expected/digests', 'Digest', { group: 'access', make: () => input({ placeholder: 'sha-256:…' }),
    hint: 'The file must match it.',
    shown: download => Object.entries(download.expected?.digests ?? {}).map(pair => pair.join(':'))[0] ?? '',
    typed: ({ value }) => value === '' ? null : parseDigest(value) }),
  new Member('/accept_html', 'A web page', { group: 'access',
    make: () => choice([['false', 'is an error in place of another file'], ['true', 'may be the file']]),
    shown: download => String(download.accept_html), typed: ({ value }) => value === 'true' }),
]

/// The members that can be changed in the state of a download.
export function membersOf(download) {
  if (download.state === 'completed') return OF_FILES
  return isEnded(download) ? [...OF_FILES, ...OF_TRANSFERS] : [...OF_FILES, ...OF_OPEN, ...OF_TRANSFERS]
}
