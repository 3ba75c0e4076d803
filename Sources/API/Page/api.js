// Requests to the service.

/// Addresses are relative to the page, so that it also works below a path of a proxy.
const base = new URL('.', document.baseURI)
export const address = path => new URL(path.replace(/^\//, ''), base)

/// A request that was refused, or did not reach the service (`status` 0).
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The service answered with status ${status}.`)
    this.status = status
    this.errors = body.errors ?? []
    this.body = body
  }

  get isOffline() { return this.status === 0 }
}

const TOKEN = 'cormorant.token'
let token = sessionStorage.getItem(TOKEN)
/// Asks the user for a token; set by the module that shows the dialog.
let askForToken = async () => { throw new Error('No dialog asks for the token.') }
const listeners = new Set()

export const hasToken = () => token !== null

/// - Parameter isKept: Keeps the token until the tab is closed; otherwise until the page is.
export function setToken(text, isKept) {
  token = text
  if (text && isKept) sessionStorage.setItem(TOKEN, text)
  else sessionStorage.removeItem(TOKEN)
}

export function onTokenNeeded(ask) { askForToken = ask }

/// Something before the service answered in its place: a proxy that wants the user to sign in.
export class Intercepted extends Problem {
  constructor() {
    super(0, { detail: 'Something between this page and the service answered in its place, perhaps a proxy that wants you'
      + ' to sign in again.' })
  }

  get isOffline() { return false }
}

/// Offers to sign in at the proxy again; set by the module that shows messages.
let offerToSignIn = () => {}

export function onIntercepted(offer) { offerToSignIn = offer }

function intercepted() {
  offerToSignIn()
  return new Intercepted()
}

const TYPES = /^application\/(problem\+)?json\b/

/// Whether an answer is the service's own: it sends JSON, or nothing with a 204. A proxy redirects or sends a page.
const isOurs = answer => answer.type !== 'opaqueredirect'
  && (answer.status === 204 || TYPES.test(answer.headers.get('Content-Type') ?? ''))

/// Calls a function with true after each answer, with false when the service could not be reached.
export function onReachable(listener) { listeners.add(listener) }

function tell(isReachable) { for (const listener of listeners) listener(isReachable) }

export function newKey() {
  // `randomUUID` is not there over plain http beyond localhost.
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

async function send(method, path, { body, key, signal } = {}) {
  const headers = { Accept: 'application/json' }
  if (token) headers.Authorization = `Bearer ${token}`
  if (method !== 'GET') headers['Content-Type'] = 'application/json'
  if (key) headers['Idempotency-Key'] = key
  let answer
  try {
    answer = await fetch(address(path), {
      // The cookies and the login are those of a proxy. A redirect is never the service's.
      method, headers, signal, cache: 'no-store', redirect: 'manual', credentials: 'same-origin',
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    tell(false)
    throw new Problem(0, { detail: 'The service cannot be reached.' })
  }
  // A proxy that cannot reach the service says so with 502 to 504.
  if (answer.status >= 502 && answer.status <= 504 && !isOurs(answer)) {
    tell(false)
    throw new Problem(0, { detail: 'The service cannot be reached.' })
  }
  if (!isOurs(answer)) throw intercepted()
  tell(true)
  return answer
}

async function parsed(answer) {
  if (answer.status === 204) return null
  const text = await answer.text()
  try { return JSON.parse(text) } catch { return { detail: `The service answered with status ${answer.status}.` } }
}

/// Sends a request and returns the document that is answered. Without a valid token it asks for one and sends again,
/// so nothing that was typed is lost.
export async function request(method, path, options) {
  for (;;) {
    const used = token
    const answer = await send(method, path, options)
    const body = await parsed(answer)
    if (answer.ok) return body
    if (answer.status !== 401) throw new Problem(answer.status, body)
    // Another request may have got a token meanwhile.
    if (token === used) await askForToken(new Problem(401, body), used !== null)
  }
}

export const get = (path, options) => request('GET', path, options)
export const post = (path, body = {}, options = {}) => request('POST', path, { body, ...options })
export const patch = (path, body) => request('PATCH', path, { body })
export const remove = path => request('DELETE', path)

/// Checks a token without asking for another one.
export async function isAccepted(text) {
  const answer = await fetch(address('stats'), {
    headers: { Authorization: `Bearer ${text}` }, cache: 'no-store', redirect: 'manual', credentials: 'same-origin',
  })
  if (!isOurs(answer)) throw intercepted()
  if (answer.ok) return true
  throw new Problem(answer.status, await parsed(answer))
}

/// The address of a resource for a request that cannot send the token, with a ticket if there is a token.
export async function ticketed(path, seconds = 60) {
  if (!token) return address(path)
  const ticket = await post('tickets', { path, ttl_seconds: seconds })
  return address(ticket.links.resource)
}

/// Whether a path exists in this version of the service.
export const isMissing = error => error instanceof Problem && (error.status === 404 || error.status === 405)
