import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ColorWishes,
  colorDepth,
  hasScreen,
  type Style,
  styleCode,
  styleSequence,
} from './color.ts'

const STYLES: readonly Style[] = [
  ...(['plain', 'bold', 'faint', 'data', 'unusual', 'lost', 'cursor', 'ok'] as const),
]
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
  const sequences = new Set(STYLES.map((style) => styleSequence(styleCode(style), 'none')))
  assert.deepEqual([...sequences], ['\x1b[0m', '\x1b[0;1m'])
})

test('a style begins anew, whatever was before it', () => {
  for (const style of STYLES) {
    for (const depth of ['none', '16', '256'] as const) {
      assert.ok(styleSequence(styleCode(style), depth).startsWith('\x1b[0'))
    }
  }
})

test('light paper is what the person says, or what the environment knows', () => {
  assert.equal(colorDepth({ ...wishes, theme: 'light' }), '256-light')
  const light = { ...wishes, env: { ...wishes.env, COLORFGBG: '0;default;15' } }
  assert.equal(colorDepth(light), '256-light')
  assert.equal(colorDepth({ ...light, theme: 'dark' }), '256')
  const dark = { ...wishes, env: { ...wishes.env, COLORFGBG: '15;0' } }
  assert.equal(colorDepth(dark), '256')
})

test('a colour of a line is the nearest that the terminal has', () => {
  assert.equal(styleSequence(styleCode('#ff0000'), '256'), '\x1b[0;38;5;196m')
  assert.equal(styleSequence(styleCode('#808080'), '256'), '\x1b[0;38;5;244m')
  assert.equal(styleSequence(styleCode('#119fbc'), '256'), '\x1b[0;38;5;37m')
  assert.equal(styleSequence(styleCode('#00ffff'), '16'), '\x1b[0;96m')
  assert.equal(styleSequence(styleCode('#ff0000'), 'none'), '\x1b[0m')
  assert.equal(styleSequence(styleCode('#nonsense'), '256'), '\x1b[0m')
})

test('a screen is drawn at a terminal, not at one that moves no cursor', () => {
  assert.equal(hasScreen({ isTTY: true }, { TERM: 'vt100' }), true)
  assert.equal(hasScreen({ isTTY: true }, { TERM: 'dumb' }), false)
  assert.equal(hasScreen({}, { TERM: 'xterm' }), false)
})
