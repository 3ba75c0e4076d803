// Actions on one download or many.

import { get, newKey, patch, post, remove, ticketed } from './api.js'
import { ask } from './dialog.js'
import { el } from './dom.js'
import { plural } from './format.js'
import { complain, message } from './messages.js'
import { isEnded } from './row-actions.js'
import { mayUndo } from './undo.js'
import { ACTIONS } from './words.js'

/// `ids` of one request.
const MOST_IDS = 100

export class Actions {
  #onRow
  #onRemoved

  /// - Parameter onRow: Takes the new state of a download, so that it is shown before its event comes.
  constructor({ onRow, onRemoved }) {
    this.#onRow = onRow
    this.#onRemoved = onRemoved
  }

  /// Acts on one download.
  async one(name, row) {
    try {
      if (name === 'save') return await save(row)
      if (name === 'delete') return await this.#delete(row)
      if (name === 'again') return await this.#again(row)
      if (name === 'cancel' && row.progress.received_bytes > 0) return await this.#cancel(row)
      this.#onRow(await patch(`downloads/${row.id}`, { action: name }))
    } catch (problem) {
      complain(`${ACTIONS[name]?.label ?? 'Save'} ${row.name}`, problem)
    }
  }

  async #delete(row) {
    const choice = await askToDelete(`Delete ${row.name}?`, [row], hasFile(row))
    if (!choice) return
    const isForced = !isEnded(row)
    await remove(`downloads/${row.id}?delete_file=${choice.deletesFile}${isForced ? '&force=true' : ''}`)
    this.#onRemoved(row.id)
    message(hasFile(row) && !choice.deletesFile ? `Deleted the record of ${row.name}; its file stays.`
      : `Deleted ${row.name}.`)
  }

  /// Pauses a download that has bytes, and cancels it once nobody wants it back. If the page is closed meanwhile, it
  /// stays paused.
  async #cancel(row) {
    const wasPaused = row.state === 'paused'
    if (!wasPaused) this.#onRow(await patch(`downloads/${row.id}`, { action: 'pause' }))
    if (await mayUndo(`Cancelled ${row.name}.`)) {
      if (!wasPaused) this.#onRow(await patch(`downloads/${row.id}`, { action: 'resume' }))
      return
    }
    // Who resumed it meanwhile wants it.
    if ((await get(`downloads/${row.id}`)).state !== 'paused') return
    this.#onRow(await patch(`downloads/${row.id}`, { action: 'cancel' }))
  }

  async #again(row) {
    this.#onRow(await patch(`downloads/${row.id}`, { action: 'retry', force: true }))
  }

  /// Acts on many downloads.
  ///
  /// - Parameter target: `{ ids }` or `{ filter }`, with `count` and the known `rows`.
  async many(name, target) {
    if (name === 'cancel' && target.ids) return await this.#cancelMany(target)
    const body = { action: name }
    if (name === 'delete' || name === 'cancel') {
      const number = await affected(name, target)
      if (number === null) return false
      if (number === 0) { message(`Nothing to ${ACTIONS[name].label.toLowerCase()}.`); return false }
      if (name === 'delete') {
        // Of what the page has not read, anything may have a file.
        const mayHaveFiles = target.rows.length < number || target.rows.some(hasFile)
        const choice = await askToDelete(`Delete ${plural(number, 'download')}?`, target.rows, mayHaveFiles)
        if (!choice) return false
        Object.assign(body, { delete_file: choice.deletesFile, force: true })
      } else if (!await askToCancel(number)) {
        return false
      }
    }
    await perform(body, target)
    return true
  }

  /// The same for many as for one. What has not begun waits with the others.
  async #cancelMany(target) {
    const running = target.rows.filter(row => row.state !== 'paused' && row.allowed_actions.includes('pause'))
    const ids = running.map(row => row.id)
    if (ids.length > 0 && !await perform({ action: 'pause' }, { ids, count: ids.length }, 'cancel')) return true
    mayUndo(`Cancelled ${plural(target.count, 'download')}.`).then(isUndone => isUndone
      ? ids.length > 0 && perform({ action: 'resume' }, { ids, count: ids.length })
      : perform({ action: 'cancel' }, target))
    return true
  }
}

/// Performs an action on each download of a target.
///
/// - Parameter asPartOf: The action of which this one is a step; then its success is not told.
/// - Returns: Whether the service accepted it.
async function perform(body, target, asPartOf = null) {
  const { label } = ACTIONS[asPartOf ?? body.action]
  const note = message(`${label}: ${plural(target.count, 'download')}…`, { stays: true })
  try {
    const results = []
    for (const part of parts(target)) {
      results.push(await finished(await post('downloads/actions', { ...body, ...part }, { key: newKey() }), note))
    }
    if (asPartOf) note.close()
    else tellResult(body.action, results, note)
    return true
  } catch (problem) {
    note.close()
    complain(label, problem)
    return false
  }
}

/// How many downloads an action would change. A filter may find more than the page has read.
///
/// - Returns: null if the service did not say so.
async function affected(name, target) {
  if (target.ids) return target.count
  const note = message('Counting…', { stays: true })
  const force = name === 'delete' ? { force: true } : {}
  try {
    const body = { action: name, filter: target.filter, dry_run: true, ...force }
    return (await finished(await post('downloads/actions', body, { key: newKey() }), note)).changed
  } catch (problem) {
    complain(ACTIONS[name].label, problem)
    return null
  } finally {
    note.close()
  }
}

function parts({ ids, filter }) {
  if (filter) return [{ filter }]
  const all = [...ids]
  return Array.from({ length: Math.ceil(all.length / MOST_IDS) }, (_, index) =>
    ({ ids: all.slice(index * MOST_IDS, (index + 1) * MOST_IDS) }))
}

/// Waits until an operation has ended. It goes on in the service if the page is closed, and after a restart.
async function finished(operation, note) {
  for (let delay = 150; operation.state !== 'finished'; delay = Math.min(delay * 1.5, 2000)) {
    await new Promise(resolve => setTimeout(resolve, delay))
    try { operation = await get(`operations/${operation.id}`) } catch (problem) { if (!problem.isOffline) throw problem }
    if (operation.matched > 0) note.change(`${ACTIONS[operation.action].label}: ${plural(operation.matched, 'download')} so far…`)
  }
  return operation
}

function tellResult(name, results, note) {
  const sum = member => results.reduce((total, result) => total + result[member], 0)
  const [changed, unchanged, failed] = [sum('changed'), sum('unchanged'), sum('failed')]
  const words = [`${plural(changed, 'download')} ${ACTIONS[name].done}.`]
  if (unchanged) words.push(`${plural(unchanged, 'other')} needed no change.`)
  if (!failed) return note.change(words.join(' '), { isOver: true })
  note.close()
  const [first] = results.flatMap(result => result.failures)
  words.push(`${failed} could not be changed${first ? `: ${first.detail ?? first.code}` : '.'}`)
  message(words.join(' '), { isError: true })
}

const hasFile = row => row.state === 'completed' && row.file?.available !== false

/// Asks, with the file kept unless a person says otherwise.
async function askToDelete(title, rows, hasFiles) {
  const isOne = rows.length === 1
  const isRunning = rows.some(row => !isEnded(row))
  const alsoFile = el('input', { type: 'checkbox' })
  const text = [
    isRunning ? 'What has not ended is cancelled first, and its bytes are discarded.' : '',
    hasFiles ? `The record goes; ${isOne ? 'the finished file stays where it is' : 'finished files stay where they are'}.`
      : 'The record goes; there is no finished file.',
  ]
  const content = [el('p', {}, text.filter(Boolean).join(' '))]
  if (hasFiles) content.push(el('label', { class: 'check' }, alsoFile, ` Delete ${isOne ? 'the finished file' : 'finished files'} too`))
  const choices = [{ name: null, label: 'Keep it' }, { name: 'yes', label: 'Delete', kind: 'primary danger' }]
  const answer = await ask(title, content, choices)
  return answer ? { deletesFile: hasFiles && alsoFile.checked } : null
}

async function askToCancel(count) {
  const text = 'Their bytes are discarded at once. A download that is paused keeps them.'
  const choices = [{ name: null, label: 'Go on' }, { name: 'yes', label: 'Cancel them', kind: 'primary danger' }]
  return await ask(`Cancel ${plural(count, 'download')}?`, el('p', {}, text), choices) === 'yes'
}

/// Saves the finished file on the machine of the browser.
async function save(row) {
  const url = await ticketed(`/downloads/${row.id}/file`)
  const link = el('a', { href: url, download: row.name })
  document.body.append(link)
  link.click()
  link.remove()
}

/// Copies a text. Over plain http beyond localhost there is no clipboard; then the text is shown to be copied.
export async function copy(what, text) {
  try {
    await navigator.clipboard.writeText(text)
    message(`${what} copied.`)
  } catch {
    const box = el('textarea', { rows: '4', readonly: true, 'aria-label': what, class: 'copied' })
    box.value = text
    const shown = ask(`Copy the ${what.toLowerCase()}`, box, [{ name: null, label: 'Close' }])
    box.focus()
    box.select()
    await shown
  }
}
