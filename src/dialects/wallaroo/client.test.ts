import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { ByteListener } from '../../../test/support/byte-listener.ts'
import { NanoClock } from '../../../test/support/nano-clock.ts'
import { parseAddress } from './client/address.ts'
import { WallarooClient, type WallarooClientOptions } from './client.ts'
import type { Metrics } from './codec/encode.ts'
import { createDecoder, type MetricsMessage } from './codec.ts'

const WINDOW: Metrics = {
  ...{ application: 'app', category: 'computation', name: 'Check', worker: 'w', pipeline: 'P' },
  id: 1,
  bins: Float64Array.from({ length: 65 }, (_, bin) => (bin === 3 ? 2 : 0)),
  ...{ minNs: 5, maxNs: 7, periodNs: 2_000_000_000n, endNs: 1_700_000_002_000_000_000n },
}

function open(context: TestContext, options: Partial<WallarooClientOptions>): WallarooClient {
  const client = new WallarooClient({
    application: 'app',
    worker: 'w',
    reconnectFirstMs: 5,
    reconnectLimitMs: 5,
    ...options,
  })
  void client.start()
  context.after(() => client.close())
  return client
}

/** Types of the messages of a stream, none of which may be wrong. */
function typesOf(stream: Buffer): string[] {
  const decoder = createDecoder()
  decoder.push(stream)
  decoder.end()
  assert.deepEqual([decoder.errors, decoder.notes], [[], []])
  return decoder.messages.map((message) => (message as { type: string }).type)
}

function namesOf(stream: Buffer): string[] {
  const decoder = createDecoder()
  decoder.push(stream)
  return decoder.messages.flatMap((message) => (message as Partial<MetricsMessage>).name ?? [])
}

const named = (i: number): Metrics => ({ ...WINDOW, name: `${i}` })

describe('a client', () => {
  it('begins every connection with Connect and Join and sends nothing twice', async (context) => {
    const hub = await ByteListener.open(context)
    const client = open(context, { port: hub.port, bufferWindows: 100 })
    client.send([named(1)])
    await hub.until(() => namesOf(hub.streams[0] ?? Buffer.alloc(0)).length === 1)
    client.send([named(2), named(3)])
    await hub.until(() => namesOf(hub.streams[0]!).length === 3)
    hub.sockets[0]!.destroy()
    await hub.until(() => hub.streams.length === 2)
    await hub.until(() => hub.streams[1]!.length > 0)
    client.send([named(4)])
    await hub.until(() => namesOf(hub.streams[1]!).length === 1)
    assert.deepEqual(typesOf(hub.streams[0]!), ['connect', 'join', 'metrics', 'metrics', 'metrics'])
    assert.deepEqual(typesOf(hub.streams[1]!), ['connect', 'join', 'metrics'])
    assert.deepEqual(namesOf(hub.streams[1]!), ['4'])
    assert.equal(client.counts.connects, 2)
  })

  it('drops windows while there is no hub, and counts them', async (context) => {
    const port = await freePort(context)
    let failures = 0
    const client = open(context, { port, onError: () => failures++ })
    for (let i = 0; i < 5; i++) client.send([named(i)])
    assert.deepEqual(client.counts, { sent: 0, droppedOffline: 5, droppedSlow: 0, connects: 0 })
    const hub = await ByteListener.open(context, port)
    await hub.until(() => (hub.streams[0]?.length ?? 0) > 0)
    assert.deepEqual(typesOf(hub.streams[0]!), ['connect', 'join'])
    client.send([named(5)])
    await hub.until(() => namesOf(hub.streams[0]!).length === 1)
    assert.deepEqual(namesOf(hub.streams[0]!), ['5'])
    assert.ok(failures >= 0)
  })

  it('keeps the newest windows for the next connection, if it may', async (context) => {
    const port = await freePort(context)
    const client = open(context, { port, bufferWindows: 10 })
    for (let i = 0; i < 8; i++) client.send([named(2 * i), named(2 * i + 1)])
    assert.equal(client.counts.droppedOffline, 6)
    const hub = await ByteListener.open(context, port)
    await hub.until(() => namesOf(hub.streams[0] ?? Buffer.alloc(0)).length === 10)
    assert.deepEqual(
      namesOf(hub.streams[0]!),
      Array.from({ length: 10 }, (_, i) => `${i + 6}`),
    )
  })

  it('drops whole frames for a hub that does not read, and the stream stays sound', async (c) => {
    const hub = await ByteListener.open(c, 0, false)
    const maxPendingBytes = 100_000
    const client = open(c, { port: hub.port, maxPendingBytes })
    await hub.until(() => hub.sockets.length === 1)
    while (!client.isConnected) await new Promise((resolve) => setImmediate(resolve))
    let most = 0
    for (let i = 0; client.counts.droppedSlow < 1000; i++) {
      client.send([named(i), named(i)])
      most = Math.max(most, client.pendingBytes)
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(most <= maxPendingBytes, `${most} bytes`)
    const chunks: Buffer[] = []
    const { sent } = client.counts
    hub.sockets[0]!.on('data', (bytes: Buffer) => chunks.push(bytes))
    hub.sockets[0]!.resume()
    await client.close()
    if (!hub.sockets[0]!.readableEnded) await once(hub.sockets[0]!, 'end')
    assert.equal(typesOf(Buffer.concat(chunks)).length, sent + 2)
  })

  it('sends what its reporters hold when it is closed, a short run included', async (context) => {
    const hub = await ByteListener.open(context)
    const client = open(context, { port: hub.port, bufferWindows: 10 })
    const reporter = client.reporter({ profile: 'document' })
    reporter.startToEnd('Orders').record(1500)
    reporter.startToEnd('Orders').record(40)
    await client.close()
    await hub.until(() => namesOf(hub.streams[0] ?? Buffer.alloc(0)).length === 1)
    const decoder = createDecoder()
    decoder.push(hub.streams[0]!)
    const { total, order, min_ns, max_ns } = decoder.messages[2] as MetricsMessage
    assert.deepEqual([total, order, min_ns, max_ns], ['2', 'document', '40', '1500'])
    client.send([WINDOW])
    assert.equal(client.counts.droppedOffline, 1)
  })

  it('closes at once when it was never started, and says what it dropped', async () => {
    const client = new WallarooClient({ application: 'shop', worker: 'w1', bufferWindows: 10 })
    client.reporter().startToEnd('Orders').record(1500)
    await client.close()
    assert.deepEqual([client.counts.sent, client.counts.droppedOffline], [0, 1])
  })

  it('keeps a process alive only until it is closed', async (context) => {
    const hub = await ByteListener.open(context)
    const code = `
      const { WallarooClient } = await import('${new URL('client.ts', import.meta.url)}')
      const options = { application: 'app', worker: 'w', port: ${hub.port}, bufferWindows: 9 }
      const client = new WallarooClient(options)
      await client.start()
      client.reporter().startToEnd('Orders').record(5)
      await client.close()
      await new WallarooClient(options).start()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code])
    const [status] = await once(child, 'exit')
    assert.equal(status, 0)
    await hub.until(() => namesOf(hub.streams[0] ?? Buffer.alloc(0)).length === 1)
  })

  it('joins further applications on this connection and on those to come', async (context) => {
    const hub = await ByteListener.open(context)
    const client = open(context, { port: hub.port })
    await hub.until(() => (hub.streams[0]?.length ?? 0) > 0)
    client.join('other', 'w')
    await hub.until(() => typesOf(hub.streams[0]!).length === 3)
    hub.sockets[0]!.destroy()
    await hub.until(() => hub.streams.length === 2 && hub.streams[1]!.length > 0)
    assert.deepEqual(typesOf(hub.streams[1]!), ['connect', 'join', 'join'])
  })

  it('tries every 250 ms while the hub is away, and finds it at the next', async (context) => {
    const port = await freePort(context)
    const clock = new NanoClock(START)
    const attempts = new Attempts()
    const options = { port, clock, bufferWindows: 10, ...pauses(250, 250) }
    const client = open(context, { ...options, onError: attempts.count })
    for (let attempt = 1; attempt <= 20; attempt++) {
      await attempts.until(attempt)
      await turn()
      client.send([named(attempt)])
      assert.equal(clock.pending, 1)
      clock.moveTo(clock.wallNs() + 249n * MS)
      await turn()
      assert.equal(attempts.failed, attempt, 'not before its time')
      clock.moveTo(clock.wallNs() + MS)
    }
    await attempts.until(21)
    assert.equal(clock.wallNs() - START, 5000n * MS)
    assert.equal(client.counts.droppedOffline, 10)
    const hub = await ByteListener.open(context, port)
    await turn()
    clock.moveTo(clock.wallNs() + 250n * MS)
    await hub.until(() => namesOf(hub.streams[0] ?? Buffer.alloc(0)).length === 10)
    assert.deepEqual(typesOf(hub.streams[0]!).slice(0, 3), ['connect', 'join', 'metrics'])
    const newest = Array.from({ length: 10 }, (_, i) => `${i + 11}`)
    assert.deepEqual(namesOf(hub.streams[0]!), newest)
  })

  it('doubles its pauses up to a limit where one is given', async (context) => {
    const clock = new NanoClock(START)
    const attempts = new Attempts()
    const port = await freePort(context)
    const options = { port, clock, ...pauses(100, 300) }
    open(context, { ...options, onError: attempts.count })
    for (const [i, pauseMs] of [100n, 200n, 300n, 300n].entries()) {
      await attempts.until(i + 1)
      await turn()
      clock.moveTo(clock.wallNs() + (pauseMs - 1n) * MS)
      await turn()
      assert.equal(attempts.failed, i + 1)
      clock.moveTo(clock.wallNs() + MS)
    }
    await attempts.until(5)
  })

  it('takes a second at most to close, however slowly the hub reads', async (context) => {
    const hub = await ByteListener.open(context, 0, false)
    const clock = new NanoClock(START)
    const client = open(context, { port: hub.port, clock, maxPendingBytes: 50_000_000 })
    await hub.until(() => hub.sockets.length === 1)
    while (!client.isConnected) await turn()
    while (client.pendingBytes < 1_000_000) client.send(Array.from({ length: 1000 }, () => WINDOW))
    let isClosed = false
    const closed = client.close().then(() => {
      isClosed = true
    })
    clock.moveTo(START + 999n * MS)
    await turn()
    assert.equal(isClosed, false)
    clock.moveTo(START + 1000n * MS)
    await closed
    assert.equal(clock.pending, 0)
  })

  it('refuses at the call what cannot be sent', (context) => {
    assert.throws(() => open(context, { bufferWindows: -1 }), /bufferWindows -1/)
    const refusal = { name: 'RangeError' }
    for (const wrong of [{ reconnectLimitMs: Number.NaN }, { profile: 'Document' as 'document' }]) {
      assert.throws(() => open(context, wrong), refusal)
    }
    assert.throws(() => open(context, { periodMs: 0.000001 }), refusal)
    assert.throws(() => open(context, { worker: 'w'.repeat(65_536) }), RangeError)
    assert.throws(() => new WallarooClient({ application: 'a' }), /a worker/)
    assert.throws(() => new WallarooClient({}).reporter(), /needs the application/)
    const client = open(context, { port: 9 })
    assert.throws(() => client.send([{ ...WINDOW, id: 70_000 }]), RangeError)
  })
})

const MS = 1_000_000n
const START = 1_700_000_000n * 1000n * MS

/** Attempts to connect that have failed. */
class Attempts {
  failed = 0
  #wake: () => void = () => {}

  readonly count = (): void => {
    this.failed++
    this.#wake()
  }

  async until(count: number): Promise<void> {
    while (this.failed < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Lets sockets say what has become of them. */
async function turn(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('an address', () => {
  it('is host and port, an IPv6 address in brackets', () => {
    assert.deepEqual(parseAddress('hub.example:5001'), { host: 'hub.example', port: 5001 })
    assert.deepEqual(parseAddress('[::1]:5001'), { host: '::1', port: 5001 })
  })

  it('is nothing else', () => {
    for (const text of ['', 'hub', 'hub:', ':5001', '::1:5001', 'hub:0', 'hub:65536', 'a:1:2']) {
      assert.throws(() => parseAddress(text), RangeError, text)
    }
  })
})

async function freePort(context: TestContext): Promise<number> {
  const listener = await ByteListener.open(context)
  const { port } = listener
  await listener.close()
  return port
}

function pauses(reconnectFirstMs: number, reconnectLimitMs: number) {
  return { reconnectFirstMs, reconnectLimitMs }
}
