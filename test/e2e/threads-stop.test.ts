/** SIGTERM: what has reached the ingest threads is counted and handed on, to the last line. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startHubProcess } from '../support/hub/hub-process.ts'

const SENDERS = 8
const PACKETS = 250

test('a hub that is told to end relays every line that its threads have taken', async (t) => {
  const receiver = createSocket('udp4')
  t.after(() => receiver.close())
  let relayed = 0
  receiver.on('message', (bytes) => {
    for (const [, n] of bytes.toString('latin1').matchAll(/^load:(\d+)\|m$/gm)) relayed += Number(n)
  })
  receiver.bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  const relay = `statshero+udp://127.0.0.1:${receiver.address().port}`
  const hub = await startHubProcess('serve', '--ingest-workers', '3', '--relay', relay)
  const { port } = hub.listeners.text
  const lines = Buffer.from('1|9\nload:1|m\n'.repeat(PACKETS))
  const sockets = Array.from({ length: SENDERS }, () => connect({ port, host: '127.0.0.1' }))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await Promise.all(
    sockets.map(async (socket) => {
      socket.end(lines)
      await once(socket, 'close')
    }),
  )
  const { code, log } = await hub.stop()
  assert.equal(code, 0, log)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(relayed, SENDERS * PACKETS)
})
