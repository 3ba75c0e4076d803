// Changes a download: priority, limits, name, folder, URL, description.

import { get, patch } from './api.js'
import { wholeNumber } from './add-options.js'
import { dialog } from './dialog.js'
import { area, field, formParts, input } from './form.js'
import { rateField, typedRate } from './limits.js'
import { complain, message } from './messages.js'
import { isEnded } from './row-actions.js'

/// Shows the form. Only members that differ are sent, so that what was locked meanwhile is no obstacle.
export async function editDownload(row, onChanged) {
  let download
  try {
    download = await get(`downloads/${row.id}`)
  } catch (problem) {
    return complain(`Change ${row.name}`, problem)
  }
  const ended = isEnded(download)
  const limits = download.limits ?? {}
  const rate = rateField('Rate limit', '/limits/rate_bytes_per_second', limits.rate_bytes_per_second)
  const connections = field('Connections', input({ value: limits.connections ?? '', inputmode: 'numeric' }),
    { pointer: '/limits/connections', hint: '1 to 32. Empty: as the settings say. From the next attempt on.' })
  const priority = field('Priority', input({ value: String(download.priority), inputmode: 'numeric' }),
    { pointer: '/priority', hint: '−100 to 100, higher first.' })
  const name = field('File name', input({ value: download.filename ?? download.name }), { pointer: '/filename',
    isWide: true })
  const folder = field('Folder', input({ value: folderOf(download) }),
    { pointer: '/directory', hint: 'Below the downloads folder. Empty: the folder itself.' })
  const url = field('URL', input({ value: download.url }), { pointer: '/url', isWide: true,
    hint: 'Pause it first to change it.' })
  const about = field('Description', area({ rows: '2' }), { pointer: '/description', isWide: true })
  about.input.value = download.description ?? ''
  const open = ended ? [] : [priority, rate, connections]
  const fields = download.state === 'completed' ? [name, folder, about] : [name, folder, ...open, url, about]
  const change = () => changes(download, ended, { rate, connections, priority, name, folder, url, about })
  const form = formParts(fields, 'Save', async () => {
    const body = change()
    if (Object.keys(body).length > 0) {
      onChanged(await patch(`downloads/${download.id}`, body))
      message(`Changed ${download.name}.`)
    }
    shown.close()
  })
  form.classList.add('grid')
  const shown = dialog(`Change ${download.name}`, form)
}

function folderOf({ file, directory }) {
  const path = file?.path
  return path ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : directory ?? ''
}

function changes(download, ended, { rate, connections, priority, name, folder, url, about }) {
  const body = {}
  const set = (member, typed, known) => { if (typed !== known) body[member] = typed === '' ? null : typed }
  set('filename', name.value, download.filename ?? download.name)
  set('directory', folder.value, folderOf(download))
  set('description', about.value, download.description ?? '')
  if (download.state !== 'completed' && url.value !== download.url) body.url = url.value
  if (ended) return body
  if (priority.value !== String(download.priority)) body.priority = wholeNumber(priority, '/priority')
  const limits = {}
  const known = download.limits ?? {}
  const bytes = typedRate(rate, '/limits/rate_bytes_per_second') || null
  if (bytes !== (known.rate_bytes_per_second ?? null)) limits.rate_bytes_per_second = bytes
  const number = connections.value ? wholeNumber(connections, '/limits/connections') : null
  if (number !== (known.connections ?? null)) limits.connections = number
  if (Object.keys(limits).length > 0) body.limits = limits
  return body
}
