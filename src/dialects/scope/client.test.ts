import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import { RecordedReports } from '../../../test/support/recorded-reports.ts'
import { toHex } from '../../model/index.ts'
import type { Sample } from './client/mirror.ts'
import type { MirroredSeries } from './client/name-memory.ts'
import type { ScopeClientOptions } from './client.ts'
import { ScopeClient } from './client.ts'
import { encodeInfo, encodeSettings, encodeSnapshot } from './codec/encode.ts'
import { frame } from './codec/framing.ts'
import { type PlainMessage, toPlain } from './codec/messages.ts'
import { decodeSettings } from './codec/settings.ts'
import { encodeScope } from './codec.ts'
import { hex, VECTORS } from './test/golden.ts'

const MS = 1_000_000n
const VERSION = hex('0100')
const INFO = encodeInfo([['a', []]])
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function snapshot(t: bigint, values: Readonly<Record<string, number>>): Uint8Array {
  return encodeSnapshot(t, Object.entries(values))
}

/** A server that does only what the test tells it to. */
class FakeServer {
  readonly #server: Server
  readonly #waiting: ((peer: RawPeer) => void)[] = []
  readonly #accepted: RawPeer[] = []
  /** Connections so far. */
  count = 0

  constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
      const peer = RawPeer.of(socket)
      cleanups.push(() => peer.close())
      this.count++
      const next = this.#waiting.shift()
      if (next === undefined) this.#accepted.push(peer)
      else next(peer)
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    cleanups.push(() => this.close())
    return (this.#server.address() as AddressInfo).port
  }

  /** The next connection, in the order in which they were accepted. */
  next(): Promise<RawPeer> {
    const peer = this.#accepted.shift()
    if (peer !== undefined) return Promise.resolve(peer)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  close(): void {
    this.#server.close()
  }
}

async function start(options: ScopeClientOptions = {}) {
  const server = new FakeServer()
  const port = await server.listen()
  const clock = new FakeClock()
  const reports = new RecordedReports()
  const packets: PlainMessage[] = []
  const samples: (Omit<Sample, 'values'> & { values: number[] })[] = []
  const added: MirroredSeries[] = []
  const client = new ScopeClient({
    ...{ port, clock, reports, ...options },
    random: () => 0.5,
    onPacket: (packet) => packets.push(toPlain(packet)),
    onSeries: (series) => added.push(...series),
    onSample: (sample) => samples.push({ ...sample, values: [...sample.values] }),
  })
  cleanups.push(() => client.close())
  await client.start()
  return { server, port, clock, reports, packets, samples, added, client }
}

/** Answers with the version and takes framed settings. */
async function greet(server: FakeServer): Promise<RawPeer> {
  const peer = await server.next()
  peer.write(VERSION)
  await peer.takeFrame()
  return peer
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn()
}

describe('client handshake', () => {
  it('sends nothing before the version, then exactly the settings of the real client', async () => {
    for (const each of VECTORS.streams) {
      if (each.framing !== 'framed') continue
      const bytes = hex(each.client_stream_hex)
      const { samplingIntervalNs } = decodeSettings(bytes.subarray(4))
      const { server } = await start({ samplingIntervalMs: Number(samplingIntervalNs) / 1e6 })
      const peer = await server.next()
      await turn()
      assert.equal(peer.received.length, 0)
      peer.write(VERSION.subarray(0, 1))
      await turn()
      assert.equal(peer.received.length, 0)
      peer.write(VERSION.subarray(1))
      assert.equal(toHex(await peer.take(bytes.length)), each.client_stream_hex, each.name)
    }
  })

  it('sends bare settings first under profile document', async () => {
    const { server, client, packets } = await start({ profile: 'document' })
    const peer = await server.next()
    peer.write(VERSION)
    const settings = encodeSettings(100n * MS)
    assert.deepEqual(new Uint8Array(await peer.take(settings.length)), settings)
    peer.write(INFO)
    await until(() => packets.length === 1)
    assert.equal(client.status.framing, 'bare')
  })

  for (const bytes of ['0200', '0001', '0000']) {
    it(`closes without a word at version ${bytes}, and waits at least 30 s`, async () => {
      const { server, clock, client, reports } = await start()
      const peer = await server.next()
      peer.write(hex(bytes))
      await peer.ended()
      assert.equal(peer.received.length, 0)
      assert.equal(reports.counts['connect_failed version'], 1)
      assert.equal(client.status.retryMs, 30_000)
      clock.advance(29_999)
      await turn()
      assert.equal(server.count, 1)
      clock.advance(1)
      await server.next()
    })
  }

  it('counts a server that closes before its version, or says nothing in time', async () => {
    const { server, clock, reports } = await start({ connectTimeoutMs: 5000 })
    const first = await server.next()
    first.write(hex('01'))
    first.socket.end()
    await until(() => reports.counts['connect_failed closed_early'] === 1)
    clock.advance(1000)
    await server.next()
    clock.advance(5000)
    assert.equal(reports.counts['connect_failed timeout'], 1)
  })

  it('keeps trying while nobody listens, with growing pauses that have a limit', async () => {
    const { server, clock, client } = await start({ reconnectLimitMs: 5000 })
    const peer = await server.next()
    server.close()
    peer.close()
    const pauses: (number | undefined)[] = []
    for (let i = 0; i < 5; i++) {
      await until(() => client.status.state === 'offline')
      pauses.push(client.status.retryMs)
      clock.advance(client.status.retryMs!)
    }
    assert.deepEqual(pauses, [1000, 2000, 4000, 5000, 5000])
  })
})

describe('client stream', () => {
  for (const each of VECTORS.streams) {
    it(`gives the packets of ${each.name}, however the bytes come`, async () => {
      const bytes = hex(each.server_stream_hex)
      for (const size of [bytes.length, 1, 7]) {
        const { server, packets } = await start()
        const peer = await server.next()
        peer.socket.setNoDelay(true)
        for (let at = 0; at < bytes.length; at += size) {
          peer.write(bytes.subarray(at, at + size))
          if (size === 7) await turn()
        }
        await until(() => packets.length === each.packets.length)
        assert.deepEqual(packets, each.packets)
      }
    })
  }

  it('takes a bare answer to framed settings, and says so', async () => {
    const { server, client, packets, reports } = await start()
    const peer = await greet(server)
    peer.write(INFO)
    await until(() => packets.length === 1)
    assert.equal(client.status.framing, 'bare')
    assert.equal(reports.counts['framing_differs bare'], 1)
  })

  it('tries bare settings at once when framed ones meet a close, and remembers', async () => {
    const { server, client, packets, clock } = await start()
    const bareSettings = encodeSettings(100n * MS)
    const first = await greet(server)
    first.socket.end()
    const second = await server.next()
    second.write(VERSION)
    assert.deepEqual(new Uint8Array(await second.take(bareSettings.length)), bareSettings)
    second.write(INFO)
    await until(() => packets.length === 1)
    assert.equal(client.status.framing, 'bare')
    second.socket.end()
    await until(() => client.status.state === 'offline')
    clock.advance(1000)
    const third = await server.next()
    third.write(VERSION)
    assert.deepEqual(new Uint8Array(await third.take(bareSettings.length)), bareSettings)
  })

  it('tries bare settings when framed ones meet silence, then pauses', async () => {
    const { server, clock, client } = await start({ probeMs: 3000 })
    await greet(server)
    await until(() => clock.pending === 2)
    clock.advance(3000)
    const second = await server.next()
    second.write(VERSION)
    await second.take(encodeSettings(100n * MS).length)
    second.socket.end()
    await until(() => client.status.state === 'offline')
    assert.equal(client.status.retryMs, 1000)
    clock.advance(1000)
    await greet(server)
  })

  it('is not misled for good by a bare start that reads as a large frame', async () => {
    const { server, clock, packets } = await start()
    const first = await greet(server)
    first.write(hex('9180920080'))
    await until(() => clock.pending === 2)
    clock.advance(3000)
    const second = await server.next()
    second.write(VERSION)
    await second.take(1)
    second.write(hex('9180920080'))
    await until(() => packets.length === 2)
    assert.deepEqual(
      packets.map(({ kind }) => kind),
      ['info', 'snapshot'],
    )
  })

  it('doubts a framing that has worked only after ten attempts in vain', async () => {
    const { server, client, clock, packets } = await start()
    const first = await greet(server)
    first.write(frame(INFO))
    await until(() => packets.length === 1)
    first.socket.end()
    for (let i = 0; i < 10; i++) {
      await until(() => client.status.state === 'offline')
      clock.advance(client.status.retryMs!)
      const peer = await greet(server)
      peer.socket.end()
    }
    await until(() => client.status.state === 'offline')
    clock.advance(client.status.retryMs!)
    const other = await server.next()
    other.write(VERSION)
    const settings = encodeSettings(100n * MS)
    assert.deepEqual(new Uint8Array(await other.take(settings.length)), settings)
  })

  it('keeps both good packets around a bad one, strict or lenient', async () => {
    for (const each of VECTORS.rejected) {
      if (each.for !== 'packet') continue
      for (const strict of [true, false]) {
        const { server, packets, client, reports } = await start({ strict })
        const peer = await greet(server)
        const good = encodeScope([{ kind: 'snapshot', t: 7, d: [['g', 1]] }])[0]!
        peer.write(Buffer.concat([frame(INFO), frame(hex(each.payload_hex)), good]))
        const isSalvaged = !strict && each.lenient !== null
        await until(() => packets.length === (isSalvaged ? 3 : 2))
        assert.equal(packets.at(-1)?.kind, 'snapshot', each.name)
        const { counts, status } = client
        assert.equal(status.state, 'online')
        if (isSalvaged) {
          assert.deepEqual(packets[1], each.lenient, each.name)
          assert.equal(counts.entriesDropped, each.lenient?.dropped, each.name)
          assert.equal(counts.packetsBad, 0)
        } else {
          assert.equal(counts.packetsBad, 1, each.name)
          assert.equal(reports.counts[`packets_bad ${each.error}`], 1, each.name)
        }
        client.close()
      }
    }
  })

  it('reconnects at a frame above the cap without waiting for it', async () => {
    const { server, client, reports } = await start()
    const peer = await greet(server)
    peer.write(Buffer.concat([frame(INFO), hex('01000001')]))
    await until(() => client.status.state === 'offline')
    assert.equal(reports.counts['reconnects too_large'], 1)
  })

  it('reconnects after too many bad packets in a row, and logs their class once', async () => {
    const { server, client, reports } = await start({ maxBadPackets: 3 })
    const peer = await greet(server)
    const bad = frame(hex('c0'))
    peer.write(Buffer.concat([frame(INFO), bad, bad, frame(INFO), bad, bad, bad, bad]))
    await until(() => client.status.state === 'offline')
    assert.equal(reports.counts['reconnects too_many_bad'], 1)
    assert.equal(reports.counts['packets_bad bad_shape'], 5)
    assert.equal(reports.lines.filter(({ facts }) => facts.code === 'bad_shape').length, 1)
  })

  it('reconnects when a server falls silent, but not while bytes still come', async () => {
    const { server, client, clock, reports, packets } = await start({ idleTimeoutMs: 10_000 })
    const peer = await greet(server)
    peer.write(frame(INFO))
    await until(() => packets.length === 1)
    clock.advance(9000)
    peer.write(frame(INFO))
    await until(() => packets.length === 2)
    clock.advance(9999)
    assert.equal(client.status.state, 'online')
    clock.advance(1)
    assert.equal(client.status.state, 'offline')
    assert.equal(reports.counts['reconnects idle'], 1)
  })

  it('allows two intervals and an Info period of silence at long intervals', async () => {
    const { server, client, clock, packets } = await start({ samplingIntervalMs: 20_000 })
    const peer = await greet(server)
    peer.write(frame(INFO))
    await until(() => packets.length === 1)
    clock.advance(44_999)
    assert.equal(client.status.state, 'online')
    clock.advance(1)
    assert.equal(client.status.state, 'offline')
  })

  it('keeps its series over a reconnect, with a new time base and the first pause', async () => {
    const { server, client, clock, samples } = await start()
    for (const round of [1, 2]) {
      const peer = await greet(server)
      peer.write(Buffer.concat([frame(INFO), frame(snapshot(0n, { a: round, b: 5 }))]))
      await until(() => samples.length === round)
      peer.socket.end()
      await until(() => client.status.state === 'offline')
      assert.equal(client.status.retryMs, 1000)
      clock.advance(1000)
    }
    assert.equal(client.status.series, 2)
    assert.deepEqual(
      samples.map(({ epoch, values }) => [epoch, ...values]),
      [
        [1, 1, 5],
        [2, 2, 5],
      ],
    )
    assert.deepEqual(samples[0]?.series, samples[1]?.series)
    assert.equal(client.counts.reconnects, 2)
  })

  it('counts repeated and falling times, signed ones and those in float seconds', async () => {
    const { server, client, samples } = await start()
    const peer = await greet(server)
    const payloads = [
      snapshot(10n, { a: 1 }),
      snapshot(10n, { a: 2 }),
      snapshot(5n, { a: 3 }),
      hex('82a174d005a16480'),
      hex('82a174cb3ff8000000000000a16480'),
    ]
    peer.write(Buffer.concat(payloads.map(frame)))
    await until(() => samples.length === payloads.length)
    const { tRepeated, tBackwards, tSigned, tFloatSeconds } = client.counts
    assert.deepEqual(
      { tRepeated, tBackwards, tSigned, tFloatSeconds },
      {
        tRepeated: 2,
        tBackwards: 1,
        tSigned: 1,
        tFloatSeconds: 1,
      },
    )
    assert.deepEqual(
      samples.map(({ isRepeat, epoch }) => [isRepeat, epoch]),
      [
        [false, 1],
        [true, 1],
        [false, 2],
        [true, 2],
        [false, 2],
      ],
    )
  })

  it('sees the interval that the server keeps, and the ticks that it misses', async () => {
    const { server, client, samples } = await start()
    const peer = await greet(server)
    const times = [0n, 100n, 200n, 500n, 600n]
    peer.write(Buffer.concat(times.map((t) => frame(snapshot(t * MS, { a: 1 })))))
    await until(() => samples.length === times.length)
    assert.equal(client.status.intervalMs, 100)
    assert.equal(client.status.ticksMissed, 2)
  })

  it('leaves no connection and no timer when it is stopped', async () => {
    const { server, client, clock } = await start()
    const peer = await greet(server)
    client.close()
    await peer.ended()
    assert.equal(clock.pending, 0)
    assert.equal(client.status.state, 'stopped')
    await client.start()
    await turn()
    assert.equal(server.count, 1)
  })

  it('refuses options that cannot be used', () => {
    for (const options of [
      { samplingIntervalMs: 0 },
      { samplingIntervalMs: 2 ** 64 / 1e6 },
      { probeMs: -1 },
      { frameCapBytes: 1.5 },
      { framing: 'both' as 'auto' },
    ]) {
      assert.throws(() => new ScopeClient(options), RangeError)
    }
  })
})
