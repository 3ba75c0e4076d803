// The event stream: it stays open, goes on where it stopped, and says when it cannot.

import { get, onReachable, ticketed } from './api.js'

const TYPES = [
  'created', 'started', 'paused', 'resumed', 'retrying', 'waiting', 'restarted', 'completed', 'failed', 'cancelled',
  'deleted', 'file_missing', 'changed', 'moved',
].map(word => `download.${word}`).concat([
  'file.expired', 'session.finished', 'operation.finished', 'webhook.disabled', 'webhook.ping',
])
/// A hidden page gives its connection back: a browser has six for a host, and other tabs may need them.
const HIDDEN_SECONDS = 90

export class Stream {
  #source = null
  #last = ''
  #timer = null
  #isOpening = false
  #failures = 0
  #handlers

  /// - Parameter handlers: `event(event)`, `progress(data)`, `reset()` when events were missed, and
  ///   `state('live' | 'connecting' | 'offline' | 'asleep')`.
  constructor(handlers) {
    this.#handlers = handlers
    document.addEventListener('visibilitychange', () => this.#visibilityChanged())
    addEventListener('online', () => this.#reopen())
    addEventListener('pagehide', () => this.#close())
    addEventListener('pageshow', event => { if (event.persisted) this.open() })
    // A request that reaches the service again tells that it is back.
    onReachable(isReachable => { if (isReachable && this.#timer && this.#failures > 0) this.#reopen() })
  }

  /// Finds the end of the log if it is not known, and listens from there.
  async open() {
    if (this.#source || this.#isOpening) return
    this.#isOpening = true
    this.#cancelTimer()
    try {
      if (!this.#last) this.#last = String((await get('events?limit=1')).newest_seq ?? 0)
      const url = await ticketed('/events')
      url.searchParams.set('last_event_id', this.#last)
      url.searchParams.set('snapshot', 'false')
      this.#listen(new EventSource(url))
    } catch {
      this.#openLater()
    } finally {
      this.#isOpening = false
    }
  }

  #listen(source) {
    this.#source = source
    source.onopen = () => { this.#failures = 0; this.#handlers.state('live') }
    for (const type of TYPES) source.addEventListener(type, event => this.#received(event))
    source.addEventListener('progress', event => this.#handlers.progress(JSON.parse(event.data)))
    source.addEventListener('reset', event => { this.#last = event.lastEventId; this.#handlers.reset() })
    source.onerror = () => {
      // The browser alone would go on with the old ticket; another one is needed.
      this.#close()
      this.#openLater()
    }
  }

  #received(event) {
    this.#last = event.lastEventId || this.#last
    this.#handlers.event(JSON.parse(event.data))
  }

  #openLater() {
    this.#failures += 1
    this.#handlers.state(this.#failures > 1 ? 'offline' : 'connecting')
    this.#cancelTimer()
    const most = Math.min(15_000, 500 * 2 ** Math.min(this.#failures, 5))
    this.#timer = setTimeout(() => { this.#timer = null; this.open() }, most * (0.5 + Math.random() / 2))
  }

  #reopen() {
    this.#cancelTimer()
    if (!document.hidden) this.open()
  }

  #close() {
    this.#source?.close()
    this.#source = null
  }

  #cancelTimer() {
    clearTimeout(this.#timer)
    this.#timer = null
  }

  #visibilityChanged() {
    this.#cancelTimer()
    if (!document.hidden) this.open()
    else this.#timer = setTimeout(() => { this.#timer = null; this.#close() }, HIDDEN_SECONDS * 1000)
  }
}
