import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REFUSED_MS, restAfter, restAfterRefusal } from './pace.ts'

test('quick answers are asked for each second, slow ones at a third of the time', () => {
  assert.deepEqual([5, 400, 2000].map(restAfter), [1000, 1000, 4000])
  assert.equal(restAfter(60_000), 30_000)
})

test('a hub that is busy says itself when to come back, within bounds', () => {
  assert.equal(restAfterRefusal(undefined), REFUSED_MS)
  assert.deepEqual([0, 2000, 1e9].map(restAfterRefusal), [1000, 2000, 30_000])
})
