// The form for new downloads.

import { Problem, newKey, post } from './api.js'
import { AddOptions } from './add-options.js'
import { $, el } from './dom.js'
import { readDropped } from './dropped.js'
import { Mistake, clearErrors, showProblem } from './form.js'
import { plural } from './format.js'
import { Look } from './look.js'
import { message } from './messages.js'
import { service } from './service.js'
import { readLines } from './urls.js'

/// The most items of a batch.
const MOST = 1000
const DRAFT = 'cormorant.draft'

export class AddForm {
  #text = $('urls')
  #faults = $('url-faults')
  #options = new AddOptions()
  #look = new Look(() => this.#options.probeMembers())
  /// Files of Metalink documents that were dropped.
  #requests = []
  #isSending = false
  /// The key of a request whose answer did not come: the same request with it is carried out once.
  #pending = { body: null, key: null }
  #onRow

  constructor(onRow) {
    this.#onRow = onRow
    const form = $('add')
    form.append(this.#faults, this.#look.element, this.#options.element)
    form.addEventListener('submit', event => { event.preventDefault(); this.#submit() })
    this.#text.addEventListener('input', () => this.#typed())
    this.#text.addEventListener('keydown', event => this.#pressed(event))
    $('options').addEventListener('click', () => this.#toggleOptions())
    this.#options.fields.headers.input.addEventListener('change', () => { this.#look.reset(); this.#typed() })
    this.#acceptDrops()
    this.#restore()
  }

  focus() {
    this.#text.focus()
    this.#text.scrollIntoView({ block: 'nearest' })
  }

  /// Adds URLs to what was typed.
  ///
  /// - Parameter isOfUser: Whether the user has just given them, so that the service may look at them.
  put(text, { isOfUser = true } = {}) {
    const typed = this.#text.value.trim()
    this.#text.value = typed ? `${typed}\n${text}` : text
    this.#typed({ isOfUser })
    this.focus()
  }

  /// What was typed outlives a reload; `/?add=URL` comes from a bookmarklet. Nothing of either is sent by itself, not even
  /// to look at it: a link of another site could lead here, and name a URL of the service's own network.
  #restore() {
    this.#text.value = sessionStorage.getItem(DRAFT) ?? ''
    const given = new URL(location.href).searchParams.getAll('add')
    if (given.length > 0) {
      history.replaceState(null, '', location.pathname + location.hash)
      this.put(given.join('\n'), { isOfUser: false })
    } else if (this.#text.value) {
      this.#typed({ isOfUser: false })
    }
  }

  #pressed(event) {
    if (event.key !== 'Enter' || event.isComposing) return
    // Enter sends a single line; among several it makes another one, and Control and Enter send.
    const isSingle = !this.#text.value.includes('\n')
    if (event.ctrlKey || event.metaKey || (isSingle && !event.shiftKey)) {
      event.preventDefault()
      this.#submit()
    }
  }

  #typed({ isOfUser = true } = {}) {
    const { good, wrong } = readLines(this.#text.value)
    const lines = this.#text.value.split('\n').length
    this.#text.rows = Math.max(1, Math.min(8, lines))
    try { sessionStorage.setItem(DRAFT, this.#text.value) } catch { /* It is forgotten. */ }
    const total = good.length + this.#requests.length
    $('download').textContent = total > 1 ? `Download ${total}` : 'Download'
    // While a line is typed it is no mistake yet.
    if (wrong.length === 0) this.#showFaults([])
    this.#look.show(isOfUser ? good : [], this.#requests, index => { this.#requests.splice(index, 1); this.#typed() })
  }

  #showFaults(lines) {
    this.#faults.hidden = lines.length === 0
    this.#faults.replaceChildren(...lines.slice(0, 5).map(line => el('p', {}, line)),
      ...(lines.length > 5 ? [el('p', {}, `and ${lines.length - 5} more`)] : []))
    if (lines.length > 0) this.#text.setAttribute('aria-invalid', 'true')
    else this.#text.removeAttribute('aria-invalid')
  }

  #toggleOptions() {
    const { element } = this.#options
    element.hidden = !element.hidden
    $('options').setAttribute('aria-expanded', String(!element.hidden))
    if (!element.hidden) this.#options.fields.directory.input.focus()
  }

  async #submit() {
    if (this.#isSending) return
    const { good, wrong } = readLines(this.#text.value)
    clearErrors(this.#options.all)
    if (wrong.length > 0) {
      this.#showFaults(wrong.map(({ number, reason }) => wrong.length + good.length > 1 ? `Line ${number}: ${reason}`
        : reason))
      this.#text.focus()
      return
    }
    const total = good.length + this.#requests.length
    if (total === 0) {
      this.#showFaults(['Type or paste a URL, as https://example.com/file.iso'])
      this.#text.focus()
      return
    }
    this.#setSending(true)
    try {
      const members = this.#options.members(total === 1)
      const items = [...good.map(url => ({ ...members, url })), ...this.#requests.map(request => merged(request,
        members))]
      await (total === 1 ? this.#sendOne(items[0]) : this.#sendMany(items))
    } catch (problem) {
      this.#refused(problem)
    } finally {
      this.#setSending(false)
    }
  }

  #setSending(isSending) {
    this.#isSending = isSending
    $('download').disabled = isSending
  }

  /// The same key as before if the same request is sent again.
  #key(body) {
    const text = JSON.stringify(body)
    if (this.#pending.body !== text) this.#pending = { body: text, key: newKey() }
    return this.#pending.key
  }

  async #sendOne(item) {
    const row = await post('downloads', item, { key: this.#key(item) })
    this.#onRow(row)
    this.#done()
    message(`Added ${row.name}.`)
  }

  async #sendMany(items) {
    const refused = []
    let added = 0
    for (let start = 0; start < items.length; start += MOST) {
      const part = items.slice(start, start + MOST)
      const body = { atomic: false, items: part }
      const results = (await post('downloads/batch', body, { key: this.#key(body) })).items
      for (const { index, download, problem } of results) {
        if (download) { added += 1; this.#onRow(download) } else refused.push({ item: part[index], problem })
      }
      this.#keep(items.slice(start + MOST), refused)
    }
    if (refused.length === 0) this.#done()
    else this.#showRefused(refused)
    if (added > 0) message(`Added ${plural(added, 'download')}.`)
  }

  /// Takes what was added out of the form: if the next request fails, it is not added twice.
  #keep(rest, refused) {
    const left = [...refused.map(({ item }) => item), ...rest]
    const isRequest = item => this.#requests.some(request => request.url === item.url)
    this.#requests = this.#requests.filter(request => left.some(item => item.url === request.url))
    this.#text.value = left.filter(item => !isRequest(item)).map(item => item.url).join('\n')
    this.#typed()
  }

  #showRefused(refused) {
    this.#showFaults(refused.map(({ item, problem }) =>
      `${item.url}: ${problem.errors?.map(error => error.detail).join(' ') || problem.detail || problem.title}`))
    this.#text.focus()
  }

  #done() {
    this.#pending = { body: null, key: null }
    this.#requests = []
    this.#text.value = ''
    for (const name of ['filename', 'digest']) this.#options.fields[name].input.value = ''
    this.#typed()
    this.#showFaults([])
    service.noticed()
    service.sessionsChanged()
  }

  /// Shows an error where it was made. What was typed stays.
  #refused(problem) {
    if (problem instanceof Problem && problem.isOffline) {
      this.#showFaults(['The service cannot be reached. What you typed is still here: try again in a moment.'])
      return
    }
    const hasField = problem.errors?.some(error => error.pointer && !/^(\/items\/\d+)?\/url/.test(error.pointer))
    if (hasField || problem instanceof Mistake) {
      this.#options.element.hidden = false
      $('options').setAttribute('aria-expanded', 'true')
      showProblem(problem, this.#options.all, this.#faults)
      return
    }
    this.#showFaults(problem.errors?.length ? problem.errors.map(error => error.detail) : [problem.message])
    this.#text.focus()
  }

  #acceptDrops() {
    const sheet = document.body
    let depth = 0
    const show = () => sheet.classList.toggle('dropping', depth > 0)
    sheet.addEventListener('dragenter', event => { event.preventDefault(); depth += 1; show() })
    sheet.addEventListener('dragleave', () => { depth -= 1; show() })
    sheet.addEventListener('dragover', event => event.preventDefault())
    sheet.addEventListener('drop', async event => {
      if (event.target.matches('input, textarea') && event.dataTransfer.files.length === 0
        && event.target !== this.#text) {
        depth = 0
        return show()
      }
      event.preventDefault()
      depth = 0
      show()
      const { text, requests, refusals } = await readDropped(event.dataTransfer)
      this.#requests.push(...requests)
      if (text) this.put(text)
      else this.#typed()
      for (const refusal of refusals) message(refusal, { isError: true })
    })
  }
}

/// The options of the form hold for a Metalink file too, but its own name and digests are better known.
const merged = (request, { filename, expected, ...members }) => ({ ...members, ...request })
