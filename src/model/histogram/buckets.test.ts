import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { bucketIndex, lowerBound, SCALE_MAX, SCALE_MIN, upperBound } from './buckets.ts'

const SCALES = Array.from({ length: SCALE_MAX - SCALE_MIN + 1 }, (_, i) => SCALE_MIN + i)
const scale = fc.integer({ min: SCALE_MIN, max: SCALE_MAX })
const positive = fc.oneof(
  fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
  fc.integer({ min: 1 }),
)
const big = fc.bigInt({ min: 1n, max: 10n ** 100n })

test('every power of two that a double holds is the top of its bucket, at every scale', () => {
  for (const s of SCALES) {
    for (let k = -1074; k <= 1023; k++) {
      const expected = s >= 0 ? k * 2 ** s - 1 : Math.ceil(k / 2 ** -s) - 1
      assert.equal(bucketIndex(2 ** k, s), expected, `2^${k} at scale ${s}`)
    }
  }
})

test('a bound at a power of two is exact, and its own bucket’s top', () => {
  for (let s = 0; s <= SCALE_MAX; s++) {
    for (let k = -1074; k <= 1023; k++) {
      assert.equal(upperBound(k * 2 ** s - 1, s), 2 ** k)
      assert.equal(lowerBound(k * 2 ** s, s), 2 ** k)
    }
    assert.equal(upperBound(1024 * 2 ** s - 1, s), Number.POSITIVE_INFINITY)
  }
})

test('the neighbours of a power of two lie on their own sides of it', () => {
  for (const s of SCALES.filter((each) => each >= 0)) {
    for (let k = -1021; k <= 1022; k++) {
      const power = 2 ** k
      const top = k * 2 ** s - 1
      assert.equal(bucketIndex(power * (1 + Number.EPSILON), s), top + 1, `above 2^${k}`)
      const below = bucketIndex(power * (1 - Number.EPSILON / 2), s)
      assert.equal(below, top, `below 2^${k}`)
    }
  }
})

test('one scale lower is one bit less of the index, for doubles and bigints', () => {
  holds(
    fc.property(fc.oneof(positive, big), (value) => {
      for (let s = SCALE_MAX; s > SCALE_MIN; s--) {
        assert.equal(bucketIndex(value, s - 1), bucketIndex(value, s) >> 1, `scale ${s}`)
      }
    }),
    2000,
  )
})

test('a value lies above its bucket’s lower bound and not above the upper one', () => {
  holds(
    fc.property(positive, scale, (value, s) => {
      const index = bucketIndex(value, s)
      const slack = s > 0 ? 1 + 4 * Number.EPSILON : 1
      const isNormal = value >= 2 ** -1022
      if (isNormal) assert.ok(value > lowerBound(index, s) / slack, 'above the lower bound')
      assert.ok(value <= upperBound(index, s) * slack, 'not above the upper bound')
    }),
    2000,
  )
})

test('larger values never have smaller indices', () => {
  holds(
    fc.property(positive, positive, scale, (a, b, s) => {
      const [low, high] = a <= b ? [a, b] : [b, a]
      assert.ok(bucketIndex(low, s) <= bucketIndex(high, s))
    }),
    1000,
  )
})

test('integers follow the bit length at scale 0: 1 gives -1, v gives bitlength(v - 1) - 1', () => {
  assert.equal(bucketIndex(1, 0), -1)
  assert.equal(bucketIndex(1n, 0), -1)
  holds(
    fc.property(fc.bigInt({ min: 2n, max: 10n ** 100n }), (value) => {
      const expected = (value - 1n).toString(2).length - 1
      assert.equal(bucketIndex(value, 0), expected)
      if (value <= 2n ** 53n) assert.equal(bucketIndex(Number(value), 0), expected)
    }),
    1000,
  )
})

test('an integer above 2^53 is rounded up, never into the bucket of a smaller bound', () => {
  for (let k = 53n; k <= 400n; k++) {
    for (let s = 0; s <= SCALE_MAX; s++) {
      const top = Number(k) * 2 ** s - 1
      assert.equal(bucketIndex(2n ** k, s), top, `2^${k} at scale ${s}`)
      assert.equal(bucketIndex(2n ** k + 1n, s), top + 1, `2^${k} + 1 at scale ${s}`)
      assert.equal(bucketIndex(2n ** k - 1n, s), top, `2^${k} - 1 at scale ${s}`)
    }
  }
})

test('bigints and numbers of the same size share a bucket', () => {
  holds(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), scale, (value, s) => {
      assert.equal(bucketIndex(BigInt(value), s), bucketIndex(value, s))
    }),
  )
})
