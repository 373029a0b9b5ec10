import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HistogramCellJson } from '../../http/api.ts'
import { BUCKETS_LIMIT, BucketMatrix } from './bucket-matrix.ts'

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
  assert.ok(matrix.width <= BUCKETS_LIMIT)
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
  fc.assert(
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
