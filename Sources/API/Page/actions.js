// Actions on one download or many.

import { get, newKey, patch, post, remove, ticketed } from './api.js'
import { ask } from './dialog.js'
import { el } from './dom.js'
import { plural } from './format.js'
import { complain, message } from './messages.js'
import { isEnded } from './row-actions.js'
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
      this.#onRow(await patch(`downloads/${row.id}`, { action: name }))
    } catch (problem) {
      complain(`${ACTIONS[name]?.label ?? 'Save'} ${row.name}`, problem)
    }
  }

  async #delete(row) {
    const choice = await askToDelete(`Delete ${row.name}?`, [row])
    if (!choice) return
    const isForced = !isEnded(row)
    await remove(`downloads/${row.id}?delete_file=${choice.deletesFile}${isForced ? '&force=true' : ''}`)
    this.#onRemoved(row.id)
    message(choice.deletesFile ? `Deleted ${row.name}.` : `Deleted the record of ${row.name}; its file stays.`)
  }

  async #again(row) {
    this.#onRow(await patch(`downloads/${row.id}`, { action: 'retry', force: true }))
  }

  /// Acts on many downloads.
  ///
  /// - Parameter target: `{ ids }` or `{ filter }`, with `count` and the known `rows`.
  async many(name, target) {
    const body = { action: name }
    if (name === 'delete') {
      const choice = await askToDelete(`Delete ${plural(target.count, 'download')}?`, target.rows)
      if (!choice) return false
      Object.assign(body, { delete_file: choice.deletesFile, force: true })
    } else if (name === 'cancel' && !await askToCancel(target.count)) {
      return false
    }
    const note = message(`${ACTIONS[name].label}: ${plural(target.count, 'download')}…`, { stays: true })
    try {
      const results = []
      for (const part of parts(target)) {
        results.push(await finished(await post('downloads/actions', { ...body, ...part }, { key: newKey() }), note))
      }
      tellResult(name, results, note)
    } catch (problem) {
      note.close()
      complain(ACTIONS[name].label, problem)
    }
    return true
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

async function askToDelete(title, rows) {
  const hasFiles = rows.some(row => row.state === 'completed' && row.file?.available !== false)
  const isRunning = rows.some(row => !isEnded(row))
  const text = [
    isRunning ? 'What has not ended is cancelled first, and its bytes are discarded.' : '',
    hasFiles ? 'The finished file can stay where it is, or be deleted too.'
      : 'The record goes; there is no finished file.',
  ]
  const choices = [{ name: null, label: 'Keep it' }]
  if (hasFiles) choices.push({ name: 'record', label: 'Delete the record, keep the file' })
  choices.push({ name: 'file', label: hasFiles ? 'Delete with the file' : 'Delete', kind: 'primary danger' })
  const answer = await ask(title, el('p', {}, text.filter(Boolean).join(' ')), choices)
  return answer ? { deletesFile: answer === 'file' } : null
}

async function askToCancel(count) {
  const text = 'Their bytes are discarded. A download that is paused keeps them.'
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
