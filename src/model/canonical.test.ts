import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import {
  canonicalMean,
  incrementRate,
  MINUTE,
  rateSuffix,
  readingRate,
  summaryMean,
} from './canonical.ts'
import { U64_MAX } from './exact.ts'
import { Histogram } from './histogram/histogram.ts'
import { addToSummary, EMPTY_SUMMARY } from './summary.ts'

test('2 exceptions in 1.01 s are 118.8 a minute, the document’s example', () => {
  assert.ok(Math.abs(incrementRate(2, 1.01) - 118.81188118811882) < 1e-12)
  assert.equal(incrementRate(2, 1.01).toFixed(1), '118.8')
})

test('an hour’s count can be told per second, and a second’s per hour', () => {
  assert.equal(incrementRate(7200, 3600, 1), 2)
  assert.equal(incrementRate(2, 1, 3600), 7200)
})

test('a rate scales with its time scale, and a window of no length has none', () => {
  assert.equal(incrementRate(10, 2, 1), 5)
  assert.equal(incrementRate(10n, 2, 3600), 18000)
  assert.equal(incrementRate(5, 0), Number.NaN)
  assert.equal(incrementRate(5, -1), Number.NaN)
})

test('names of rates say their time scale as the document does', () => {
  const suffixes = [1, MINUTE, 3600, 10].map(rateSuffix)
  assert.deepEqual(suffixes, [' / sec', ' / Min', ' / hr', ' / 10 sec'])
})

test('a rate between two readings is that of their difference, exact near 2^64', () => {
  assert.equal(readingRate(U64_MAX - 2n, U64_MAX, 1, 1), 2)
  assert.equal(readingRate(100, 160, 60), 60)
})

test('one reading alone has no rate, and a smaller reading counts from a reset', () => {
  assert.equal(readingRate(undefined, 5, 1), Number.NaN)
  assert.equal(readingRate(100, 30, 1, 1), 30)
})

test('the mean of a distribution is sum over count, and NaN when it is empty', () => {
  const histogram = new Histogram()
  assert.equal(canonicalMean(histogram), Number.NaN)
  for (const value of [1, 2, 9]) histogram.record(value)
  assert.equal(canonicalMean(histogram), 4)
})

test('without a sum one observation of the lowest bucket is min and one of the highest max', () => {
  const bins = windowOf(
    [
      [-1, 2],
      [3, 4],
      [5, 2],
    ],
    1,
    30,
  )
  const expected = (1 + 2 ** -0.5 + 4 * 2 ** 3.5 + 30 + 30) / 8
  const limited = (1 + 1 + 4 * 2 ** 3.5 + 30 + 30) / 8
  assert.notEqual(expected, limited)
  assert.ok(Math.abs(canonicalMean(bins) - limited) < 1e-12)
})

test('without a sum a single observation is its min, and a zero bucket counts as 0', () => {
  assert.equal(canonicalMean(windowOf([[4, 1]], 17, 17)), 17)
  const zeros = windowOf([[3, 1]], 0, 12)
  zeros.zeroCount = 3n
  zeros.count += 3n
  assert.equal(canonicalMean(zeros), 3)
})

test('the estimated mean lies between min and max and near the real one', () => {
  const sizes = fc.array(fc.double({ min: 1, max: 1e9, noNaN: true }), { minLength: 1 })
  holds(
    fc.property(sizes, fc.boolean(), (values, isNegative) => {
      const histogram = new Histogram()
      for (const value of values) histogram.record(isNegative ? -value : value)
      const real = histogram.mean()
      histogram.sum = undefined
      const mean = canonicalMean(histogram)
      const slack = 1e-9 * Math.abs(real)
      const bound = (2 ** (2 ** -histogram.scale) - 1) * Math.abs(real)
      assert.ok(mean >= Number(histogram.min) - slack && mean <= Number(histogram.max) + slack)
      assert.ok(Math.abs(mean - real) <= bound + slack, `${mean} for ${real}`)
    }),
  )
})

test('the mean of a summary is delivered as it is, 0 for an empty interval', () => {
  assert.equal(summaryMean(EMPTY_SUMMARY), 0)
  assert.equal(summaryMean([2, 4, 9].reduce(addToSummary, EMPTY_SUMMARY)), 5)
})

/** A window of bins without a sum, as Wallaroo sends it; indices are ours, at scale 0. */
function windowOf(bins: readonly (readonly [number, number])[], min: number, max: number) {
  const histogram = new Histogram(0)
  histogram.sum = undefined
  for (const [index, count] of bins) histogram.addBucket(index, BigInt(count))
  histogram.min = min
  histogram.max = max
  return histogram
}
