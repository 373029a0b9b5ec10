import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decadeLabels } from './range-bar.ts'

test('decades are named where there is room, however narrow the axis is', () => {
  const widths = [30, 36, 30, 36]
  assert.deepEqual(decadeLabels([2, 102, 202, 302], widths), [
    [0, 0],
    [1, 84],
    [2, 187],
    [3, 284],
  ])
  // the first label stands right of its tick: the second has no room
  assert.deepEqual(decadeLabels([2, 46, 90, 134], widths), [
    [0, 0],
    [2, 75],
    [3, 116],
  ])
  // of narrower ones only every second or third
  assert.deepEqual(decadeLabels([2, 32, 62, 92], widths), [
    [0, 0],
    [2, 47],
  ])
})
