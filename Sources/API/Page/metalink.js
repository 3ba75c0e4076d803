// Reads a Metalink document (RFC 5854, and version 3 before it) as downloads.

const DIGESTS = { 'sha-256': 'sha-256', sha256: 'sha-256', 'sha-512': 'sha-512', sha512: 'sha-512', 'sha-1': 'sha-1',
  sha1: 'sha-1', md5: 'md5' }

const children = (element, name) => [...element.getElementsByTagNameNS('*', name)]
const preference = url => Number(url.getAttribute('priority') ?? 1e6 - Number(url.getAttribute('preference') ?? 0))

/// - Returns: One request for each file.
/// - Throws: An error that says what is wrong with the document.
export function readMetalink(text) {
  const document = new DOMParser().parseFromString(text, 'application/xml')
  if (document.querySelector('parsererror')) throw new Error('it is not well-formed XML')
  if (document.documentElement.localName !== 'metalink') throw new Error('it is XML, but no Metalink document')
  const files = children(document, 'file').map(readFile).filter(Boolean)
  if (files.length === 0) throw new Error('it names no file with an http, https or ftp URL')
  return files
}

function readFile(file) {
  const urls = children(file, 'url').sort((a, b) => preference(a) - preference(b))
    .map(url => url.textContent.trim()).filter(url => /^(https?|ftp):\/\//i.test(url))
  if (urls.length === 0) return null
  const name = (file.getAttribute('name') ?? '').split('/').at(-1)
  // Digests of pieces have a parent `pieces`; those are not of the file.
  const digests = Object.fromEntries(children(file, 'hash').filter(hash => hash.parentNode.localName !== 'pieces')
    .map(hash => [DIGESTS[hash.getAttribute('type')?.toLowerCase()], hash.textContent.trim().toLowerCase()])
    .filter(([algorithm, value]) => algorithm && /^[0-9a-f]+$/.test(value)))
  const bytes = Number(children(file, 'size')[0]?.textContent)
  const mirrors = urls.slice(1, 33).filter(url => /^https?:/i.test(url))
  return {
    url: urls[0],
    ...(mirrors.length > 0 && /^https?:/i.test(urls[0]) && { mirrors }),
    ...(name && { filename: name }),
    ...((Object.keys(digests).length > 0 || bytes > 0) && {
      expected: { ...(bytes > 0 && { size_bytes: bytes }), ...(Object.keys(digests).length > 0 && { digests }) },
    }),
  }
}
