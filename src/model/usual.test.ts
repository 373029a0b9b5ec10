import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import type { Kind } from './cell.ts'
import {
  baselineOf,
  type Change,
  changeFrom,
  isUnusual,
  leftUsualAgo,
  meanOf,
  middleOf,
  UNKNOWN_CHANGE,
} from './usual.ts'

function compare(kind: Kind, recent: Float64Array, past: Float64Array): Change {
  return changeFrom(kind, meanOf(recent), baselineOf(past))
}

const steady = (value: number, length = 60): Float64Array => new Float64Array(length).fill(value)

test('a series that does what it always does is not unusual', () => {
  const change = compare('counter', steady(40, 10), steady(41))
  assert.ok(!isUnusual(change))
  assert.ok(Math.abs(change.ratio - 40 / 41) < 1e-9)
})

test('four times the usual is unusual, in either direction', () => {
  assert.ok(isUnusual(compare('gauge', steady(400, 10), steady(100))))
  assert.ok(isUnusual(compare('gauge', steady(25, 10), steady(100))))
})

test('a rare event that goes from 0 to 2 is nothing, to 12 is unusual', () => {
  assert.ok(!isUnusual(compare('counter', steady(2, 10), steady(0))))
  const change = compare('counter', steady(12, 10), steady(0))
  assert.ok(isUnusual(change))
  assert.equal(change.ratio, Number.POSITIVE_INFINITY)
})

test('a restless series has to move further than a quiet one', () => {
  const restless = Float64Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 20 : 180))
  assert.ok(!isUnusual(compare('gauge', steady(200, 10), restless)))
  assert.ok(isUnusual(compare('gauge', steady(200, 10), steady(100))))
})

test('a spike counts by what it makes of ten seconds', () => {
  const recent = steady(100, 10)
  recent[4] = 800
  assert.ok(!isUnusual(compare('gauge', recent, steady(100))))
  recent[4] = 1000
  assert.equal(compare('gauge', recent, steady(100)).ratio, 1.9)
  assert.ok(isUnusual(compare('gauge', recent, steady(100))))
})

test('the largest doubles are as usual as any other value', () => {
  for (const value of [1.7e308, -1.7e308, Number.POSITIVE_INFINITY]) {
    const kept = Float32Array.from({ length: 60 }, () => meanOf(steady(value, 10)))
    const change = changeFrom('gauge', meanOf(steady(value, 10)), baselineOf(kept))
    assert.ok(Math.abs(change.ratio - 1) < 1e-6, String(change.ratio))
  }
  assert.ok(isUnusual(compare('gauge', steady(1.7e308, 10), steady(1e30))))
  assert.equal(middleOf(-1.7e308, 1.7e308), 0)
})

test('a ratio up to 1.8 is everyday, however steady the series', () => {
  assert.ok(!isUnusual(compare('gauge', steady(179, 10), steady(100))))
  assert.ok(isUnusual(compare('gauge', steady(182, 10), steady(100))))
})

test('a series without a past has no verdict', () => {
  const past = steady(Number.NaN)
  past.fill(3, 55)
  assert.equal(compare('gauge', steady(900, 10), past), UNKNOWN_CHANGE)
  assert.equal(compare('gauge', steady(Number.NaN, 10), steady(3)), UNKNOWN_CHANGE)
})

test('gaps in the past do not count as values', () => {
  const past = steady(Number.NaN)
  past.fill(100, 0, 12)
  assert.equal(compare('gauge', steady(100, 10), past).usual, 100)
})

test('it left its usual when five seconds together were last on the usual side of half way', () => {
  const values = steady(1, 60)
  values.fill(21, 40)
  const change = compare('gauge', steady(21, 10), steady(1))
  // The means of the five values ending at positions 41 and 42 are 9 and 13, half way is 11.
  assert.equal(leftUsualAgo(values, change), 59 - 41)
})

test('it left its usual before all that is known when no value is on the usual side', () => {
  const change = compare('gauge', steady(21, 10), steady(1))
  assert.equal(leftUsualAgo(steady(21, 30), change), 30)
})

test('the usual is a value between the least and the most', () => {
  holds(
    fc.property(
      fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 6 }),
      (list) => {
        const middle = baselineOf(Float64Array.from(list)).usual
        assert.ok(middle >= Math.min(...list) && middle <= Math.max(...list))
        const above = list.filter((value) => value > middle).length
        const below = list.filter((value) => value < middle).length
        assert.ok(Math.abs(above - below) < list.length)
      },
    ),
  )
})
