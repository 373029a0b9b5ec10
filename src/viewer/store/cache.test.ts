import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DialectStatus } from '../../http/api.ts'
import { SeriesCache } from './cache.ts'

const NOW = 1_800_000_000

/** A cache that was told the recent rates of one dialect, by the second of the event. */
function told(events: Readonly<Record<number, readonly number[]>>): SeriesCache {
  const cache = new SeriesCache()
  for (const [second, recent] of Object.entries(events)) {
    cache.takeRates(Number(second), [{ name: 'scope', recent } as unknown as DialectStatus])
  }
  return cache
}

function read(cache: SeriesCache, from: number, length: number): number[] {
  const out = new Float64Array(length)
  cache.rates('scope').copy(from, out)
  return [...out]
}

test('the last of the recent rates is the second of the event', () => {
  assert.deepEqual(read(told({ [NOW]: [1, 2, 3] }), NOW - 3, 5), [NaN, 1, 2, 3, NaN])
})

test('rates grow beyond what one event tells; what it skips is unknown', () => {
  const cache = told({ [NOW]: [1, 2], [NOW + 1]: [2, 3], [NOW + 5]: [8, 9] })
  assert.deepEqual(read(cache, NOW - 1, 7), [1, 2, 3, NaN, NaN, 8, 9])
  assert.equal(cache.rates('scope').oldest, NOW - 1)
})

test('rates of several dialects are added up where all of them are known', () => {
  const cache = told({ [NOW]: [1, 2, 3] })
  cache.takeRates(NOW, [{ name: 'wallaroo', recent: [10, 20] } as unknown as DialectStatus])
  const rates = cache.rates('scope', 'wallaroo')
  const out = new Float64Array(3)
  rates.copy(NOW - 2, out)
  assert.deepEqual([...out], [NaN, 12, 23])
  assert.deepEqual([rates.at(NOW), rates.oldest], [23, NOW - 1])
  assert.equal(cache.rates('scope', 'statshero').at(NOW), NaN)
  assert.equal(cache.rates('statshero').at(NOW), NaN)
})
