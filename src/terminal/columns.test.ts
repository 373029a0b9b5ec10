import assert from 'node:assert/strict'
import { test } from 'node:test'
import { characterWidth, textWidth } from './columns.ts'

test('Latin, rules, arrows and braille take one column', () => {
  for (const character of 'aÄß─●◆■–…↑⣿☃') assert.equal(characterWidth(character), 1, character)
})

test('East Asian characters, full-width forms and emoji take two', () => {
  for (const character of '漢かカ한，Ａ𠀀😀🚀')
    assert.equal(characterWidth(character), 2, character)
})

test('marks, joiners and other formatting take none', () => {
  for (const character of '\u0301\u200b\u200d\u202e\ufe0f\u20dd') {
    assert.equal(characterWidth(character), 0, character.codePointAt(0)!.toString(16))
  }
})

test('a text is as wide as its characters', () => {
  assert.equal(textWidth(''), 0)
  assert.equal(textWidth('e\u0301 漢字'), 6)
})
