import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import {
  addExact,
  type Exact,
  exact,
  exactToJson,
  isInteger,
  maxExact,
  minExact,
  multiplyExact,
  subtractExact,
  U64_MAX,
} from './exact.ts'

const SAFE = BigInt(Number.MAX_SAFE_INTEGER)
/** Integers around every border that matters, as the model holds them. */
const integer = fc
  .oneof(
    fc.bigInt({ min: -1000n, max: 1000n }),
    fc.bigInt({ min: SAFE - 3n, max: SAFE + 3n }),
    fc.bigInt({ min: -SAFE - 3n, max: -SAFE + 3n }),
    fc.bigInt({ min: U64_MAX - 3n, max: U64_MAX + 3n }),
    fc.bigInt({ min: -(10n ** 100n), max: 10n ** 100n }),
  )
  .map(exact)

test('a bigint in the safe range has the form of a number, beyond it stays a bigint', () => {
  assert.equal(exact(5n), 5)
  assert.equal(exact(SAFE), Number.MAX_SAFE_INTEGER)
  assert.equal(exact(-SAFE), Number.MIN_SAFE_INTEGER)
  assert.equal(exact(SAFE + 1n), SAFE + 1n)
  assert.equal(exact(-SAFE - 1n), -SAFE - 1n)
  assert.equal(exact(0.5), 0.5)
})

test('sums, differences and products of integers are those of bigint arithmetic', () => {
  holds(
    fc.property(integer, integer, (a, b) => {
      assert.equal(addExact(a, b), exact(BigInt(a) + BigInt(b)))
      assert.equal(subtractExact(a, b), exact(BigInt(a) - BigInt(b)))
      assert.equal(positiveZero(multiplyExact(a, b)), exact(BigInt(a) * BigInt(b)))
    }),
    1000,
  )
})

test('doubles that are integers beyond 2^53 add exactly too', () => {
  assert.equal(addExact(2 ** 53, 1), 2n ** 53n + 1n)
  assert.equal(addExact(2 ** 60, 2 ** 60), 2n ** 61n)
  assert.equal(subtractExact(2 ** 53, -1), 2n ** 53n + 1n)
  assert.equal(multiplyExact(2 ** 53, 3), 3n * 2n ** 53n)
})

test('a fraction makes the result the double that number arithmetic gives', () => {
  holds(
    fc.property(fraction(), integer, (a, b) => {
      assert.equal(addExact(a, b), a + Number(b))
      assert.equal(subtractExact(b, a), Number(b) - a)
      assert.equal(multiplyExact(a, b), a * Number(b))
    }),
  )
})

test('adding is associative and subtracting undoes it, whatever the sizes', () => {
  holds(
    fc.property(integer, integer, integer, (a, b, c) => {
      assert.equal(addExact(addExact(a, b), c), addExact(a, addExact(b, c)))
      assert.equal(subtractExact(addExact(a, b), b), a)
    }),
  )
})

test('smaller and larger compare numbers with bigints by value, and leave NaN out', () => {
  holds(
    fc.property(integer, integer, (a, b) => {
      const [low, high] = BigInt(a) <= BigInt(b) ? [a, b] : [b, a]
      assert.equal(minExact(a, b), low)
      assert.equal(maxExact(a, b), high)
      for (const pick of [minExact, maxExact]) {
        assert.equal(pick(a, Number.NaN), a)
        assert.equal(pick(Number.NaN, a), a)
      }
    }),
  )
})

test('integers are told from fractions and from what is not finite', () => {
  for (const value of [0, -0, 5, 2 ** 60, 7n]) assert.equal(isInteger(value), true)
  for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(isInteger(value), false)
  }
})

test('the JSON form is a number where that is exact and decimal text elsewhere', () => {
  assert.equal(exactToJson(exact(SAFE)), Number.MAX_SAFE_INTEGER)
  assert.equal(exactToJson(U64_MAX), '18446744073709551615')
})

function fraction(): fc.Arbitrary<number> {
  return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((v) => !Number.isInteger(v))
}

function positiveZero(value: Exact): Exact {
  return typeof value === 'number' ? value + 0 : value
}
