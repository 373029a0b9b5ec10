import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import {
  addToSummary,
  type Cell,
  EMPTY_SUMMARY,
  type Histogram,
  type Identity,
  identityKey,
} from '../../model/index.ts'
import { Zone } from '../../shm/index.ts'
import { decrementsOf } from '../ingest/definition.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import { Windows } from '../ingest/windows/windows.ts'
import { Samples } from '../live/samples/samples.ts'
import { CellCloser } from '../live/tick.ts'
import { Totals } from '../live/totals.ts'
import { SeriesStore } from '../series/series.ts'
import {
  type FormerSeries,
  type Origin,
  originOf,
  readOrigin,
  restoreSeries,
} from './restore-series.ts'

const METADATA = { dialect: 'test' }

class Bench {
  readonly clock = new FakeClock()
  readonly zone = Zone.create()
  readonly store: SeriesStore
  readonly writer = this.zone.attach()
  readonly reader = this.zone.reader()
  readonly totals = new Totals(this.zone, this.reader)
  readonly windows = new Windows(this.writer)
  readonly samples = new Samples()
  readonly closer: CellCloser

  constructor(seriesLimit = 1000) {
    const limits = { ...SERIES_LIMITS, seriesLimit }
    this.store = new SeriesStore(this.zone, limits, () => this.clock.wallMs())
    this.closer = new CellCloser(this)
  }

  restore(former: FormerSeries) {
    return restoreSeries(former, this.store, this.writer)
  }

  close() {
    this.clock.advance(1000)
    return this.closer.close(this.clock.wallMs(), 1)
  }
}

function former(name: string, total: Cell, origin: Partial<Origin> = {}): FormerSeries {
  return described({ name, kind: total.kind, labels: [['a', 'b']] }, total, origin)
}

function described(
  identity: Identity,
  total: Cell,
  origin: Partial<Origin> = {},
): FormerSeries & { readonly origin: Origin } {
  const told = {
    ...{ source: '10.0.0.1', beganMs: 1_600_000_000_500, isKept: false },
  }
  return {
    ...{ key: identityKey(identity), metadata: METADATA, total, lastS: 1_699_999_000 },
    origin: { ...told, ...origin },
  }
}

function histogramOf(...values: readonly number[]): Histogram {
  const zone = Zone.create()
  const metric = zone.define(Buffer.from('h'), 'exponential')
  const handle = zone.attach().exponential(metric)!
  for (const value of values) handle.observe(value)
  return zone.reader().exponential(metric)
}

suite('a restored series', () => {
  test('is what its key says, under limits that are lower now, too', () => {
    const cell = { kind: 'counter', delta: 1 } as const
    const bench = new Bench()
    const identity = { name: 'n', kind: 'counter', labels: [['zone', 'größe']] } as const
    assert.deepEqual(bench.restore(described(identity, cell))!.identity, identity)
    const long = 'x'.repeat(SERIES_LIMITS.labelBytesLimit + 1)
    for (const each of [
      { ...identity, name: long },
      { ...identity, labels: [['zone', long]] },
      { ...identity, labels: [[long, 'a']] },
    ] as const) {
      assert.equal(bench.restore(described(each, cell)), undefined)
    }
    const { key, ...rest } = described(identity, cell)
    assert.equal(bench.restore({ ...rest, key: key.subarray(1) }), undefined)
    assert.equal(bench.restore({ ...rest, key: key.subarray(0, -1) }), undefined)
    assert.equal(bench.store.size, 1)
  })

  test('is there with its times, and no cell tells of its total', () => {
    const bench = new Bench()
    const record = bench.restore(former('c', { kind: 'counter', delta: 2n ** 60n }))!
    assert.equal(record.firstSeenMs, 1_600_000_000_500)
    assert.equal(record.lastDataMs, 1_699_999_000_000)
    assert.equal(bench.close().counterIds.length, 0)
    bench.writer.counter(record.metric)!.add(3)
    const frame = bench.close()
    assert.deepEqual([...frame.counterIds], [record.id])
    assert.equal(frame.deltaAt(0), 3)
    assert.equal(bench.totals.counter(record as never), 2n ** 60n + 3n)
    const { origin } = former('c', { kind: 'counter', delta: 0 })
    assert.deepEqual(readOrigin(originOf(record)), origin)
  })

  test('counts on with fractions', () => {
    const bench = new Bench()
    const record = bench.restore(former('f', { kind: 'counter', delta: 7.75 }))!
    assert.equal(bench.close().counterIds.length, 0)
    bench.windows.merge(record, { kind: 'counter', delta: 0.5 }, 1)
    const frame = bench.close()
    assert.equal(frame.deltaAt(0), 0.5)
    assert.equal(bench.totals.counter(record as never), 8.25)
  })

  test('has the histogram that it had, as windows or not', () => {
    for (const isWindowed of [false, true]) {
      const bench = new Bench()
      const cell = { kind: 'histogram', histogram: histogramOf(1, 5, 900) } as const
      const record = bench.restore(former('h', cell, isWindowed ? { isWindowed } : {}))!
      assert.equal(bench.close().histogramIds.length, 0)
      if (isWindowed) {
        bench.windows.merge(record, { kind: 'histogram', histogram: histogramOf(8) }, 1)
      } else bench.writer.exponential(record.metric)!.observe(8)
      const frame = bench.close()
      assert.equal(frame.histogramAt(0).count, 1n)
      const total = bench.totals.of(record)
      assert.ok(total.kind === 'histogram')
      assert.deepEqual(total.histogram, histogramOf(1, 5, 900, 8))
    }
  })

  test('has the summary that it had', () => {
    const bench = new Bench()
    const summary = addToSummary(addToSummary(EMPTY_SUMMARY, 2), 4)
    const record = bench.restore(former('s', { kind: 'summary', summary }))!
    assert.equal(bench.close().summaryIds.length, 0)
    const more = { kind: 'summary', summary: addToSummary(EMPTY_SUMMARY, 6) } as const
    bench.windows.merge(record, more, 1)
    bench.close()
    const total = bench.totals.of(record)
    assert.ok(total.kind === 'summary')
    assert.deepEqual([total.summary.count, total.sum], [3, 12])
  })

  test('is a counter again with its decrements, whichever comes first', () => {
    const bench = new Bench()
    const whole = { name: 'd', kind: 'counter', labels: [] } as const
    const { identity } = decrementsOf(whole, METADATA, '10.0.0.1')
    const cell = { kind: 'counter', delta: 4 } as const
    const part = described(identity, cell, { isDecrements: true })
    assert.notEqual(bench.restore(part), undefined)
    const record = bench.restore(described(whole, { ...cell, delta: 9 }))!
    assert.deepEqual(bench.totals.of(record), { kind: 'counter', total: 9, decrements: 4 })
  })

  test('of a cumulative counter keeps the width of its readings', () => {
    const bench = new Bench()
    const origin = { isCumulative: true, counterBits: 32 } as const
    const record = bench.restore(former('r', { kind: 'counter', delta: 1 }, origin))!
    assert.ok(record.kind === 'counter')
    assert.equal(record.reading?.counterBits, 32)
  })

  test('is none above the limit, nor of a filter, the hub itself or an unknown origin', () => {
    const cell = { kind: 'counter', delta: 1 } as const
    assert.equal(new Bench().restore(former('k', cell, { isKept: true })), undefined)
    assert.equal(new Bench().restore(former('o', cell, { source: 'hub' })), undefined)
    const unknown = { ...former('u', cell), origin: readOrigin('{}') }
    assert.equal(new Bench().restore(unknown), undefined)
    const full = new Bench(1)
    assert.notEqual(full.restore(former('one', cell)), undefined)
    assert.equal(full.restore(former('two', cell)), undefined)
    assert.equal(full.store.size, 1)
  })
})
