import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { decimate, GAP } from './decimate.ts'

function kept(values: readonly number[], first: number, group: number): number[] {
  const out = new Int32Array(2 * values.length + 2)
  const length = decimate(Float64Array.from(values), first, group, out)
  return [...out.subarray(0, length)]
}

test('with room for every point all of them stay, a gap ends the line', () => {
  assert.deepEqual(kept([5, 6, Number.NaN, 7], 0, 1), [0, 1, GAP, 3, GAP])
})

test('of a column of pixels the least and the greatest stay, in the order of time', () => {
  assert.deepEqual(kept([3, 9, 1, 4, 4, 5, 6, 7], 0, 4), [1, 2, 4, 7, GAP])
})

test('nothing known gives no line at all', () => {
  assert.deepEqual(kept([Number.NaN, Number.NaN], 7, 3), [])
})

test('columns lie on the grid of time, so a picture that moves keeps its points', () => {
  const values = Array.from({ length: 40 }, (_, i) => (i * 37) % 11)
  const absolute = (first: number): Set<number> =>
    new Set(kept(values.slice(first), first, 5).map((i) => (i === GAP ? GAP : i + first)))
  const moved = absolute(3)
  for (const index of absolute(0)) {
    if (index >= 5) assert.ok(moved.has(index), `${index} stays`)
  }
})

test('a single spike survives any number of points per pixel', () => {
  const series = fc.array(fc.double({ noNaN: true, min: -100, max: 100 }), { minLength: 1 })
  holds(
    fc.property(series, fc.nat(1000), fc.integer({ min: 1, max: 9 }), (values, first, group) => {
      const list = kept(values, first, group).filter((i) => i !== GAP)
      const shown = list.map((i) => values[i]!)
      assert.equal(Math.max(...shown), Math.max(...values))
      assert.equal(Math.min(...shown), Math.min(...values))
      assert.deepEqual(
        list,
        [...list].sort((a, b) => a - b),
      )
      assert.equal(list.at(-1), values.length - 1)
      assert.equal(new Set(list).size, list.length)
    }),
  )
})
