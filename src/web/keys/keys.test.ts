import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Screen } from '../shell/view.ts'
import { type Action, Keys, keyHelp } from './keys.ts'

const screen = (key: string): Screen => ({
  address: { path: key, standard: {}, parse: () => ({}), format: () => '' },
  title: () => `view ${key}`,
  key,
  component: () => null,
})
const LETTERS = ['o', 'e']
const SCREENS = LETTERS.map(screen)

function press(
  keys: Keys,
  key: string,
  part: Partial<Parameters<Keys['press']>[0]> = {},
): Action | undefined {
  return keys.press({ key, hasModifier: false, isInField: false, ...part })
}

test('single keys act at once', () => {
  const keys = new Keys(LETTERS)
  assert.equal(press(keys, '/'), 'filter')
  assert.equal(press(keys, 'p'), 'pause')
  assert.equal(press(keys, '4'), 'window-4')
  assert.equal(press(keys, 't'), 'table')
  assert.equal(press(keys, 'T', { hasShift: true }), 'theme')
  assert.equal(press(keys, '9'), 'window-9')
  assert.equal(press(keys, 'x'), undefined)
})

test('Caps Lock changes no key', () => {
  const keys = new Keys(LETTERS)
  for (const [key, action] of Object.entries({ T: 'table', D: 'density', J: 'next', P: 'pause' })) {
    assert.equal(press(keys, key), action)
  }
  assert.equal(press(keys, 't', { hasShift: true }), 'theme')
  assert.equal(press(keys, '?', { hasShift: true }), 'help')
})

test('keys are silent while a text field has the focus, or with a modifier', () => {
  const keys = new Keys(LETTERS)
  assert.equal(press(keys, 'p', { isInField: true }), undefined)
  assert.equal(press(keys, 'c', { hasModifier: true }), undefined)
})

test('G and a letter go to a view, and only the next key counts', () => {
  const keys = new Keys(LETTERS)
  assert.equal(press(keys, 'g'), undefined)
  assert.equal(press(keys, 'e'), 'go-e')
  assert.equal(press(keys, 'e'), undefined)
  press(keys, 'g')
  assert.equal(press(keys, 'p'), 'pause')
  assert.equal(press(keys, 'o'), undefined)
})

test('single keys can be switched off; arrows and Escape stay', () => {
  const keys = new Keys(LETTERS)
  keys.areSinglesOn.value = false
  assert.equal(press(keys, 'p'), undefined)
  assert.equal(press(keys, '?'), undefined)
  assert.equal(press(keys, 'ArrowLeft'), 'cursor-back')
  assert.equal(press(keys, 'Escape'), 'off')
})

test('Ctrl K jumps, from a text field too, and whether or not single keys are on', () => {
  const keys = new Keys(LETTERS)
  keys.areSinglesOn.value = false
  const held = { hasModifier: true, hasCommand: true, isInField: true }
  assert.equal(press(keys, 'k', held), 'jump')
  assert.equal(press(keys, 'k', { hasModifier: true }), undefined)
})

test('arrows move the cursor, with Shift the time', () => {
  const keys = new Keys(LETTERS)
  assert.equal(press(keys, 'ArrowLeft', { hasShift: true }), 'pan-back')
  assert.equal(press(keys, 'ArrowRight', { hasShift: true }), 'pan-on')
  assert.equal(press(keys, 'ArrowRight'), 'cursor-on')
})

test('every key that the help shows does something', () => {
  for (const { keys: list } of keyHelp(SCREENS)) {
    for (const [shown] of list) {
      // Enter opens the link that has the focus: the browser does it.
      if (shown === 'Enter') continue
      const names: Record<string, string> = { '←': 'ArrowLeft', '→': 'ArrowRight', Esc: 'Escape' }
      const parts = shown.split(' ').filter((part) => part !== '…')
      const keys = new Keys(LETTERS)
      if (parts[0] === 'Ctrl') {
        const held = { hasModifier: true, hasCommand: true }
        assert.ok(press(keys, parts[1]!.toLowerCase(), held), shown)
      } else if (parts[0] === 'Shift') {
        for (const part of parts.slice(1)) {
          const plain = press(keys, names[part] ?? part.toLowerCase())
          const action = press(keys, names[part] ?? part, { hasShift: true })
          assert.ok(action !== undefined && action !== plain, shown)
        }
      } else if (parts[0] === 'G') {
        press(keys, 'g')
        assert.ok(press(keys, parts[1]!.toLowerCase()), shown)
      } else {
        for (const part of parts) {
          assert.ok(
            press(keys, names[part] ?? (part.length === 1 ? part.toLowerCase() : part)),
            shown,
          )
        }
      }
    }
  }
})
