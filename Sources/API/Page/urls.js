// Reads what was typed or pasted as URLs, one on each line.

const SCHEMES = ['http', 'https', 'ftp', 'ftps', 'sftp']
/// The schemes as a list in a sentence.
export const SCHEME_LIST = `${SCHEMES.slice(0, -1).join(', ')} or ${SCHEMES.at(-1)}`
const EXPECTED = `Expected ${SCHEME_LIST}.`

/// What is wrong with a line; null if it is a URL that can be downloaded.
export function fault(line) {
  if (/^magnet:/i.test(line)) return 'This is a magnet link. Cormorant does not speak BitTorrent; use the HTTP link.'
  let url
  try { url = new URL(line) } catch { return `This is not a URL. ${EXPECTED} For example https://example.com/file.iso` }
  if (!SCHEMES.includes(url.protocol.slice(0, -1))) return `“${url.protocol.slice(0, 20)}” cannot be downloaded. ${EXPECTED}`
  if (!url.hostname) return 'The URL names no host.'
  return null
}

/// The URLs of a line: several if white space is followed by another scheme. A URL alone may have spaces.
const split = line => line.split(/\s+(?=(?:https?|ftps?|sftp):\/\/)/i)

/// The lines with URLs, those that are wrong with their reason, and how many there are twice. Empty lines and comments
/// (`#`) are skipped.
export function readLines(text) {
  const good = []
  const wrong = []
  const seen = new Set()
  let doubled = 0
  for (const [index, raw] of text.split('\n').entries()) {
    const trimmed = raw.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    for (const line of split(trimmed)) {
      const reason = fault(line)
      if (reason) wrong.push({ number: index + 1, line, reason })
      else if (seen.has(line)) doubled += 1
      else { seen.add(line); good.push(line) }
    }
  }
  return { good, wrong, doubled }
}

export function fileName(url) {
  try {
    const path = new URL(url).pathname
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)) || new URL(url).host
  } catch {
    return url
  }
}
