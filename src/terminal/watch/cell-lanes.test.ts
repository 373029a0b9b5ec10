import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CellLanes, cellsOf, type WatchedEvent } from './cell-lanes.ts'

type Gauge = WatchedEvent['gauges'][number]

function eventOf(...gauges: Gauge[]): WatchedEvent {
  return { endMs: 1000, intervalMs: 1000, counters: [], gauges, histograms: [], summaries: [] }
}

test('a gauge has its extremes beside its value, where they differ', () => {
  const cells = cellsOf(
    eventOf([1, 0, { min: -2, max: 1000 }], [2, 5, { min: 5, max: 5 }], [3, 7], [4, null]),
  )
  assert.deepEqual(
    [...cells],
    [
      [1, { value: 0, min: -2, max: 1000 }],
      [2, 5],
      [3, 7],
      [4, null],
    ],
  )
})

test('the past of a gauge has the extremes of the interval, and its value once it stands', () => {
  const lanes = new CellLanes('gauge')
  const cell = cellsOf(eventOf([1, 0, { min: -2, max: 1000 }])).get(1)
  lanes.take(cell, 1)
  assert.deepEqual([lanes.at('value'), lanes.at('min'), lanes.at('max')], [0, -2, 1000])
  lanes.take(undefined, 1)
  lanes.take(null, 1)
  const { greatest, least } = lanes.past
  assert.deepEqual(
    [greatest, least],
    [
      [1000, 0, Number.NaN],
      [-2, 0, Number.NaN],
    ],
  )
})

test('the past of a counter is its rate', () => {
  const lanes = new CellLanes('counter')
  lanes.take(10, 5)
  lanes.take(undefined, 5)
  assert.deepEqual(lanes.past, { greatest: [2, 0] })
})

test('a gauge that is not set has the value that it had before, where that is known', () => {
  const lanes = new CellLanes('gauge', 7)
  lanes.take(undefined, 1)
  assert.deepEqual([lanes.at('value'), lanes.past.greatest, lanes.past.least], [7, [7], [7]])
  const unknown = new CellLanes('gauge')
  unknown.take(undefined, 1)
  assert.deepEqual(unknown.past.greatest, [Number.NaN])
  const counter = new CellLanes('counter', 7)
  counter.take(undefined, 1)
  assert.deepEqual(counter.past.greatest, [0])
})
