import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Exemplars } from './exemplars.ts'

const at = (value: number, timeMs: number) => ({ value, timeMs, labels: [] })

test('of each power of two the newest exemplar is kept, the newest of all at the end', () => {
  const exemplars = new Exemplars(10)
  for (const [value, timeMs] of [
    [3, 1],
    [4, 2],
    [100, 3],
    [-3, 4],
    [0, 5],
    [4, 6],
  ] as const) {
    exemplars.add(1, at(value, timeMs))
  }
  exemplars.add(1, at(3.5, 1)) // told again by one who tells cumulatively
  assert.deepEqual(
    exemplars.of(1).map(({ value, timeMs }) => [value, timeMs]),
    [
      [100, 3],
      [-3, 4],
      [0, 5],
      [4, 6],
    ],
  )
})

test('a series keeps ten, all together those of as many series as there are places', () => {
  const exemplars = new Exemplars(2)
  for (let i = 0; i < 40; i++) exemplars.add(7, at(2 ** i, i))
  assert.deepEqual(
    exemplars.of(7).map(({ timeMs }) => timeMs),
    [30, 31, 32, 33, 34, 35, 36, 37, 38, 39],
  )
  exemplars.add(8, at(1, 1))
  exemplars.add(7, at(1, 50))
  exemplars.add(9, at(1, 1))
  assert.deepEqual([exemplars.size, exemplars.of(8), exemplars.of(7).length], [2, [], 10])
})
