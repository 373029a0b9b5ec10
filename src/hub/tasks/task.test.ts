import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { forEachItem, runNow, sorted, type Task } from './task.ts'

/** How much of something happens between two yields, at the most. */
function mostBetweenYields(steps: Task<unknown>, counted: () => number): number {
  let most = 0
  for (let before = 0, isDone = false; !isDone; before = counted()) {
    isDone = steps.next().done === true
    most = Math.max(most, counted() - before)
  }
  return most
}

test('a sort in steps sorts as a sort does, equals in their order', () => {
  const item = fc.record({ key: fc.nat({ max: 50 }), place: fc.nat() })
  holds(
    fc.property(fc.array(item, { maxLength: 2000, size: 'max' }), (items) => {
      const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key
      assert.deepEqual(runNow(sorted(items, compare)), items.toSorted(compare))
    }),
    50,
  )
})

test('a sort in steps may be interrupted after some thousand comparisons at the most', () => {
  let comparisons = 0
  const compare = (a: number, b: number): number => {
    comparisons++
    return a - b
  }
  const items = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011)
  assert.ok(mostBetweenYields(sorted(items, compare), () => comparisons) < 3000)
})

test('items come in their order, and never more than a step of them at once', () => {
  const seen: number[] = []
  const items = Array.from({ length: 1000 }, (_, i) => i)
  const steps = forEachItem(items, (each) => seen.push(each), 64)
  assert.equal(
    mostBetweenYields(steps, () => seen.length),
    64,
  )
  assert.deepEqual(seen, items)
})
