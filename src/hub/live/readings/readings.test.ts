import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { histogramFacts } from '../../../../test/support/threads/shm.ts'
import { type Cell, type Exact, Histogram, type Kind } from '../../../model/index.ts'
import { type Writer, Zone } from '../../../shm/index.ts'
import { SERIES_LIMITS } from '../../ingest/quota.ts'
import { Windows } from '../../ingest/windows/windows.ts'
import type { SeriesRecord } from '../../series/record.ts'
import { SeriesStore } from '../../series/series.ts'
import { runNow } from '../../tasks/task.ts'
import type { Frame } from '../frame.ts'
import { Samples } from '../samples/samples.ts'
import { CellCloser } from '../tick.ts'
import { Totals } from '../totals.ts'

/** A store, a writer and a closer on one zone; `now` is the wall time in seconds. */
class Bench {
  readonly zone = Zone.create()
  now = 0
  readonly store = new SeriesStore(this.zone, SERIES_LIMITS, () => this.now * 1000)
  readonly writer: Writer = this.zone.attach()
  readonly reader = this.zone.reader()
  readonly totals = new Totals(this.zone, this.reader)
  readonly windows = new Windows(this.writer)
  readonly samples = new Samples()
  readonly closer = new CellCloser(this)

  define(name: string, kind: Kind, isCumulative = false): SeriesRecord {
    const record = this.store.define({
      identity: { name, kind, labels: [] },
      metadata: { dialect: 'test' },
      source: 'test',
      isCumulative,
    })
    if (typeof record === 'string') throw new Error(record)
    return this.store.keep(record)
  }

  tick(): Frame {
    this.now++
    return this.closer.close(this.now * 1000, 1)
  }
}

function histogramOf(frame: Frame, record: SeriesRecord): Histogram | undefined {
  const cell = frame.cell(record.id, 'histogram')
  return cell?.kind === 'histogram' ? cell.histogram : undefined
}

type Step =
  | { kind: 'tick' }
  | { kind: 'expire' }
  | { kind: 'leave' }
  | { kind: 'record'; series: number; value: number; isSecond: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'tick' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'leave' as const }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      series: fc.nat({ max: 11 }),
      value: fc.oneof(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.nat({ max: 3 })),
      isSecond: fc.boolean(),
    }),
  },
)
const KINDS = ['counter', 'gauge', 'histogram'] as const

/** What one series did since the last tick, as a cell must say it. */
class Expected {
  delta = 0
  value: number | undefined
  histogram = new Histogram()

  add(kind: Kind, value: number): void {
    if (kind === 'counter') this.delta += Math.abs(value)
    else if (kind === 'gauge') this.value = value
    else this.histogram.record(value)
  }

  check(kind: Kind, cell: Cell | undefined): void {
    if (kind === 'counter') {
      assert.equal(cell?.kind === 'counter' ? cell.delta : 0, this.delta)
    } else if (kind === 'gauge') {
      assert.equal(cell?.kind === 'gauge' ? cell.value : undefined, this.value)
    } else if (this.histogram.isEmpty) assert.equal(cell, undefined)
    else {
      const found = cell?.kind === 'histogram' ? cell.histogram : new Histogram()
      const expected = this.histogram.atScale(found.scale)
      assert.deepEqual(histogramFacts(found), histogramFacts(expected))
    }
  }
}

test('whatever is recorded, comes and goes, a frame says what happened in its interval', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const bench = new Bench()
      const writers = [bench.writer, bench.zone.attach()]
      const expected = new Map<SeriesRecord, Expected>()
      const check = (frame: Frame): void => {
        for (const [record, each] of expected) {
          each.check(record.identity.kind, frame.cell(record.id, record.identity.kind))
        }
        expected.clear()
      }
      for (const s of steps) {
        if (s.kind === 'tick') check(bench.tick())
        else if (s.kind === 'expire') {
          check(bench.tick())
          for (const { metric } of bench.store) writers[1]!.release(metric)
          const silent = runNow(bench.store.silentSince(bench.now * 1000))
          bench.store.unlink(silent)
          bench.store.remove(silent)
        } else if (s.kind === 'leave') {
          writers[1]!.detach()
          writers[1] = bench.zone.attach()
        } else {
          const kind = KINDS[s.series % 3]!
          // of half of the series no value is negative: their histograms are read the quick way
          const value = s.series < 6 ? Math.abs(s.value) : s.value
          const record = bench.define(`series ${s.series}`, kind)
          recordValue(writers[s.isSecond ? 1 : 0]!, record, value)
          if (!expected.has(record)) expected.set(record, new Expected())
          expected.get(record)!.add(kind, value)
        }
      }
      check(bench.tick())
      assert.equal(bench.tick().cellCount, 0)
    }),
    300,
  )
})

function recordValue(writer: Writer, { identity, metric }: SeriesRecord, value: number): void {
  if (identity.kind === 'counter') writer.counter(metric)!.add(Math.abs(value))
  else if (identity.kind === 'gauge') writer.gauge(metric)!.set(value)
  else writer.exponential(metric)!.observe(value)
}

test('counts and extremes beyond 2^53 are exact in a cell', () => {
  const bench = new Bench()
  const counter = bench.define('c', 'counter')
  const histogram = bench.define('h', 'histogram')
  const value = 2n ** 64n + 1n
  bench.writer.counter(counter.metric)!.addExact(2n ** 63n + 5n)
  bench.writer.exponential(histogram.metric)!.observe(value, 2n ** 60n + 3n)
  const frame = bench.tick()
  assert.deepEqual(frame.cell(counter.id, 'counter'), { kind: 'counter', delta: 2n ** 63n + 5n })
  const { count, sum, min, max } = histogramOf(frame, histogram)!
  const facts: Exact[] = [value * (2n ** 60n + 3n), value, value]
  assert.deepEqual([count, sum, min, max], [2n ** 60n + 3n, ...facts])
})

test('an observation that the tick before just missed has a cell, without extremes', () => {
  const bench = new Bench()
  const record = bench.define('h', 'histogram')
  const handle = bench.writer.exponential(record.metric)!
  handle.observe(5)
  bench.tick()
  handle.observe(7)
  // As when the observation came after the reading of its window.
  bench.zone.reader().closeWindow()
  const { count, sum, min, max } = histogramOf(bench.tick(), record)!
  assert.deepEqual([count, sum, min, max], [1n, 7, Number.NaN, Number.NaN])
  assert.equal(histogramOf(bench.tick(), record), undefined)
})

test('a series is silent from its last change on; a reading without growth is no silence', () => {
  const bench = new Bench()
  const [counter, gauge] = [bench.define('c', 'counter'), bench.define('g', 'gauge')]
  const cumulative = bench.define('m', 'counter', true)
  bench.writer.counter(counter.metric)!.add(1)
  bench.tick()
  bench.writer.gauge(gauge.metric)!.set(3)
  bench.tick()
  assert.ok(cumulative.kind === 'counter')
  cumulative.reading!.take(9)
  bench.tick()
  bench.tick()
  const lastSeen = [counter, gauge, cumulative].map(({ lastDataMs }) => lastDataMs)
  assert.deepEqual(lastSeen, [1_000, 2_000, 3_000])
})
