// The event stream: it stays open, goes on where it stopped, and says when it cannot.

import { get, onReachable, ticketed } from './api.js'

const TYPES = [
  'created', 'started', 'paused', 'resumed', 'retrying', 'waiting', 'restarted', 'completed', 'failed', 'cancelled',
  'deleted', 'file_missing', 'changed', 'moved',
].map(word => `download.${word}`).concat([
  'file.expired', 'session.finished', 'operation.finished', 'webhook.disabled', 'webhook.ping',
])
/// A hidden page gives its place back: a browser has six connections for a host, and other tabs may need them.
const HIDDEN_SECONDS = 90
/// Where tabs cannot agree on one of them (Web Locks need https or localhost), each visible one has a stream of its own.
const LONE_HIDDEN_SECONDS = 5
const NAME = `cormorant.events ${new URL('.', document.baseURI).pathname}`

/// All visible tabs share one stream: the one that holds a lock opens it, and tells the others what comes. When it is
/// closed or hidden for a while, the next one opens the stream where the last event was.
export class Stream {
  #source = null
  #last = ''
  #timer = null
  #isOpening = false
  #failures = 0
  #handlers
  #channel = new BroadcastChannel(NAME)
  /// Ends the wait for the lock, and the lock itself; null if neither is there.
  #leave = null
  #isLeading = false
  #hasMissed = false
  #state = 'connecting'

  /// - Parameter handlers: `event(event)`, `progress(data)`, `reset()` when events were missed, and
  ///   `state('live' | 'connecting' | 'offline' | 'asleep')`.
  constructor(handlers) {
    this.#handlers = handlers
    this.#channel.onmessage = ({ data }) => this.#told(data)
    document.addEventListener('visibilitychange', () => this.#visibilityChanged())
    addEventListener('online', () => this.#reopen())
    addEventListener('pagehide', () => this.#sleep())
    addEventListener('pageshow', event => { if (event.persisted) this.open() })
    // A request that reaches the service again tells that it is back.
    onReachable(isReachable => { if (isReachable && this.#timer && this.#failures > 0) this.#reopen() })
  }

  /// Takes part: as the tab with the stream, or as one that is told by it.
  async open() {
    if (this.#leave) {
      if (this.#isLeading && !this.#source) this.#connect()
      return
    }
    let end
    const ended = new Promise(resolve => { end = resolve })
    const waiting = new AbortController()
    this.#leave = () => { end(); waiting.abort() }
    if (!navigator.locks) return this.#lead()
    const isFree = await navigator.locks.request(NAME, { ifAvailable: true }, async lock => {
      if (!lock || waiting.signal.aborted) return false
      this.#lead()
      await ended
      return true
    })
    if (isFree || waiting.signal.aborted) return
    // Another tab leads. What it told meanwhile was missed by one that slept.
    if (this.#hasMissed) this.#reset()
    this.#channel.postMessage({ kind: 'hello' })
    navigator.locks.request(NAME, { signal: waiting.signal }, async () => {
      this.#lead()
      await ended
    }).catch(() => { /* The wait was given up. */ })
  }

  #lead() {
    this.#isLeading = true
    this.#hasMissed = false
    this.#connect()
  }

  /// Finds the end of the log if it is not known, and listens from there.
  async #connect() {
    if (this.#source || this.#isOpening) return
    this.#isOpening = true
    this.#cancelTimer()
    try {
      if (!this.#last) this.#last = String((await get('events?limit=1')).newest_seq ?? 0)
      const url = await ticketed('/events')
      url.searchParams.set('last_event_id', this.#last)
      url.searchParams.set('snapshot', 'false')
      if (this.#isLeading) this.#listen(new EventSource(url))
    } catch {
      this.#openLater()
    } finally {
      this.#isOpening = false
    }
  }

  #listen(source) {
    this.#source = source
    source.onopen = () => { this.#failures = 0; this.#tell({ kind: 'state', state: 'live' }) }
    for (const type of TYPES) {
      source.addEventListener(type, event => this.#tell({
        kind: 'event', id: event.lastEventId, event: JSON.parse(event.data),
      }))
    }
    source.addEventListener('progress', event => this.#tell({ kind: 'progress', data: JSON.parse(event.data) }))
    source.addEventListener('reset', event => this.#tell({ kind: 'reset', id: event.lastEventId }))
    source.onerror = () => {
      // The browser alone would go on with the old ticket; another one is needed.
      this.#close()
      this.#openLater()
    }
  }

  /// Tells this tab and the others.
  #tell(message) {
    this.#channel.postMessage(message)
    this.#told(message)
  }

  #told(message) {
    if (message.kind === 'hello') {
      if (this.#isLeading) this.#channel.postMessage({ kind: 'state', state: this.#state })
      return
    }
    // A tab that sleeps reads everything again when it wakes.
    if (!this.#leave) return
    if (message.id) this.#last = message.id
    if (message.kind === 'state') this.#show(message.state)
    else if (message.kind === 'event') this.#handlers.event(message.event)
    else if (message.kind === 'progress') this.#handlers.progress(message.data)
    else if (message.kind === 'reset') this.#reset()
  }

  #reset() {
    this.#hasMissed = false
    this.#handlers.reset()
  }

  #show(state) {
    this.#state = state
    this.#handlers.state(state)
  }

  #openLater() {
    if (!this.#isLeading) return
    this.#failures += 1
    this.#tell({ kind: 'state', state: this.#failures > 1 ? 'offline' : 'connecting' })
    this.#cancelTimer()
    const most = Math.min(15_000, 500 * 2 ** Math.min(this.#failures, 5))
    this.#timer = setTimeout(() => { this.#timer = null; this.#connect() }, most * (0.5 + Math.random() / 2))
  }

  #reopen() {
    this.#cancelTimer()
    if (!document.hidden) this.open()
  }

  #close() {
    this.#source?.close()
    this.#source = null
  }

  /// Gives the place to another tab.
  #sleep() {
    this.#close()
    this.#isLeading = false
    if (this.#leave) this.#hasMissed = true
    this.#leave?.()
    this.#leave = null
  }

  #cancelTimer() {
    clearTimeout(this.#timer)
    this.#timer = null
  }

  #visibilityChanged() {
    this.#cancelTimer()
    if (!document.hidden) return this.open()
    const seconds = navigator.locks ? HIDDEN_SECONDS : LONE_HIDDEN_SECONDS
    this.#timer = setTimeout(() => { this.#timer = null; this.#sleep() }, seconds * 1000)
  }
}
