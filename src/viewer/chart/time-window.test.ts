import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longerWindow, shorterWindow, stepCursor, stepOf } from './time-window.ts'

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

test('a picture has 1,200 steps at most, each a part of the minute, hour or day above it', () => {
  const steps = [60, 1200, 1201, 3600, 21_600, 86_400, 604_800, 157_680_000].map(stepOf)
  assert.deepEqual(steps, [1, 1, 2, 5, 30, 120, 600, 172_800])
  for (let window = 5; window < 2e8; window = Math.ceil(window * 1.1)) {
    const step = stepOf(window)
    assert.ok(window / step <= 1200)
    assert.ok([60, 3600, 86_400].every((whole) => whole % step === 0 || step % whole === 0))
  }
})
