import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longerWindow, shorterWindow, stepCursor } from './time-window.ts'

test('a window that is not on the list has neighbours on it, and the ends stay', () => {
  assert.deepEqual([shorterWindow(45), longerWindow(45)], [30, 60])
  assert.deepEqual([shorterWindow(10), longerWindow(600)], [10, 600])
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
