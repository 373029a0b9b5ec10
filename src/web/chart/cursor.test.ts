import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secondAt, stepCursor } from './cursor.ts'

const AXIS = { from: 1000, to: 1060, left: 10, right: 130 }

test('the cursor stands on a whole second', () => {
  assert.equal(secondAt(AXIS, 70), 1030)
  assert.equal(secondAt(AXIS, 71.3), 1031)
})

test('beyond the edges of a chart the cursor stays at its first and last second', () => {
  assert.equal(secondAt(AXIS, -40), 1000)
  assert.equal(secondAt(AXIS, 500), 1060)
})

test('arrow keys move the cursor by a sixtieth of the window, from the newest second', () => {
  assert.equal(stepCursor(null, -1, 5000, 300), 4995)
  assert.equal(stepCursor(4995, -1, 5000, 300), 4990)
  assert.equal(stepCursor(null, -1, 5000, 10), 4999)
})

test('arrow keys stop at the edges of the window', () => {
  assert.equal(stepCursor(null, 1, 5000, 60), 5000)
  assert.equal(stepCursor(4940, -1, 5000, 60), 4940)
})
