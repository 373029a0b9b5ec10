import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { NumberedList } from './numbered-list.ts'

interface Item {
  readonly number: number
}

test('a list by number is a map in the order of numbers', () => {
  const number = fc.oneof(fc.nat({ max: 40 }), fc.integer({ min: 1000, max: 5000 }))
  const steps = fc.array(fc.record({ number, isSet: fc.boolean() }), { maxLength: 60 })
  holds(
    fc.property(steps, (each) => {
      const list = new NumberedList<Item>()
      const map = new Map<number, Item>()
      for (const { number, isSet } of each) {
        if (isSet) {
          const item = { number }
          list.set(number, item)
          map.set(number, item)
        } else {
          list.delete(number)
          map.delete(number)
        }
        assert.equal(list.get(number), map.get(number))
        assert.equal(list.size, map.size)
      }
      const expected = [...map.values()].sort((a, b) => a.number - b.number)
      assert.deepEqual([...list], expected)
    }),
  )
})

test('what comes behind while it is gone through is seen, what leaves is not', () => {
  const list = new NumberedList<Item>()
  for (const number of [1, 2, 3]) list.set(number, { number })
  const seen: number[] = []
  for (const { number } of list) {
    seen.push(number)
    if (number === 1) list.delete(2)
    if (number === 3) list.set(2000, { number: 2000 })
  }
  assert.deepEqual(seen, [1, 3, 2000])
})
