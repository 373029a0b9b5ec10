import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { placeTimes, pushApart } from './labels.ts'

test('names at the ends of lines keep their order and distance, also at the lower end', () => {
  assert.deepEqual(pushApart([10, 12, 80], 100, 14), [10, 24, 80])
  assert.deepEqual(pushApart([96, 98, 100], 100, 14), [72, 86, 100])
  assert.deepEqual(pushApart([80, 99], 100, 14), [80, 99])
  holds(
    fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 6 }), (wanted) => {
      const places = pushApart(
        wanted.toSorted((a, b) => a - b),
        100,
        14,
      )
      places.forEach((place, i) => {
        assert.ok(place <= 100)
        if (i > 0) assert.ok(place - places[i - 1]! >= 14)
      })
    }),
  )
})

test('labels of time lie within the axis and never touch', () => {
  const axis = { left: 0, right: 300, half: 30 }
  const places = placeTimes(
    [
      ['a', 20],
      ['b', 92],
      ['c', 164],
      ['d', 296],
    ],
    axis,
  )
  assert.deepEqual(
    places.map(({ tick, at }) => [tick, at]),
    [
      ['a', 30],
      ['b', 92],
      ['c', 164],
      ['d', 270],
    ],
  )
  const close = placeTimes(
    [
      ['a', 10],
      ['b', 82],
      ['c', 250],
      ['d', 299],
    ],
    axis,
  )
  assert.deepEqual(
    close.map(({ tick }) => tick),
    ['b', 'd'],
    'the newer one stays',
  )
  assert.deepEqual(placeTimes([['a', 10]], { left: 0, right: 40, half: 30 }), [])
})
