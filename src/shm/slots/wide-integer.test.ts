import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { WIDE_WORDS } from '../layout.ts'
import { fitsWide, readWide, writeWide } from './wide-integer.ts'

const LIMIT = 1n << 383n
const integer = fc.bigInt({ min: -LIMIT, max: LIMIT - 1n })

test('every integer of 384 bits is read as it was written, beside its neighbours', () => {
  const words = new BigUint64Array(WIDE_WORDS + 2).fill(7n)
  holds(
    fc.property(integer, (value) => {
      writeWide(words, 1, value)
      assert.equal(readWide(words, 1), value)
      assert.equal(words[0], 7n)
      assert.equal(words[WIDE_WORDS + 1], 7n)
    }),
  )
})

test('zeroed words are 0', () => {
  assert.equal(readWide(new BigUint64Array(WIDE_WORDS), 0), 0n)
})

test('the limits are -2^383 and 2^383 - 1', () => {
  assert.ok(fitsWide(-LIMIT) && fitsWide(LIMIT - 1n))
  assert.ok(!fitsWide(-LIMIT - 1n) && !fitsWide(LIMIT))
})
