import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistogramCellJson, RangeColumn } from '../../http/api.ts'
import { type Lane, SECONDS_KEPT, SeriesData } from './series-data.ts'

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
  data.write(NOW + SECONDS_KEPT + 7, 2)
  assert.ok(Number.isNaN(data.at('value', NOW)))
  assert.ok(Number.isNaN(data.at('value', NOW + SECONDS_KEPT)))
  data.write(NOW + 3, 9)
  assert.ok(Number.isNaN(data.at('value', NOW + 3)), 'too late to be kept')
  assert.equal(data.at('value', NOW + SECONDS_KEPT + 7), 2)
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
