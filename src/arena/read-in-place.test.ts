import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { until } from '../../test/support/hub/hub.ts'
import { readInPlace } from './read-in-place.ts'

/** A listener whose connections are read into one buffer, and what has been read of each. */
async function setUp(context: TestContext, bufferBytes = 1024, isLate = false) {
  const accepted: Socket[] = []
  const reading: Socket[] = []
  const read: Buffer[][] = []
  const largest = { bytes: 0 }
  /** Of connections that wait for it, as behind a turn that is spent. */
  const moves: (() => void)[] = []
  const buffer = new Uint8Array(bufferBytes)
  const options = { allowHalfOpen: true, pauseOnConnect: true }
  const listener = createServer(options, (socket) => {
    const chunks: Buffer[] = []
    read.push(chunks)
    accepted.push(socket)
    const move = (): void => {
      socket.on('data', (bytes: Buffer) => {
        if (bytes.buffer === buffer.buffer) largest.bytes = Math.max(largest.bytes, bytes.length)
        else assert.ok(isLate)
        chunks.push(Buffer.from(bytes))
      })
      const moved = readInPlace(socket, buffer)
      reading.push(moved)
      moved.on('end', () => moved.destroy())
      moved.on('error', () => {})
      socket.resume()
    }
    if (isLate) moves.push(move)
    else move()
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  context.after(() => listener.close())
  const { port } = listener.address() as AddressInfo
  return {
    ...{ listener, accepted, reading, read, largest, moves },
    async peer(): Promise<Socket> {
      const accepting = once(listener, 'connection')
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await Promise.all([once(socket, 'connect'), accepting])
      return socket
    },
  }
}

describe('reads in place', () => {
  it('give every connection its own bytes, though all share one buffer', async (context) => {
    const server = await setUp(context)
    const peers = [await server.peer(), await server.peer(), await server.peer()]
    const sent = peers.map((_, i) => Buffer.alloc(100_000, `connection ${i} `))
    const closed = server.accepted.map((socket) => once(socket, 'close'))
    for (const [i, peer] of peers.entries()) peer.end(sent[i]!)
    await Promise.all(closed)
    const isWhole = server.read.map((chunks, i) => Buffer.concat(chunks).equals(sent[i]!))
    assert.deepEqual(isWhole, [true, true, true])
    assert.ok(server.largest.bytes <= 1024, `${server.largest.bytes} bytes at once`)
  })

  it('close the accepted socket with the connection, whichever side ends it', async (context) => {
    const server = await setUp(context)
    for (const end of [
      (peer: Socket) => peer.end(),
      (peer: Socket) => peer.resetAndDestroy(),
      () => server.reading.at(-1)!.destroy(),
      () => server.accepted.at(-1)!.destroy(),
    ]) {
      const peer = await server.peer()
      const closed = [once(server.accepted.at(-1)!, 'close'), once(peer, 'close')]
      end(peer)
      await Promise.all(closed)
    }
    const count = await new Promise((resolve) => {
      server.listener.getConnections((_, open) => resolve(open))
    })
    assert.equal(count, 0)
  })

  it('stop and go on as the accepted socket is told to', async (context) => {
    const server = await setUp(context)
    const peer = await server.peer()
    const [accepted] = server.accepted as [Socket]
    const [chunks] = server.read as [Buffer[]]
    peer.write('a')
    await until(() => chunks.length === 1)
    accepted.pause()
    peer.write('b')
    const other = await server.peer()
    other.write('c')
    await until(() => server.read[1]!.length === 1)
    assert.deepEqual([chunks.length, accepted.isPaused()], [1, true])
    accepted.resume()
    await until(() => chunks.length === 2)
    assert.equal(Buffer.concat(chunks).toString(), 'ab')
    for (const each of [peer, other]) each.destroy()
  })

  it('take what came while a connection waited, and its end', async (context) => {
    const server = await setUp(context, 1024, true)
    const peers = [await server.peer(), await server.peer()]
    const sent = [Buffer.from('one chunk and the end'), Buffer.alloc(40_000, 'several chunks ')]
    const closed = server.accepted.map((socket) => once(socket, 'close'))
    for (const socket of server.accepted) socket.resume().pause()
    peers[0]!.end(sent[0]!)
    await once(peers[0]!, 'finish')
    await until(() => server.accepted[0]!.readableLength === sent[0]!.length)
    for (let at = 0; at < sent[1]!.length; at += 10_000) {
      peers[1]!.write(sent[1]!.subarray(at, at + 10_000))
      await until(() => server.accepted[1]!.readableLength === at + 10_000)
    }
    peers[1]!.end()
    for (const move of server.moves) move()
    await Promise.all(closed)
    const isWhole = server.read.map((chunks, i) => Buffer.concat(chunks).equals(sent[i]!))
    assert.deepEqual(isWhole, [true, true])
  })

  it('go the usual way where a socket has no handle that can be moved', () => {
    const plain = new Socket()
    assert.equal(readInPlace(plain, new Uint8Array(8)), plain)
  })
})
