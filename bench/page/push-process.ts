/**
 * Program: what every event stream needs at least. It writes the same bytes to each of its clients
 * in every period and does nothing else; its arguments are bytes and milliseconds. It answers every
 * message with how many clients it has.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const [bytes, periodMs] = process.argv.slice(2).map(Number) as [number, number]
const payload = Buffer.from(`data: ${'x'.repeat(bytes - 'data: \n\n'.length)}\n\n`)
const clients = new Set<ServerResponse>()
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  clients.add(response)
  response.on('close', () => clients.delete(response))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ udpPort: (server.address() as AddressInfo).port, tcpPort: 0 })
})
setInterval(() => {
  for (const client of clients) client.write(payload)
}, periodMs)

process.on('message', () => process.send?.(clients.size))
process.once('disconnect', () => process.exit(0))
