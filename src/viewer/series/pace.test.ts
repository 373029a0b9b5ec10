import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeriesData } from '../store/series-data.ts'
import { pacedRate } from './pace.ts'

/** A counter of which something was counted in these seconds, up to `end`. */
function counted(points: readonly number[], end: number, growth = 120): SeriesData {
  const data = new SeriesData('counter')
  for (let second = 1; second <= end; second++) {
    data.write(second, points.includes(second) ? growth : 0, 1)
  }
  return data
}

test('points each ten seconds are their mean, with its age, in step with seconds or not', () => {
  const data = counted([10, 20, 30, 41], 60)
  assert.deepEqual(pacedRate(data, 41), { rate: 12, interval: 10, age: 0 })
  assert.deepEqual(pacedRate(data, 45), { rate: 12, interval: 10, age: 4 })
})

test('a point that does not come ends that: nothing was counted', () => {
  const data = counted([10, 20, 30, 40], 60)
  assert.equal(pacedRate(data, 51)?.rate, 12)
  assert.equal(pacedRate(data, 52), undefined)
})

test('what is counted each second, now and then, or the first times has its own seconds', () => {
  const all = Array.from({ length: 60 }, (_, i) => i)
  assert.equal(pacedRate(counted(all, 50), 50), undefined)
  assert.equal(pacedRate(counted([3, 17, 20, 44], 50), 46), undefined)
  assert.equal(pacedRate(counted([10, 20, 30], 35), 35), undefined)
  assert.equal(pacedRate(counted([10, 11, 13, 14, 16], 16), 16), undefined)
})

test('windows of two and three seconds are means as well, of observations, too', () => {
  const even = Array.from({ length: 30 }, (_, i) => 2 * i)
  for (const second of [30, 31]) assert.equal(pacedRate(counted(even, 60), second)?.rate, 60)
  // one that comes late is in the second behind
  assert.equal(pacedRate(counted([10, 12, 14, 17], 18), 18)?.rate, 60)
  assert.equal(pacedRate(counted([10, 12, 14, 16], 20), 20), undefined)
  assert.equal(pacedRate(counted([10, 13, 16, 19], 21), 21)?.rate, 40)
  const counts = { step: 1, at: (_: 'count', second: number) => (second % 2) * 1000 }
  assert.deepEqual(pacedRate(counts, 50, 'count'), { rate: 500, interval: 2, age: 1 })
})
