// What states, reasons and errors are called, and what to do about them.

import { host, instant, localized } from './format.js'
import { SCHEME_LIST } from './urls.js'

const STATES = {
  queued: 'Queued', running: 'Running', waiting: 'Waiting', paused: 'Paused', completed: 'Done', failed: 'Failed',
  cancelled: 'Cancelled',
}
const PHASES = { probing: 'Connecting', verifying: 'Verifying', publishing: 'Moving into place' }

export function stateWord(download) {
  if (download.state === 'running') return PHASES[download.phase] ?? STATES.running
  return STATES[download.state] ?? download.state
}

const WAITING = {
  retry: 'the last attempt failed', space: 'the disk is full', io: 'the disk reported an error',
  credentials: 'the origin wants other credentials', host: 'the host needs rest', schedule: 'it starts later',
  resume: 'it crashed the service; resume it yourself', pause: 'all downloads are paused',
}

/// Why a download is in its state, in words; empty if there is nothing to say.
export function reason(download) {
  switch (download.state) {
    case 'queued': case 'waiting': return waiting(download)
    case 'running': return [connections(download), host(download.url)].filter(Boolean).join(' · ')
    case 'paused': return 'bytes are kept'
    case 'failed': return download.error?.message ? localized(download.error.message) : ''
    case 'completed': return [instant(download.finished_at), place(download), download.skipped && 'was there already']
      .filter(Boolean).join(' · ')
    default: return instant(download.finished_at)
  }
}

function waiting(download) {
  if (download.waiting_reason) return localized(download.waiting_reason)
  const cause = WAITING[download.waiting_for]
  if (!cause) return download.state === 'queued' ? 'waits for a free slot' : ''
  return download.next_attempt_at ? `${cause}; next try ${instant(download.next_attempt_at)}` : cause
}

function connections(download) {
  const number = download.progress?.connections
  return number ? `${number} ${number === 1 ? 'connection' : 'connections'}` : ''
}

/// "media / reports / 2026"
export function place(download) {
  const path = download.file?.path
  const folder = path?.includes('/') ? path.slice(0, path.lastIndexOf('/')) : download.directory
  const parts = [download.root, ...(folder ? folder.split('/') : [])].filter(Boolean)
  return parts.join(' / ')
}

const NEXT_STEPS = {
  dns_failure: 'Check the host name in the URL, and the name server of this machine.',
  connect_failed: 'The host may be down. Try again later, or add a mirror with Change….',
  transfer_failed: 'Try again later. If it fails again, the code of libcurl names the cause.',
  proxy_failed: 'Check the proxy of the download (Change…) or of the settings.',
  tls_failed: 'The certificate of the host is not trusted. Check the address, and the clock of this machine.',
  timeout: 'The origin fell silent. Try again later.',
  low_speed: 'The origin was slower than the settings allow. Try again later.',
  http_client_error: 'Open the URL in a browser: it may need a login, a header or another address. Change… sets them.',
  http_server_error: 'The origin has a fault. Try again later.',
  file_not_found: 'The file is not there. Check the URL, or set where the file is now with Change….',
  auth_required: 'Give a login or a fresh link with Change….',
  host_key_rejected: 'The key of the SFTP server is not the known one. Check known_hosts.',
  destination_forbidden: 'The operator can allow this address with the setting allow_destinations.',
  protocol_forbidden: `Use a URL of ${SCHEME_LIST}.`,
  too_large: 'The file is larger than the limit. Raise the limit and retry.',
  source_changed: 'The file at the origin changed. Retry fetches it from its start.',
  checksum_mismatch: 'The file differs from the digest that was given. Change… sets another digest or URL.',
  size_mismatch: 'The file has another size than was given. Check the size, or try another source.',
  disk_full: 'Free disk space. The download continues automatically.',
  io_error: 'Check the disk and the folder of the downloads.',
  quota_exceeded: 'The session is at its limit. Raise the limit, or delete files.',
  file_exists: 'A file has this name. Set another name or folder with Change….',
  deadline_exceeded: 'Its time was over. Retry sets a new deadline.',
  unexpected_page: 'The origin sent a web page in place of the file. The link may need a login, or be over. Change… can also accept a page.',
  metalink_invalid: 'The Metalink document cannot be used. Download its file directly.',
}

export const nextStep = error => NEXT_STEPS[error?.code] ?? (error ? 'Retry, or look at the requests below.' : '')

const DECISIONS = {
  accept: 'Accepted', restart: 'Started again from the first byte', ask_plain: 'Asked again for the whole file',
  ask_otherwise: 'Asked again for another part', single_stream: 'Went on with one connection',
  already_complete: 'Every byte was here already', retry: 'Retried', suspect: 'Doubted, and asked again',
  wait_for_credentials: 'Waited for credentials', new_link: 'Asked for a new link', fail: 'Gave up',
}

export const decision = word => word === null ? 'In flight' : DECISIONS[word] ?? word.replaceAll('_', ' ')

export const spaced = word => word?.replaceAll('_', ' ') ?? ''

export const ACTIONS = {
  pause: { label: 'Pause', done: 'paused' }, resume: { label: 'Resume', done: 'resumed' },
  retry: { label: 'Retry', done: 'retried' }, cancel: { label: 'Cancel', done: 'cancelled' },
  delete: { label: 'Delete', done: 'deleted' },
}
