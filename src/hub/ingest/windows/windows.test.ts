import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import {
  addToSummary,
  type Cell,
  type CounterCell,
  EMPTY_SUMMARY,
  type Exact,
  type Kind,
  mergeSummaries,
  type Summary,
  U64_MAX,
} from '../../../model/index.ts'
import { Zone } from '../../../shm/index.ts'
import type { Frame } from '../../live/frame.ts'
import { Samples } from '../../live/samples/samples.ts'
import { CellCloser } from '../../live/tick.ts'
import { Totals } from '../../live/totals.ts'
import type { SeriesRecord } from '../../series/record.ts'
import { SeriesStore } from '../../series/series.ts'
import { SERIES_LIMITS } from '../quota.ts'
import { Windows } from './windows.ts'

/** A store, its windows and a closer on one zone; `now` is the wall time in seconds. */
class Bench {
  readonly zone = Zone.create()
  now = 0
  readonly store = new SeriesStore(this.zone, SERIES_LIMITS, () => this.now * 1000)
  readonly writer = this.zone.attach()
  readonly reader = this.zone.reader()
  readonly totals = new Totals(this.zone, this.reader)
  readonly windows = new Windows(this.writer)
  readonly samples = new Samples()
  readonly closer = new CellCloser(this)

  define(name: string, kind: Kind): SeriesRecord {
    const record = this.store.define({
      identity: { name, kind, labels: [] },
      metadata: { dialect: 'test' },
      source: 'test',
    })
    if (typeof record === 'string') throw new Error(record)
    return record
  }

  grow(record: SeriesRecord, delta: Exact, intervalSec = 1): boolean {
    return this.windows.merge(record, { kind: 'counter', delta }, intervalSec)
  }

  summarize(record: SeriesRecord, values: readonly number[], intervalSec = 1): boolean {
    const summary = values.reduce(addToSummary, EMPTY_SUMMARY)
    return this.windows.merge(record, { kind: 'summary', summary }, intervalSec)
  }

  total(record: SeriesRecord): Exact {
    const total = this.totals.of(record)
    assert.ok(total.kind === 'counter')
    return total.total
  }

  tick(): Frame {
    this.now++
    return this.closer.close(this.now * 1000, 1)
  }
}

function deltaOf(frame: Frame, { id }: SeriesRecord): Exact | undefined {
  const cell: Cell | undefined = frame.cell(id, 'counter')
  return (cell as CounterCell | undefined)?.delta
}

function summaryOf(frame: Frame, { id }: SeriesRecord): Summary | undefined {
  const cell = frame.cell(id, 'summary')
  return cell?.kind === 'summary' ? cell.summary : undefined
}

suite('counters that grow by windows', () => {
  test('fractions are the cell of their second, and the total is their sum', () => {
    const bench = new Bench()
    const record = bench.define('c', 'counter')
    const deltas = Array.from({ length: 10 }, () => {
      assert.equal(bench.grow(record, 0.1), true)
      return deltaOf(bench.tick(), record)
    })
    assert.deepEqual(deltas, new Array(10).fill(0.1))
    assert.equal(bench.total(record), 1)
  })

  test('windows of one second add up, whole numbers, fractions and other increments', () => {
    const bench = new Bench()
    const record = bench.define('c', 'counter')
    for (const delta of [0.25, 3, 2.5]) bench.grow(record, delta)
    bench.writer.counter(record.metric)!.add(4)
    assert.equal(deltaOf(bench.tick(), record), 9.75)
    assert.equal(bench.total(record), 9.75)
    bench.grow(record, 0.25)
    const frame = bench.tick()
    assert.equal(deltaOf(frame, record), 0.25)
    assert.deepEqual([...frame.counterDeltas], [1n], 'the whole part went from 9 to 10')
  })

  test('integers stay exact up to 2^64 - 1; what would pass it is refused whole', () => {
    const bench = new Bench()
    const record = bench.define('c', 'counter')
    assert.equal(bench.grow(record, U64_MAX - 2n), true)
    assert.equal(bench.grow(record, 3.5), false)
    assert.equal(bench.grow(record, 2n ** 64n), false)
    assert.equal(bench.grow(record, 2 ** 64), false)
    assert.equal(bench.grow(record, 1.5), true)
    assert.equal(bench.total(record), U64_MAX - 1n)
    assert.equal(deltaOf(bench.tick(), record), Number(U64_MAX))
  })

  test('what is no increment is refused and changes nothing', () => {
    const bench = new Bench()
    const record = bench.define('c', 'counter')
    for (const delta of [-1, -0.5, -1n, Number.NaN, Number.POSITIVE_INFINITY, 1e308]) {
      assert.equal(bench.grow(record, delta), false, String(delta))
    }
    assert.equal(deltaOf(bench.tick(), record), undefined)
    assert.equal(record.lastDataMs, 0)
  })

  test('a window in which nothing happened says that the series lives', () => {
    const bench = new Bench()
    const record = bench.define('c', 'counter')
    bench.grow(record, 0.5)
    bench.tick()
    bench.tick()
    assert.equal(record.lastDataMs, 1000)
    bench.grow(record, 0)
    assert.equal(deltaOf(bench.tick(), record), undefined)
    assert.equal(record.lastDataMs, 3000)
    assert.ok(record.kind === 'counter')
    assert.deepEqual(record.windows?.last, { delta: 0, seconds: 1 })
  })

  test('the newest window keeps its length, which is unknown where one did not say', () => {
    const bench = new Bench()
    const record = bench.define('c', 'counter')
    bench.grow(record, 2.5, 10.25)
    bench.grow(record, 1, 9.75)
    bench.tick()
    bench.tick()
    assert.ok(record.kind === 'counter')
    assert.deepEqual(record.windows?.last, { delta: 3.5, seconds: 20 })
    bench.grow(record, 1, Number.NaN)
    bench.tick()
    assert.deepEqual(record.windows?.last, { delta: 1, seconds: Number.NaN })
  })

  test('random fractions: cells and totals are their sums, and no total ever falls', () => {
    const delta = fc.oneof(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      fc.integer({ min: 0, max: 1000 }),
    )
    const second = fc.array(delta, { maxLength: 4 })
    holds(
      fc.property(fc.array(second, { maxLength: 30 }), (seconds) => {
        const bench = new Bench()
        const record = bench.define('c', 'counter')
        let whole = 0n
        let before: Exact = 0
        let cells = 0
        for (const deltas of seconds) {
          for (const each of deltas) {
            assert.equal(bench.grow(record, each), true)
            const now = bench.total(record)
            assert.ok(now >= before, `${before} fell to ${now}`)
            before = now
          }
          const frame = bench.tick()
          const row = frame.row(record.id, 'counter')
          if (row >= 0) whole += frame.counterDeltas[row]!
          cells += Number(deltaOf(frame, record) ?? 0)
        }
        const sum = seconds.flat().reduce((all, each) => all + each, 0)
        const near = (got: number): boolean => Math.abs(got - sum) <= 1e-12 * Math.max(1, sum)
        assert.ok(near(Number(bench.total(record))) && near(cells), `${cells} for ${sum}`)
        assert.equal(whole, bench.reader.counter(record.metric))
      }),
    )
  })
})

suite('summaries', () => {
  test('windows of one second merge into its cell, and all of them into the total', () => {
    const bench = new Bench()
    const record = bench.define('s', 'summary')
    bench.summarize(record, [1, 2])
    bench.summarize(record, [6])
    assert.deepEqual(summaryOf(bench.tick(), record), {
      count: 3,
      mean: 3,
      squares: 14,
      min: 1,
      max: 6,
    })
    bench.summarize(record, [11])
    const last = summaryOf(bench.tick(), record)
    assert.deepEqual(last, { count: 1, mean: 11, squares: 0, min: 11, max: 11 })
    const summary = { count: 4, mean: 5, squares: 62, min: 1, max: 11 }
    assert.deepEqual(bench.totals.of(record), { kind: 'summary', summary, sum: 20, last })
    assert.equal(summaryOf(bench.tick(), record), undefined)
  })

  test('a summary that has had no window yet is empty', () => {
    const bench = new Bench()
    const record = bench.define('s', 'summary')
    bench.tick()
    const summary = EMPTY_SUMMARY
    assert.deepEqual(bench.totals.of(record), { kind: 'summary', summary, sum: 0, last: summary })
  })

  test('an empty window makes no cell, is the last window and keeps the series alive', () => {
    const bench = new Bench()
    const record = bench.define('s', 'summary')
    bench.summarize(record, [4])
    bench.tick()
    const empty = { count: 0, mean: 0, squares: 0, min: Infinity, max: -Infinity }
    assert.equal(bench.windows.merge(record, { kind: 'summary', summary: empty }, 1), true)
    assert.equal(summaryOf(bench.tick(), record), undefined)
    const total = bench.totals.of(record)
    assert.ok(total.kind === 'summary')
    assert.deepEqual(total.last, EMPTY_SUMMARY)
    assert.deepEqual([total.summary.count, total.summary.min, total.sum], [1, 4, 4])
    assert.equal(record.lastDataMs, 2000)
  })

  test('statistics that no number can hold are refused', () => {
    const bench = new Bench()
    const record = bench.define('s', 'summary')
    const good: Summary = { count: 2, mean: 3, squares: 2, min: 2, max: 4 }
    const bad: Partial<Summary>[] = [
      { count: -1 },
      { count: 1.5 },
      { count: Number.NaN },
      { mean: Number.NaN },
      { mean: Number.POSITIVE_INFINITY },
      { squares: -1 },
      { squares: Number.NaN },
      { squares: Number.POSITIVE_INFINITY },
      { min: Number.NEGATIVE_INFINITY },
      { max: Number.POSITIVE_INFINITY },
    ]
    for (const each of bad) {
      const summary = { ...good, ...each }
      assert.equal(bench.windows.merge(record, { kind: 'summary', summary }, 1), false)
    }
    assert.equal(bench.windows.merge(record, { kind: 'summary', summary: good }, 1), true)
    assert.deepEqual(summaryOf(bench.tick(), record), good)
  })

  test('cells of random windows merge to the total, however the seconds cut them', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const window = fc.array(value, { maxLength: 5 })
    const step = fc.record({ window, isTick: fc.boolean() })
    holds(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const bench = new Bench()
        const record = bench.define('s', 'summary')
        let merged = EMPTY_SUMMARY
        const take = (frame: Frame): void => {
          merged = mergeSummaries(merged, summaryOf(frame, record) ?? EMPTY_SUMMARY)
        }
        for (const { window, isTick } of steps) {
          bench.summarize(record, window)
          if (isTick) take(bench.tick())
        }
        take(bench.tick())
        const total = bench.totals.of(record)
        assert.ok(total.kind === 'summary')
        const all = steps.flatMap(({ window }) => window).reduce(addToSummary, EMPTY_SUMMARY)
        for (const got of [merged, total.summary]) {
          assert.deepEqual([got.count, got.min, got.max], [all.count, all.min, all.max])
          assert.ok(Math.abs(got.mean - all.mean) <= 1e-9 * 1e6)
          assert.ok(Math.abs(got.squares - all.squares) <= 1e-9 * (all.squares + 1e6))
        }
      }),
    )
  })

  test('the sum of values of 0 or more never falls, unlike mean * count', () => {
    holds(
      fc.property(fc.array(fc.double({ min: 0, max: 1e3, noNaN: true })), (values) => {
        const bench = new Bench()
        const record = bench.define('s', 'summary')
        let before = 0
        for (const value of values) {
          bench.summarize(record, [value])
          const total = bench.totals.of(record)
          assert.ok(total.kind === 'summary' && total.sum >= before)
          before = total.sum
        }
      }),
    )
  })
})
