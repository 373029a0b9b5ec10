import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import {
  type Bounds,
  binsHistogram,
  boundedHistogram,
  canonicalMean,
  Histogram,
  histogramGain,
  mergeHistograms,
} from '../index.ts'

const someBounds = fc
  .uniqueArray(fc.integer({ min: -3, max: 40 }), { minLength: 1, maxLength: 6 })
  .map((bounds) => bounds.sort((a, b) => a - b))
const values = fc.array(fc.integer({ min: -10, max: 60 }), { maxLength: 20 })

function between(bounds: Bounds, observed: readonly number[]): Histogram {
  const histogram = new Histogram()
  histogram.bounds = bounds
  for (const value of observed) histogram.record(value)
  return histogram
}

/** What of a histogram has to be the same, however it came about. */
function factsOf(histogram: Histogram) {
  const { bounds, count, sum, min, max } = histogram
  const places = Array.from({ length: (bounds ?? []).length + 1 }, () => 0n)
  histogram.positive.forEach((index, each) => {
    places[index] = each
  })
  return { bounds: bounds && [...bounds], places, count, sum, min, max }
}

test('each value counts in the bucket of the first bound that is not below it', () => {
  const histogram = between([1, 5, 10], [-7, 0, 1, 2, 5, 6, 10, 11, 4_000])
  assert.deepEqual(factsOf(histogram).places, [3n, 2n, 2n, 2n])
  histogram.record(2n ** 80n, 3)
  histogram.addBucket(1, 4n)
  assert.deepEqual(factsOf(histogram).places, [3n, 6n, 2n, 5n])
  histogram.downscaleTo(-10)
  assert.deepEqual(factsOf(histogram).places, [3n, 6n, 2n, 5n])
  assert.deepEqual([histogram.upperOf(2), histogram.upperOf(3)], [10, Infinity])
})

test('a sum has the bounds that all have, in whatever order it was made', () => {
  const part = fc.tuple(someBounds, values)
  holds(
    fc.property(part, part, part, (...parts) => {
      const [a, b, c] = parts.map(([bounds, observed]) => between(bounds, observed))
      const common = parts[0][0].filter((bound) => parts.every(([list]) => list.includes(bound)))
      const expected = factsOf(
        between(
          common,
          parts.flatMap(([, observed]) => observed),
        ),
      )
      const sums = [
        mergeHistograms(mergeHistograms(a!, b!), c!),
        mergeHistograms(a!, mergeHistograms(b!, c!)),
        mergeHistograms(mergeHistograms(c!, a!), b!),
        mergeHistograms(
          new Histogram(),
          mergeHistograms(mergeHistograms(a!, new Histogram()), mergeHistograms(b!, c!)),
        ),
      ]
      for (const sum of sums) assert.deepEqual(factsOf(sum), expected)
      assert.deepEqual(factsOf(a!), factsOf(between(parts[0][0], parts[0][1])), 'parts stay')
    }),
  )
})

test('with powers of two it has the bounds that are powers, and every observation', () => {
  const bounds = [1, 3, 4, 10, 32]
  const observed = [-5, 0, 1, 2, 3, 4, 5, 16, 17, 32, 33, 1_000]
  holds(
    fc.property(values, fc.integer({ min: -1, max: 3 }), fc.boolean(), (others, scale, isFirst) => {
      const plain = new Histogram(scale)
      for (const value of others) plain.record(value)
      const own = between(bounds, observed)
      const sum = isFirst ? mergeHistograms(own, plain) : mergeHistograms(plain, own)
      const all = [...observed, ...others]
      const kept = others.length === 0 ? bounds : scale < 0 ? [1, 4] : [1, 4, 32]
      // a scale of its own, which the range may have lowered, says which powers are bounds
      if (plain.scale === scale) assert.deepEqual(factsOf(sum), factsOf(between(kept, all)))
      else assert.equal(sum.count, BigInt(all.length))
    }),
  )
})

test('bins of powers and bounds of one’s own add up without a bucket split', () => {
  const counts = new BigUint64Array(33)
  counts.set([5n, 0n, 2n, 3n])
  counts[32] = 7n
  const bins = binsHistogram({ counts, sum: 1_000n })
  const own = between([1, 2, 3, 4, 2 ** 31, 2 ** 32], [3, 2 ** 31])
  const sum = mergeHistograms(bins, own)
  assert.deepEqual(sum.bounds, [1, 2, 4, 2 ** 31])
  assert.deepEqual(factsOf(sum).places, [5n, 0n, 3n, 4n, 7n])
  assert.equal(sum.sum, 1_000 + 3 + 2 ** 31)
})

test('a gain is what came between two readings, also of fewer bounds', () => {
  holds(
    fc.property(someBounds, values, values, (bounds, first, second) => {
      const total = between(bounds, first)
      const before = total.clone()
      for (const value of second) total.record(value)
      const unknown = { min: Number.NaN, max: Number.NaN }
      const expected = { ...factsOf(between(bounds, second)), ...unknown }
      const gain = new Histogram()
      assert.deepEqual(factsOf(histogramGain(total, before, gain)), expected)
      const coarse = total.clone()
      coarse.regroupTo(bounds.slice(0, 1))
      const coarser = { ...factsOf(between(bounds.slice(0, 1), second)), ...unknown }
      assert.deepEqual(factsOf(histogramGain(coarse, before, gain)), coarser)
      assert.equal(histogramGain(new Histogram(), new Histogram(), gain).bounds, undefined)
    }),
  )
})

test('quantiles lie on a straight line in their bucket, and on the last bound above it', () => {
  const counts = BigUint64Array.of(2n, 0n, 2n, 1n)
  const histogram = boundedHistogram({ bounds: [10, 20, 40], counts, sum: 100n })
  assert.deepEqual(
    [0, 0.2, 0.4, 0.6, 0.8, 1].map((q) => histogram.quantile(q)),
    [2.5, 2.5, 7.5, 25, 35, 40],
  )
  assert.deepEqual([histogram.mean(), canonicalMean(histogram)], [20, 20])
  histogram.sum = undefined
  assert.equal(canonicalMean(histogram), (2 * 5 + 2 * 30 + 40) / 5)
  const spread = [5, 5, 30, 30, 40].map((value) => (value - 22) ** 2).reduce((a, b) => a + b)
  assert.ok(Math.abs(histogram.deviation() - Math.sqrt(spread / 4)) < 1e-9)
  const below = between([-4, 0], [-9, -9, -2])
  assert.equal(below.quantile(0.5), -4)
  assert.deepEqual(factsOf(between([], [1, 2])).places, [2n])
  assert.equal(between([], [3, 3]).quantile(0.5), 3)
})
