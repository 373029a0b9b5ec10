import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { holds } from '../../../test/support/property.ts'
import type { HistogramRules } from '../../dialects/export-rules.ts'
import { forEachBound } from '../../exposition/distribution.ts'
import { exponentialBuckets } from '../../exposition/exponential.ts'
import { nativeForm } from '../../exposition/native-histogram.ts'
import { Histogram } from '../../model/index.ts'
import { explicitBuckets } from './otlp/histogram-points.ts'

/** Wallaroo's bins: 0 within the threshold, bin i as bucket i - 1; 64 where skew is included. */
function histogramOf(bins: Iterable<readonly [bin: number, count: bigint]>): Histogram {
  const histogram = new Histogram(0)
  histogram.zeroThreshold = 1
  for (const [bin, count] of bins) {
    if (bin > 0) histogram.addBucket(bin - 1, count)
    else {
      histogram.zeroCount += count
      histogram.count += count
    }
  }
  return histogram
}

function boundsOf(histogram: Histogram): number[] {
  const bounds: number[] = []
  forEachBound(histogram, true, (bound) => bounds.push(Number(bound)))
  return bounds
}

function sum(counts: readonly bigint[]): bigint {
  return counts.reduce((a, b) => a + b, 0n)
}

const HUB = new FakeHubView()

function rulesOf(dialect: string): HistogramRules {
  return HUB.exportRules(dialect).otlp?.histogram ?? {}
}

const entries = fc.array(fc.tuple(fc.nat(64), fc.bigInt({ min: 1n, max: 2n ** 53n })))

test('the bins of a window are the same counts in every form, skewed ones in the last', () => {
  holds(
    fc.property(entries, (bins) => {
      const histogram = histogramOf(bins)
      const { bounds, counts } = explicitBuckets(histogram, rulesOf('wallaroo'))
      assert.deepEqual([bounds.length, counts.length], [64, 65])
      const byBin = new Array<bigint>(65).fill(0n)
      for (const [bin, count] of bins) byBin[bin]! += count
      assert.deepEqual(counts, byBin)
      const { positive, zeroCount } = exponentialBuckets(histogram)
      assert.equal(sum(positive.counts) + zeroCount, histogram.count)
      positive.counts.forEach((count, i) => {
        assert.equal(count, byBin[positive.offset + i + 1])
      })
      const { positive: native } = nativeForm(histogram)!
      const lengths = native.spans.reduce((n, [, length]) => n + length, 0)
      assert.equal(lengths, native.deltas.length)
      let seen = 0n
      const total = forEachBound(histogram, true, (bound, below) => {
        const bin = Math.log2(Number(bound))
        assert.ok(bin <= 63)
        assert.equal(below, sum(byBin.slice(0, bin + 1)))
        assert.ok(below >= seen)
        seen = below
      })
      assert.equal(total, histogram.count)
      assert.equal(total - seen, byBin[64])
    }),
  )
})

test('classic buckets of windows never lose a bound as counts grow', () => {
  const before = boundsOf(
    histogramOf([
      [5, 1n],
      [9, 2n],
    ]),
  )
  const after = boundsOf(
    histogramOf([
      [5, 1n],
      [7, 4n],
      [9, 2n],
    ]),
  )
  assert.ok(before.every((bound) => after.includes(bound)))
  assert.deepEqual(after, [16, 32, 64, 128, 256, 512])
})

test('asked for explicit bounds, a finer histogram has those around its filled buckets', () => {
  const histogram = new Histogram()
  for (const value of [-3, 0, 1, 5, 6, 100]) histogram.record(value)
  assert.deepEqual(explicitBuckets(histogram, rulesOf('statshero')), {
    bounds: [-3, 0, 0.5, 1, 4, 8, 64, 128],
    counts: [1n, 1n, 0n, 1n, 0n, 2n, 0n, 1n, 0n],
  })
})

test('what overflowed the bins of a filter is the last explicit count, above 2^31', () => {
  const histogram = histogramOf([
    [0, 1n],
    [31, 2n],
  ])
  histogram.overflow = 3n
  histogram.overflowFrom = 2 ** 31
  histogram.count += 3n
  const { bounds, counts } = explicitBuckets(histogram, rulesOf('proxywasm'))
  assert.deepEqual([bounds[0], bounds.at(-1), bounds.length], [1, 2 ** 31, 32])
  assert.deepEqual([counts[0], counts[31], counts[32]], [1n, 2n, 3n])
  const { offset, counts: exponential } = exponentialBuckets(histogram).positive
  assert.deepEqual([offset, exponential], [30, [2n, 3n]])
})
