import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import {
  addToSummary,
  EMPTY_SUMMARY,
  mergeSummaries,
  type Summary,
  summaryDeviation,
  summarySum,
} from './summary.ts'

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 40 })

test('merging parts gives the mean and deviation of two passes over the whole list', () => {
  holds(
    fc.property(values, values, (a, b) => {
      assertClose(mergeSummaries(summaryOf(a), summaryOf(b)), twoPass([...a, ...b]))
    }),
    500,
  )
})

test('adding one by one gives the same as two passes', () => {
  holds(
    fc.property(values, (list) => {
      assertClose(summaryOf(list), twoPass(list))
    }),
  )
})

test('merging is associative and commutative within rounding', () => {
  holds(
    fc.property(values, values, values, (a, b, c) => {
      const [x, y, z] = [summaryOf(a), summaryOf(b), summaryOf(c)] as const
      assertClose(mergeSummaries(x, y), mergeSummaries(y, x))
      const left = mergeSummaries(mergeSummaries(x, y), z)
      assertClose(left, mergeSummaries(x, mergeSummaries(y, z)))
    }),
  )
})

test('the empty summary is neutral on both sides, to the bit', () => {
  holds(
    fc.property(values, (list) => {
      const summary = summaryOf(list)
      assert.deepEqual(mergeSummaries(summary, EMPTY_SUMMARY), summary)
      assert.deepEqual(mergeSummaries(EMPTY_SUMMARY, summary), summary)
    }),
  )
})

test('the deviation survives a large mean, where sums of squares would cancel', () => {
  const base = 1e9
  const summary = summaryOf([base + 4, base + 7, base + 13, base + 16])
  assert.equal(summary.mean, base + 10)
  assert.equal(summaryDeviation(summary), Math.sqrt(22.5))
})

test('values that are not finite are ignored', () => {
  const summary = summaryOf([1, 3])
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    assert.equal(addToSummary(summary, value), summary)
  }
})

test('mean, squares and deviation stay finite for any finite values', () => {
  const huge = 1.7e308
  const opposite = mergeSummaries(summaryOf([-huge]), summaryOf([huge]))
  assert.equal(opposite.mean, 0)
  assert.equal(opposite.squares, Number.MAX_VALUE)
  const any = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })
  holds(
    fc.property(any, any, (a, b) => {
      const merged = mergeSummaries(summaryOf(a), summaryOf(b))
      assert.ok(Number.isFinite(summaryDeviation(merged)), 'deviation')
      // Halved, so that the slack does not leave the doubles.
      const [mean, min, max] = [merged.mean / 2, merged.min / 2, merged.max / 2]
      const slack = 1e-12 * Math.max(Math.abs(min), Math.abs(max))
      assert.ok(mean >= min - slack && mean <= max + slack, `mean ${merged.mean}`)
    }),
  )
})

test('an empty summary sums to 0, deviates by 0 and knows neither min nor max', () => {
  assert.equal(summarySum(EMPTY_SUMMARY), 0)
  assert.equal(summaryDeviation(EMPTY_SUMMARY), 0)
  assert.deepEqual([EMPTY_SUMMARY.min, EMPTY_SUMMARY.max], [Number.NaN, Number.NaN])
})

function summaryOf(list: readonly number[]): Summary {
  return list.reduce(addToSummary, EMPTY_SUMMARY)
}

function twoPass(list: readonly number[]): Summary {
  if (list.length === 0) return EMPTY_SUMMARY
  const mean = list.reduce((sum, value) => sum + value / list.length, 0)
  const squares = list.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { count: list.length, mean, squares, min: Math.min(...list), max: Math.max(...list) }
}

function assertClose(actual: Summary, expected: Summary): void {
  assert.equal(actual.count, expected.count)
  assert.equal(actual.min, expected.min)
  assert.equal(actual.max, expected.max)
  const size = (Math.max(Math.abs(expected.min), Math.abs(expected.max)) || 0) + 1e-100
  assert.ok(Math.abs(actual.mean - expected.mean) <= 1e-12 * size, 'mean')
  const slack = 1e-11 * size
  const deviation = Math.abs(summaryDeviation(actual) - summaryDeviation(expected))
  const squares = Math.abs(actual.squares - expected.squares)
  assert.ok(deviation <= slack || squares <= 1e-12 * size * size * actual.count, 'deviation')
}
