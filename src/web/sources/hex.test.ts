import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexRows } from './hex.ts'

const hexOf = (text: string): string => Buffer.from(text, 'latin1').toString('hex')
const marked = (text: string, offset: number): string =>
  hexRows(hexOf(text), offset)
    .flatMap(({ bytes }) => bytes)
    .filter(({ isMarked }) => isMarked)
    .map((byte) => byte.text)
    .join('')

test('bytes stand sixteen to a row, with the position of the first', () => {
  const rows = hexRows(hexOf('checkout.total:12,5|c|#region:eu\n'), 15)
  assert.deepEqual(
    rows.map(({ at, bytes }) => [at, bytes.length]),
    [
      ['0000', 16],
      ['0010', 16],
      ['0020', 1],
    ],
  )
  assert.equal(rows[2]!.bytes[0]!.text, '·')
})

test('the word at the offset is marked, over the end of a row', () => {
  assert.equal(marked('checkout.total:12,5|c|#region:eu\n', 15), '12,5')
})

test('a separator at the offset is marked alone', () => {
  assert.equal(marked('a::1|c', 2), ':')
})

test('a long word is marked at its beginning only', () => {
  assert.equal(marked('GET0123456789 /metrics', 0), 'GET01234')
})

test('an offset at the end of the message marks nothing, and an empty message has no rows', () => {
  assert.equal(marked('abc', 3), '')
  assert.deepEqual(hexRows('', 0), [])
})

test('nothing is marked where the wrong byte is not in the excerpt', () => {
  const bytes = hexRows(hexOf('abc')).flatMap((row) => row.bytes)
  assert.deepEqual(
    bytes.map(({ isMarked }) => isMarked),
    [false, false, false],
  )
})
