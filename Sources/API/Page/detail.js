// The details of one download: where it comes from and goes to, its parts, its speed, and what happened.

import { get } from './api.js'
import { attemptLines } from './attempts.js'
import { editDownload } from './edit.js'
import { copy } from './actions.js'
import { dialog } from './dialog.js'
import { $, el, iconButton, link, setAttribute, setText } from './dom.js'
import { throttled } from './frames.js'
import { fullInstant, instant, plural, rate, size, sizeOf } from './format.js'
import { actionLabel, mainActions } from './row-actions.js'
import { Segments } from './segments.js'
import { SpeedChart } from './speed-chart.js'
import { nextStep, place, reason, spaced, stateWord } from './words.js'

export class Detail {
  id = null
  #download = null
  #attempts = []
  #chart = null
  #segments = null
  #parts = null
  #turn = 0
  #handlers
  #readSoon = throttled(() => this.#read(), 1500)

  /// - Parameter handlers: `action(name, row)`, `row(download)` and `close()`.
  constructor(handlers) { this.#handlers = handlers }

  /// Shows a download.
  open(id, known) {
    if (this.id === id) return
    this.id = id
    this.#download = null
    this.#attempts = []
    this.#build(known?.name ?? '')
    if (known) this.#showState(known)
    this.#read()
  }

  close() {
    this.id = null
    this.#turn += 1
    $('detail').replaceChildren()
  }

  /// Something happened to the download that is shown.
  changed(row) {
    if (row.id !== this.id) return
    this.#showState(row)
    this.#readSoon()
  }

  progress(id, progress) {
    if (id !== this.id) return
    this.#chart.add(progress.bytes_per_second ?? 0)
    setText(this.#parts.amount, amount(progress))
    this.#segments.progress(progress)
    this.#readSegments()
  }

  #readSegments = throttled(() => { if (this.id) this.#segments.read() }, 1000)

  async #read() {
    const turn = this.#turn += 1
    const { id } = this
    try {
      const [download, attempts] = await Promise.all([get(`downloads/${id}`), get(`downloads/${id}/attempts?limit=50`)])
      if (turn !== this.#turn || id !== this.id) return
      this.#download = download
      this.#attempts = attempts.items
      this.#handlers.row(download)
      this.#show()
    } catch (error) {
      if (turn !== this.#turn) return
      if (error.status === 404) this.#handlers.close()
      else setText(this.#parts.fault, error.message)
    }
  }

  #build(name) {
    const part = (tag, settings) => el(tag, settings)
    const parts = this.#parts = {
      title: el('h2', { tabindex: '-1' }, name), tag: part('span', { class: 'tag' }), why: part('p',
        { class: 'reason' }),
      actions: part('div', { class: 'detail-actions' }), amount: part('p', { class: 'amount' }),
      facts: part('dl'), problem: part('div', { class: 'problem', hidden: true }),
      happened: part('ol', { class: 'time' }), sources: part('div'), fault: part('p', { class: 'form-error' }),
    }
    this.#chart = new SpeedChart()
    this.#segments = new Segments(this.id)
    $('detail').replaceChildren(
      el('div', { class: 'detail-head' }, parts.title, iconButton('cancel', 'Close the details',
        () => this.#handlers.close())),
      el('p', { class: 'state-line' }, parts.tag), parts.why, parts.problem, parts.fault, parts.actions,
      this.#segments.element, parts.amount, this.#chart.element, parts.facts, parts.sources,
      el('h3', {}, 'What happened'), parts.happened,
      el('button', { type: 'button', class: 'quiet', onclick: () => this.#showJSON() }, 'Raw JSON'))
  }

  #showState(row) {
    const { title, tag, why, amount: bytes } = this.#parts
    setText(title, row.name)
    setText(tag, stateWord(row))
    setAttribute(tag, 'class', `tag ${row.state}`)
    setText(why, row.state === 'failed' ? '' : reason(row))
    setText(bytes, amount(row.progress, row))
    this.#segments.show(row)
    this.#chart.setRunning(row.state === 'running')
    this.#showActions(row)
  }

  #showActions(row) {
    const key = `${row.state} ${row.allowed_actions} ${row.file?.available} ${this.#download?.id}`
    if (this.#parts.actions.dataset.key === key) return
    this.#parts.actions.dataset.key = key
    const button = (label, run) => el('button', { type: 'button', class: 'quiet', onclick: run }, label)
    this.#parts.actions.replaceChildren(
      ...mainActions(row).map(name => button(actionLabel(name, row), () => this.#handlers.action(name, row))),
      button('Change…', () => editDownload(this.#download ?? row, changed => this.#handlers.row(changed))))
  }

  #showJSON() {
    const text = JSON.stringify({ download: this.#download, attempts: this.#attempts }, null, 2)
    const button = el('button', { type: 'button', class: 'quiet', onclick: () => copy('JSON', text) }, 'Copy')
    dialog(this.#download?.name ?? 'JSON', el('pre', { tabindex: '0' }, text), { buttons: [button], isWide: true })
  }

  #show() {
    const download = this.#download
    this.#showState(download)
    this.#showProblem(download)
    this.#parts.facts.replaceChildren(...facts(download).flatMap(([term, ...values]) =>
      [el('dt', {}, term), el('dd', {}, ...values)]))
    this.#parts.sources.replaceChildren(...sourceList(download))
    this.#parts.happened.replaceChildren(...attemptLines(download, this.#attempts))
    this.#segments.read()
  }

  #showProblem({ error, state, waiting_for: cause }) {
    const isShown = error !== null && (state === 'failed' || (state === 'waiting' && cause === 'retry'))
    this.#parts.problem.hidden = !isShown
    if (!isShown) return
    this.#parts.problem.replaceChildren(el('b', {}, error.message), el('p', {}, nextStep(error)),
      el('small', {}, [spaced(error.code), error.http_status && `HTTP ${error.http_status}`, instant(error.occurred_at)]
        .filter(Boolean).join(' · ')))
  }
}

function amount(progress, row = null) {
  if (row?.state === 'completed') return row.file?.size_bytes ? size(row.file.size_bytes) : ''
  const { received_bytes: received, total_bytes: total, bytes_per_second: speed } = progress
  if (total === null && !received) return ''
  const bytes = total === null ? `${size(received)} of an unknown size` : sizeOf(received, total)
  return speed ? `${bytes} · ${rate(speed)}` : bytes
}

/// Terms and values, without those that say nothing.
function facts(download) {
  const { source, file, limits, expected } = download
  const limitWords = [
    limits.rate_bytes_per_second && rate(limits.rate_bytes_per_second),
    limits.connections && plural(limits.connections, 'connection'),
    limits.max_bytes && `at most ${size(limits.max_bytes)}`,
  ].filter(Boolean)
  const moved = source.final_url && source.final_url !== download.url
  return [
    ['From', link(download.url), ...(moved ? [el('small', {}, `redirected to ${source.final_url}`)] : [])],
    ['To', file.path ?? ([place(download), download.filename].filter(Boolean).join(' / ') || 'the downloads folder')],
    download.session && ['Session', el('a', { href: `#session/${encodeURIComponent(download.session)}` },
      download.session)],
    ['Checked by', checks(source, expected)],
    ...Object.entries(file.digests ?? {}).map(([name, value]) => [name.toUpperCase(), digest(name, value)]),
    ['Limit', limitWords.join(', ') || 'none'],
    download.priority !== 0 && ['Priority', String(download.priority)],
    ['Added', el('time', { datetime: download.created_at, title: fullInstant(download.created_at) },
      instant(download.created_at))],
    download.not_before_at && ['Not before', instant(download.not_before_at)],
    file.expires_at && ['Kept until', instant(file.expires_at)],
    download.finished_at && ['Ended', el('time', { title: fullInstant(download.finished_at) },
      instant(download.finished_at))],
    Object.keys(download.labels).length > 0 && ['Labels',
      Object.entries(download.labels).map(pair => pair.join(': ')).join(', ')],
    download.description && ['About', download.description],
  ].filter(Boolean)
}

function checks(source, expected) {
  const given = Object.keys(expected.digests).map(name => `${name.toUpperCase()} given`)
  const stated = Object.keys(source.digests).map(name => `${name.toUpperCase()} of the origin`)
  const rest = [expected.size_bytes !== null && 'size given', source.etag && `ETag ${source.etag}`]
  return [...given, ...stated, ...rest].filter(Boolean).join(', ') || 'length and order of its bytes'
}

function digest(name, value) {
  return el('span', { class: 'digest' }, el('code', {}, `${value.slice(0, 16)}…`),
    iconButton('copy', `Copy the ${name.toUpperCase()}`, () => copy('Digest', value)))
}

const STANDINGS = { used: 'in use', unused: 'not used yet', left: 'no longer used' }

function sourceList({ source, mirrors }) {
  const sources = source.sources.length > 0 ? source.sources : mirrors.map(url => ({ url, state: 'unused',
    reason: null }))
  if (sources.length < 2 && mirrors.length === 0) return []
  return [el('h3', {}, 'Sources'), el('ul', { class: 'plain' }, ...sources.map(({ url, state, reason,
    received_bytes: bytes }) =>
    el('li', {}, link(url), el('small', {}, [STANDINGS[state] ?? state, spaced(reason), bytes ? size(bytes) : '']
      .filter(Boolean).join(' · ')))))]
}
