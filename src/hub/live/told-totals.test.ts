import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from '../../model/index.ts'
import { CounterWindows } from '../ingest/windows/counter-windows.ts'
import type { CounterRecord, SeriesRecord } from '../series/record.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import { ToldTotals } from './told-totals.ts'

const START_MS = 1_700_000_000_300
const SECOND_MS = 1_700_000_001_000

function counter(id: number, more: Partial<CounterRecord> = {}): CounterRecord {
  return { id, kind: 'counter', ...more } as CounterRecord
}

/** Totals of records that are found by their ids, and what tells that one has left. */
function toldOf(...records: readonly SeriesRecord[]) {
  let remove = (_record: SeriesRecord): void => {}
  const told = new ToldTotals(
    {
      get: (id) => records.find((record) => record.id === id),
      onRemove: (callback) => {
        remove = callback
      },
    },
    START_MS,
  )
  return { told, remove: (record: SeriesRecord) => remove(record) }
}

function frameOf(counters: readonly (readonly [id: number, delta: number | bigint])[]): Frame {
  const builder = new FrameBuilder()
  for (const [id, delta] of counters) builder.counter(id, delta)
  return builder.build(SECOND_MS, 1)
}

test('a second is told as a whole: a total read between two steps is as of its end', () => {
  const { told } = toldOf()
  const ids = Array.from({ length: 40_000 }, (_, i) => i + 1)
  const [first, last] = [counter(1), counter(40_000)]
  const both = counter(1, { decrements: last })
  for (const _ of told.take(frameOf(ids.map((id) => [id, 2])))) assert.equal(told.of(first), 2)
  let steps = 0
  for (const _ of told.take(frameOf(ids.map((id) => [id, id])))) {
    steps++
    assert.deepEqual([told.of(first), told.of(last), told.endMs], [3, 40_002, SECOND_MS])
    assert.equal(told.of(both), 3 - 40_002)
  }
  assert.ok(steps > 2)
  assert.deepEqual([told.of(first), told.of(last)], [3, 40_002])
})

test('before any second it is the end of the one before the start', () => {
  const { told } = toldOf()
  assert.equal(told.endMs, 1_700_000_000_000)
  assert.equal(told.of(counter(7)), 0)
})

test('what there was before this start, and cells that come late, are in it to the unit', () => {
  const record = counter(3, { begun: 2n ** 63n })
  const { told } = toldOf(record)
  told.begin(record)
  for (const _ of told.take(frameOf([[3, 2n ** 62n + 1n]])));
  const { endMs } = told
  for (const _ of told.takeLate(frameOf([[3, 5]])));
  assert.equal(told.of(record), 2n ** 63n + 2n ** 62n + 6n)
  assert.equal(told.endMs, endMs)
})

test('fractions add up as those of the cells do, also where one is on its way', () => {
  const record = counter(5, { windows: new CounterWindows() })
  const { told } = toldOf(record)
  for (const delta of [0.25, 0.25, 1.75]) {
    for (const _ of told.take(frameOf([[5, delta]])));
  }
  assert.equal(told.of(record), 2.25)
  const taking = told.take(frameOf([[5, 0.5]]))
  taking.next()
  assert.equal(told.of(record), 2.75)
})

test('a counter that fell is told without what it had before', () => {
  const { told } = toldOf()
  for (const _ of told.take(frameOf([[1, 100]])));
  const record = counter(1, { falls: { count: 1, lastMs: SECOND_MS, lost: 100n } })
  for (const _ of told.take(frameOf([[1, 7]])));
  assert.equal(told.of(record), 7)
})

test('of distributions the observations are counted', () => {
  const { told } = toldOf()
  const builder = new FrameBuilder()
  const histogram = new Histogram()
  histogram.record(5, 3)
  builder.histogram(1, histogram)
  builder.summary(2, { count: 4, mean: 1, squares: 0, min: 1, max: 1 })
  for (const _ of told.take(builder.build(SECOND_MS, 1)));
  const records = [{ id: 1, kind: 'histogram' } as const, { id: 2, kind: 'summary' } as const]
  assert.deepEqual(
    records.map((record) => told.of(record as never)),
    [3, 4],
  )
})

test('totals of series that have left take no memory once all of a page have', () => {
  const { told, remove } = toldOf()
  for (const _ of told.take(frameOf([[1500, 9]])));
  for (let id = 1024; id < 2048; id++) remove(counter(id))
  assert.equal(told.of(counter(1500)), 0)
})
