// Changes a download: what the API lets change, and a new try with it.

import { get, patch } from './api.js'
import { dialog } from './dialog.js'
import { el } from './dom.js'
import { membersOf } from './edit-members.js'
import { formParts } from './form.js'
import { complain, message } from './messages.js'

/// What follows a change, if the download does not go on by itself.
const NEXT = { failed: ['retry', 'Retry it with this'], cancelled: ['retry', 'Retry it with this'],
  paused: ['resume', 'Resume it with this'], waiting: ['resume', 'Try it with this at once'] }

/// Shows the form. Only members that differ are sent, so that what was locked meanwhile is no obstacle.
export async function editDownload(row, onChanged) {
  let download
  try {
    download = await get(`downloads/${row.id}`)
  } catch (problem) {
    return complain(`Change ${row.name}`, problem)
  }
  const members = membersOf(download).map(member => ({ ...member.open(download), group: member.group }))
  const [action, label] = NEXT[download.state] ?? []
  const again = el('input', { type: 'checkbox' })
  again.checked = download.state === 'failed' || download.waiting_for === 'credentials'
  const form = formParts(members.map(member => member.field), 'Save', async () => {
    const body = {}
    for (const member of members) member.change(body)
    const isChanged = Object.keys(body).length > 0
    if (again.checked) body.action = action
    if (isChanged || again.checked) {
      onChanged(await patch(`downloads/${download.id}`, body))
      if (isChanged) message(`Changed ${download.name}.`)
    }
    shown.close()
  })
  form.classList.add('grid')
  const access = members.filter(member => member.group === 'access').map(member => member.field.element)
  if (access.length > 0) {
    const folded = el('details', { class: 'wide' }, el('summary', {}, 'Login, headers, mirrors and what is expected'),
      el('div', { class: 'grid' }, ...access))
    folded.open = download.state === 'failed' || download.waiting_for === 'credentials'
    form.querySelector('.form-error').before(folded)
  }
  if (action && download.allowed_actions.includes(action)) {
    form.querySelector('.form-foot').prepend(el('label', { class: 'check' }, again, label))
  } else {
    again.checked = false
  }
  const shown = dialog(`Change ${download.name}`, form, { isWide: true })
}
