import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { compileByteGlob, compileGlob } from './glob.ts'

test('a star is any run of characters, line ends and none among them; the rest is itself', () => {
  const cases: readonly [pattern: string, text: string, isMatch: boolean][] = [
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'a\nb', true],
    ['a.b', 'a.b', true],
    ['a.b', 'axb', false],
    ['a*', 'a', true],
    ['*a', 'ba', true],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['*ab*ab*', 'xabab', true],
    ['*ab*ab*', 'xaba', false],
    ['a*b*b', 'ab', false],
    ['[a]$*', '[a]$1', true],
    ['A*', 'a', false],
  ]
  for (const [pattern, text, isMatch] of cases) {
    assert.equal(compileGlob(pattern)(text), isMatch, `${pattern} on ${JSON.stringify(text)}`)
  }
  assert.equal(compileGlob('System.*', { ignoresCase: true })('SYSTEM.Runtime'), true)
})

test('it is what the regular expression of the same meaning says', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 })
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 12 })
  holds(
    fc.property(letters, texts, (pattern, text) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*')
      assert.equal(compileGlob(pattern)(text), new RegExp(`^${source}$`, 's').test(text))
    }),
    2000,
  )
})

test('on the bytes of a text in ASCII it says the same as on the text', () => {
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', 'é'), maxLength: 8 })
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 12 })
  holds(
    fc.property(patterns, texts, texts, (pattern, before, text) => {
      const bytes = Buffer.from(`${before}${text}ab`)
      const isMatch = compileByteGlob(pattern)(bytes, before.length, bytes.length - 2)
      assert.equal(isMatch, compileGlob(pattern)(text))
    }),
    2000,
  )
})

test('twenty stars on a name of a hundred thousand letters are one pass over it', () => {
  // the expression of the same meaning would not end while this program runs
  const isMatch = compileGlob(`${'*a'.repeat(20)}*.x`)('a'.repeat(100_000))
  assert.equal(isMatch, false)
})
