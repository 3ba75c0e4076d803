// The speed of one download over the time since its details were opened.

import { el, setAttribute, setText, svg } from './dom.js'
import { rate } from './format.js'
import { soon } from './frames.js'

const [WIDTH, HEIGHT, MOST] = [320, 56, 240]

export class SpeedChart {
  #line = svg('path', { class: 'spark-line' })
  #area = svg('path', { class: 'spark-area' })
  #picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
    class: 'speed-chart' },
    this.#area, this.#line)
  #text = el('p', { class: 'reason' })
  element = el('figure', { hidden: true }, this.#picture, this.#text)
  #speeds = []

  add(speed) {
    this.#speeds.push(speed)
    if (this.#speeds.length > MOST) this.#speeds.shift()
    soon(this.#draw)
  }

  setRunning(isRunning) { this.element.hidden = this.#speeds.length < 2 && !isRunning }

  #draw = () => {
    const speeds = this.#speeds
    if (speeds.length < 2) return
    this.element.hidden = false
    const highest = Math.max(1, ...speeds)
    const points = speeds.map((speed, index) =>
      `${(index * WIDTH / (speeds.length - 1)).toFixed(1)} ${(HEIGHT - 1 - speed / highest * (HEIGHT - 4)).toFixed(1)}`)
    setAttribute(this.#line, 'd', `M${points.join('L')}`)
    setAttribute(this.#area, 'd', `M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}z`)
    const words = `now ${rate(speeds.at(-1))}, at most ${rate(highest)}`
    setAttribute(this.#picture, 'aria-label', `Speed: ${words}`)
    setText(this.#text, words)
  }
}
