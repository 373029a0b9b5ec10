import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spreadStrokes } from './spread.ts'

const NONE = Number.NaN

/** Strokes of a gauge, from the values at the ends of its steps and what it went through. */
function strokes(values: number[], low: number[], high: number[], group = 1, first = 0) {
  const [v, l, h] = [values, low, high].map((each) => Float64Array.from(each))
  const line = { values: v!, spread: { low: l!, high: h! } }
  return spreadStrokes(line, first, group).map(({ at, low, high }) => [at, low, high])
}

test('a peak between two ticks is a stroke from the line, in the middle of its step', () => {
  assert.deepEqual(strokes([5, 5, 5], [5, 5, 5], [5, 90, 5]), [[0.5, 5, 90]])
  assert.deepEqual(strokes([4, 6, 6], [4, -9, 6], [4, 6, 6]), [[0.5, -9, 5]])
  assert.deepEqual(strokes([4, 6, 6], [4, -9, 6], [4, 70, 6]), [[0.5, -9, 70]])
})

test('a peak that is the last of its step is drawn by the line alone', () => {
  assert.deepEqual(strokes([5, 90, 5], [5, 5, 5], [5, 90, 5]), [])
  assert.deepEqual(strokes([5, 90, 5], [5, 5, 5], [5, 90, 90]), [])
  assert.deepEqual(strokes([5, 90, 5], [5, -7, 5], [5, 90, 5]), [[0.5, -7, 47.5]])
})

test('behind a gap the line shows the end of a step only', () => {
  assert.deepEqual(strokes([5, NONE, 90], [5, NONE, 5], [5, NONE, 90]), [[1.5, 5, 90]])
  assert.deepEqual(strokes([NONE, NONE], [NONE, 2], [NONE, 3]), [[0.5, 2, 3]])
})

test('steps of one column of pixels have one stroke, for what no value of them reaches', () => {
  assert.deepEqual(strokes([5, 90, 5, 5], [5, 5, 5, 5], [5, 90, 5, 7], 2), [[2, 5, 7]])
})
