import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import type { HistogramCellJson } from '../../http/api.ts'
import {
  addMerged,
  BucketMatrix,
  bucketEnds,
  deviation,
  type Merged,
  mergedOf,
  mergeSeconds,
  quantile,
  rowEdge,
} from './buckets.ts'
import { SeriesData } from './series-data.ts'

const CAPACITY = 8

function cell(scale: number, offset: number, counts: readonly number[]): HistogramCellJson {
  const count = counts.reduce((sum, each) => sum + each, 0)
  return {
    count,
    sum: null,
    min: null,
    max: null,
    p50: 1,
    p90: 1,
    p99: 1,
    zero: 0,
    negative: 0,
    scale,
    offset,
    counts,
  }
}

/** Counts of a column by bucket index. */
function columnOf(matrix: BucketMatrix, column: number): Record<number, number> {
  const found: Record<number, number> = {}
  for (let i = 0; i < matrix.width; i += 1) {
    const count = matrix.counts[column * matrix.width + i]!
    if (count > 0) found[matrix.offset + i] = count
  }
  return found
}

test('a column holds the buckets of its cell, without empty ends', () => {
  const matrix = new BucketMatrix(CAPACITY)
  matrix.write(3, cell(2, 10, [0, 4, 0, 1, 0]))
  assert.deepEqual(columnOf(matrix, 3), { 11: 4, 13: 1 })
  assert.equal(matrix.width, 3)
})

test('the layout grows to both sides and keeps what is there', () => {
  const matrix = new BucketMatrix(CAPACITY)
  matrix.write(0, cell(2, 10, [1]))
  matrix.write(1, cell(2, -5, [2]))
  matrix.write(2, cell(2, 20, [3]))
  assert.deepEqual(columnOf(matrix, 0), { 10: 1 })
  assert.deepEqual(columnOf(matrix, 1), { '-5': 2 })
  assert.deepEqual(columnOf(matrix, 2), { 20: 3 })
})

test('a coarser cell makes the whole layout coarser, by adding neighbours', () => {
  const matrix = new BucketMatrix(CAPACITY)
  matrix.write(0, cell(2, 8, [1, 2, 4, 8]))
  matrix.write(1, cell(0, 2, [5]))
  assert.equal(matrix.scale, 0)
  assert.deepEqual(columnOf(matrix, 0), { 2: 15 })
  assert.deepEqual(columnOf(matrix, 1), { 2: 5 })
})

test('writing a column anew replaces it', () => {
  const matrix = new BucketMatrix(CAPACITY)
  matrix.write(0, cell(1, 4, [7, 7]))
  matrix.write(0, cell(1, 4, [1]))
  assert.deepEqual(columnOf(matrix, 0), { 4: 1 })
  matrix.write(0, cell(1, 0, []))
  assert.deepEqual(columnOf(matrix, 0), {})
})

test('a range beyond the limit costs resolution, never observations', () => {
  const matrix = new BucketMatrix(CAPACITY)
  matrix.write(0, cell(2, -2000, [3]))
  matrix.write(1, cell(2, 2000, [4]))
  assert.ok(matrix.width <= 256)
  const sums = new Float64Array(matrix.width)
  matrix.addInto(sums, 0, 1)
  assert.equal(
    sums.reduce((a, b) => a + b, 0),
    7,
  )
})

test('no sequence of cells loses an observation or puts one into a wrong octave', () => {
  const cells = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: CAPACITY - 1 }),
      fc.integer({ min: -2, max: 2 }),
      fc.integer({ min: -300, max: 300 }),
      fc.array(fc.nat(50), { maxLength: 12 }),
    ),
  )
  holds(
    fc.property(cells, (list) => {
      const matrix = new BucketMatrix(CAPACITY)
      const last = new Map<number, HistogramCellJson>()
      for (const [column, scale, offset, counts] of list) {
        const written = cell(scale, offset, counts)
        matrix.write(column, written)
        last.set(column, written)
      }
      for (const [column, { counts, offset, scale }] of last) {
        const expected: Record<number, number> = {}
        counts.forEach((count, i) => {
          const index = (offset + i) >> (scale - matrix.scale)
          if (count > 0) expected[index] = (expected[index] ?? 0) + count
        })
        assert.deepEqual(columnOf(matrix, column), expected)
      }
    }),
  )
})

const NOW = 1_800_000_000

function merged(counts: readonly number[], part: Partial<Merged> = {}): Merged {
  const { zero = 0, negative = 0, overflow = 0 } = part
  const count = counts.reduce((sum, each) => sum + each, zero + negative + overflow)
  const ends = { min: Number.NaN, max: Number.NaN }
  const outside = { zero, negative, overflow, overflowFrom: Number.POSITIVE_INFINITY }
  const all = Float64Array.from(counts)
  return { scale: 0, offset: 0, counts: all, ...outside, count, sum: 0, ...ends, ...part }
}

test('a percentile lies in the bucket that holds its rank', () => {
  const distribution = merged([50, 30, 20])
  assert.equal(quantile(distribution, 0.5), 2)
  assert.ok(quantile(distribution, 0.8) <= 4)
  assert.ok(quantile(distribution, 0.99) > 4 && quantile(distribution, 0.99) <= 8)
  assert.equal(quantile(distribution, 1), 8)
  assert.equal(quantile(distribution, 0), 1)
})

test('observations of zero come before all buckets', () => {
  const distribution = merged([10], { zero: 90 })
  assert.equal(quantile(distribution, 0.5), 0)
  assert.ok(quantile(distribution, 0.95) > 1)
})

test('a percentile among values below zero is not known, those above them are', () => {
  const distribution = merged([20], { negative: 60, zero: 20, min: -7, max: 1.5 })
  assert.ok(Number.isNaN(quantile(distribution, 0.5)))
  assert.equal(quantile(distribution, 0.7), 0)
  assert.equal(quantile(distribution, 0.99), 1.5)
  assert.deepEqual([quantile(distribution, 0), quantile(distribution, 1)], [-7, 1.5])
  assert.ok(Number.isNaN(deviation(distribution)))
})

test('no percentile lies beyond the exact smallest and largest value', () => {
  const one = merged([0, 100], { offset: 2, min: 9, max: 10 })
  for (const q of [0, 0.01, 0.5]) assert.ok(quantile(one, q) >= 9 && quantile(one, q) <= 10)
  assert.deepEqual([quantile(one, 0), quantile(one, 0.999), quantile(one, 1)], [9, 10, 10])
})

test('a percentile in the overflow is the least that it can be', () => {
  const distribution = merged([0, 90], { overflow: 10, overflowFrom: 2 ** 31 })
  assert.equal(quantile(distribution, 0.9), 4)
  assert.equal(quantile(distribution, 0.91), 2 ** 31)
  assert.equal(quantile(distribution, 1), 2 ** 31)
})

test('the deviation of one bucket is nothing, of two the distance of their middles', () => {
  const middle = Math.SQRT2
  assert.ok(deviation(merged([4], { sum: 4 * middle })) < 1e-9)
  const both = deviation(merged([1, 1], { sum: 3 * middle }))
  assert.ok(Math.abs(both - middle / 2) < 1e-9)
})

test('observations that are all alike deviate by nothing, wherever in a bucket they are', () => {
  assert.equal(deviation(merged([4], { offset: 1, sum: 12, min: 3, max: 3 })), 0)
})

test('nothing has no percentile', () => {
  assert.ok(Number.isNaN(quantile(merged([]), 0.5)))
})

test('a higher percentile is never a smaller value', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  holds(
    fc.property(fc.array(fc.nat(40), { maxLength: 20 }), part, part, (counts, a, b) => {
      const distribution = merged(counts)
      fc.pre(distribution.count > 0)
      const [low, high] = [Math.min(a, b), Math.max(a, b)]
      assert.ok(quantile(distribution, low) <= quantile(distribution, high))
    }),
  )
})

test('seconds merge by adding', () => {
  const data = new SeriesData('histogram')
  const cell = { sum: 6, min: 1, max: 4, p50: 2, p90: 4, p99: 4, scale: 0, zero: 1, negative: 0 }
  data.write(NOW, { ...cell, count: 3, offset: 0, counts: [2] })
  data.write(NOW + 1, { ...cell, count: 5, offset: 1, counts: [4] })
  const both = mergeSeconds(data, NOW - 1, NOW + 1)
  assert.deepEqual([...both.counts], [2, 4])
  assert.equal(both.count, 8)
  assert.deepEqual([both.zero, both.negative, both.min, both.max], [2, 0, 1, 4])
  assert.equal(both.sum, 12)
  assert.equal(mergeSeconds(data, NOW, NOW + 1).count, 5)
})

test('observations beyond the last bin are counted with all others', () => {
  const data = new SeriesData('histogram')
  const cell = { sum: null, min: null, max: null, p50: 2, p90: 4, p99: 4, scale: 0, negative: 0 }
  const overflow = { from: 2 ** 31, count: 3 }
  data.write(NOW, { ...cell, count: 6, zero: 1, zeroTo: 1, offset: 0, counts: [2], overflow })
  data.write(NOW + 1, { ...cell, count: 1, zero: 0, zeroTo: 1, offset: 0, counts: [1] })
  const both = mergeSeconds(data, NOW - 1, NOW + 1)
  assert.deepEqual([both.count, both.overflow, both.overflowFrom], [7, 3, 2 ** 31])
  assert.deepEqual([data.zeroTo, data.clone().overflowFrom], [1, 2 ** 31])
})

test('buckets between bounds keep their places, and powers begin anew behind them', () => {
  const matrix = new BucketMatrix(CAPACITY)
  const bounds = [1, 5, 50]
  matrix.write(0, { ...cell(0, 1, [2, 0, 3]), bounds })
  matrix.write(1, { ...cell(0, 0, [4]), bounds: [...bounds] })
  assert.deepEqual(columnOf(matrix, 0), { 1: 2, 3: 3 })
  assert.deepEqual(columnOf(matrix, 1), { 0: 4 })
  assert.deepEqual([matrix.width, matrix.clone().bounds], [4, bounds])
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((row) => rowEdge(matrix, row)),
    [0.5, 1, 5, 50, 100],
  )
  const ends = [0, 1, 3].map((row) => bucketEnds(matrix, row))
  assert.deepEqual(ends, [
    [null, 1],
    [1, 5],
    [50, null],
  ])
  matrix.write(2, { ...cell(0, 0, [7]), bounds: [1, 6] })
  assert.deepEqual([columnOf(matrix, 0), columnOf(matrix, 2)], [{}, { 0: 7 }])
  matrix.write(3, cell(2, 8, [1]))
  assert.deepEqual(
    [matrix.bounds, columnOf(matrix, 2), columnOf(matrix, 3)],
    [undefined, {}, { 8: 1 }],
  )
})

test('a quantile between bounds lies on a straight line, and on the last bound above it', () => {
  const data = new SeriesData('histogram')
  data.write(100, { ...cell(0, 0, [2, 0, 2, 1]), bounds: [10, 20, 40], sum: 100 })
  const merged = mergeSeconds(data, 99, 100)
  const quantiles = [0, 0.2, 0.4, 0.6, 0.8, 1].map((q) => quantile(merged, q))
  assert.deepEqual(quantiles, [0, 5, 10, 30, 40, 40])
  const squares = [5, 5, 30, 30, 40].map((value) => (value - 20) ** 2)
  assert.equal(deviation(merged), Math.sqrt(squares.reduce((a, b) => a + b) / 5))
})

test('distributions added up have every observation, at the scale of the coarsest', () => {
  const cells = fc.record({
    scale: fc.integer({ min: -2, max: 2 }),
    offset: fc.integer({ min: -40, max: 40 }),
    counts: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 }),
  })
  holds(
    fc.property(fc.array(cells, { maxLength: 5 }), (list) => {
      const all = list.map(({ scale, offset, counts }) => mergedOf(cell(scale, offset, counts)))
      const sum = addMerged(all)
      const total = all.reduce((count, each) => count + each.count, 0)
      assert.equal(sum.count, total)
      assert.equal(
        sum.counts.reduce((count, each) => count + each, 0),
        total,
      )
      for (const { scale, offset, counts, count } of all) {
        if (count === 0) continue
        assert.ok(sum.scale <= scale)
        const first = (offset + counts.findIndex((each) => each > 0)) >> (scale - sum.scale)
        assert.ok(first >= sum.offset && first < sum.offset + sum.counts.length)
      }
    }),
  )
})

test('between the same bounds distributions add up bound by bound', () => {
  const bounds = [1, 5, 100]
  const sum = addMerged([
    mergedOf({ ...cell(0, 1, [2]), bounds }),
    mergedOf({ ...cell(0, 0, [1, 0, 0, 4]), bounds }),
  ])
  assert.deepEqual([...sum.counts], [1, 2, 0, 4])
  assert.deepEqual([sum.bounds, sum.offset, sum.count], [bounds, 0, 7])
})
