import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { take } from './weight.ts'

test('a whole weight is exact beyond 2^53', () => {
  assert.equal(take([0], 0, 9007199254740993n, 10), 90071992547409930n)
  assert.equal(take([0], 0, 3, 1 / 0.1), 30)
})

test('four lines at rate 0.43 stand for 9', () => {
  const carries = [0]
  const weight = 1 / 0.43
  assert.deepEqual(
    [1, 2, 3, 4].map(() => take(carries, 0, 1, weight)),
    [2, 2, 2, 3],
  )
})

test('what is carried stays below one, so a total is never off by more', () => {
  const line = fc.tuple(
    fc.integer({ min: 0, max: 1000 }),
    fc.double({ min: 0.01, max: 1, noNaN: true }),
  )
  holds(
    fc.property(fc.array(line, { maxLength: 50 }), (lines) => {
      const carries = [0]
      let taken = 0
      let wanted = 0
      for (const [value, rate] of lines) {
        taken += Number(take(carries, 0, value, 1 / rate))
        wanted += value / rate
        assert.equal(Math.abs(carries[0]!) < 1, true)
      }
      assert.equal(Math.abs(taken - wanted) < 1 + wanted * 1e-6, true, `${taken} of ${wanted}`)
    }),
  )
})
