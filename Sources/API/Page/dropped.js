// Reads files and links that are dropped on the page, or says why it cannot.

import { readMetalink } from './metalink.js'
import { readLines } from './urls.js'

const MOST_BYTES = 4_000_000

/// - Returns: `{ text, requests, refusals }`: URLs as lines, files of Metalink documents, and why others were refused.
export async function readDropped(transfer) {
  const result = { text: '', requests: [], refusals: [] }
  if (transfer.files.length > 0) {
    for (const file of transfer.files) await readFile(file, result)
    return result
  }
  const links = transfer.getData('text/uri-list') || transfer.getData('text/plain')
  result.text = links.split('\n').map(line => line.trim()).filter(line => line && !line.startsWith('#')).join('\n')
  if (!result.text) result.refusals.push('What was dropped has no URL.')
  return result
}

async function readFile(file, result) {
  try {
    if (file.size > MOST_BYTES) throw new Error('it is larger than 4 MB, so it is no list of URLs')
    if (/\.torrent$/i.test(file.name)) {
      throw new Error('it is a BitTorrent file, and Cormorant does not speak BitTorrent. Use the HTTP link of the file')
    }
    const text = await file.text()
    if (/^d\d+:/.test(text)) throw new Error('it is a BitTorrent file, and Cormorant does not speak BitTorrent')
    if (/^\s*<(\?xml|metalink)/.test(text) || /\.(meta4|metalink)$/i.test(file.name)) {
      result.requests.push(...readMetalink(text))
      return
    }
    if (text.includes('\0') || text.includes('\uFFFD')) throw new Error('it is no text: expected URLs or a Metalink')
    const { good } = readLines(text)
    if (good.length === 0) throw new Error('none of its lines is a URL')
    result.text += `${result.text && '\n'}${good.join('\n')}`
  } catch (error) {
    result.refusals.push(`${file.name} was not read: ${error.message}.`)
  }
}
