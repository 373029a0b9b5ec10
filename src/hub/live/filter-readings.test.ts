/** What filters write, which the zone keeps in other forms: a tick reads it all the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import type { Cell, Histogram, Kind } from '../../model/index.ts'
import { Zone } from '../../shm/index.ts'
import type { NewSeries } from '../ingest/definition.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import { Windows } from '../ingest/windows/windows.ts'
import type { SeriesRecord } from '../series/record.ts'
import { SeriesStore } from '../series/series.ts'
import { runNow } from '../tasks/task.ts'
import type { Frame } from './frame.ts'
import { Samples } from './samples/samples.ts'
import { CellCloser } from './tick.ts'
import { type SharedSources, Totals } from './totals.ts'

type Storage = NonNullable<NewSeries['storage']>

const STORAGES: Partial<Record<Kind, Storage>> = {
  counter: { type: 'counter', mode: 'wrapping' },
  gauge: { type: 'gauge', mode: 'shared' },
  histogram: { type: 'dense', mode: 'integers' },
}

class Bench {
  readonly zone = Zone.create()
  readonly active = new Set<string>()
  readonly wrapped = new Set<string>()
  readonly sources: SharedSources = {
    isActive: (source) => this.active.has(source),
    hasWrapped: (source) => this.wrapped.has(source),
  }
  readonly reader = this.zone.reader()
  readonly totals = new Totals(this.zone, this.reader, [this.sources])
  now = 0
  readonly store = new SeriesStore(this.zone, SERIES_LIMITS, () => this.now * 1000)
  readonly writer = this.zone.attach()
  readonly windows = new Windows(this.writer)
  readonly samples = new Samples()
  readonly closer = new CellCloser(this)

  define(name: string, kind: Kind, storage = STORAGES[kind]): SeriesRecord {
    const record = this.store.define({
      identity: { name, kind, labels: [['filter', 'f']] },
      metadata: { dialect: 'proxywasm' },
      source: 'filter f',
      ...(storage === undefined ? {} : { storage }),
    })
    if (typeof record === 'string') throw new Error(record)
    return record
  }

  tick(): Frame {
    this.now++
    return this.closer.close(this.now * 1000, 1)
  }

  cell(frame: Frame, { id, identity }: SeriesRecord): Cell | undefined {
    return frame.cell(id, identity.kind)
  }
}

function histogramOf(cell: Cell | undefined): Histogram {
  assert.equal(cell?.kind, 'histogram')
  return (cell as { histogram: Histogram }).histogram
}

test('the cell of a dense histogram is what its bins gained, above 2^31 - 1 kept apart', () => {
  const bench = new Bench()
  const record = bench.define('took', 'histogram')
  const handle = bench.writer.dense(record.metric)!
  for (const value of [0, 1, 10]) handle.observe(value)
  bench.tick()
  for (const value of [1, 2, 10, 16, 2 ** 31 - 1, 2 ** 31]) handle.observe(value)
  handle.observe(2n ** 60n)
  const gained = histogramOf(bench.cell(bench.tick(), record))
  assert.deepEqual([gained.count, gained.zeroCount, gained.zeroThreshold], [7n, 1n, 1])
  assert.deepEqual([gained.overflow, gained.overflowFrom], [2n, 2 ** 31])
  const buckets: [number, bigint][] = []
  gained.positive.forEach((index, count) => {
    buckets.push([index, count])
  })
  assert.deepEqual(buckets, [
    [0, 1n],
    [3, 2n],
    [30, 1n],
  ])
  assert.equal(gained.sum, 2n ** 60n + BigInt(29 + 2 ** 31 - 1 + 2 ** 31))
  assert.equal(bench.cell(bench.tick(), record), undefined)
  const total = bench.totals.of(record)
  assert.equal(total.kind === 'histogram' ? total.histogram.count : 0n, 10n)
})

test('the sum of a dense histogram may pass 2^64 between two ticks', () => {
  const bench = new Bench()
  const record = bench.define('took', 'histogram')
  const handle = bench.writer.dense(record.metric)!
  handle.observe(2n ** 64n - 3n)
  bench.tick()
  handle.observe(10)
  assert.equal(histogramOf(bench.cell(bench.tick(), record)).sum, 10)
})

test('the cell of a histogram between bounds of its own is what each gained', () => {
  const bench = new Bench()
  const storage = { type: 'binned', mode: 'plain', bounds: [1, 10, 50] } as const
  const record = bench.define('took', 'histogram', storage)
  const handle = bench.writer.binned(record.metric)!
  for (const value of [0, 10, 11]) handle.observe(value)
  bench.tick()
  for (const value of [1, 10, 2n ** 40n]) handle.observe(value)
  handle.observe(2n ** 64n - 5n)
  const gained = histogramOf(bench.cell(bench.tick(), record))
  assert.deepEqual([gained.bounds, gained.count], [[1, 10, 50], 4n])
  assert.deepEqual([...gained.positive.counts], [1n, 1n, 0n, 2n])
  assert.equal(gained.sum, 2 ** 40 + 6, 'modulo 2^64')
  assert.equal(bench.cell(bench.tick(), record), undefined)
  const total = bench.totals.of(record)
  assert.ok(total.kind === 'histogram')
  assert.deepEqual([...total.histogram.positive.counts], [2n, 2n, 1n, 2n])
  for (const bounds of [
    [1, 10],
    [1, 10, 51],
    [1, 10, 50, 60],
  ]) {
    assert.throws(() => bench.define('took', 'histogram', { ...storage, bounds }), /type_mismatch/)
  }
  assert.equal(bench.define('took', 'histogram', storage).id, record.id)
})

test('a shared gauge has a cell where its value differs, and stays fresh with its filter', () => {
  const bench = new Bench()
  const record = bench.define('open', 'gauge')
  const handle = bench.writer.sharedGauge(record.metric)!
  assert.deepEqual(bench.cell(bench.tick(), record), { kind: 'gauge', value: 0, at: 1000 })
  handle.set(42)
  assert.deepEqual(bench.cell(bench.tick(), record), { kind: 'gauge', value: 42, at: 2000 })
  handle.set(42)
  assert.equal(bench.cell(bench.tick(), record), undefined)
  assert.equal(record.lastDataMs, 2000)
  bench.active.add('filter f')
  bench.tick()
  assert.equal(record.lastDataMs, 4000)
})

test('a shared gauge below zero is negative once its filter is known to have gone there', () => {
  const bench = new Bench()
  const record = bench.define('open', 'gauge')
  bench.writer.sharedGauge(record.metric)!.add(-3)
  assert.deepEqual(bench.totals.of(record), { kind: 'gauge', value: 2n ** 64n - 3n })
  bench.wrapped.add('filter f')
  assert.deepEqual(bench.totals.of(record), { kind: 'gauge', value: -3 })
  assert.deepEqual(bench.cell(bench.tick(), record), { kind: 'gauge', value: -3, at: 1000 })
})

test('a counter that is set lower goes on from its total, which never falls', () => {
  const bench = new Bench()
  const record = bench.define('calls', 'counter', { type: 'counter', mode: 'settable' })
  const handle = bench.writer.settableCounter(record.metric)!
  handle.add(100)
  bench.tick()
  handle.setTotal(7)
  assert.deepEqual(bench.cell(bench.tick(), record), { kind: 'counter', delta: 7 })
  assert.ok(record.kind === 'counter')
  assert.equal(record.falls, undefined)
  handle.add(5)
  assert.deepEqual(bench.cell(bench.tick(), record), { kind: 'counter', delta: 5 })
  assert.deepEqual(bench.totals.of(record), { kind: 'counter', total: 112, decrements: 0 })
})

test('a wrapping counter that falls is a reset: it counts on from the new total', () => {
  const bench = new Bench()
  const record = bench.define('calls', 'counter')
  const handle = bench.writer.counter(record.metric)!
  handle.add(100)
  bench.tick()
  handle.add(-93)
  assert.deepEqual(bench.cell(bench.tick(), record), { kind: 'counter', delta: 7 })
  assert.ok(record.kind === 'counter')
  assert.deepEqual(record.falls, { count: 1, lastMs: 2000, lost: 100n })
  assert.deepEqual(bench.totals.of(record), { kind: 'counter', total: 7, decrements: 0 })
})

test('series of every form between each other are each found in the frame', () => {
  const forms: readonly (readonly [Kind, Storage | undefined])[] = [
    ['gauge', STORAGES.gauge],
    ['gauge', undefined],
    ['histogram', STORAGES.histogram],
    ['histogram', undefined],
  ]
  holds(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(1000)), { maxLength: 30 }), (list) => {
      const bench = new Bench()
      const expected = list.map(([form, value], i) => {
        const [kind, storage] = forms[form]!
        const record = bench.define(`series ${i}`, kind, storage ?? plain(kind))
        const { metric } = record
        const { writer } = bench
        if (kind === 'histogram') {
          const handle = storage === undefined ? writer.exponential(metric) : writer.dense(metric)
          handle!.observe(value)
        } else if (storage === undefined) writer.gauge(metric)!.set(value)
        else writer.sharedGauge(metric)!.set(value)
        return [record, value] as const
      })
      const frame = bench.tick()
      for (const [record, value] of expected) {
        const cell = bench.cell(frame, record)
        if (record.identity.kind === 'gauge') {
          assert.deepEqual(cell, { kind: 'gauge', value, at: 1000 })
        } else assert.equal(histogramOf(cell).sum, value)
      }
    }),
    100,
  )
})

function plain(kind: Kind): Storage {
  return kind === 'gauge' ? { type: 'gauge', mode: 'last' } : { type: 'exponential', mode: 'plain' }
}

test('what a filter defines never expires, since the filter cannot forget it', () => {
  const bench = new Bench()
  const identity = { name: 'calls', kind: 'counter', labels: [] } as const
  const metadata = { dialect: 'proxywasm' }
  bench.store.define({ identity, metadata, source: 'filter f', isKept: true })
  bench.define('forgettable', 'counter')
  const names = runNow(bench.store.silentSince(1e9)).map((record) => record.identity.name)
  assert.deepEqual(names, ['forgettable'])
})
