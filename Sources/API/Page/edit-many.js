// Changes many downloads: priority, rate limit and folder, one request after the other.

import { get, patch } from './api.js'
import { wholeNumber } from './add-options.js'
import { dialog } from './dialog.js'
import { el } from './dom.js'
import { Mistake, field, formParts, input } from './form.js'
import { count, plural } from './format.js'
import { rateField, typedRate } from './limits.js'
import { message } from './messages.js'
import { parameters } from './query.js'

/// So many requests are on their way at once.
const AT_ONCE = 4

/// - Parameters:
///   - target: `{ ids }`, or `{ query }` for all that a view finds; with `count`.
///   - onRow: Takes each download as it is now.
export function editMany(target, onRow, onDone) {
  const hint = 'Empty: as it is.'
  const priority = field('Priority', input({ inputmode: 'numeric' }), { pointer: '/priority', hint })
  const rate = rateField('Rate limit', '/limits/rate_bytes_per_second', null,
    'Per second, as 5 MB; none removes it. Empty: as it is.')
  const folder = field('Folder', input(), { pointer: '/directory', hint, isWide: true })
  const session = field('Session', input({ list: 'session-names' }), { pointer: '/session', hint })
  const form = formParts([priority, rate, folder, session], `Change ${count(target.count)}`, async () => {
    const change = {}
    if (priority.value) change.priority = wholeNumber(priority, '/priority')
    if (rate.value) change.limits = { rate_bytes_per_second: typedRate(rate, '/limits/rate_bytes_per_second') || null }
    if (folder.value) change.directory = folder.value
    if (session.value) change.session = session.value
    if (Object.keys(change).length === 0) throw new Mistake('/priority', 'Give at least one value.')
    const ids = target.ids ?? await found(target.query)
    // A value that the service refuses is shown at its field, before anything else is changed.
    onRow(await patch(`downloads/${ids[0]}`, change))
    shown.close()
    await changeAll(ids.slice(1), change, onRow)
    onDone()
  })
  form.classList.add('grid')
  const shown = dialog(`Change ${plural(target.count, 'download')}`,
    [el('p', { class: 'hint' }, 'What has ended keeps its priority and limits.'), form])
}

/// The ids of all downloads of a view.
async function found(query) {
  const ids = []
  const values = parameters(query)
  values.set('fields', 'id')
  values.set('limit', '200')
  for (let cursor = ''; cursor !== null;) {
    if (cursor) values.set('cursor', cursor)
    const page = await get(`downloads?${values}`)
    ids.push(...page.items.map(item => item.id))
    cursor = page.next_cursor
  }
  return ids
}

async function changeAll(ids, change, onRow) {
  const note = message('Changed 1 download…', { stays: true })
  let changed = 1
  const refused = []
  const rest = [...ids]
  const work = async () => {
    for (let id = rest.shift(); id; id = rest.shift()) {
      try {
        onRow(await patch(`downloads/${id}`, change))
        changed += 1
        note.change(`Changed ${plural(changed, 'download')}…`)
      } catch (problem) {
        refused.push(problem)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (refused.length === 0) return note.change(`Changed ${plural(changed, 'download')}.`, { isOver: true })
  note.close()
  message(`Changed ${plural(changed, 'download')}. ${count(refused.length)} could not be changed: ${refused[0].message}`,
    { isError: true })
}
