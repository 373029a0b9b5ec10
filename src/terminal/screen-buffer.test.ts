import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { textWidth } from './columns.ts'
import { RIGHT_HALF, ScreenBuffer } from './screen-buffer.ts'

test('text is cut at the edge, and the cut is seen', () => {
  const buffer = new ScreenBuffer(10, 1)
  assert.equal(buffer.write(0, 4, 'exactly'), 10)
  assert.equal(buffer.rowText(0), '    exact…')
  buffer.clear()
  assert.equal(buffer.write(0, 4, 'six in'), 10)
  assert.equal(buffer.rowText(0), '    six in')
})

test('a width of its own cuts earlier, and text to the right ends where it should', () => {
  const buffer = new ScreenBuffer(12, 1)
  buffer.write(0, 0, 'abcdef', 'plain', 4)
  buffer.writeRight(0, 12, '1,234')
  assert.equal(buffer.rowText(0), 'abc…   1,234')
  buffer.writeRight(0, 5, '123456789', 'plain', 3)
  assert.equal(buffer.rowText(0), 'ab12…  1,234')
})

test('outside of the buffer nothing happens', () => {
  const buffer = new ScreenBuffer(4, 2)
  for (const [row, column] of [
    [-1, 0],
    [2, 0],
    [0, 4],
    [0, -1],
  ] as const) {
    buffer.write(row, column, 'xyz')
  }
  assert.deepEqual([buffer.rowText(0), buffer.rowText(1)], ['', ''])
})

test('a wide character takes two cells and is never halved', () => {
  const buffer = new ScreenBuffer(5, 1)
  buffer.write(0, 0, '漢字仮')
  assert.deepEqual(buffer.characters, ['漢', RIGHT_HALF, '字', RIGHT_HALF, '…'])
  buffer.clear()
  buffer.write(0, 0, 'a漢字仮')
  assert.deepEqual(buffer.characters, ['a', '漢', RIGHT_HALF, '…', ' '])
})

test('marks stay on their character, a bounded number of them', () => {
  const buffer = new ScreenBuffer(4, 1)
  buffer.write(0, 0, `e${'\u0301'.repeat(1000)}x`)
  assert.equal(buffer.characters[0], 'e\u0301\u0301\u0301')
  assert.equal(buffer.characters[1], 'x')
  buffer.write(0, 2, '\u0301y')
  assert.equal(buffer.characters[2], 'y', 'a mark without a character is left out')
})

test('what a peer sends cannot steer the terminal', () => {
  const buffer = new ScreenBuffer(60, 1)
  buffer.write(0, 0, 'a\x1b[2Jb\r\nc\x9bd\u202ee\ud800f\u200b')
  assert.equal(buffer.rowText(0), 'a\\x1b[2Jb\\x0d\\x0ac\\x9bd\\u202ee\ufffdf\\u200b')
})

test('any text fills just the columns that it is said to take', () => {
  holds(
    fc.property(fc.string({ unit: 'binary', maxLength: 16 }), fc.nat(40), (text, column) => {
      const buffer = new ScreenBuffer(40, 1)
      const end = buffer.write(0, column, text)
      assert.ok(end <= 40)
      assert.equal(textWidth(buffer.characters.slice(column, end).join('')), end - column)
      assert.equal(buffer.characters.slice(end).join('').trim(), '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these may not be left
      assert.doesNotMatch(buffer.rowText(0), /[\u0000-\u001f\u007f-\u009f]/)
    }),
  )
})
