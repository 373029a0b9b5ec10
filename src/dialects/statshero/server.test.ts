import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { ModelIngest } from '../../../test/support/model-ingest.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import type { ConnectionProgress, DialectServer, Peer } from '../endpoints.ts'
import { dialect as statshero } from './dialect.ts'
import type { ReceiveOptions } from './options.ts'
import { packetOf } from './test/golden.ts'

interface Report extends DecodeErrorFields {
  readonly message: string
  readonly peer: Peer
}

/** A server with a listening socket, as the hub runs it. */
class Fixture {
  readonly clock = new FakeClock()
  readonly ingest = new ModelIngest()
  readonly reports: Report[] = []
  readonly server: DialectServer
  readonly #listener: Server
  readonly #clients: Socket[] = []
  /** Sockets of the server's side that are open. */
  open = 0

  constructor(options: Partial<ReceiveOptions>) {
    this.server = statshero.createServer!({
      ingest: this.ingest,
      openSnapshot: () => ({ revision: 0, list: () => [], read: () => {} }),
      reports: {
        decodeError: (error, bytes, peer, _detail, start, end) => {
          const message = bytes.subarray(start, end)
          this.reports.push({ ...error, message: Buffer.from(message).toString('latin1'), peer })
        },
        decodeNote: () => {},
        count: () => {},
        log: () => {},
      },
      clock: this.clock,
      options: options as Record<string, unknown>,
    })
    this.#listener = createServer((socket) => {
      this.open++
      socket.on('close', () => this.open--)
      this.server.accept!(socket, new Uint8Array(0))
    })
  }

  async listen(): Promise<this> {
    this.#listener.listen(0, '127.0.0.1')
    await once(this.#listener, 'listening')
    return this
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port
  }

  async connect(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1')
    socket.on('error', () => {})
    this.#clients.push(socket)
    await once(socket, 'connect')
    return socket
  }

  /** Waits for something that the network brings about. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await setImmediate()
  }

  datagram(bytes: Uint8Array, address = '127.0.0.1'): void {
    this.server.datagram!(bytes, { transport: 'udp', address, port: 9 })
  }

  total(key: string): unknown {
    return this.ingest.series.find(({ identity }) => identity.name === key)?.total
  }

  /** Bytes that the one connection holds. */
  get held(): number {
    return Number(this.server.connections()[0]?.facts.bytesHeld ?? 0)
  }

  get codes(): string[] {
    return this.reports.map(({ code }) => code)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop()
    for (const client of this.#clients) client.destroy()
    this.#listener.close()
  }
}

/** Also where the server has reset the connection, as it does with bytes left unread. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

function fixture(options: Partial<ReceiveOptions> = {}): Promise<Fixture> {
  return new Fixture(options).listen()
}

suite('datagrams', () => {
  test('a bad datagram of every kind leaves both neighbours whole', async () => {
    await using hub = await fixture()
    const bad = {
      bad_version: Buffer.from('2|6\na:1|m\n'),
      bad_length: Buffer.from('1|+6\na:1|m\n'),
      length_mismatch: Buffer.from('1|7\na:1|m\n'),
      bad_gzip: packetOf(Uint8Array.of(0x1f, 0x8b, 1, 2, 3)),
      parse_error: packetOf('bad\n'),
      empty_key: packetOf(':1|m\n'),
      bad_value: packetOf('x:y|m\n'),
      unknown_type: packetOf('x:1|c\n'),
      bad_sample_rate: packetOf('x:1|m|@1\n'),
    }
    for (const bytes of Object.values(bad)) {
      hub.datagram(packetOf('good:1|m\n'))
      hub.datagram(bytes)
      hub.datagram(packetOf('good:1|m\n'))
    }
    assert.deepEqual(hub.codes, Object.keys(bad))
    assert.equal(hub.total('good'), 2 * Object.keys(bad).length)
    assert.equal(hub.ingest.series.length, 1)
  })

  test('an error is reported once, with source and message', async () => {
    await using hub = await fixture()
    hub.datagram(packetOf(`ok:1|m\n${'x'.repeat(500)}\n`), '10.1.2.3')
    assert.equal(hub.reports.length, 1)
    const [{ dialect, code, offset, resync, message, peer }] = hub.reports as [Report]
    assert.deepEqual(
      { dialect, code, offset, resync },
      { dialect: 'statshero', code: 'parse_error', offset: 13, resync: true },
    )
    assert.equal(message, 'x'.repeat(500))
    assert.equal(peer.address, '10.1.2.3')
  })

  test('a datagram of many lines is taken in turns', async () => {
    await using hub = await fixture()
    let looks = 0
    const budget = {
      get isSpent() {
        return looks++ % 2 === 1
      },
    }
    const bytes = packetOf(gzipSync('x\n'.repeat(40_000)))
    const rest = hub.server.datagram!(
      bytes,
      { transport: 'udp', address: '10.0.0.1', port: 9 },
      budget,
    )
    bytes.fill(0)
    assert.ok(rest?.hasRest && rest.bytesHeld === 80_000)
    while (rest.hasRest) rest.goOn()
    assert.deepEqual([hub.reports.length, rest.bytesHeld], [40_000, 0])
    assert.ok(hub.reports.every(({ peer }) => peer.address === '10.0.0.1'))
  })

  test('the largest datagram counts completely', async () => {
    await using hub = await fixture()
    const line = 'app.service.m000123.requests:42|m\n'
    const lines = Math.floor((65_507 - '1|65507\n'.length) / line.length)
    hub.datagram(packetOf(line.repeat(lines)))
    assert.equal(hub.total('app.service.m000123.requests'), 42 * lines)
    assert.ok(lines > 1900)
  })

  test('the strict profile is an option of the listener', async () => {
    await using hub = await fixture({ profile: 'document' })
    hub.datagram(packetOf('a_b:1|m\nab:1|m\n'))
    assert.deepEqual(hub.codes, ['bad_key'])
    assert.equal(hub.total('ab'), 1)
  })
})

suite('connections', { timeout: 30_000 }, () => {
  test('frames count, a bad one behind which the stream goes on costs only itself', async () => {
    await using hub = await fixture()
    const client = await hub.connect()
    const good = packetOf('good:1|m\n')
    const bad = [
      Buffer.from('2|6\na:1|m\n'),
      packetOf(Uint8Array.of(0x1f, 0x8b, 1)),
      packetOf('bad\n'),
    ]
    client.end(Buffer.concat([good, ...bad.flatMap((bytes) => [bytes, good])]))
    await hub.until(() => hub.open === 0 && hub.total('good') !== undefined)
    assert.equal(hub.total('good'), 4)
    assert.deepEqual(hub.codes, ['bad_version', 'bad_gzip', 'parse_error'])
    assert.ok(hub.reports.every(({ resync, peer }) => resync && peer.transport === 'tcp'))
  })

  for (const [what, bytes, code] of [
    ['a frame that begins with a letter', 'x:1|m\n', 'bad_version'],
    ['a header without length', '16\nx:1|m\n', 'bad_length'],
    ['a header that never ends', `1|${'0'.repeat(100_000)}`, 'bad_length'],
    ['a length of 999999999', '1|999999999\n', 'too_long'],
  ] as const) {
    test(`${what} closes the connection; what came before counts`, async () => {
      await using hub = await fixture()
      const client = await hub.connect()
      const other = await hub.connect()
      client.write(Buffer.concat([packetOf('a:1|m\n'), Buffer.from(bytes), packetOf('a:1|m\n')]))
      await closed(client)
      assert.deepEqual(hub.codes, [code])
      assert.equal(hub.reports[0]?.resync, false)
      assert.equal(hub.total('a'), 1)
      other.end(packetOf('b:1|m\n'))
      await closed(other)
      assert.equal(hub.total('b'), 1)
    })
  }

  test('a stream that ends inside a frame loses that frame only', async () => {
    await using hub = await fixture()
    const client = await hub.connect()
    client.end('1|6\na:1|m\n1|12\nb:1|m\n')
    await hub.until(() => hub.reports.length > 0)
    assert.deepEqual(hub.codes, ['truncated'])
    assert.equal(hub.total('a'), 1)
    assert.equal(hub.total('b'), undefined)
  })

  test('a connection that is reset inside a frame is one truncated frame', async () => {
    await using hub = await fixture()
    const client = await hub.connect()
    client.write('1|12\nb:1')
    await hub.until(() => hub.held > 0)
    client.resetAndDestroy()
    await hub.until(() => hub.open === 0)
    assert.deepEqual(hub.codes, ['truncated'])
    assert.deepEqual(hub.server.connections(), [])
  })

  test('the time for a frame runs from its first byte: a trickle does not extend it', async () => {
    await using hub = await fixture({ frameTimeoutMs: 30_000 })
    const client = await hub.connect()
    client.write('1|9')
    await hub.until(() => hub.held === 3)
    hub.clock.advance(20_000)
    client.write('\nslow')
    await hub.until(() => hub.held > 3)
    hub.clock.advance(9999)
    assert.deepEqual(hub.codes, [])
    hub.clock.advance(1)
    await closed(client)
    assert.deepEqual(hub.codes, ['truncated'])
    assert.equal(hub.clock.pending, 0)
  })

  test('every frame has its own time, also where one read holds parts of two', async () => {
    await using hub = await fixture({ frameTimeoutMs: 30_000 })
    const client = await hub.connect()
    client.write('1|9\nslow:1|')
    await hub.until(() => hub.held > 0)
    hub.clock.advance(25_000)
    client.write('m\n1|9')
    await hub.until(() => hub.total('slow') === 1)
    hub.clock.advance(29_999)
    assert.deepEqual(hub.codes, [])
    hub.clock.advance(1)
    await closed(client)
    assert.deepEqual(hub.codes, ['truncated'])
  })

  test('a connection between two frames may be silent for ever', async () => {
    await using hub = await fixture()
    const client = await hub.connect()
    client.write(packetOf('a:1|m\n'))
    await hub.until(() => hub.total('a') === 1)
    assert.equal(hub.clock.pending, 0)
    hub.clock.advance(1e9)
    client.end(packetOf('a:1|m\n'))
    await closed(client)
    assert.equal(hub.total('a'), 2)
    assert.deepEqual(hub.codes, [])
  })

  test('a time limit of 0 is none', async () => {
    await using hub = await fixture({ frameTimeoutMs: 0 })
    const client = await hub.connect()
    client.write('1|6\na:')
    await hub.until(() => Number(hub.server.connections()[0]?.facts.bytesHeld) > 4)
    assert.equal(hub.clock.pending, 0)
    client.end('1|m\n')
    await closed(client)
    assert.equal(hub.total('a'), 1)
  })

  test('bytes read before the dialect was known belong to the stream', async () => {
    const hub = new Fixture({})
    const listener = createServer((socket) => {
      socket.once('data', (chunk) => {
        socket.pause()
        hub.server.accept!(socket, Buffer.from(chunk))
      })
    })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const client = connect((listener.address() as { port: number }).port, '127.0.0.1')
    client.write('1|6\na')
    await hub.until(() => hub.server.connections().length === 1)
    client.end(':1|m\n')
    await closed(client)
    assert.equal(hub.total('a'), 1)
    listener.close()
  })

  test('the command to try it sends one correct packet', async () => {
    await using hub = await fixture()
    await promisify(exec)(statshero.tryIt!('127.0.0.1', hub.port))
    await hub.until(() => hub.ingest.series.length === 1)
    assert.deepEqual([hub.total('hello.world'), hub.codes], [1, []])
  })

  /** Connects a client whose server has turns that are over at every second look. */
  async function acceptedInParts(hub: Fixture) {
    let looks = 0
    const budget = {
      get isSpent() {
        return looks++ % 2 === 1
      },
    }
    const accepted = Promise.withResolvers<{ socket: Socket; progress: ConnectionProgress }>()
    const listener = createServer((socket) => {
      const progress = hub.server.accept!(socket, new Uint8Array(0), undefined, budget)!
      socket.on('data', () => progress.hasRest && socket.pause())
      accepted.resolve({ socket, progress })
    })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const client = connect((listener.address() as { port: number }).port, '127.0.0.1')
    client.on('error', () => {})
    await once(client, 'connect')
    return { client, ...(await accepted.promise), stop: () => listener.close() }
  }

  const manyBad = packetOf(gzipSync('x\n'.repeat(40_000)))

  test('what a read brought is taken in turns, then the next one, then the end', async () => {
    await using hub = await fixture()
    const { client, socket, progress, stop } = await acceptedInParts(hub)
    client.end(Buffer.concat([manyBad, packetOf('a:1|m\n'), manyBad]))
    await hub.until(() => progress.hasRest === true)
    assert.ok(progress.bytesHeld >= 80_000)
    assert.ok(hub.reports.length < 80_000)
    let turns = 0
    for (; progress.hasRest === true; turns++) {
      assert.equal(socket.destroyed, false)
      progress.goOn!()
    }
    assert.ok(turns >= 3)
    socket.resume()
    await closed(client)
    assert.equal(hub.total('a'), 1)
    assert.deepEqual([hub.reports.length, new Set(hub.codes).size], [80_000, 1])
    assert.equal(hub.clock.pending, 0)
    stop()
  })

  test('a connection that is closed while a part of a read waits is one truncated', async () => {
    await using hub = await fixture()
    const { client, socket, progress, stop } = await acceptedInParts(hub)
    client.write(manyBad)
    await hub.until(() => progress.hasRest === true)
    socket.destroy()
    await closed(client)
    await hub.until(() => progress.hasRest === false)
    assert.equal(hub.codes.filter((code) => code === 'truncated').length, 1)
    stop()
  })

  test('time in which the hub holds a connection back is not that of a frame', async () => {
    await using hub = await fixture({ frameTimeoutMs: 30_000 })
    const { client, socket, progress, stop } = await acceptedInParts(hub)
    client.write('1|9\nslow')
    await hub.until(() => progress.isInsideMessage)
    socket.pause()
    hub.clock.advance(40_000)
    assert.deepEqual(hub.codes, [])
    socket.resume()
    client.end(':1|m\n')
    await closed(client)
    assert.equal(hub.total('slow'), 1)
    stop()
  })

  test('nothing is ever written back', async () => {
    await using hub = await fixture()
    const client = await hub.connect()
    let received = 0
    client.on('data', (chunk) => {
      received += chunk.length
    })
    client.end(Buffer.concat([packetOf('a:1|m\n'), packetOf('bad\n'), Buffer.from('x')]))
    await closed(client)
    assert.equal(received, 0)
  })

  test('a thousand idle connections are held in little memory, and gone after stop', async () => {
    const hub = await fixture()
    const before = process.memoryUsage().arrayBuffers
    const clients = await Promise.all(Array.from({ length: 1000 }, () => hub.connect()))
    await hub.until(() => hub.server.connections().length === 1000)
    for (const client of clients.slice(0, 500)) client.write('1|1048576\na')
    await hub.until(
      () => hub.server.connections().filter((c) => c.facts.bytesHeld !== 0).length === 500,
    )
    assert.ok(process.memoryUsage().arrayBuffers - before < 200 * 1024 * 1024)
    await hub.server.stop()
    assert.equal(hub.clock.pending, 0)
    assert.deepEqual(hub.codes, [], 'our own stop is no error of the peers')
    await hub[Symbol.asyncDispose]()
  })

  test('the status tells peer, age and what is held', async () => {
    await using hub = await fixture()
    const client = await hub.connect()
    client.write(`${packetOf('a:1|m\n')}1|9`)
    await hub.until(() => hub.server.connections()[0]?.facts.bytesHeld === 3)
    const [{ peer, sinceMs, facts }] = hub.server.connections() as [never]
    assert.deepEqual(peer, { transport: 'tcp', address: '127.0.0.1', port: client.localPort })
    assert.equal(sinceMs, hub.clock.wallMs())
    assert.deepEqual(facts, { frames: 2, bytesHeld: 3 })
  })
})
