import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Shown } from '../format/rate.ts'
import { SeriesData } from '../store/series-data.ts'
import {
  bucketWords,
  extremeOf,
  oneValue,
  outerRowWords,
  startWords,
  undrawnWords,
  windowNumbers,
} from './statistics.ts'

const NOW = 1_800_000_000
const PLAIN = { unit: '', factor: 1 }

test('mean and deviation are those of the values, none has none', () => {
  const data = new SeriesData('gauge')
  const names = ['mean', 'deviation', 'min', 'max']
  const words = (): unknown[] => {
    const rows = new Map(windowNumbers(data, PLAIN, NOW - 60, NOW))
    return names.map((name) => rows.get(name))
  }
  assert.deepEqual(words(), ['–', '–', '–', '–'])
  for (const [i, value] of [2, 4, 4, 4, 5, 5, 7, 9].entries()) data.write(NOW - 7 + i, value)
  assert.deepEqual(words(), ['5', '2', '2', '9'])
})

test('a step of which fewer seconds are known counts for fewer', () => {
  const data = new SeriesData('counter', 10)
  const delta = [40, 20, 10]
  data.writeColumn(NOW - 10, { id: 1, kind: 'counter', delta }, NOW - 13, { closed: NOW + 2 })
  const rows = new Map(windowNumbers(data, PLAIN, NOW - 20, NOW + 2))
  assert.deepEqual([rows.get('mean'), rows.get('min'), rows.get('max')], ['4.38', '2', '10'])
})

test('the width of a bucket is the error of a percentile, unless bounds are chosen', () => {
  const counts = { count: 0, sum: 0, min: null, max: null, mean: null, stddev: null }
  assert.equal(bucketWords({ scale: 0, offset: 3 }), 'percentiles within ±100\u00a0%')
  assert.equal(bucketWords({ scale: 2, offset: 3 }), 'percentiles within ±19\u00a0%')
  const within = startWords({ ...counts, relativeError: 0.0219 })
  assert.equal(within, 'percentiles within ±2.2\u00a0%')
  const bounds = [1, 5]
  assert.equal(bucketWords({ scale: 0, offset: 0, bounds }), 'percentiles between bounds')
  assert.equal(startWords({ ...counts, bounds }), 'percentiles between bounds')
  assert.equal(startWords(counts), '')
})

test('what is above the last bound is said to be more than it, in a row of its own', () => {
  const data = new SeriesData('histogram')
  const cell = { count: 4, sum: 400, min: null, max: null, p50: 3, p90: 5, p99: 5 }
  const rows = { scale: 0, offset: 0, counts: [1, 2, 1], bounds: [1, 5], zero: 0, negative: 0 }
  data.write(NOW, { ...cell, ...rows })
  const numbers = new Map(windowNumbers(data, { unit: 'ms', factor: 1 }, NOW - 60, NOW))
  const words = ['min', 'p50', 'p75', 'p99', 'max'].map((name) => numbers.get(name))
  const spaced = words.map((each) => each?.replaceAll('\u00a0', ' '))
  assert.deepEqual(spaced, ['≥ 0 ms', '3.00 ms', '5.00 ms', '> 5.00 ms', '> 5.00 ms'])
  const said = outerRowWords(data, NOW - 60, NOW, 'ms').replaceAll('\u00a0', ' ')
  assert.equal(said, 'lowest row: all up to 1.00 ms, top row: all above 5.00 ms')
  assert.equal(outerRowWords(data, NOW - 60, NOW - 1, 'ms'), '')
  assert.equal(undrawnWords(data, NOW - 60, NOW), '')
})

test('a counter has its rate in the scale that is shown, over the known seconds', () => {
  const data = new SeriesData('counter')
  data.write(NOW - 1, 2)
  data.write(NOW, 4)
  const rows = (shown: Shown) => new Map(windowNumbers(data, shown, NOW - 60, NOW))
  assert.equal(rows({ unit: '/s', factor: 1 }).get('now'), '4.00\u00a0/s')
  assert.equal(rows({ unit: '/s', factor: 1 }).get('mean'), '3.00\u00a0/s')
  assert.equal(rows({ unit: '/min', factor: 60 }).get('mean'), '180\u00a0/min')
})

/** A counter that grew by these amounts in these seconds before now, and by nothing in others. */
function pacedCounter(points: Readonly<Record<number, number>>): SeriesData {
  const data = new SeriesData('counter')
  for (let age = 100; age >= 0; age -= 1) data.write(NOW - age, points[age] ?? 0)
  return data
}

function spreadOf(data: SeriesData, from: number, to: number): unknown[] {
  const rows = new Map(windowNumbers(data, PLAIN, from, to))
  return ['mean', 'min', 'max', 'deviation'].map((name) => rows.get(name))
}

test('a counter with a point each ten seconds has least and largest of their means', () => {
  const late = { 94: 30, 84: 30, 74: 30, 64: 30, 53: 20, 44: 40 }
  const data = pacedCounter({ ...late, 34: 20, 24: 40, 14: 20, 4: 40 })
  // 180 in 60 s: 31 of them at 2 a second, 29 at 4
  assert.deepEqual(spreadOf(data, NOW - 64, NOW - 4), ['3.00', '2', '4', '0.999'])
  assert.deepEqual(spreadOf(data, NOW - 44, NOW - 24).slice(1), ['2', '4', '1.00'])
  // the point behind the window tells of its last seconds, of the newest ones none has told yet
  assert.deepEqual(spreadOf(data, NOW - 34, NOW - 18).slice(1, 3), ['2', '4'])
  assert.deepEqual(spreadOf(data, NOW - 34, NOW).slice(1, 3), ['2', '4'])
  assert.equal(extremeOf(data, 'min', NOW - 64, NOW), 2)
  assert.equal(extremeOf(data, 'max', NOW - 64, NOW), 4)
})

test('a point of such a counter that did not come is nothing, as in all seconds of others', () => {
  const even = { 90: 30, 80: 30, 70: 30, 60: 30 }
  assert.deepEqual(spreadOf(pacedCounter(even), NOW - 80, NOW - 40), ['1.50', '0', '3', '1.50'])
  const data = pacedCounter({ ...even, 40: 30, 30: 30, 20: 30, 10: 30 })
  assert.deepEqual(spreadOf(data, NOW - 60, NOW - 10).slice(1, 3), ['0', '3'])
  assert.deepEqual(spreadOf(pacedCounter({ 9: 30, 7: 20 }), NOW - 20, NOW).slice(1, 3), ['0', '30'])
})

test('the one value of such a counter is the mean, a minute, until a point is late', () => {
  const data = pacedCounter({ 49: 30, 39: 30, 29: 30, 19: 30 })
  const info = { kind: 'counter', canonical: { name: 'c / Min', value: 0 } } as const
  assert.equal(oneValue(info, data, NOW - 15), 180)
  assert.equal(oneValue(info, data, NOW), 0)
  assert.equal(oneValue({ ...info, kind: 'gauge' }, undefined, NOW), 0)
  const canonical = { name: 'c / Min', value: null }
  assert.equal(oneValue({ ...info, canonical }, undefined, NOW), Number.NaN)
})

test('a distribution is merged over the window', () => {
  const data = new SeriesData('histogram')
  const cell = { min: 1, max: 4, p50: 2, p90: 4, p99: 4, scale: 0, zero: 0, negative: 0 }
  data.write(NOW - 1, { ...cell, count: 9, sum: 9, offset: 0, counts: [9] })
  data.write(NOW, { ...cell, count: 1, sum: 4, offset: 2, counts: [1] })
  data.cover(NOW - 2, NOW)
  const rows = new Map(windowNumbers(data, { unit: 'ms', factor: 1 }, NOW - 60, NOW))
  assert.equal(rows.get('count'), '10')
  assert.equal(rows.get('mean'), '1.30\u00a0ms')
  assert.equal(rows.get('rate'), '5.00\u00a0/s')
  data.cover(NOW - 60, NOW)
  const rateOf = (sinceMs?: number) => {
    return new Map(windowNumbers(data, { unit: 'ms', factor: 1 }, NOW - 60, NOW, sinceMs)).get(
      'rate',
    )
  }
  assert.equal(rateOf(), '0.167\u00a0/s')
  assert.equal(rateOf((NOW - 3.5) * 1000), '2.50\u00a0/s', 'of the time since it came')
  assert.equal(rows.get('max'), '4.00\u00a0ms')
  assert.equal(rows.get('p99.9'), '4.00\u00a0ms')
  assert.deepEqual(
    [...rows.keys()],
    'count rate mean min p50 p75 p90 p95 p99 p99.9 max deviation'.split(' '),
  )
})

test('where the sender knows no extremes, the ends of the outer buckets are said as such', () => {
  const data = new SeriesData('histogram')
  const cell = { p50: 12, p90: 30, p99: 32, scale: 0, zero: 0, negative: 0, min: null, max: null }
  data.write(NOW, { ...cell, count: 5, sum: 80, offset: 3, counts: [4, 1] })
  data.cover(NOW - 1, NOW)
  const rows = new Map(windowNumbers(data, { unit: 'ms', factor: 1 }, NOW - 60, NOW))
  assert.deepEqual([rows.get('min'), rows.get('max')], ['≥ 8.00\u00a0ms', '≤ 32.0\u00a0ms'])
})

test('what the last bin holds is said as the least it can be, and not drawn', () => {
  const data = new SeriesData('histogram')
  const cell = { p50: 2, p90: 2 ** 31, p99: 2 ** 31, scale: 0, zero: 2, zeroTo: 1, negative: 0 }
  const overflow = { from: 2 ** 31, count: 3 }
  const open = { min: null, max: null, sum: 3e10, offset: 0, counts: [5], overflow }
  data.write(NOW, { ...cell, ...open, count: 10 })
  data.cover(NOW - 1, NOW)
  const rows = new Map(windowNumbers(data, PLAIN, NOW - 60, NOW))
  assert.deepEqual([rows.get('p50'), rows.get('p99')], ['1.52', '≥ 2.15\u00a0G'])
  assert.deepEqual([rows.get('min'), rows.get('max')], ['≥ 0', '≥ 2.15\u00a0G'])
  const words = '2 up to 1 and 3 of 2.15\u00a0G or more not drawn'
  assert.equal(undrawnWords(data, NOW - 60, NOW), words)
})

test('values below zero leave no false number', () => {
  const data = new SeriesData('histogram')
  const cell = { p50: -5, p90: -2, p99: -1, scale: 0, zero: 0, negative: 9 }
  data.write(NOW, { ...cell, count: 9, sum: -45, min: -9, max: -1, offset: 0, counts: [] })
  data.cover(NOW - 1, NOW)
  const rows = new Map(windowNumbers(data, PLAIN, NOW - 60, NOW))
  assert.deepEqual([rows.get('min'), rows.get('max')], ['\u22129', '\u22121'])
  assert.deepEqual([rows.get('mean'), rows.get('count')], ['\u22125', '9'])
  assert.equal(undrawnWords(data, NOW - 60, NOW), '9 below zero not drawn')
  for (const name of ['p50', 'p99', 'p99.9', 'deviation']) assert.equal(rows.get(name), '–')
})

test('a summary is merged over the window, not averaged', () => {
  const data = new SeriesData('summary')
  data.write(NOW - 2, { count: 3, mean: 2, deviation: Math.sqrt(2 / 3), min: 1, max: 3 })
  data.write(NOW - 1, { count: 0, mean: 0, deviation: 0, min: null, max: null })
  data.write(NOW, { count: 1, mean: 10, deviation: 0, min: 10, max: 10 })
  data.cover(NOW - 3, NOW)
  const rows = new Map(windowNumbers(data, PLAIN, NOW - 60, NOW))
  const names = ['count', 'mean', 'min', 'max', 'deviation', 'rate']
  const words = ['4', '4', '1', '10', '3.54', '1.33\u00a0/s']
  assert.deepEqual(
    names.map((name) => rows.get(name)),
    words,
  )
  const empty = new Map(windowNumbers(data, PLAIN, NOW - 2, NOW - 1))
  assert.deepEqual([empty.get('count'), empty.get('mean'), empty.get('deviation')], ['–', '–', '–'])
})

test('a span that is small beside its values is seen in them', () => {
  const data = new SeriesData('gauge')
  for (let i = 0; i < 100; i += 1) data.write(1000 + i, 1_707_510_000 + 50 * i)
  data.cover(999, 1099)
  const numbers = windowNumbers(data, { unit: '', factor: 1 }, 999, 1099)
  assert.deepEqual(numbers.slice(0, 4), [
    ['now', '1.707515\u00a0G'],
    ['mean', '1.707512\u00a0G'],
    ['min', '1.707510\u00a0G'],
    ['max', '1.707515\u00a0G'],
  ])
})
