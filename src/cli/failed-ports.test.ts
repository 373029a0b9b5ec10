import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { failedPorts } from './failed-ports.ts'

const skip = existsSync('/proc/net/tcp') ? false : 'no /proc/net/tcp: who holds a port is hidden'
const holderOf = (port: number): string | undefined =>
  failedPorts({ text: { host: '127.0.0.1', port, error: 'taken' } })[0]!.holder
const SELF = new RegExp(`^process ${process.pid} \\(node\\b`)

for (const host of ['127.0.0.1', '::1']) {
  test(`a port that listens on ${host} is this process's while it does`, { skip }, async () => {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    assert.match(holderOf(port) ?? '', SELF)
    server.close()
    await once(server, 'close')
    assert.equal(holderOf(port), undefined)
  })
}

test('a port for datagrams is held, too', { skip }, async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  assert.match(holderOf(socket.address().port) ?? '', SELF)
  socket.close()
})
