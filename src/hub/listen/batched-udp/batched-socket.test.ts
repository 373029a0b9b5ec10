import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { until } from '../../../../test/support/hub/hub.ts'
import type { DatagramPlace } from '../../../dialects/endpoints.ts'
import type { SocketTurns } from '../udp-socket.ts'
import { BatchedSocket } from './batched-socket.ts'
import { type Libc, openLibc } from './libc.ts'

const skip = typeof openLibc() === 'string' && (openLibc() as string)

interface Taken {
  readonly text: string
  readonly address: string
  readonly port: number
}

interface Wishes {
  readonly host?: string
  readonly port?: number
  readonly isShared?: boolean
  readonly datagramBytesLimit?: number
  readonly libc?: Libc
  readonly place?: DatagramPlace
  readonly turns?: SocketTurns
  readonly onMessage?: (socket: () => BatchedSocket, taken: readonly Taken[]) => void
}

/** A batched socket that keeps what it takes. */
async function open(t: TestContext, wishes: Wishes = {}) {
  const { host = '127.0.0.1', port = 0, isShared = false, libc = openLibc() as Libc } = wishes
  const { datagramBytesLimit = 65_536 } = wishes
  const taken: Taken[] = []
  const errors: string[] = []
  const socket: BatchedSocket = await BatchedSocket.bind(
    libc,
    { host, port, isShared, bufferBytes: 1_048_576, datagramBytesLimit },
    {
      onMessage(bytes, address, port) {
        taken.push({ text: Buffer.from(bytes).toString('latin1'), address, port })
        wishes.onMessage?.(() => socket, taken)
      },
      onError: (error) => errors.push(error.message),
      ...(wishes.place && { place: wishes.place }),
      ...(wishes.turns && { turns: wishes.turns }),
    },
  )
  t.after(() => socket.close())
  return { socket, taken, errors }
}

async function sender(host = '127.0.0.1', type: 'udp4' | 'udp6' = 'udp4'): Promise<Socket> {
  const socket = createSocket(type)
  socket.bind(0, host)
  await once(socket, 'listening')
  return socket
}

/** Sends without leaving this turn, so that all lie in the other socket before it is read. */
async function connected(to: BatchedSocket, from = '127.0.0.1'): Promise<Socket> {
  const socket = await sender(from)
  socket.connect(to.port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

test('datagrams of several senders come in order, each with its sender', { skip }, async (t) => {
  const { socket, taken } = await open(t)
  const senders = await Promise.all(Array.from({ length: 5 }, () => connected(socket)))
  const sent: Taken[] = []
  for (let i = 0; i < 1000; i++) {
    // no more than fit the socket's buffer, as small as Linux has it by default
    if (i % 200 === 0) await until(() => taken.length === i)
    const from = senders[(i * 7) % senders.length]!
    const { address, port } = from.address()
    sent.push({ text: `${i}:`.padEnd(i % 90, 'x'), address, port })
    from.send(sent.at(-1)!.text)
  }
  await until(() => taken.length === sent.length)
  assert.deepEqual(taken, sent)
  assert.ok(socket.batchedCount > 900, `${socket.batchedCount} by recvmmsg`)
  for (const each of senders) each.close()
})

test('datagrams that come soon after each other are read together', { skip }, async (t) => {
  const libc = openLibc() as Libc
  let calls = 0
  const counting = new Proxy(libc, {
    get(target, name: keyof Libc) {
      if (name === 'receiveMessages') calls++
      return target[name].bind(target)
    },
  })
  const { socket, taken } = await open(t, { libc: counting })
  const from = await connected(socket)
  const COUNT = 200
  for (let i = 0; i < COUNT; i++) {
    from.send(`${i}`)
    // each leaves alone, and long before the next one would be waited for
    const untilMs = performance.now() + 0.2
    while (performance.now() < untilMs);
    await new Promise(setImmediate)
  }
  await until(() => taken.length === COUNT)
  from.close()
  assert.deepEqual(
    taken.map(({ text }) => Number(text)),
    [...Array(COUNT).keys()],
  )
  assert.ok(calls < COUNT / 2, `${calls} calls for ${COUNT} datagrams`)
})

test('more senders than the table has places keep their addresses', { skip }, async (t) => {
  const { socket, taken } = await open(t)
  const addresses = Array.from({ length: 1500 }, (_, i) => `127.0.${1 + (i >> 8)}.${i & 255}`)
  const sent: Taken[] = []
  for (const host of addresses) {
    const from = await sender(host)
    const { port } = from.address()
    for (let i = 0; i < 3; i++) sent.push({ text: `${host} ${i}`, address: host, port })
    from.connect(socket.port, '127.0.0.1')
    await once(from, 'connect')
    for (let i = 0; i < 3; i++) from.send(`${host} ${i}`)
    // no more than fit the socket's buffer
    if (sent.length % 60 === 0) await until(() => taken.length === sent.length)
    from.close()
  }
  await until(() => taken.length === sent.length)
  assert.deepEqual(taken, sent)
})

test('the longest datagram there can be comes whole', { skip }, async (t) => {
  const { socket, taken } = await open(t)
  const from = await connected(socket)
  const longest = Buffer.alloc(65_507, 'abc')
  for (let i = 0; i < 3; i++) from.send(longest)
  await until(() => taken.length === 3)
  for (const { text } of taken) assert.equal(text, longest.toString('latin1'))
  assert.equal(socket.cutCount, 0)
  from.close()
})

test('a datagram that the kernel had to cut is left out and counted', { skip }, async (t) => {
  const { socket, taken } = await open(t, { datagramBytesLimit: 16 })
  const from = await connected(socket)
  for (const text of ['first', 'x'.repeat(17), 'x'.repeat(16), '', 'last']) from.send(text)
  await until(() => taken.length === 4)
  assert.deepEqual(
    taken.map(({ text }) => text),
    ['first', 'x'.repeat(16), '', 'last'],
  )
  assert.equal(socket.cutCount, 1)
  from.close()
})

test('IPv6 peers have the address that Node gives them', { skip }, async (t) => {
  const from = await sender('::1', 'udp6').catch(() => undefined)
  if (from === undefined) return t.skip('no IPv6 on this machine')
  const { socket, taken } = await open(t, { host: '::1' })
  from.connect(socket.port, '::1')
  await once(from, 'connect')
  for (const text of ['a', 'b', 'c']) from.send(text)
  await until(() => taken.length === 3)
  const { port } = from.address()
  assert.deepEqual(
    taken,
    ['a', 'b', 'c'].map((text) => ({ text, address: '::1', port })),
  )
  assert.equal(socket.batchedCount, 2)
  from.close()
})

test('a host may be a name', { skip }, async (t) => {
  const { socket } = await open(t, { host: 'localhost' })
  assert.ok(socket.port > 0)
  assert.ok(socket.bufferGranted > 0)
})

test('a taken port is refused as node:dgram refuses it, and nothing stays open', {
  skip,
}, async (t) => {
  const taker = await sender()
  const before = openFiles()
  await assert.rejects(open(t, { port: taker.address().port }), {
    code: 'EADDRINUSE',
    syscall: 'bind',
    message: 'bind EADDRINUSE: address already in use',
  })
  await until(() => openFiles() === before)
  taker.close()
})

test('several sockets share a port only when all of them want to', { skip }, async (t) => {
  const one = await open(t, { isShared: true })
  const { port } = one.socket
  const two = await open(t, { isShared: true, port })
  assert.equal(two.socket.port, port)
  await assert.rejects(open(t, { port }), { code: 'EADDRINUSE' })
  const other = createSocket({ type: 'udp4', reuseAddr: true })
  other.bind(port, '127.0.0.1')
  const [error] = await once(other, 'error')
  assert.equal(error.code, 'EADDRINUSE')
  other.close()
})

test('a socket closed while it hands over a datagram hands over no more', { skip }, async (t) => {
  const before = openFiles()
  for (const last of [1, 5]) {
    const { socket, taken } = await open(t, {
      onMessage: (socket, taken) => {
        if (taken.length === last) socket().close()
      },
    })
    const from = await connected(socket)
    for (let i = 0; i < 20; i++) from.send(String(i))
    await until(() => taken.length >= last)
    from.close()
    await once(from, 'close')
    assert.equal(taken.length, last)
  }
  await until(() => openFiles() === before)
})

test('a batch is left when the turn is over, and gone on with in order', { skip }, async (t) => {
  let looks = 0
  const { socket, taken } = await open(t, {
    turns: {
      // two looks of three end what is being done
      get isSpent() {
        return looks++ % 3 !== 0
      },
      hasWaiting: true,
      isBehind: () => false,
    },
  })
  const from = await connected(socket)
  for (let i = 0; i < 200; i++) from.send(String(i))
  await until(() => taken.length === 200)
  assert.deepEqual(
    taken.map(({ text }) => text),
    Array.from({ length: 200 }, (_, i) => String(i)),
  )
  assert.ok(socket.batchedCount > 150 && looks > 10)
  from.close()
})

test('what a turn was over before is read after the shortest pause', { skip }, async (t) => {
  const pauses = t.mock.method(globalThis, 'setTimeout')
  let looks = 0
  const { socket, taken } = await open(t, {
    turns: {
      // the first batch is left and then done; thrice nothing is read, then there is nothing
      get isSpent() {
        return ++looks !== 2 && looks < 6
      },
      hasWaiting: false,
      isBehind: () => false,
    },
  })
  const from = await connected(socket)
  for (let i = 0; i < 40; i++) from.send(String(i))
  await until(() => taken.length === 40 && looks >= 6)
  from.close()
  assert.deepEqual(
    pauses.mock.calls.map(({ arguments: [, ms] }) => ms),
    [1, 1, 1, 1],
  )
})

test('datagrams of an address that waits are handed over, and not taken', { skip }, async (t) => {
  const place = new SharedArrayBuffer(9_000_000)
  const inPlace: string[] = []
  const late = await sender('127.0.0.2')
  const { socket, taken } = await open(t, {
    place: {
      ...{ buffer: place, at: 0, size: place.byteLength },
      take(batch, first) {
        const sizes = new DataView(place)
        for (let i = first; i < batch.count; i++) {
          const size = sizes.getUint32(batch.sizesAt + i * batch.sizesStride, true)
          const at = batch.at + i * batch.stride
          if (size === 0) batch.handOn(i)
          else inPlace.push(Buffer.from(place, at, size).toString())
        }
        return batch.count
      },
    },
    turns: { isSpent: false, hasWaiting: true, isBehind: (address) => address === '127.0.0.2' },
  })
  const from = await connected(socket)
  late.connect(socket.port, '127.0.0.1')
  await once(late, 'connect')
  for (let i = 0; i < 50; i++) {
    from.send(`a${i}`)
    late.send(`b${i}`)
  }
  await until(() => taken.length + inPlace.length === 100)
  const names = (letter: string) => Array.from({ length: 50 }, (_, i) => `${letter}${i}`)
  const single = taken.map(({ text }) => text)
  assert.deepEqual(
    single.filter((text) => text.startsWith('b')),
    names('b'),
  )
  assert.ok(inPlace.length > 40)
  assert.deepEqual(
    [...single.filter((text) => text.startsWith('a')), ...inPlace].sort(),
    names('a').sort(),
  )
  assert.equal(socket.cutCount, 0)
  from.close()
  late.close()
})

test('where recvmmsg fails later on, Node goes on alone and says so once', { skip }, async (t) => {
  const libc = openLibc() as Libc
  const { socket, taken, errors } = await open(t, { libc })
  libc.receiveMessages = () => {
    throw new Error('recvmmsg ENOMEM: not enough memory')
  }
  const from = await connected(socket)
  for (let i = 0; i < 20; i++) from.send(String(i))
  await until(() => taken.length === 20)
  assert.deepEqual(errors, ['recvmmsg ENOMEM: not enough memory'])
  assert.equal(socket.batchedCount, 0)
  from.close()
})

/** A thread with a batched socket that does nothing else, and the port it has. */
async function startThread(): Promise<{ thread: Worker; port: number; warnings: () => string }> {
  const of = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const program = `
    const { BatchedSocket } = await import(${of('./batched-socket.ts')})
    const { openLibc } = await import(${of('./libc.ts')})
    const { parentPort } = await import('node:worker_threads')
    const options = { host: '127.0.0.1', port: 0, isShared: true, bufferBytes: 65536 }
    const socket = await BatchedSocket.bind(openLibc(), options, { onMessage() {}, onError() {} })
    parentPort.postMessage(socket.port)
    parentPort.on('message', () => socket.onlyToThrow())
  `
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  const thread = new Worker(url, { execArgv: [], stderr: true })
  let warnings = ''
  thread.stderr.on('data', (text) => {
    warnings += text
  })
  const [port] = await once(thread, 'message')
  return { thread, port, warnings: () => warnings }
}

test('a thread that is ended from outside leaves its port free', { skip }, async (t) => {
  const { thread, port, warnings } = await startThread()
  await assert.rejects(open(t, { port }), { code: 'EADDRINUSE' })
  await thread.terminate()
  const { socket } = await open(t, { port })
  assert.equal(socket.port, port)
  assert.equal(warnings(), '')
})

test('a thread that crashes leaves its port free', { skip }, async (t) => {
  const { thread, port } = await startThread()
  const crashed = once(thread, 'error')
  thread.postMessage('throw')
  const [error] = await crashed
  assert.match(error.message, /onlyToThrow/)
  await thread.terminate()
  const { socket } = await open(t, { port })
  assert.equal(socket.port, port)
})

function openFiles(): number {
  return readdirSync('/proc/self/fd').length
}
