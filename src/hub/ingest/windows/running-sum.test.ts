import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { RunningSum } from './running-sum.ts'

function sumOf(values: readonly number[]): number {
  const sum = new RunningSum()
  for (const value of values) sum.add(value)
  return sum.value
}

test('ten times a tenth is one, and a small number is not lost beside a large one', () => {
  assert.equal(sumOf(new Array(10).fill(0.1)), 1)
  assert.equal(sumOf([1, 1e100, 1, -1e100]), 2)
})

test('a cleared sum begins anew', () => {
  const sum = new RunningSum()
  for (const value of [1, 1e100, 1]) sum.add(value)
  sum.clear()
  sum.add(0.5)
  assert.equal(sum.value, 0.5)
})

test('sums of fractions are those of exact arithmetic, rounded once', () => {
  // thousandths as integers are what the sum should be
  holds(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 500 }),
      (thousandths) => {
        const exact = thousandths.reduce((sum, each) => sum + each, 0) / 1000
        const got = sumOf(thousandths.map((each) => each / 1000))
        assert.ok(Math.abs(got - exact) <= 1e-15 * Math.max(1, exact) * 2, `${got} for ${exact}`)
      },
    ),
  )
})
