import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { linearScale, logScale, niceRange, SteadyRange, timeTicks } from './scale.ts'

const close = (a: readonly number[], b: readonly number[]): void => {
  assert.equal(a.length, b.length, `${a} against ${b}`)
  a.forEach((value, i) => {
    assert.ok(Math.abs(value - b[i]!) <= 1e-9 * Math.max(1, Math.abs(value)), `${a} against ${b}`)
  })
}

/** Ticks of an axis from zero that has room for two steps. */
function ticksTo(hi: number, unit = ''): readonly number[] {
  return linearScale({ lo: 0, hi }, 0, 100, 2, unit).ticks
}

test('steps are 1, 2, 2.5 or 5 times a power of ten', () => {
  close(ticksTo(100), [0, 50, 100])
  close(ticksTo(5), [0, 2.5, 5])
  close(ticksTo(0.37), [0, 0.2])
  close(ticksTo(1800), [0, 1000])
})

test('steps of bytes are 1, 2 or 4 times a power of two', () => {
  close(ticksTo(3_000_000, 'B'), [0, 2 ** 21])
  close(ticksTo(3_000_000, 'B/s'), [0, 2 ** 21])
  // 4 GiB, in millions of bytes
  close(ticksTo(7000, 'MB'), [0, 2 ** 32 / 1e6])
})

test('a counter is drawn from zero', () => {
  assert.deepEqual(niceRange('zero', { lo: 17, hi: 33 }, 2), { lo: 0, hi: 40 })
  assert.deepEqual(niceRange('zero', { lo: 0, hi: 0 }, 2), { lo: 0, hi: 1 })
})

test('a gauge is drawn around its data, also when it stands still', () => {
  assert.deepEqual(niceRange('around', { lo: 1600, hi: 2110 }, 2), { lo: 1500, hi: 2500 })
  const still = niceRange('around', { lo: 40, hi: 40 }, 2)
  assert.ok(still.lo < 40 && still.hi > 40)
})

test('every range has its data inside and at least two ticks', () => {
  const finite = fc.double({ noNaN: true, min: -1e300, max: 1e300 })
  holds(
    fc.property(finite, finite, fc.integer({ min: 2, max: 6 }), (a, b, count) => {
      const range = { lo: Math.min(a, b), hi: Math.max(a, b) }
      const nice = niceRange('around', range, count)
      const slack = (nice.hi - nice.lo) * 1e-5
      assert.ok(nice.lo <= range.lo + slack && nice.hi >= range.hi - slack)
      assert.ok(linearScale(nice, 0, 100, count).ticks.length >= 2)
    }),
  )
})

test('a linear scale puts its ends at the edges', () => {
  const scale = linearScale({ lo: 0, hi: 40 }, 6, 70, 2)
  close(scale.ticks, [0, 20, 40])
  close([scale.y(0), scale.y(20), scale.y(40)], [70, 38, 6])
})

test('a logarithmic axis is labelled in decades', () => {
  const scale = logScale({ lo: 0.5, hi: 256 }, 0, 90, 3)
  close(scale.ticks, [1, 10, 100])
  close([scale.y(0.5), scale.y(256)], [90, 0])
})

test('a logarithmic axis within one decade is labelled at 1, 2 and 5', () => {
  close(logScale({ lo: 2, hi: 8 }, 0, 90, 3).ticks, [2, 5])
})

test('labels of time have their room', () => {
  assert.deepEqual(timeTicks(0, 60, 246), [0, 30, 60])
  assert.deepEqual(timeTicks(0, 60, 800, 96), [0, 10, 20, 30, 40, 50, 60])
  assert.deepEqual(timeTicks(0, 10, 246), [0, 5, 10])
  assert.deepEqual(timeTicks(1003, 1063, 246), [1020, 1050])
})

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

test('an axis of the largest doubles has ends, ticks and places', () => {
  for (const [lo, hi, axis] of [
    [1.7e308, 1.7e308, 'around'],
    [-1.7e308, 1.7e308, 'around'],
    [0, 1.7e308, 'zero'],
    [-1.7e308, -1.7e308, 'zero'],
  ] as const) {
    const range = niceRange(axis, { lo, hi }, 4)
    const { ticks, y } = linearScale(range, 0, 100, 4)
    assert.ok(ticks.length >= 2 && ticks.length <= 6, `${ticks}`)
    for (const value of [...ticks, lo, hi]) assert.ok(y(value) >= 0 && y(value) <= 100, `${value}`)
  }
})
