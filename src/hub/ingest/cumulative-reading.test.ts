import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exact } from '../../model/index.ts'
import { CumulativeReading } from './cumulative-reading.ts'

function take(readings: readonly Exact[], bits?: 32 | 64): { deltas: Exact[]; resets: number } {
  const reading = new CumulativeReading(bits)
  return { deltas: readings.map((each) => reading.take(each)), resets: reading.resets }
}

test('the first reading primes, later ones add their difference, a fall counts from zero', () => {
  assert.deepEqual(take([1000, 1010, 1025, 5]), { deltas: [0, 10, 15, 5], resets: 1 })
})

test('readings are exact around 2^53 and 2^64', () => {
  assert.deepEqual(take([9007199254740992n, 9007199254740993n]).deltas, [0, 1])
  assert.deepEqual(take([18446744073709551615n, 18446744073709551617n]).deltas, [0, 2])
})

test('a fall is a wrap where the width is stated and the last reading fits into it', () => {
  assert.deepEqual(take([4294967290, 5], 32), { deltas: [0, 11], resets: 0 })
  assert.deepEqual(take([4294967300, 5], 32), { deltas: [0, 5], resets: 1 })
  assert.deepEqual(take([18446744073709551615n, 1], 64), { deltas: [0, 2], resets: 0 })
})

test('a counter whose readings mostly fall is suspected to have two senders', () => {
  const reading = new CumulativeReading()
  for (let i = 0; i < 10; i++) {
    reading.take(1000 + i, '10.0.0.1')
    reading.take(5 + i, '10.0.0.2')
  }
  assert.equal(reading.resets, 10)
  assert.equal(reading.isContested, false)
  reading.take(4, '10.0.0.2')
  assert.equal(reading.isContested, true)
  assert.deepEqual(reading.sources, ['10.0.0.2', '10.0.0.1'])
})
