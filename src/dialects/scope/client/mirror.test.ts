import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runNow } from '../../../time/task.ts'
import { encodeInfo, encodeSnapshot } from '../codec/encode.ts'
import { decodePacket } from '../codec/packet.ts'
import type { Info, Snapshot } from '../spec.ts'
import { Mirror } from './mirror.ts'

type Labels = Readonly<Record<string, string>>

function infoOf(metrics: Readonly<Record<string, Labels>>): Info {
  const pairs = Object.entries(metrics).map(
    ([name, labels]) => [name, Object.entries(labels)] as const,
  )
  return decodePacket(encodeInfo(pairs)) as Info
}

function snapshotOf(tMs: number, values: Readonly<Record<string, number>>): Snapshot {
  return decodePacket(encodeSnapshot(BigInt(tMs) * 1_000_000n, Object.entries(values))) as Snapshot
}

function mirror(options: Partial<ConstructorParameters<typeof Mirror>[0]> = {}) {
  const made = new Mirror({ maxSeries: 100, maxSeriesBytes: 1e6, promoteLabels: [], ...options })
  made.begin()
  return {
    info: (info: Info, nowMs: number) => runNow(made.info(info, nowMs)),
    snapshot: (snapshot: Snapshot, nowMs: number) => runNow(made.snapshot(snapshot, nowMs)),
    forget: made.forget.bind(made),
    takeOmitted: made.takeOmitted.bind(made),
    series: () => [...made.series],
    size: () => made.size,
  }
}

describe('series of a server', () => {
  it('stay the same while their labels flip in every Info', () => {
    const under = mirror()
    const [series] = under.info(infoOf({ dup: { inst: '1' } }), 0)
    for (const inst of ['2', '1', '2']) {
      assert.deepEqual(under.info(infoOf({ dup: { inst, plot: 'p', color: 'red' } }), 0), [])
    }
    const sample = under.snapshot(snapshotOf(0, { dup: 1 }), 0)
    assert.equal(sample.series[0]?.identity, series?.identity)
    assert.deepEqual(sample.series[0]?.metadata, { dialect: 'scope', plot: 'p', color: 'red' })
    assert.deepEqual(sample.series[0]?.labels.get('inst'), '2')
    assert.equal(under.size(), 1)
  })

  it('are there at once without Info, and get their metadata when it comes', () => {
    const under = mirror()
    const first = under.snapshot(snapshotOf(0, { late: 1 }), 0)
    assert.deepEqual(first.series[0]?.identity, { name: 'late', kind: 'gauge', labels: [] })
    assert.deepEqual(under.info(infoOf({ late: { unit: 'ms', plot: 'p' } }), 0), [])
    const second = under.snapshot(snapshotOf(1, { late: 1 }), 1)
    assert.deepEqual(second.series[0]?.metadata, { dialect: 'scope', unit: 'ms', plot: 'p' })
  })

  it('take a folded name apart only when Info confirms every pair', () => {
    const under = mirror()
    const info = infoOf({
      'temp{room:2}': { room: '2', floor: '1' },
      'x{a:1}': { a: '2' },
    })
    under.info(info, 0)
    const identities = under.series().map(({ identity }) => identity)
    assert.deepEqual(identities, [
      { name: 'temp', kind: 'gauge', labels: [['room', '2']] },
      { name: 'x{a:1}', kind: 'gauge', labels: [] },
    ])
  })

  it('wait for the Info when a name looks folded, but not for ever', () => {
    const under = mirror()
    const at = (ms: number) =>
      under.snapshot(snapshotOf(ms, { 'a{k:v}': 1, 'b{k:v}': 2 }), ms).series
    assert.deepEqual(at(0), [undefined, undefined])
    under.info(infoOf({ 'a{k:v}': { k: 'v' } }), 0)
    assert.deepEqual(at(5000)[0]?.identity.labels, [['k', 'v']])
    assert.equal(at(9999)[1], undefined)
    assert.deepEqual(at(10_000)[1]?.identity, { name: 'b{k:v}', kind: 'gauge', labels: [] })
  })

  it('freeze the first value of promoted labels into their identity', () => {
    const under = mirror({ promoteLabels: ['host'] })
    under.info(infoOf({ load: { host: 'a', x: '1' } }), 0)
    under.info(infoOf({ load: { host: 'b', x: '2' } }), 0)
    const [series] = under.series()
    assert.deepEqual(series?.identity.labels, [['host', 'a']])
    assert.equal(series?.labels.get('host'), 'b')
  })

  it('end at the limit, which is counted', () => {
    const under = mirror({ maxSeries: 2 })
    const sample = under.snapshot(snapshotOf(0, { a: 1, b: 2, c: 3 }), 0)
    assert.deepEqual(
      sample.series.map((series) => series?.wireName),
      ['a', 'b', undefined],
    )
    assert.deepEqual(under.takeOmitted(), { max_series: 1, max_bytes: 0 })
  })

  it('have room for so many bytes of names and labels, and what does not fit is counted', () => {
    const under = mirror({ maxSeriesBytes: 10_000 })
    const names = Array.from({ length: 20 }, (_, i) => `${i}`.padStart(3000, 'n'))
    const values = Object.fromEntries(names.map((name) => [name, 1]))
    under.snapshot(snapshotOf(0, { small: 1, ...values }), 0)
    assert.deepEqual([under.size(), under.takeOmitted()], [1, { max_series: 0, max_bytes: 20 }])
    under.info(infoOf({ small: { unit: 'm', long: 'l'.repeat(6000) } }), 0)
    const [small] = under.series()
    assert.deepEqual([small?.metadata.unit, small?.labels.size], [undefined, 0])
    assert.deepEqual(under.takeOmitted(), { max_series: 0, max_bytes: 1 })
  })

  it('make room when the server has stopped sending them, or when they are of no use', () => {
    const under = mirror({ maxSeries: 2 })
    const namesAt = (ms: number, ...names: string[]) => {
      const values = Object.fromEntries(names.map((name) => [name, 1]))
      const { series } = under.snapshot(snapshotOf(ms, values), ms)
      return series.map((each) => each?.wireName)
    }
    under.info(infoOf({ a: {}, b: {} }), 0)
    assert.deepEqual(namesAt(1, 'b', 'c'), ['b', undefined])
    assert.deepEqual(namesAt(2, 'c'), [undefined], 'the newest Info still says both')
    under.info(infoOf({ b: {} }), 1010)
    assert.deepEqual(namesAt(1011, 'c', 'd'), ['c', undefined])
    const c = under.series().find(({ wireName }) => wireName === 'c')!
    under.forget(c)
    assert.deepEqual(namesAt(1012, 'd'), ['d'])
  })

  it('hold no room while their names, which no Info tells of, come once each', () => {
    const under = mirror({ maxSeries: 10 })
    for (let i = 0; i < 100; i++) under.snapshot(snapshotOf(i, { [`n${i}{k:v}`]: 1 }), i)
    assert.equal(under.takeOmitted().max_series, 80, 'room is made once a second')
    under.snapshot(snapshotOf(100, { plain: 1 }), 2000)
    assert.equal(under.size(), 1)
  })

  it('are looked up once while the names stay the same array', () => {
    const under = mirror()
    const snapshot = snapshotOf(0, { a: 1 })
    const first = under.snapshot(snapshot, 0).series
    assert.equal(under.snapshot({ ...snapshot, t: 5n }, 1).series, first)
    under.info(infoOf({ a: {} }), 0)
    assert.notEqual(under.snapshot({ ...snapshot, t: 6n }, 2).series, first)
  })
})

describe('wall time of samples', () => {
  it('is that of the packet that was delayed least', () => {
    const under = mirror()
    const times = [
      [0, 1050],
      [100, 1120],
      [200, 1390],
    ].map(([t, arrival]) => under.snapshot(snapshotOf(t!, { a: 1 }), arrival!).timeMs)
    assert.deepEqual(times, [1050, 1120, 1220])
  })

  it('forgets a delay that is more than a minute old', () => {
    const under = mirror()
    under.snapshot(snapshotOf(0, {}), 1000)
    assert.equal(under.snapshot(snapshotOf(59_000, {}), 60_500).timeMs, 60_000)
    assert.equal(under.snapshot(snapshotOf(60_000, {}), 61_500).timeMs, 61_500)
  })

  it('follows a wall clock that is set back', () => {
    const under = mirror()
    under.snapshot(snapshotOf(0, {}), 100_000)
    assert.equal(under.snapshot(snapshotOf(1000, {}), 41_000).timeMs, 41_000)
  })

  it('begins anew when the time of the server falls', () => {
    const under = mirror()
    under.snapshot(snapshotOf(5000, {}), 10_000)
    const sample = under.snapshot(snapshotOf(0, {}), 20_000)
    assert.equal(sample.timeMs, 20_000)
    assert.equal(sample.epoch, 2)
  })
})
