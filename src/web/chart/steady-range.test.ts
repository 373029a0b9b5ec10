import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SteadyRange } from './steady-range.ts'

const WINDOW = 60

test('a range grows at once', () => {
  const range = new SteadyRange()
  range.update({ lo: 0, hi: 10 }, 100, WINDOW, 'a')
  assert.deepEqual(range.update({ lo: 0, hi: 40 }, 101, WINDOW, 'a'), { lo: 0, hi: 40 })
})

test('a range shrinks only after a full window without need', () => {
  const range = new SteadyRange()
  range.update({ lo: 0, hi: 40 }, 100, WINDOW, 'a')
  for (let second = 101; second < 160; second += 1) {
    assert.equal(range.update({ lo: 0, hi: 10 }, second, WINDOW, 'a').hi, 40)
  }
  assert.equal(range.update({ lo: 0, hi: 10 }, 160, WINDOW, 'a').hi, 10)
})

test('a need in between starts the wait anew', () => {
  const range = new SteadyRange()
  range.update({ lo: 0, hi: 40 }, 100, WINDOW, 'a')
  range.update({ lo: 0, hi: 40 }, 140, WINDOW, 'a')
  assert.equal(range.update({ lo: 0, hi: 10 }, 170, WINDOW, 'a').hi, 40)
})

test('both ends are steady each for itself', () => {
  const range = new SteadyRange()
  range.update({ lo: 5, hi: 40 }, 100, WINDOW, 'a')
  range.update({ lo: 10, hi: 40 }, 150, WINDOW, 'a')
  assert.deepEqual(range.update({ lo: 10, hi: 20 }, 165, WINDOW, 'a'), { lo: 10, hi: 40 })
})

test('another window or series starts from what it needs', () => {
  const range = new SteadyRange()
  range.update({ lo: 0, hi: 40 }, 100, WINDOW, 'a')
  assert.deepEqual(range.update({ lo: 2, hi: 3 }, 101, WINDOW, 'b'), { lo: 2, hi: 3 })
})
