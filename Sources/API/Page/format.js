// Numbers, sizes, times and rates as people read them.

/// Powers of 1024, as in the settings and on the command line.
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/// The unit in which a number of bytes has one to three digits before the point.
function unit(bytes) {
  let power = 0
  for (let rest = Math.abs(bytes); rest >= 999.5 && power < UNITS.length - 1; rest /= 1024) power += 1
  return power
}

function scaled(bytes, power) {
  const value = bytes / 1024 ** power
  return value.toFixed(power === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)
}

export function size(bytes) {
  if (bytes === null || bytes === undefined) return ''
  const power = unit(bytes)
  return `${scaled(bytes, power)} ${UNITS[power]}`
}

/// "2.31 of 3.72 GB"; the units differ only if they must.
export function sizeOf(part, whole) {
  const [first, second] = [unit(part), unit(whole)]
  if (first === second) return `${scaled(part, first)} of ${size(whole)}`
  const isNear = second - first === 1 && part >= 0.1 * 1024 ** second
  return isNear ? `${scaled(part, second)} of ${size(whole)}` : `${size(part)} of ${size(whole)}`
}

export const rate = bytes => bytes === null || bytes === undefined ? '' : `${size(bytes)}/s`

export const count = number => number.toLocaleString('en')

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`

/// "0:26", "12:05", "3 h 20 min", "2 days".
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return ''
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
  if (whole < 36 * 3600) return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`
  return plural(Math.round(whole / 86400), 'day')
}

export const milliseconds = ms =>
  ms === null || ms === undefined ? '' : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit',
})
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

/// The time alone if it is today, else with the day.
export function instant(text) {
  if (!text) return ''
  const date = new Date(text)
  return date.toDateString() === new Date().toDateString() ? clock.format(date) : dayAndTime.format(date)
}

export const fullInstant = text => text ? full.format(new Date(text)) : ''

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/// A sentence of the service, with its instants in local time.
export const localized = sentence => sentence.replace(INSTANT, instant)

/// A size as people type it: "5M", "1.5 GB", "2 MiB/s", "none". Returns bytes, null for no limit, NaN if it is none.
export function parseSize(text) {
  const trimmed = text.trim().toLowerCase()
  if (trimmed === '' || trimmed === 'none' || trimmed === '0') return null
  const found = /^(\d+(?:[.,]\d+)?)\s*([kmgt]?)(i?)b?(?:ytes)?(?:\/s|ps)?$/.exec(trimmed)
  if (!found) return NaN
  const power = ' kmgt'.indexOf(found[2] || ' ')
  return Math.round(Number(found[1].replace(',', '.')) * (found[3] ? 1024 : 1000) ** power)
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/// Seconds of a time as people type it: "7 d", "12h", "forever". Null if it is none.
export function parseDuration(text) {
  if (/^for ?ever$/i.test(text.trim())) return 'forever'
  const found = /^(\d+)\s*([smhdw])/i.exec(text.trim())
  return found ? Number(found[1]) * SECONDS[found[2].toLowerCase()] : null
}

/// A size in the form that `parseSize` reads, without loss where it is round.
export function sizeToType(bytes) {
  if (bytes === null || bytes === undefined) return ''
  const power = unit(bytes)
  const short = `${Number((bytes / 1024 ** power).toFixed(3))}`
  return Math.round(Number(short) * 1024 ** power) === bytes ? `${short} ${power ? UNITS[power] : ''}`.trim()
    : `${bytes}`
}

export function host(url) {
  try { return new URL(url).host } catch { return '' }
}
