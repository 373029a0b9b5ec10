/** What the document's bins are in the model, and in the formats of exports. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { forEachBound } from '../../../exposition/distribution.ts'
import { exponentialBuckets } from '../../../exposition/exponential.ts'
import { nativeForm } from '../../../exposition/native-histogram.ts'
import { explicitBuckets } from '../../../http/export/otlp/histogram-points.ts'
import { type Bins, binsHistogram } from '../../../model/index.ts'
import { exportRules } from '../export-rules.ts'
import { nativeCounts } from './vectors/export.ts'

const counts = fc.array(fc.bigInt({ min: 0n, max: 1000n }), { minLength: 33, maxLength: 33 })
const readings = fc.record({ counts, sum: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }) })

const binsOf = (entries: Readonly<Record<number, bigint>>, sum = 0n): Bins => {
  const counts = new BigUint64Array(33)
  for (const [bin, count] of Object.entries(entries)) counts[Number(bin)] = count
  return { counts, sum }
}

test('the model’s histogram holds every observation once, and the same sum', () => {
  holds(
    fc.property(readings, ({ counts, sum }) => {
      const histogram = binsHistogram({ counts: BigUint64Array.from(counts), sum })
      const total = counts.reduce((all, count) => all + count, 0n)
      assert.equal(histogram.count, total)
      assert.equal(histogram.zeroCount + histogram.positive.total() + histogram.overflow, total)
      assert.equal(BigInt(histogram.sum!), sum)
    }),
  )
})

test('bin k is the bucket up to 2^k, and what is above 2^31 - 1 is in none', () => {
  const { zeroCount, zeroThreshold, positive, overflow, overflowFrom } = binsHistogram(
    binsOf({ 0: 1n, 1: 2n, 31: 3n, 32: 4n }),
  )
  assert.deepEqual([zeroCount, zeroThreshold, overflow, overflowFrom], [1n, 1, 4n, 2 ** 31])
  assert.deepEqual(positive.span(), [0, 30])
  assert.deepEqual([positive.counts[0], positive.counts[30]], [2n, 3n])
})

test('explicit, classic and native buckets and the exponential point say the same counts', () => {
  holds(
    fc.property(readings, ({ counts, sum }) => {
      const histogram = binsHistogram({ counts: BigUint64Array.from(counts), sum })
      const total = counts.reduce((all, count) => all + count, 0n)
      const rules = exportRules({ prometheusNames: 'labels' }).otlp!.histogram!
      const { bounds, counts: explicit } = explicitBuckets(histogram, rules)
      assert.deepEqual([bounds.length, explicit], [32, counts])
      assert.equal(
        forEachBound(histogram, false, () => {}),
        total,
      )
      const native = nativeCounts(nativeForm(histogram)!.positive)
      const positives = native.reduce((all, [, count]) => all + count, 0n)
      assert.equal(positives + counts[0]!, total)
      const { positive, zeroCount } = exponentialBuckets(histogram)
      const exponential = positive.counts.reduce((all, count) => all + count, zeroCount)
      assert.equal(exponential, total)
      assert.equal(histogram.overflow, counts[32])
    }),
  )
})

test('overflow goes to the bucket above the last power', () => {
  const histogram = binsHistogram(binsOf({ 32: 5n }))
  assert.deepEqual(exponentialBuckets(histogram).positive, { offset: 31, counts: [5n] })
  assert.deepEqual(nativeCounts(nativeForm(histogram)!.positive), [[32, 5n]])
})
