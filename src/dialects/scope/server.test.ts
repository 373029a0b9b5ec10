import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import type { Identity } from '../../model/index.ts'
import { encodeSettings } from './codec/encode.ts'
import { frame } from './codec/framing.ts'
import { CallbackSource } from './server/callback-source.ts'
import { ScopeServer } from './server.ts'
import { hex } from './test/golden.ts'
import {
  atEnd,
  attachViewer,
  cleanUp,
  connectViewer,
  MS,
  startServer,
  takeInfo,
  takePacket,
  takeSnapshot,
  until,
  valuesOf,
} from './test/scope-server.ts'

afterEach(cleanUp)

/** A clock that the work of a test moves, too. */
class WorkingClock extends FakeClock {
  workNs = 0n
  /** Times that work let the rest of the event loop run. */
  pauses = 0
  override after(ms: number, callback: () => void): () => void {
    if (ms === 0) this.pauses++
    return super.after(ms, callback)
  }

  override monotonicNs(): bigint {
    return super.monotonicNs() + this.workNs
  }
}

describe('stream', () => {
  it('sends every tick of the interval, on the grid, strictly rising', async () => {
    const { port, clock, server } = await startServer()
    const peer = await attachViewer(port, 10n * MS)
    clock.advance(10_000)
    let last = 0n
    let infos = 0
    for (let i = 0; i < 1002; i++) {
      const packet = await takePacket(peer)
      if (packet.kind === 'info') infos++
      else {
        assert.equal(packet.t, last + 10n * MS)
        last = packet.t
      }
    }
    assert.equal(last, 10_000n * MS)
    assert.equal(infos, 2)
    assert.equal(server.connections()[0]?.facts.missed, 0)
  })

  it('collapses ticks that a blocked process has missed into one, and counts them', async () => {
    const { port, clock, reports, server } = await startServer()
    const peer = await attachViewer(port, 100n * MS)
    clock.stall(950)
    assert.equal((await takeSnapshot(peer)).t, 900n * MS)
    clock.advance(50)
    assert.equal((await takeSnapshot(peer)).t, 1000n * MS)
    assert.equal(reports.counts['ticks_missed late'], 8)
    assert.equal(server.connections()[0]?.facts.missed, 8)
  })

  it('sends one Info after a long block, then keeps to its grid', async () => {
    const { port, clock, server } = await startServer()
    await attachViewer(port, 2n ** 64n - 1n)
    clock.stall(61_000)
    assert.equal(server.connections()[0]?.facts.infos, 2)
    clock.advance(4000)
    assert.equal(server.connections()[0]?.facts.infos, 3)
  })

  it('sends Info every five seconds, behind a snapshot that is due with it', async () => {
    const { port, clock } = await startServer()
    const slow = await attachViewer(port, 60_000n * MS)
    for (let i = 1; i <= 11; i++) {
      clock.advance(5000)
      assert.equal((await takePacket(slow)).kind, 'info')
    }
    clock.advance(5000)
    assert.equal((await takeSnapshot(slow)).t, 60_000n * MS)
    assert.equal((await takePacket(slow)).kind, 'info')
  })

  it('shows a new series in the next snapshot and Info, and drops a removed one', async () => {
    const { port, clock, source } = await startServer()
    const remove = source.add('a', () => 1)
    const peer = await attachViewer(port, 1000n * MS)
    source.add('never set', () => Number.NaN)
    clock.advance(1000)
    const snapshot = await takeSnapshot(peer)
    assert.deepEqual(valuesOf(snapshot), { a: 1, 'never set': Number.NaN })
    remove()
    clock.advance(4000)
    for (const t of [2000n, 3000n, 4000n, 5000n]) {
      const next = await takeSnapshot(peer)
      assert.equal(next.t, t * MS)
      assert.deepEqual(next.names, ['never set'])
    }
    assert.deepEqual([...(await takeInfo(peer)).metrics.keys()], ['never set'])
  })

  it('raises a request of one nanosecond to the shortest interval, and says so', async () => {
    const { port, clock, reports, server } = await startServer()
    const peer = await attachViewer(port, 1n)
    clock.advance(3)
    for (const t of [1n, 2n, 3n]) assert.equal((await takeSnapshot(peer)).t, t * MS)
    assert.equal(server.connections()[0]?.facts.isClamped, true)
    assert.equal(server.connections()[0]?.facts.intervalMs, 1)
    assert.equal(reports.lines[0]?.facts.requestedNs, 1n)
  })

  it('serves an interval of 2^64 - 1 with Info only, and leaves no timer behind', async () => {
    const { port, clock, server } = await startServer()
    const peer = await attachViewer(port, 2n ** 64n - 1n)
    clock.advance(10_000)
    assert.equal((await takePacket(peer)).kind, 'info')
    assert.equal((await takePacket(peer)).kind, 'info')
    peer.close()
    // The close is noticed at a write, as by the real server.
    while (server.connections().length > 0) {
      clock.advance(5000)
      await turn()
    }
    assert.equal(clock.pending, 0)
  })

  it('goes on after the client has closed its side, and ignores what it sends', async () => {
    const { port, clock, reports, server } = await startServer()
    const peer = await attachViewer(port, 10n * MS)
    peer.write(hex('010203'))
    await until(() => server.connections()[0]?.facts.ignoredBytes === 3)
    peer.socket.end()
    await turn()
    clock.advance(10)
    assert.equal((await takeSnapshot(peer)).t, 10n * MS)
    assert.equal(reports.counts['bytes_ignored behind_settings'], 3)
  })

  it('leaves nothing behind after many connections', async () => {
    const { port, clock, server } = await startServer()
    for (let i = 0; i < 50; i++) {
      const peer = await attachViewer(port, 10n * MS)
      peer.close()
    }
    while (server.connections().length > 0) {
      clock.advance(10)
      await turn()
    }
    assert.equal(clock.pending, 0)
    assert.equal(server.valuesSent, 0)
  })

  it('costs a callback that throws its own value only, and logs it once', async () => {
    const { port, clock, source, reports } = await startServer()
    source.add('good', () => 2.5)
    source.add('bad', () => {
      throw new Error('no such sensor')
    })
    source.add('big', () => 2n ** 60n)
    const peer = await attachViewer(port, 10n * MS)
    clock.advance(20)
    for (let i = 0; i < 2; i++) {
      const values = valuesOf(await takeSnapshot(peer))
      assert.deepEqual(values, { good: 2.5, bad: Number.NaN, big: 2 ** 60 })
    }
    assert.equal(reports.counts['value_errors callback'], 3)
    assert.equal(reports.lines.filter(({ level }) => level === 'error').length, 1)
  })

  it('reads the values once for all viewers of one moment', async () => {
    const { port, clock, source } = await startServer()
    let reads = 0
    source.add('x', () => ++reads)
    const peers = [await attachViewer(port, 10n * MS), await attachViewer(port, 10n * MS)]
    const before = reads
    clock.advance(10)
    const values = await Promise.all(peers.map(takeSnapshot))
    assert.equal(reads, before + 1)
    assert.deepEqual(values[0]?.values, values[1]?.values)
  })

  it('takes a first list of very many series over in slices', async () => {
    const clock = new WorkingClock()
    const series = Array.from({ length: 1000 }, (_, i) => ({
      get identity(): Identity {
        clock.workNs += MS / 100n
        return { name: `s${String(i).padStart(4, '0')}`, kind: 'gauge', labels: [] }
      },
      metadata: { dialect: 'test' },
      isEstimated: false,
    }))
    const read = (target: Float64Array): void => void target.fill(7)
    const source = { revision: 1, list: () => series, read }
    const server = new ScopeServer({ source, port: 0, clock })
    atEnd(() => server.close())
    await server.start()
    const peer = await connectViewer(server.port)
    peer.write(frame(encodeSettings(MS)))
    while (peer.received.length === 0) {
      await turn()
      clock.advance(1)
    }
    // 1000 names of at least 10 µs, 4 ms at a time
    assert.ok(clock.pauses > 2, `${clock.pauses} pauses`)
    assert.equal((await takeInfo(peer)).metrics.size, 1000)
    const { t, values } = await takeSnapshot(peer)
    assert.deepEqual([t, new Set(values)], [0n, new Set([7])])
  })

  it('spends little on a list that changes all the time', async () => {
    const clock = new WorkingClock()
    const source = new CallbackSource()
    source.add('a', () => 1)
    const server = new ScopeServer({ source, port: 0, clock })
    atEnd(() => server.close())
    await server.start()
    const { port } = server
    const list = source.list.bind(source)
    source.list = () => {
      clock.workNs += MS
      return list()
    }
    const peer = await attachViewer(port, MS)
    for (let i = 0; i < 40; i++) {
      source.add(`b${i}`, () => 2)
      clock.advance(1)
    }
    // A list takes 1 ms, so the next is taken 20 ms later.
    assert.equal(clock.workNs, 3n * MS)
    for (let i = 0; i < 10; i++) assert.deepEqual((await takeSnapshot(peer)).names, ['a'])
  })

  it('goes on when the whole source fails, without values', async () => {
    const { port, clock, source, reports } = await startServer()
    source.add('x', () => 1)
    const peer = await attachViewer(port, 10n * MS)
    source.read = () => {
      throw new Error('no values today')
    }
    clock.advance(10)
    assert.deepEqual(valuesOf(await takeSnapshot(peer)), { x: Number.NaN })
    assert.equal(reports.counts['value_errors source'], 1)
  })

  it('counts and logs once what it leaves out', async () => {
    const { port, source, reports, clock } = await startServer({ maxSeries: 1 })
    for (const name of ['a', 'b', 'c']) source.add(name, () => 1)
    const peer = await attachViewer(port, 10n * MS)
    source.add('d', () => 1)
    clock.advance(10)
    assert.deepEqual((await takeSnapshot(peer)).names, ['a'])
    assert.equal(reports.counts['series_omitted max_series'], 3)
    const lines = reports.lines.filter(({ message }) => message.includes('left out'))
    assert.deepEqual(lines[0]?.facts, { name: 'b', count: 2 })
    assert.equal(lines.length, 1)
  })

  it('refuses options that cannot be used', () => {
    const source = new CallbackSource()
    for (const options of [
      { settingsCapBytes: 53_137 },
      { maxClients: -1 },
      { handshakeTimeoutMs: '60' },
      { minIntervalMs: 0 },
      { infoIntervalMs: 0 },
      { framing: 'any' },
      { nameStyle: 'long' },
    ]) {
      assert.throws(() => new ScopeServer({ source, ...(options as object) }), RangeError)
    }
  })

  it('tells its status: framing, interval, time and counts of each viewer', async () => {
    const { port, clock, source, server } = await startServer()
    source.add('x', () => 1)
    const peer = await attachViewer(port, 20n * MS)
    clock.advance(40)
    await takeSnapshot(peer)
    await takeSnapshot(peer)
    const [status] = server.connections()
    assert.equal(status?.peer.address, '127.0.0.1')
    assert.deepEqual(status?.facts, {
      phase: 'streaming',
      framing: 'framed',
      intervalMs: 20,
      isClamped: false,
      tMs: 40,
      snapshots: 3,
      infos: 1,
      skipped: 0,
      missed: 0,
      bufferedBytes: 0,
      ignoredBytes: 0,
    })
    assert.equal(server.valuesSent, 3)
  })

  it('closes every connection and timer when it stops', async () => {
    const { port, clock, server, reports } = await startServer()
    const peers = [await attachViewer(port, MS), await connectViewer(port)]
    await server.close()
    await Promise.all(peers.map((peer) => peer.ended()))
    assert.equal(clock.pending, 0)
    assert.equal(reports.counts['clients_closed stopped'], 2)
  })
})

describe('slow viewers', () => {
  const FRAME_BYTES = 40_000
  const MAX_BUFFERED = 1 << 20

  /** A viewer that reads nothing, until snapshots are skipped; another one reads all. */
  async function startSlow() {
    const setup = await startServer({
      maxBufferedBytes: MAX_BUFFERED,
      // more than the quick one takes: only room in the socket is what counts here
      maxBytesPerSecond: 1 << 30,
      stallTimeoutMs: 2000,
    })
    const { port, clock, source, server, reports } = setup
    for (let i = 0; i < 1000; i++) source.add(`a name of some length ${i}`, () => i)
    const slow = await attachViewer(port, MS)
    slow.socket.pause()
    const quick = await attachViewer(port, MS)
    let last = 0n
    while ((reports.counts['snapshots_skipped backlog'] ?? 0) < 20) {
      clock.advance(1)
      const packet = await takeSnapshot(quick)
      assert.equal(packet.t, last + MS)
      last = packet.t
    }
    const status = () =>
      server.connections().find(({ peer }) => peer.port === slow.socket.localPort)
    return { ...setup, slow, quick, status }
  }

  it('are skipped above the limit, and go on with true times when they read again', async () => {
    const { clock, slow, status } = await startSlow()
    const facts = status()!.facts
    assert.ok((facts.skipped as number) >= 20)
    assert.ok((facts.bufferedBytes as number) <= MAX_BUFFERED + FRAME_BYTES)
    slow.socket.resume()
    await until(() => status()!.facts.bufferedBytes === 0)
    clock.advance(1)
    let last = 0n
    let gaps = 0
    while (last < BigInt(status()!.facts.tMs as number) * MS) {
      const { t } = await takeSnapshot(slow)
      assert.ok(t > last)
      if (t > last + MS) gaps++
      last = t
    }
    assert.equal(gaps, 1)
  })

  it('are closed and counted when they take nothing for the stall timeout', async () => {
    const { clock, quick, reports, server, slow } = await startSlow()
    while (server.connections().length > 1) {
      clock.advance(1)
      assert.notEqual((await takePacket(quick)).kind, undefined)
    }
    assert.equal(reports.counts['clients_stalled no_progress'], 1)
    assert.equal(reports.counts['clients_closed stalled'], 1)
    slow.socket.resume()
    await slow.ended()
  })

  it('are closed, the longest behind first, once all of them hold too much', async () => {
    const { port, clock, source, server, reports } = await startServer({
      maxBytesPerSecond: 1 << 30,
      maxHeldBytes: 1 << 20,
      stallTimeoutMs: 3_600_000,
    })
    for (let i = 0; i < 1000; i++) source.add(`a name of some length ${i}`, () => i)
    const slow = await attachViewer(port, MS)
    slow.socket.pause()
    const quick = await attachViewer(port, MS)
    while (server.connections().length > 1) {
      clock.advance(1)
      if (slow.socket.destroyed) break
      await turn()
    }
    assert.equal(reports.counts['clients_stalled held_bytes'], 1)
    assert.equal(server.connections()[0]?.peer.port, quick.socket.localPort)
    clock.advance(2)
    assert.ok((await takePacket(quick)).kind !== undefined)
  })

  it('are closed, of the address that holds most, once all of them hold too much', async () => {
    const { port, clock, source, server, reports } = await startServer({
      maxBytesPerSecond: 1 << 30,
      maxHeldBytes: 1 << 21,
      stallTimeoutMs: 3_600_000,
    })
    for (let i = 0; i < 1000; i++) source.add(`a name of some length ${i}`, () => i)
    const slow = await attachViewer(port, MS)
    slow.socket.pause()
    for (let i = 0; i < 3; i++) {
      const peer = await RawPeer.connect(port, '127.0.0.1', '127.0.0.2')
      atEnd(() => peer.close())
      await peer.take(2)
      peer.write(frame(encodeSettings(MS)))
      await peer.take(4)
      peer.socket.pause()
    }
    while (server.connections().length > 2) {
      clock.advance(1)
      await turn()
    }
    // the longest behind, of the address with fewer, is still there
    const addresses = server.connections().map(({ peer }) => peer.address)
    assert.deepEqual(addresses.sort(), ['127.0.0.1', '127.0.0.2'])
    assert.equal(reports.counts['clients_stalled held_bytes'], 2)
  })

  it('get an Info that came due meanwhile as soon as there is room', async () => {
    const { clock, source, server, port } = await startServer({
      maxBufferedBytes: 1 << 16,
      stallTimeoutMs: 3_600_000,
    })
    for (let i = 0; i < 1000; i++) source.add(`a name of some length ${i}`, () => i)
    const slow = await attachViewer(port, MS)
    slow.socket.pause()
    const facts = () => server.connections()[0]!.facts
    while (facts().skipped === 0) {
      clock.advance(1)
      await turn()
    }
    clock.advance(5000)
    assert.equal(facts().infos, 1)
    slow.socket.resume()
    await until(() => facts().infos === 2)
  })
})

describe('greedy viewers', () => {
  it('get no more bytes a second than their budget, on their own grid', async () => {
    const limit = 1_000_000
    const { port, clock, source, server, reports } = await startServer({
      maxBytesPerSecond: limit,
    })
    for (let i = 0; i < 1000; i++) source.add(`a name of some length ${i}`, () => i)
    const peer = await attachViewer(port, MS)
    peer.socket.removeAllListeners('data').resume()
    const facts = () => server.connections()[0]!.facts as Record<string, number>
    const sent = async (seconds: number): Promise<number> => {
      const before = peer.socket.bytesRead
      for (let i = 0; i < seconds * 1000; i++) {
        clock.advance(1)
        if (i % 50 === 0) await until(() => facts().bufferedBytes === 0)
      }
      await until(() => facts().bufferedBytes === 0)
      return peer.socket.bytesRead - before
    }
    // what it may have at once, then what its budget renews
    await sent(2)
    const bytes = await sent(4)
    assert.ok(bytes <= 4.3 * limit && bytes >= 3.7 * limit, `${bytes} bytes in 4 s`)
    const { snapshots = 0, overBudget = 0, missed = 0, skipped } = facts()
    assert.equal(snapshots + overBudget + missed, 6001)
    assert.equal(skipped, 0)
    assert.equal(reports.counts['snapshots_skipped bytes_per_second'], overBudget)
    clock.advance(5000)
    assert.equal(facts().infos! >= 2, true, 'an Info is sent whatever the budget')
  })
})
