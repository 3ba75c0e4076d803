// The options of new downloads: fields, and the members of a request that they stand for.

import { el } from './dom.js'
import { Mistake, area, choice, field, input } from './form.js'
import { parseDuration, parseSize } from './format.js'
import { service } from './service.js'

const ALGORITHMS = { 32: 'md5', 40: 'sha-1', 64: 'sha-256', 128: 'sha-512' }

/// "sha-256:e3b0…", "sha256=e3b0…" or the digits alone.
export function parseDigest(text) {
  const digits = text.trim().replace(/^(sha-?\d+|md5)\s*[:=]\s*/i, '').split(/\s/)[0].toLowerCase()
  const algorithm = /^[0-9a-f]+$/.test(digits) ? ALGORITHMS[digits.length] : null
  if (algorithm) return { [algorithm]: digits }
  throw new Mistake('/expected/digests', 'Expected hexadecimal digits of SHA-256 (64), SHA-512 (128), SHA-1 (40) or MD5 (32).')
}

/// Lines as "Name: value".
export function parsePairs(text, pointer, example) {
  const pairs = {}
  for (const line of text.split('\n').map(line => line.trim()).filter(Boolean)) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new Mistake(pointer, `“${line}” has no name and value. Expected lines as ${example}`)
    pairs[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
  }
  return pairs
}

export class AddOptions {
  #conflict = choice([['rename', 'Use the next free name'], ['overwrite', 'Replace the file'],
    ['skip', 'Keep the file, if it is the same'], ['if_newer', 'Replace it, if the origin has a newer one'],
    ['fail', 'Fail']], 'rename')
  #start = choice([['now', 'As soon as possible'], ['at', 'At a time'], ['paused', 'Paused, when I resume it']], 'now')
  #root = choice([['', 'The downloads folder']], '')
  #sessions = el('datalist', { id: 'session-names' })
  fields = {
    directory: field('Folder', input({ placeholder: 'isos/debian' }), { pointer: '/directory',
      hint: 'Below the downloads folder.' }),
    root: field('Root', this.#root, { pointer: '/root', hint: 'Where the folder is.' }),
    filename: field('File name', input(), { pointer: '/filename', hint: 'For a single URL.' }),
    session: field('Session', input({ list: 'session-names' }), { pointer: '/session', hint: 'A name for a group.' }),
    priority: field('Priority', input({ inputmode: 'numeric', placeholder: '0' }), { pointer: '/priority',
      hint: '−100 to 100, higher first.' }),
    start: field('Start', this.#start, { pointer: '/start' }),
    at: field('Start at', el('input', { type: 'datetime-local' }), { pointer: '/not_before_at' }),
    keep: field('Keep the file', input({ placeholder: 'forever' }), {
      pointer: '/keep_file_seconds', hint: 'Then it is deleted. As 7 d or 12 h.',
    }),
    conflict: field('If the name is taken', this.#conflict, { pointer: '/on_conflict' }),
    rate: field('Rate limit', input({ placeholder: 'none' }), { pointer: '/limits/rate_bytes_per_second',
      hint: 'Per second, as 5 MB.' }),
    connections: field('Connections', input({ inputmode: 'numeric', placeholder: 'auto' }),
      { pointer: '/limits/connections', hint: '1 to 32.' }),
    digest: field('Digest', input({ placeholder: 'sha-256:…' }), { pointer: '/expected/digests',
      hint: 'The file must match it. For a single URL.', isWide: true }),
    headers: field('Request headers', area({ placeholder: 'Referer: https://example.com/' }),
      { pointer: '/request_headers', hint: 'One on each line. They are stored encrypted.', isWide: true }),
    labels: field('Labels', area({ rows: '2', placeholder: 'env: prod' }), { pointer: '/labels',
      hint: 'One on each line.' }),
    description: field('Description', area({ rows: '2' }), { pointer: '/description' }),
  }
  element

  constructor() {
    const { fields } = this
    const folded = ['headers', 'labels', 'description'].map(name => fields[name].element)
    const shown = Object.keys(fields).filter(name => !['headers', 'labels', 'description'].includes(name))
    this.element = el('div', { class: 'options', id: 'add-options', hidden: true },
      el('div', { class: 'grid' }, ...shown.map(name => fields[name].element)),
      el('details', {}, el('summary', {}, 'Headers, labels and description'), el('div', { class: 'grid' }, ...folded)),
      this.#sessions)
    this.#start.addEventListener('change', () => this.#showStart())
    service.addEventListener('sessions', () => this.#sessions.replaceChildren(
      ...service.sessions.map(session => el('option', { value: session.name }))))
    service.addEventListener('stats', () => this.#showRoots())
    this.#showStart()
    this.#showRoots()
  }

  get all() { return Object.values(this.fields) }

  /// Only a service with more than one root has a choice.
  #showRoots() {
    const roots = service.stats?.roots ?? []
    this.fields.root.element.hidden = roots.length === 0
    const known = new Set([...this.#root.options].map(option => option.value))
    for (const { root } of roots) if (!known.has(root)) this.#root.append(el('option', { value: root }, root))
  }

  #showStart() { this.fields.at.element.hidden = this.#start.value !== 'at' }

  /// What a probe needs besides the URL.
  probeMembers() {
    try {
      const headers = parsePairs(this.fields.headers.input.value, '/request_headers', '')
      return Object.keys(headers).length > 0 ? { request_headers: headers } : {}
    } catch {
      return {}
    }
  }

  /// The members of each request.
  ///
  /// - Parameter isSingle: Whether there is one request; names and digests are for one file.
  /// - Throws: `Mistake` for a field that cannot be read.
  members(isSingle) {
    const { fields } = this
    const result = {}
    for (const name of ['directory', 'root', 'session', 'description']) {
      if (fields[name].value) result[name] = fields[name].value
    }
    for (const name of ['filename', 'digest']) {
      if (fields[name].value && !isSingle) {
        throw new Mistake(fields[name].pointer, 'Several URLs cannot share this. Leave it empty, or add one URL.')
      }
    }
    if (fields.filename.value) result.filename = fields.filename.value
    if (fields.digest.value) result.expected = { digests: parseDigest(fields.digest.value) }
    if (fields.priority.value) result.priority = wholeNumber(fields.priority, '/priority')
    if (this.#conflict.value !== 'rename') result.on_conflict = this.#conflict.value
    if (fields.keep.value) result.keep_file_seconds = this.#keepSeconds()
    this.#addStart(result)
    this.#addLimits(result)
    const headers = parsePairs(fields.headers.value, '/request_headers', '“Referer: https://example.com/”')
    if (Object.keys(headers).length > 0) result.request_headers = headers
    const labels = parsePairs(fields.labels.value, '/labels', '“env: prod”')
    if (Object.keys(labels).length > 0) result.labels = labels
    return result
  }

  #keepSeconds() {
    const seconds = parseDuration(this.fields.keep.value)
    if (seconds !== null) return seconds
    throw new Mistake('/keep_file_seconds', `“${this.fields.keep.value}” is no time. Type a number and a unit, as 7 d or 12 h.`)
  }

  #addStart(result) {
    if (this.#start.value === 'paused') result.start = false
    if (this.#start.value !== 'at') return
    const at = new Date(this.fields.at.input.value)
    if (Number.isNaN(at.getTime())) throw new Mistake('/not_before_at', 'Expected a day and a time.')
    result.not_before_at = at.toISOString()
  }

  #addLimits(result) {
    const { rate, connections } = this.fields
    const limits = {}
    const bytes = parseSize(rate.value)
    if (Number.isNaN(bytes)) {
      throw new Mistake('/limits/rate_bytes_per_second',
        `“${rate.value}” is no rate. Type a number and a unit, as 5 MB.`)
    }
    if (bytes !== null) limits.rate_bytes_per_second = bytes
    if (connections.value) limits.connections = wholeNumber(connections, '/limits/connections')
    if (Object.keys(limits).length > 0) result.limits = limits
  }
}

export function wholeNumber(field, pointer) {
  const text = field.value.replace('−', '-')
  if (!/^-?\d+$/.test(text)) throw new Mistake(pointer, `“${field.value}” is no whole number.`)
  return Number(text)
}
