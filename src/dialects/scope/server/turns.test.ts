import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { RawPeer } from '../../../../test/support/raw-peer.ts'
import { encodeSettings } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { ScopeServer } from '../server.ts'
import {
  atEnd,
  attachViewer,
  cleanUp,
  MS,
  startServer,
  takeSnapshot,
  until,
} from '../test/scope-server.ts'
import { CallbackSource } from './callback-source.ts'
import { Turns } from './turns.ts'

afterEach(cleanUp)

function start() {
  const clock = new FakeClock()
  const loops: (() => void)[] = []
  const turns = new Turns(clock, (callback) => loops.push(callback))
  const seen: string[] = []
  const due = (address: string, name: string): void =>
    turns.run(address, () => {
      seen.push(name)
      clock.pass(1)
    })
  const iterate = (): string[] => {
    seen.length = 0
    loops.shift()?.()
    return [...seen]
  }
  return { clock, turns, loops, seen, due, iterate }
}

describe('turns of viewers', () => {
  it('come at once while there is time, 4 ms in an iteration, then one after another', () => {
    const { due, seen, iterate, loops } = start()
    for (let i = 0; i < 10; i++) due('a', `${i}`)
    assert.deepEqual(seen, ['0', '1', '2', '3'])
    assert.deepEqual(iterate(), ['4', '5', '6', '7'])
    due('a', 'late')
    assert.deepEqual(iterate(), ['8', '9', 'late'])
    assert.deepEqual([iterate(), loops.length], [[], 0])
    due('a', 'again')
    assert.deepEqual(seen, ['again'])
  })

  it('go round addresses, so that one with few viewers does not wait for one with many', () => {
    const { due, iterate } = start()
    for (let i = 0; i < 4; i++) due('z', 'at once')
    for (let i = 0; i < 6; i++) due('a', `a${i}`)
    for (let i = 0; i < 2; i++) due('b', `b${i}`)
    assert.deepEqual(iterate(), ['a0', 'b0', 'a1', 'b1'])
    assert.deepEqual(iterate(), ['a2', 'a3', 'a4', 'a5'])
  })

  it('tell those who waited since when their iteration has run, and others only now', () => {
    const { clock, turns, loops } = start()
    const since: bigint[] = []
    for (let i = 0; i < 6; i++) {
      turns.run('a', (sinceNs) => {
        since.push(sinceNs)
        clock.pass(2)
      })
    }
    loops.shift()!()
    loops.shift()!()
    assert.deepEqual(
      since,
      [0n, 2n, 4n, 4n, 8n, 8n].map((ms) => ms * MS),
    )
  })
})

/** A clock on which every look takes a tenth of a millisecond. */
class SlowClock extends FakeClock {
  override monotonicNs(): bigint {
    this.pass(0.1)
    return super.monotonicNs()
  }
}

describe('many viewers', () => {
  it('that are due together are served in turns, who comes late with its true time', async () => {
    const clock = new SlowClock()
    const source = new CallbackSource()
    source.add('a', () => 1)
    const server = new ScopeServer({ source, port: 0, clock })
    atEnd(() => server.close())
    await server.start()
    const peers: RawPeer[] = []
    for (let i = 0; i < 30; i++) peers.push(await attachViewer(server.port, 1000n * MS))
    const sum = (fact: string): number =>
      server.connections().reduce((all, { facts }) => all + (facts[fact] as number), 0)
    assert.equal(sum('snapshots'), 30)
    clock.advance(1100)
    const atOnce = sum('snapshots') - 30
    assert.ok(atOnce > 0 && atOnce < 30, `${atOnce} snapshots in one step`)
    await until(() => sum('snapshots') === 60)
    for (const peer of peers) assert.equal((await takeSnapshot(peer)).t, 1000n * MS)
    assert.equal(sum('missed'), 0)
  })

  it('share the bytes of all by address, and each has its share at least', async () => {
    const limit = 1_000_000
    const { port, clock, source, server, reports } = await startServer({
      maxTotalBytesPerSecond: limit,
      infoIntervalMs: 3_600_000,
    })
    for (let i = 0; i < 200; i++) source.add(`a name of some length ${i}`, () => i)
    for (const address of ['127.0.0.1', '127.0.0.2', '127.0.0.2', '127.0.0.2']) {
      const peer = await RawPeer.connect(port, '127.0.0.1', address)
      atEnd(() => peer.close())
      await peer.take(2)
      peer.write(frame(encodeSettings(MS)))
      peer.socket.removeAllListeners('data').resume()
    }
    type Facts = Readonly<Record<string, number>>
    const all = () => server.connections().map(({ facts }) => facts as Facts)
    await until(() => all().every(({ snapshots }) => snapshots === 1))
    const run = async (seconds: number): Promise<number[]> => {
      const before = all().map(({ snapshots }) => snapshots!)
      for (let i = 0; i < seconds * 1000; i++) {
        clock.advance(1)
        if (i % 20 === 0) await until(() => all().every((facts) => facts.bufferedBytes === 0))
        if (i % 20 === 10) await turn()
      }
      return all().map(({ snapshots }, i) => snapshots! - before[i]!)
    }
    // what they may have at once, then what is renewed
    await run(2)
    const [alone = 0, ...others] = await run(10)
    const size = 200 * (1 + 'a name of some length 100'.length + 9)
    const bytes = (alone + others.reduce((a, b) => a + b)) * size
    assert.ok(bytes <= 10.6 * limit && bytes >= 8 * limit, `${bytes} bytes in 10 s`)
    const share = (10 * limit) / 2 / size
    assert.ok(alone >= 0.9 * share, `${alone} snapshots alone of ${share}`)
    for (const each of others) assert.ok(each >= 0.3 * share, `${others} of ${share} together`)
    const counted = reports.counts['snapshots_skipped total_bytes_per_second'] ?? 0
    assert.ok(counted > 0)
    assert.equal(
      counted,
      all().reduce((sum, { overShare = 0 }) => sum + overShare, 0),
    )
    assert.equal(reports.counts.ticks_missed, undefined)
  })
})
