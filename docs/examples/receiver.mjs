// Receives webhooks on http://127.0.0.1, port 9002, and checks their signatures (Standard Webhooks 1.0.0) with Node alone.
//
//     node receiver.mjs FILE-WITH-THE-SECRET [PORT]

import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const secret = readFileSync(process.argv[2], 'utf8').trim()
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) || key.length < 24 || key.length > 64) {
  console.error(`receiver.mjs: ${process.argv[2]} does not hold 'whsec_' and the base64 of 24 to 64 bytes`)
  process.exit(78)
}

function isSigned(headers, body) {
  const id = headers['webhook-id'], timestamp = headers['webhook-timestamp']
  if (!id || !/^[0-9]+$/.test(timestamp ?? '') || Math.abs(Date.now() / 1000 - timestamp) > 300) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // While a secret is rotated there are two signatures; one has to be right.
  return (headers['webhook-signature'] ?? '').split(' ').some(entry => {
    const [version, signature] = entry.split(',')
    const given = Buffer.from(signature ?? '', 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer((request, response) => {
  const parts = []
  request.on('data', part => parts.push(part)).on('end', () => {
    // The very bytes that came, before anything parses them.
    const body = Buffer.concat(parts)
    if (!isSigned(request.headers, body)) return response.writeHead(401).end()
    const event = JSON.parse(body)
    console.log(`webhook: ${event.type} ${request.headers['webhook-id']}, the signature is right`)
    response.writeHead(204).end()
  })
}).listen(Number(process.argv[3] ?? 9002), '127.0.0.1')
