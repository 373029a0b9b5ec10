import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeriesData } from '../../viewer/store/series-data.ts'
import { comparedRows } from './series-rows.ts'

const NOW = 1_800_000_000

/** Two windows of the same data, ten seconds apart. */
function windowsOf(data: SeriesData) {
  return [
    { data, from: NOW - 2, to: NOW },
    { data, from: NOW - 12, to: NOW - 10 },
  ] as const
}

test('a counter has its mean and extremes in the unit that is shown', () => {
  const data = new SeriesData('counter')
  for (const [ago, rate] of [
    [11, 1],
    [10, 3],
    [1, 4],
    [0, 6],
  ] as const) {
    data.write(NOW - ago, rate)
  }
  const rows = comparedRows({ unit: '/min', factor: 60 }, windowsOf(data))
  assert.deepEqual(
    rows.map(({ name, unit, values }) => [name, unit, ...values]),
    [
      ['mean', '/min', 300, 120],
      ['lowest', '/min', 240, 60],
      ['highest', '/min', 360, 180],
    ],
  )
})

test('a distribution has percentiles of all of a window; of an empty one nothing is known', () => {
  const data = new SeriesData('histogram')
  const cell = { count: 4, sum: 12, min: 3, max: 3, p50: 3, p90: 3, p99: 3 }
  data.write(NOW, { ...cell, scale: 0, offset: 1, counts: [4], zero: 0, negative: 0 })
  const rows = comparedRows({ unit: 'ms', factor: 1 }, windowsOf(data))
  const of = (name: string) => rows.find((row) => row.name === name)!.values
  assert.deepEqual(of('mean'), [3, Number.NaN])
  assert.deepEqual(of('p99'), [3, Number.NaN])
  assert.deepEqual(of('observations'), [4, Number.NaN])
})
