import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { bucketIndex, SCALE_MAX } from '../../model/index.ts'
import { leastIntegerFrom, placeOfDouble, placeOfInteger } from './bucket-place.ts'

test('integers of 31 bits lie in the bucket the model gives them', () => {
  for (let value = 1; value <= 70_000; value++) agree(value)
  for (let power = 1; power < 31; power++) for (const d of [-1, 0, 1]) agree(2 ** power + d)
  agree(2 ** 31 - 1)
  holds(fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), agree), 2_000)

  function agree(value: number): void {
    assert.equal(placeOfInteger(value), bucketIndex(value, SCALE_MAX), `${value}`)
  }
})

test('the least integer from a place on lies there or above, and the one before below', () => {
  for (let place = -9; place <= 31 * 2 ** SCALE_MAX + 9; place++) {
    const least = leastIntegerFrom(place)
    if (least < 2 ** 31) assert.ok(bucketIndex(least, SCALE_MAX) >= place, `${place}`)
    if (least > 1) assert.ok(bucketIndex(least - 1, SCALE_MAX) < place, `${place}`)
  }
  assert.equal(leastIntegerFrom(31 * 2 ** SCALE_MAX), 2 ** 31)
})

test('positive doubles, subnormals included, lie in the bucket the model gives them', () => {
  const positive = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true })
  const check = (value: number): void => {
    assert.equal(placeOfDouble(value), bucketIndex(value, SCALE_MAX), `${value}`)
  }
  holds(fc.property(positive, check), 5_000)
  for (const value of [Number.MIN_VALUE, 2 ** -1022, 1, Number.MAX_VALUE]) check(value)
})

test('doubles within 64 steps of every bound of an octave are on the side the model says', () => {
  const double = new Float64Array(1)
  const bits = new BigInt64Array(double.buffer)
  for (let bound = 0; bound < 256; bound++) {
    double[0] = 2 ** (bound / 256)
    const middle = bits[0]!
    for (let step = -64n; step <= 64n; step++) {
      bits[0] = middle + step
      const value: number = double[0]!
      assert.equal(placeOfDouble(value), bucketIndex(value, SCALE_MAX), `${value}`)
    }
  }
})
