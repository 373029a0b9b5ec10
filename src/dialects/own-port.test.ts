/** A port of a program's own, without a hub to limit what comes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type DialectServer, NO_REPORTS } from './endpoints.ts'
import { OwnPort } from './own-port.ts'

test('a thousand connections are held, and a further one is closed and counted', async () => {
  const accepted: Socket[] = []
  const counted: string[] = []
  const server: DialectServer = {
    accept(socket) {
      accepted.push(socket)
      socket.on('error', () => {})
      return undefined
    },
    connections: () => [],
    async stop() {
      for (const socket of accepted) socket.destroy()
    },
  }
  const count = (name: string, reason: string): void => void counted.push(`${name} ${reason}`)
  const reports = { ...NO_REPORTS, count }
  const port = new OwnPort(server, { host: '127.0.0.1', port: 0, transports: ['tcp'], reports })
  await port.start()
  const held: Socket[] = []
  for (let i = 0; i < 1000; i++) {
    const socket = connect(port.port, '127.0.0.1')
    held.push(socket)
    await once(socket, 'connect')
  }
  const further = connect(port.port, '127.0.0.1').resume()
  further.on('error', () => {})
  await once(further, 'close')
  assert.equal(accepted.length, 1000)
  assert.deepEqual(counted, ['accepts_failed connections_limit'])
  for (const socket of held) socket.destroy()
  await port.close()
})
