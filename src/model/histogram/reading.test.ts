import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import type { BucketRun } from './bucket-run.ts'
import { Histogram, mergeHistograms } from './histogram.ts'
import { histogramGain } from './reading.ts'

const values = fc.array(
  fc.oneof(fc.integer(), fc.integer({ min: -20, max: 20 }), fc.integer({ min: 0 })),
  { maxLength: 20 },
)

test('the gain between two readings is what was recorded between them', () => {
  holds(
    fc.property(values, values, (before, after) => {
      const earlier = recorded(before)
      const later = mergeHistograms(earlier, recorded(after))
      const gain = histogramGain(later, earlier)
      const expected = recorded(after).atScale(later.scale)
      assert.equal(gain.count, expected.count)
      assert.equal(gain.sum, expected.sum)
      assert.equal(gain.zeroCount, expected.zeroCount)
      assert.deepEqual(listed(gain.positive), listed(expected.positive))
      assert.deepEqual(listed(gain.negative), listed(expected.negative))
    }),
  )
})

test('the gain knows no min and max, and leaves both readings as they were', () => {
  const earlier = recorded([1, 5])
  const later = mergeHistograms(earlier, recorded([3]))
  const gain = histogramGain(later, earlier)
  assert.deepEqual([gain.min, gain.max], [Number.NaN, Number.NaN])
  assert.deepEqual([earlier.count, later.count], [2n, 3n])
  assert.equal(later.positive.total(), 3n)
})

test('a gain that is filled anew keeps nothing of the one before', () => {
  holds(
    fc.property(fc.array(fc.tuple(values, values), { maxLength: 5 }), (pairs) => {
      const gain = new Histogram()
      for (const [before, after] of pairs) {
        const earlier = recorded(before)
        const later = mergeHistograms(earlier, recorded(after))
        assert.equal(histogramGain(later, earlier, gain), gain)
        assert.deepEqual(facts(gain), facts(histogramGain(later, earlier)))
      }
    }),
  )
})

test('what the later reading counts as zero and the earlier one did not is no gain', () => {
  const earlier = recorded([1, 3, 3, 100, -2])
  const later = mergeHistograms(earlier, recorded([0, 200]))
  later.foldZero(4)
  const gain = histogramGain(later, earlier)
  assert.deepEqual([gain.count, gain.zeroCount, gain.sum], [2n, 1n, 200])
  assert.equal(gain.zeroThreshold, later.zeroThreshold)
  assert.deepEqual([gain.positive.total(), gain.negative.total()], [1n, 0n])
  assert.equal(earlier.zeroCount, 0n)
})

test('zero threshold and scale may both change between two readings, in any order', () => {
  const threshold = fc.double({ min: 0, max: 2_000, noNaN: true })
  const scale = fc.integer({ min: -2, max: 8 })
  holds(
    fc.property(values, values, threshold, threshold, scale, (before, after, t0, t1, to) => {
      const earlier = recorded(before)
      earlier.foldZero(t0)
      for (const isFoldFirst of [true, false]) {
        const later = earlier.clone()
        if (isFoldFirst) later.foldZero(t1)
        later.downscaleTo(to)
        if (!isFoldFirst) later.foldZero(t1)
        for (const value of after) later.record(value)
        const gain = histogramGain(later, earlier)
        assert.equal(gain.count, BigInt(after.length))
        const { zeroCount, positive, negative } = gain
        assert.equal(zeroCount + positive.total() + negative.total(), gain.count)
        for (const run of [positive, negative]) {
          for (const count of run.counts) assert.ok(count <= gain.count, `bucket of ${count}`)
        }
        assert.ok(zeroCount >= 0n && gain.zeroThreshold >= later.zeroThreshold)
      }
    }),
  )
})

test('the gain of the overflow is kept apart from every bucket', () => {
  const earlier = new Histogram(0)
  earlier.overflow = 2n
  earlier.overflowFrom = 100
  earlier.count = 2n
  const later = earlier.clone()
  later.overflow += 3n
  later.count += 3n
  const gain = histogramGain(later, earlier)
  assert.deepEqual([gain.count, gain.overflow, gain.overflowFrom], [3n, 3n, 100])
  assert.equal(gain.positive.total(), 0n)
})

test('without a sum in one of the readings the gain has none', () => {
  const later = recorded([1])
  later.sum = undefined
  assert.equal(histogramGain(later, new Histogram()).sum, undefined)
})

function recorded(list: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of list) histogram.record(value)
  return histogram
}

function facts(histogram: Histogram): unknown {
  const { scale, count, sum, zeroCount, zeroThreshold, positive, negative } = histogram
  return { scale, count, sum, zeroCount, zeroThreshold, runs: [positive, negative].map(listed) }
}

function listed(run: BucketRun): [number, bigint][] {
  const list: [number, bigint][] = []
  run.forEach((index, count) => {
    list.push([index, count])
  })
  return list
}
