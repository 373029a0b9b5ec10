import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, sendUdp, startHub } from '../../../test/support/hub/hub.ts'
import { CounterFeed } from '../../dialects/eventcounters/test/counter-feed.ts'
import type { SnapshotSource } from '../../dialects/snapshot-source.ts'

function valuesOf(source: SnapshotSource): Record<string, number> {
  const list = source.list()
  const values = new Float64Array(list.length)
  source.read(values)
  const names = list.map(({ identity, statistic }) =>
    statistic === undefined ? identity.name : `${identity.name}.${statistic}`,
  )
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]))
}

test('counters are rates a minute, and totals, net of what counted down', async () => {
  const started = await startHub()
  const { hub, clock } = started
  const canonical = hub.openSnapshot([])
  await sendUdp(started, [packet('a:5|m\na:-2|m\n')])
  assert.deepEqual(valuesOf(canonical), { a: Number.NaN, 'a.total': Number.NaN })
  clock.advance(1000)
  assert.deepEqual(valuesOf(canonical), { a: 180, 'a.total': 3 })
  clock.advance(1000)
  assert.deepEqual(valuesOf(canonical), { a: 0, 'a.total': 3 })
  await hub.stop()
})

test('gauges are read as they are now, and stay however long they are silent', async () => {
  const started = await startHub({ staleAfterS: 10 })
  const { hub, clock } = started
  const canonical = hub.openSnapshot([])
  await sendUdp(started, [packet('q:7|g\n')])
  assert.deepEqual(valuesOf(canonical), { q: 7 })
  await sendUdp(started, [packet('q:-3|g\n')])
  assert.deepEqual(valuesOf(canonical), { q: -3 })
  clock.advance(12_000)
  assert.deepEqual(valuesOf(canonical), { q: -3 })
  await hub.stop()
})

test('distributions are means, and further statistics as asked for', async () => {
  const started = await startHub()
  const { hub, clock } = started
  const canonical = hub.openSnapshot(['count', 'max', 'p50'])
  await sendUdp(started, [packet('t:10|h\nt:20|h\nt:60|h\n')])
  clock.advance(1000)
  const { 't.p50': median, ...values } = valuesOf(canonical)
  assert.deepEqual(values, { t: 30, 't.count': 3, 't.max': 60 })
  assert.equal(Math.abs(median! - 20) < 0.1, true)
  clock.advance(1000)
  // nobody looked in the second of which the values are
  const late = hub.openSnapshot(['count', 'max', 'p50'])
  late.list()
  clock.advance(1000)
  for (const each of [canonical, late]) {
    assert.deepEqual(valuesOf(each), { ...values, 't.p50': median })
  }
  clock.advance(30_000)
  assert.deepEqual(valuesOf(canonical), { ...values, 't.p50': median })
  await sendUdp(started, [packet('t:5|h\n')])
  clock.advance(1000)
  for (const each of [canonical, late]) assert.equal(valuesOf(each).t, 5)
  await hub.stop()
})

test('a gauge that was never set has no value, one beyond 2^53 the nearest double', async () => {
  const started = await startHub()
  const { hub } = started
  const canonical = hub.openSnapshot([])
  const identity = { name: 'unset', kind: 'gauge', labels: [] } as const
  hub.series.define({ identity, metadata: { dialect: 'test' }, source: '192.0.2.1' })
  await sendUdp(started, [packet(`large:${2n ** 53n + 3n}|g\n`)])
  assert.deepEqual(valuesOf(canonical), { unset: Number.NaN, large: 2 ** 53 + 4 })
  await hub.stop()
})

test('the list keeps its values when a series joins', async () => {
  const started = await startHub()
  const { hub, clock } = started
  const canonical = hub.openSnapshot([])
  await sendUdp(started, [packet('a:1|m\n')])
  clock.advance(1000)
  const { revision } = canonical
  await sendUdp(started, [packet('b:1|m\n')])
  assert.equal(canonical.revision > revision, true)
  assert.deepEqual(valuesOf(canonical), {
    ...{ a: 60, 'a.total': 1 },
    ...{ b: Number.NaN, 'b.total': Number.NaN },
  })
  await hub.stop()
})

test('windows are the mean of the newest, and the rate until the next is overdue', async () => {
  const started = await startHub()
  const { hub, clock } = started
  const canonical = hub.openSnapshot([])
  const counters = new CounterFeed(hub.createIngest('eventcounters'))
  const tenSeconds = (): void => {
    counters.sum('per-minute', 5.5, {}, 10)
    counters.sum('per-second', 5.5, { rateScaleSec: 1 }, 11)
    counters.mean('t', [1, 3], {}, 10)
    counters.mean('quiet', [], {}, 10)
  }
  tenSeconds()
  const held = { 'per-minute.total': 5.5, 'per-second.total': 5.5, t: 2, quiet: 0 }
  const shown = { 'per-minute': 33, 'per-second': 0.5, ...held }
  for (let second = 1; second <= 20; second++) {
    clock.advance(1000)
    assert.deepEqual(valuesOf(canonical), shown, `after ${second} s`)
  }
  clock.advance(5000)
  const overdue = { 'per-minute': Number.NaN, 'per-second': Number.NaN, ...held }
  assert.deepEqual(valuesOf(canonical), overdue)
  tenSeconds()
  clock.advance(1000)
  const totals = { 'per-minute.total': 11, 'per-second.total': 11 }
  assert.deepEqual(valuesOf(canonical), { ...shown, ...totals })
  await hub.stop()
})

test('series that left are gone at once, and values of the others stay with them', async () => {
  const started = await startHub()
  const { hub, clock } = started
  const canonical = hub.openSnapshot([])
  await sendUdp(started, [packet('a:1|m\nb:2|m\nc:7|g\n')])
  clock.advance(1000)
  assert.deepEqual(valuesOf(canonical), { a: 60, 'a.total': 1, b: 120, 'b.total': 2, c: 7 })
  hub.series.retire([...hub.series].find(({ identity }) => identity.name === 'a')!)
  assert.deepEqual(valuesOf(canonical), { b: 120, 'b.total': 2, c: 7 })
  clock.advance(1000)
  assert.deepEqual(valuesOf(canonical), { b: 0, 'b.total': 2, c: 7 })
  await hub.stop()
})

test('of very many series a list tells some more each time, until its revision stays', async () => {
  const { hub } = await startHub({ seriesLimitPerSource: 20_000 })
  const canonical = hub.openSnapshot([])
  for (let i = 0; i < 20_000; i++) {
    hub.series.define({
      identity: { name: `n${i}`, kind: 'gauge', labels: [] },
      metadata: { dialect: 'test' },
      source: '192.0.2.1',
    })
  }
  const lengths: number[] = []
  for (let revision = -1; revision !== canonical.revision; ) {
    revision = canonical.revision
    lengths.push(canonical.list().length)
  }
  assert.deepEqual([lengths.length, lengths.at(-1)], [3, 20_000])
  assert.ok(lengths[0]! <= 8192, 'a bounded number at once')
  await hub.stop()
})
