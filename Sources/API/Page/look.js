// Looks at URLs before they are downloaded, and shows their names and sizes.

import { post } from './api.js'
import { el } from './dom.js'
import { plural, size } from './format.js'
import { fileName } from './urls.js'

/// More are not probed: each probe is a request to the origin.
const MOST = 5
const DELAY = 600

export class Look {
  element = el('ul', { class: 'looks', 'aria-label': 'What the URLs are', hidden: true })
  #known = new Map()
  #timer = null
  #options

  /// - Parameter options: Returns the members that a probe needs besides the URL, as `request_headers`.
  constructor(options) { this.#options = options }

  /// Shows what the URLs are, once nothing was typed for a moment.
  show(urls, requests, onDrop) {
    clearTimeout(this.#timer)
    const shown = urls.slice(0, MOST)
    for (const url of this.#known.keys()) if (!shown.includes(url)) this.#forget(url)
    const rows = requests.map((request, index) => requestRow(request, () => onDrop(index)))
    const probed = shown.map(url => this.#known.get(url)?.row ?? null).filter(Boolean)
    const rest = urls.length - shown.length
    this.element.replaceChildren(...rows, ...probed, ...(rest > 0 && shown.length > 0
      ? [el('li', { class: 'look rest' }, `and ${plural(rest, 'more URL')}`)] : []))
    this.element.hidden = this.element.childElementCount === 0
    if (shown.some(url => !this.#known.has(url))) {
      this.#timer = setTimeout(() => { this.#probe(shown); this.show(urls, requests, onDrop) }, DELAY)
    }
  }

  /// Other options may lead to other answers.
  reset() { for (const url of [...this.#known.keys()]) this.#forget(url) }

  #forget(url) {
    this.#known.get(url)?.controller.abort()
    this.#known.delete(url)
  }

  #probe(urls) {
    for (const url of urls.filter(url => !this.#known.has(url))) {
      const controller = new AbortController()
      const row = el('li', { class: 'look' }, el('b', {}, fileName(url)), el('span', { class: 'busy' }, 'Looking…'))
      this.#known.set(url, { row, controller })
      post('probes', { ...this.#options(), url }, { signal: controller.signal })
        .then(probe => showProbe(row, url, probe))
        .catch(error => { if (error.name !== 'AbortError') showFault(row, fileName(url), error.message) })
    }
  }
}

function showProbe(row, url, probe) {
  if (probe.error) return showFault(row, probe.name ?? fileName(url), probe.error.message)
  const facts = [
    probe.size_bytes === null ? 'size unknown' : size(probe.size_bytes),
    probe.content_type,
    probe.ranges === 'yes' ? 'can resume' : probe.ranges === 'no' ? 'cannot resume' : null,
    probe.redirects ? `after ${plural(probe.redirects, 'redirect')}` : null,
  ]
  row.replaceChildren(el('b', {}, probe.name ?? fileName(url)), el('span', {}, facts.filter(Boolean).join(' · ')))
}

function showFault(row, name, text) {
  row.classList.add('bad')
  row.replaceChildren(el('b', {}, name), el('span', {}, text))
}

function requestRow(request, onDrop) {
  const facts = [
    request.expected?.size_bytes ? size(request.expected.size_bytes) : 'size unknown',
    request.mirrors ? plural(request.mirrors.length + 1, 'source') : null,
    Object.keys(request.expected?.digests ?? {})[0]?.toUpperCase(),
    'from the Metalink',
  ]
  return el('li', { class: 'look' }, el('b', {}, request.filename ?? fileName(request.url)),
    el('span', {}, facts.filter(Boolean).join(' · ')),
    el('button', { type: 'button', class: 'quiet small', onclick: onDrop }, 'Remove'))
}
