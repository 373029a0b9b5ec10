import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColorWishes, colorDepth, STYLES, styleSequence } from './color.ts'

const wishes: ColorWishes = { color: true, isTerminal: true, env: { TERM: 'xterm-256color' } }

test('256 colours where the terminal says so, 16 elsewhere', () => {
  assert.equal(colorDepth(wishes), '256')
  assert.equal(colorDepth({ ...wishes, env: { TERM: 'xterm' } }), '16')
  assert.equal(colorDepth({ ...wishes, env: { TERM: 'xterm', COLORTERM: 'truecolor' } }), '256')
  assert.equal(colorDepth({ ...wishes, env: {} }), '16')
})

test('none with --no-color, with NO_COLOR, on a dumb terminal, on no terminal', () => {
  assert.equal(colorDepth({ ...wishes, color: false }), 'none')
  assert.equal(colorDepth({ ...wishes, env: { ...wishes.env, NO_COLOR: '1' } }), 'none')
  assert.equal(colorDepth({ ...wishes, env: { TERM: 'dumb' } }), 'none')
  assert.equal(colorDepth({ ...wishes, isTerminal: false }), 'none')
})

test('an empty NO_COLOR does not count', () => {
  assert.equal(colorDepth({ ...wishes, env: { ...wishes.env, NO_COLOR: '' } }), '256')
})

test('without colour, nothing but bold is left', () => {
  const sequences = new Set(STYLES.map((style) => styleSequence(style, 'none')))
  assert.deepEqual([...sequences], ['\x1b[0m', '\x1b[0;1m'])
})

test('a style begins anew, whatever was before it', () => {
  for (const style of STYLES) {
    for (const depth of ['none', '16', '256'] as const) {
      assert.ok(styleSequence(style, depth).startsWith('\x1b[0'))
    }
  }
})
