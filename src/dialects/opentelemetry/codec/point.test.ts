import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Point } from './point.ts'

/** ExponentialHistogramDataPoint: field 9 (negative) with the counts of field 2, packed. */
const negative = (...counts: number[]): number[] => {
  return [0x4a, counts.length + 2, 0x12, counts.length, ...counts]
}

test('of two messages for the buckets of one side the last one counts', () => {
  const point = new Point()
  const bytes = Uint8Array.from([...negative(1, 2, 3), ...negative(4)])
  assert.equal(point.read('exponentialHistogram', bytes, 0, bytes.length), undefined)
  assert.deepEqual(point.negative.counts, [4n])
})
