import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistogramCellJson, RangeColumn } from '../../http/api.ts'
import { type Lane, SeriesData, STEPS_KEPT } from './series-data.ts'

const NOW = 1_800_000_000

const CELL: HistogramCellJson = {
  count: 3,
  sum: 12,
  min: 2,
  max: 7,
  p50: 3,
  p90: 6,
  p99: 7,
  scale: 0,
  offset: 1,
  counts: [2, 1],
  zero: 0,
  negative: 0,
}

function values(data: SeriesData, lane: Lane, from: number, length: number): number[] {
  const out = new Float64Array(length)
  data.copy(lane, from, out)
  return [...out]
}

test('seconds that nobody told of are unknown', () => {
  const data = new SeriesData('counter')
  data.write(NOW, 5)
  data.write(NOW + 3, 7)
  assert.deepEqual(values(data, 'rate', NOW - 1, 6), [NaN, 5, NaN, NaN, 7, NaN])
})

test('a counter that is told to be quiet stood still, a gauge keeps its value', () => {
  const counter = new SeriesData('counter')
  counter.write(NOW, 5)
  counter.writeQuiet(NOW + 1, false)
  assert.deepEqual(values(counter, 'rate', NOW, 2), [5, 0])
  const gauge = new SeriesData('gauge')
  gauge.write(NOW, 5)
  gauge.writeQuiet(NOW + 1, false)
  gauge.writeQuiet(NOW + 2, true)
  assert.deepEqual(values(gauge, 'value', NOW, 3), [5, 5, NaN])
})

test('a distribution without observations has a count of 0 and no percentile', () => {
  const data = new SeriesData('histogram')
  data.write(NOW, CELL)
  data.writeQuiet(NOW + 1, false)
  assert.deepEqual(values(data, 'count', NOW, 2), [3, 0])
  assert.deepEqual(values(data, 'p99', NOW, 2), [7, NaN])
  const sums = new Float64Array(data.buckets!.width)
  data.addBuckets(sums, NOW - 1, NOW + 1)
  assert.deepEqual([...sums], [2, 1])
})

test('counts beyond 2^53 come as text', () => {
  const data = new SeriesData('counter')
  data.write(NOW, '18446744073709551615')
  assert.equal(data.at('rate', NOW), 2 ** 64)
})

test('a cell of several seconds is a rate in each of them', () => {
  const data = new SeriesData('counter')
  data.write(NOW, 30, 3)
  assert.deepEqual(values(data, 'rate', NOW - 3, 4), [NaN, 10, 10, 10])
})

test('the ring forgets what is older than it keeps, also after a long silence', () => {
  const data = new SeriesData('gauge')
  data.write(NOW, 1)
  data.write(NOW + STEPS_KEPT + 7, 2)
  assert.ok(Number.isNaN(data.at('value', NOW)))
  assert.ok(Number.isNaN(data.at('value', NOW + STEPS_KEPT)))
  data.write(NOW + 3, 9)
  assert.ok(Number.isNaN(data.at('value', NOW + 3)), 'too late to be kept')
  assert.equal(data.at('value', NOW + STEPS_KEPT + 7), 2)
})

test('a range answer fills gaps and takes nothing from what the stream brought', () => {
  const data = new SeriesData('counter')
  data.write(NOW + 2, 5)
  data.writeColumn(NOW, { id: 1, kind: 'counter', delta: [1, 2, null] }, 0)
  assert.deepEqual(values(data, 'rate', NOW, 3), [1, 2, 5])
})

test('no cell of a distribution means none observed once the series exists', () => {
  const data = new SeriesData('histogram')
  data.writeColumn(NOW, { id: 1, kind: 'histogram', cells: [null, null, CELL, null] }, NOW + 1)
  assert.deepEqual(values(data, 'count', NOW, 4), [NaN, 0, 3, 0])
})

test('a step is found by any of its seconds; one that is open has what is known of it', () => {
  const data = new SeriesData('counter', 10)
  const column = { id: 1, kind: 'counter', delta: [50, 60, 8, null] } as const
  data.writeColumn(NOW, column, 0, { closed: NOW + 14 })
  const rates = [NOW - 9, NOW, NOW + 1, NOW + 11].map((second) => data.at('rate', second))
  assert.deepEqual(rates, [5, 5, 6, 2])
  assert.deepEqual([data.secondsAt(NOW + 1), data.secondsAt(NOW + 11)], [10, 4])
  assert.deepEqual([...data.values('rate', NOW - 7, NOW + 11)], [5, 6, 2])
  data.writeColumn(NOW + 20, { ...column, delta: [40] }, 0, { closed: NOW + 20 })
  assert.deepEqual([data.at('rate', NOW + 20), data.secondsAt(NOW + 20)], [4, 10])
})

test('rates of the step in which a series came are those of the time since', () => {
  const rates = (since: number, delta: readonly (number | null)[], closed = NOW + 30): number[] => {
    const data = new SeriesData('counter', 10)
    data.writeColumn(NOW, { id: 1, kind: 'counter', delta }, since, { closed })
    return values(data, 'rate', NOW, 3)
  }
  const since = NOW + 7
  assert.deepEqual(rates(since, [null, 20, 50]), [NaN, 5, 5], 'it came in the last four seconds')
  assert.deepEqual(rates(since, [50, 20, 50]), [5, 2, 5], 'history has it from before')
  assert.deepEqual(rates(NOW + 10, [null, 20, 50]), [NaN, 20, 5], 'in the last one of a step')
  assert.deepEqual(rates(NOW + 1, [null, 50, 50]), [NaN, 5, 5], 'with a step')
  assert.deepEqual(
    rates(NOW + 13, [null, null, 15], NOW + 15),
    [NaN, NaN, 5],
    'and of one that is open',
  )
  const past = new SeriesData('counter', 10)
  const column = { id: 1, kind: 'counter', delta: [null, 20] } as const
  past.writeColumn(NOW, column, since, { isFirstWhole: true })
  assert.equal(past.at('rate', NOW + 10), 2)
  const counts = new SeriesData('histogram', 10)
  const cells = [null, { ...CELL, count: 20 }]
  counts.writeColumn(NOW, { id: 1, kind: 'histogram', cells }, since)
  assert.deepEqual([counts.at('count', NOW + 10), counts.secondsAt(NOW + 10)], [5, 4])
})

test('in a gap nothing was observed by anyone: it is not a standstill', () => {
  const data = new SeriesData('histogram', 60)
  const cells = [CELL, null, null, null]
  data.writeColumn(NOW, { id: 1, kind: 'histogram', cells }, 0, { gaps: [[2, 1]] })
  assert.deepEqual(
    [0, 60, 120, 180].map((s) => data.at('count', NOW + s)),
    [0.05, 0, NaN, 0],
  )
})

test('an infinite value is no value', () => {
  const data = new SeriesData('gauge')
  data.write(NOW, Number.POSITIVE_INFINITY)
  assert.ok(Number.isNaN(data.at('value', NOW)))
})

test('what is known is one span; what does not touch it begins a new one', () => {
  const data = new SeriesData('gauge')
  data.cover(NOW, NOW + 10)
  data.cover(NOW + 10, NOW + 12)
  data.cover(NOW - 5, NOW + 1)
  assert.deepEqual([data.coveredFrom, data.coveredTo], [NOW - 5, NOW + 12])
  data.cover(NOW + 100, NOW + 110)
  assert.deepEqual([data.coveredFrom, data.coveredTo], [NOW + 100, NOW + 110])
})

test('a copy does not follow the original', () => {
  const data = new SeriesData('histogram')
  data.write(NOW, CELL)
  const copy = data.clone()
  data.write(NOW, { ...CELL, count: 9, p99: 90, offset: 4, counts: [9] })
  assert.equal(copy.at('p99', NOW), 7)
  const sums = new Float64Array(copy.buckets!.width)
  copy.addBuckets(sums, NOW - 1, NOW)
  assert.deepEqual([...sums], [2, 1])
})

test('while the peer of a series is away nothing is known of it, and its end is no value', () => {
  const counter = new SeriesData('counter')
  counter.write(NOW, 5)
  counter.writeQuiet(NOW + 1, false, true)
  assert.deepEqual(values(counter, 'rate', NOW, 2), [5, NaN])
  const gauge = new SeriesData('gauge')
  gauge.write(NOW, 7)
  gauge.write(NOW + 1, null)
  gauge.writeQuiet(NOW + 2, false)
  assert.deepEqual(values(gauge, 'value', NOW, 3), [7, NaN, NaN])
  assert.equal(gauge.lastCell, 7)
  const histogram = new SeriesData('histogram')
  histogram.write(NOW, CELL)
  histogram.writeQuiet(NOW + 1, false, true)
  assert.deepEqual(values(histogram, 'count', NOW, 2), [3, NaN])
})

test('a gauge has the extremes of what it went through, and else its value', () => {
  const data = new SeriesData('gauge')
  data.write(NOW, 44, 1, { min: 0, max: 49 })
  data.write(NOW + 1, 7)
  data.writeQuiet(NOW + 2, false)
  const read = (lane: Lane, second: number): number => data.at(lane, second)
  assert.deepEqual([read('value', NOW), read('min', NOW), read('max', NOW)], [44, 0, 49])
  assert.deepEqual([read('min', NOW + 1), read('max', NOW + 2)], [7, 7])
  const [value, min, max] = [
    [5, 6],
    [1, null],
    [9, null],
  ]
  data.writeColumn(NOW - 1, { id: 1, kind: 'gauge', value, min, max } as RangeColumn, 0)
  assert.deepEqual([read('min', NOW - 1), read('max', NOW - 1)], [1, 9])
  assert.deepEqual([read('min', NOW), read('max', NOW)], [6, 6])
})
