import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { shownName } from './name.ts'

test('plain names, spaces inside and characters of four bytes stand as they are', () => {
  for (const name of ['Check Order', 'a@b*c:d||e', '"q" <b>', 'Zürich 価格 👩‍💻', '␀']) {
    assert.equal(shownName(name), name)
  }
})

test('what cannot be seen is spelled out, so that names that differ look different', () => {
  assert.equal(shownName('a\nb'), 'a\\x0ab')
  assert.equal(shownName('a\0'), 'a\\x00')
  assert.equal(shownName('a\u007f'), 'a\\x7f')
  assert.equal(shownName('a\u202egpj'), 'a\\u202egpj')
  assert.equal(shownName('\u200bx'), '\\u200bx')
})

test('a blank name is said to be blank', () => {
  for (const name of ['', ' ', '\u00a0']) assert.equal(shownName(name), '(blank)')
})

test('names longer than 1,000 units are cut, never within a character', () => {
  const name = '👩'.repeat(1000)
  assert.equal(shownName(name), `${'👩'.repeat(500)}…`)
  const odd = `x${name}`
  assert.equal(shownName(odd), `x${'👩'.repeat(499)}…`)
})

test('no text that is shown has a control character', () => {
  holds(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the point of it
      assert.doesNotMatch(shownName(name), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
    }),
  )
})
