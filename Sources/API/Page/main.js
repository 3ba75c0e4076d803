// Starts the page: views, form, stream and keys.

import './theme.js'
import './sign-in.js'
import { onReachable } from './api.js'
import { AddForm } from './add.js'
import { $, setText } from './dom.js'
import { DownloadsView } from './downloads-view.js'
import { EventLogView } from './event-log.js'
import { showConnection, startHeader } from './header.js'
import { HostsView } from './hosts.js'
import { showHelp, startKeys } from './keys.js'
import { PANELS, markCurrent, readAddress, startNav } from './nav.js'
import { service } from './service.js'
import { SettingsView } from './settings.js'
import { Stream } from './stream.js'
import { VisibleProgress } from './visible-progress.js'
import { WebhooksView } from './webhooks.js'

startHeader()
startNav()
const downloads = new DownloadsView()
const add = new AddForm(row => downloads.event({ type: 'download.created', data: row }))
const place = $('panel')
const panels = {
  hosts: new HostsView(place), webhooks: new WebhooksView(place), events: new EventLogView(place),
  settings: new SettingsView(place),
}
let open = null

function showView() {
  const where = readAddress()
  const isPanel = where.name in PANELS
  document.body.dataset.panel = isPanel ? where.name : 'downloads'
  markCurrent(where.name === 'session' ? `session/${encodeURIComponent(where.argument)}` : where.name)
  open?.leave?.()
  open = isPanel ? panels[where.name] : null
  $('downloads').hidden = isPanel
  place.hidden = !isPanel
  if (isPanel) {
    setText($('view-title'), PANELS[where.name])
    place.replaceChildren()
    document.body.classList.remove('has-detail')
    open.enter(where.argument)
  } else {
    downloads.enter(where)
  }
}

const stream = new Stream({
  state: showConnection,
  event(event) {
    if (event.type.startsWith('download.')) downloads.event(event)
    if (event.type.startsWith('file.') && event.data.id) downloads.event(event)
    panels.events.event(event)
    if (open === panels.webhooks) panels.webhooks.event(event, readAddress().argument)
    service.noticed()
    if (event.data.session) service.sessionsChanged()
  },
  progress: data => downloads.progress(data),
  /// Events are lost, so everything is read again.
  reset() { downloads.reload(); service.readSessions() },
})

let wasReachable = true
onReachable(isReachable => {
  if (isReachable && !wasReachable) { service.readLimits(); if (downloads.list.problem) downloads.reload() }
  wasReachable = isReachable
})

addEventListener('hashchange', showView)
$('help').addEventListener('click', showHelp)
startKeys(downloads, add)
new VisibleProgress(downloads)
showView()
service.start()
stream.open()
