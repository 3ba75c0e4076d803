// What concerns the whole service: its counts, its rate, its limits and sessions.

import { get } from './api.js'
import { throttled } from './frames.js'

const BUSY_SECONDS = 1
const IDLE_SECONDS = 5

/// The state of the service. Listeners are called when a part of it was read again.
class Service extends EventTarget {
  stats = null
  limits = null
  sessions = []
  /// Bytes per second of the last minute, one for each second; null where it is not known.
  speeds = Array(60).fill(null)
  #timer = null
  #lastAt = 0

  start() {
    this.#tick()
    this.readLimits()
    this.readSessions()
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#tick() })
  }

  #tick = async () => {
    clearTimeout(this.#timer)
    await this.readStats()
    const isBusy = !document.hidden && (this.stats?.counts.running > 0 || this.speeds.some(speed => speed > 0))
    this.#timer = setTimeout(this.#tick, (isBusy ? BUSY_SECONDS : document.hidden ? 30 : IDLE_SECONDS) * 1000)
  }

  async readStats() {
    try {
      this.stats = await get('stats')
      this.#record(this.stats.bytes_per_second)
    } catch {
      this.#record(null)
    }
    this.#tell('stats')
  }

  #record(speed) {
    const now = Math.floor(Date.now() / 1000)
    const steps = this.#lastAt === 0 ? 1 : Math.min(60, now - this.#lastAt)
    this.#lastAt = now
    for (let step = 0; step < steps; step += 1) this.speeds.push(speed)
    this.speeds.splice(0, this.speeds.length - 60)
  }

  async readLimits() {
    try { this.setLimits(await get('limits')) } catch { /* It is read again. */ }
  }

  setLimits(limits) {
    this.limits = limits
    this.#tell('limits')
  }

  async readSessions() {
    try {
      this.sessions = (await get('sessions?limit=100')).items
      this.#tell('sessions')
    } catch { /* They are read again. */ }
  }

  /// Something changed. What it changes is read again, but not for each event.
  noticed = throttled(() => this.readStats(), 900)
  sessionsChanged = throttled(() => this.readSessions(), 3000)

  #tell(what) { this.dispatchEvent(new Event(what)) }
}

export const service = new Service()
