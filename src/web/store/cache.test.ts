import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DialectRates } from './cache.ts'

const NOW = 1_800_000_000
const read = (rates: DialectRates, from: number, length: number): number[] => {
  const out = new Float64Array(length)
  rates.copy(from, out)
  return [...out]
}

test('the last of the recent rates is the second of the event', () => {
  const rates = new DialectRates()
  rates.merge(NOW, [1, 2, 3])
  assert.deepEqual(read(rates, NOW - 3, 5), [NaN, 1, 2, 3, NaN])
})

test('rates grow beyond what one event tells; what it skips is unknown', () => {
  const rates = new DialectRates()
  rates.merge(NOW, [1, 2])
  rates.merge(NOW + 1, [2, 3])
  rates.merge(NOW + 5, [8, 9])
  assert.deepEqual(read(rates, NOW - 1, 7), [1, 2, 3, NaN, NaN, 8, 9])
  assert.equal(rates.oldest, NOW - 1)
})
