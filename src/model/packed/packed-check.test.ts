import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { histogramFacts } from '../../../test/support/threads/shm.ts'
import { Histogram } from '../histogram/histogram.ts'
import { boundedHistogram } from '../histogram/reading.ts'
import { isPackedHistogram } from './packed-check.ts'
import { packHistogram, unpackHistogram } from './packed-histogram.ts'

const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt())
const observed = fc.array(value, { minLength: 1, maxLength: 20 })

function histogramOf(values: readonly (number | bigint)[]): Histogram {
  const histogram = new Histogram()
  for (const each of values) histogram.record(each)
  return histogram
}

test('whatever was recorded passes the check, and no part of its bytes does', () => {
  holds(
    fc.property(observed, fc.nat(), (values, cut) => {
      const bytes = packHistogram(histogramOf(values))
      assert.ok(isPackedHistogram(bytes))
      assert.ok(!isPackedHistogram(bytes.subarray(0, cut % bytes.length)))
      assert.ok(!isPackedHistogram(Uint8Array.of(...bytes, 0)))
    }),
  )
})

test('histograms between bounds of their own pass it', () => {
  const counts = BigUint64Array.of(3n, 0n, 2n)
  const bytes = packHistogram(boundedHistogram({ bounds: [1, 10], counts, sum: 30n }))
  assert.ok(isPackedHistogram(bytes))
  for (let length = 0; length < bytes.length; length++) {
    assert.ok(!isPackedHistogram(bytes.subarray(0, length)), `${length} bytes`)
  }
})

test('a count that is not that of all buckets does not pass it', () => {
  const whole = histogramOf([0, -5, 1, 2, 3])
  whole.overflow = 2n
  whole.overflowFrom = 2 ** 31
  whole.count += 2n
  assert.ok(isPackedHistogram(packHistogram(whole)))
  for (const off of [1n, -1n, 2n ** 40n]) {
    whole.count += off
    assert.ok(!isPackedHistogram(packHistogram(whole)))
    whole.count -= off
  }
  const huge = new Histogram()
  for (const value of [1, 2, 3, 1000]) huge.record(value, 2n ** 61n - 1n)
  assert.ok(isPackedHistogram(packHistogram(huge)))
})

test('bytes with a change that pass it are read, and can be merged', () => {
  const change = fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) })
  holds(
    fc.property(observed, fc.array(change, { maxLength: 3 }), (values, changes) => {
      const bytes = packHistogram(histogramOf(values)).slice()
      for (const { at, byte } of changes) bytes[at % bytes.length] = byte
      if (!isPackedHistogram(bytes)) return
      const histogram = unpackHistogram(bytes)
      const sum = histogramOf([1])
      if (histogram.bounds === undefined) sum.mergeFrom(histogram)
      assert.ok(histogramFacts(sum) !== undefined && sum.count > 0n)
    }),
  )
})
