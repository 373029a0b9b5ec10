import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { compareUtf8, fromHex, hashBytes, toHex } from './bytes.ts'

/**
 * UTF-16 units at the borders that separate unit order from byte order, lone surrogates included.
 */
const units = fc.constantFrom(
  0,
  0x2f,
  0x61,
  0x7f,
  0x80,
  0x7ff,
  0x800,
  0xd7ff,
  0xd800,
  0xdbff,
  0xdc00,
  0xdfff,
  0xe000,
  0xfffc,
  0xfffd,
  0xfffe,
  0xffff,
)
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(units, { maxLength: 6 }).map((list) => String.fromCharCode(...list)),
)

test('text compares as its UTF-8 bytes do, lone surrogates as the U+FFFD they become', () => {
  holds(
    fc.property(anyText, anyText, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b))
      assert.equal(Math.sign(compareUtf8(a, b)), expected)
    }),
    2000,
  )
})

test('private-use characters sort before astral ones, unlike in UTF-16 order', () => {
  assert.ok(compareUtf8('\ue000', '\u{10000}') < 0)
  assert.ok('\ue000' > '\u{10000}')
})

test('a prefix sorts before the longer text', () => {
  assert.ok(compareUtf8('', 'a') < 0)
  assert.ok(compareUtf8('ab', 'a') > 0)
  assert.equal(compareUtf8('ab', 'ab'), 0)
})

test('the hash equals the published FNV-1a values', () => {
  const hash = (text: string) => hashBytes(Buffer.from(text), 0, text.length) >>> 0
  assert.equal(hash(''), 0x811c9dc5)
  assert.equal(hash('a'), 0xe40c292c)
  assert.equal(hash('foobar'), 0xbf9cf968)
})

test('a hash over a range sees only the range, and may be continued from a seed', () => {
  holds(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), (before, bytes, after) => {
      const joined = Buffer.concat([before, bytes, after])
      const end = before.length + bytes.length
      const whole = hashBytes(bytes, 0, bytes.length)
      assert.equal(hashBytes(joined, before.length, end), whole)
      const middle = bytes.length >> 1
      const half = hashBytes(bytes, 0, middle)
      assert.equal(hashBytes(bytes, middle, bytes.length, half), whole)
    }),
  )
})

test('hex text and bytes are each other’s inverse', () => {
  holds(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.equal(toHex(bytes), Buffer.from(bytes).toString('hex'))
      assert.deepEqual(fromHex(toHex(bytes)), bytes)
      assert.deepEqual(fromHex(toHex(bytes).toUpperCase()), bytes)
    }),
  )
})

test('hex text of odd length or with another character is refused, never read as zero', () => {
  assert.throws(() => fromHex('abc'), SyntaxError)
  for (const text of ['zz', '0x', ' 0', '1-', '+1']) assert.throws(() => fromHex(text), SyntaxError)
})
