/** Rows between processes, and what several of them add up to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SUMMARY, type Exemplar, Histogram } from '../../model/index.ts'
import type { Reading } from '../readings/reading.ts'
import { MergedReadings } from './merged-readings.ts'
import { countOf, headText, opened, readingOf, sealed, valueText } from './messages.ts'

const description = {
  ...{ provider: 'shop', name: 'orders', displayName: 'Orders', units: 'B' },
  ...{ rateScaleSec: 0, metaData: [['kind', 'i7'] as const], hasTags: true },
}
const head = { description, labels: [['kind', 'i7'] as const] }

function histogramOf(...values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

function exemplar(value: number, timeMs: number, trace: string): Exemplar {
  return { value, timeMs, labels: [['trace_id', trace]] }
}

const READINGS: readonly Reading[] = [
  { ...head, kind: 'counter', total: 2n ** 64n - 1n },
  { ...head, kind: 'counter', total: 0.5 },
  { ...head, kind: 'gauge', value: Number.NaN },
  { ...head, kind: 'gauge', value: Number.NEGATIVE_INFINITY },
  { ...head, kind: 'gauge', value: -0.25 },
  { ...head, kind: 'histogram', histogram: histogramOf(0, 1, 1000.5, -3) },
  { ...head, kind: 'histogram', histogram: histogramOf() },
  { ...head, kind: 'summary', sum: 3, count: 2, last: EMPTY_SUMMARY },
  { ...head, kind: 'counter', total: 7, exemplars: [exemplar(2.5, 1, 'i7'), exemplar(1, 2, 'd')] },
  { ...head, kind: 'histogram', histogram: histogramOf(3), exemplars: [exemplar(3, 1, '')] },
]

test('every reading comes out of the channel as it went in', () => {
  for (const reading of READINGS) {
    const sent = JSON.parse(JSON.stringify([headText(reading), valueText(reading)]))
    assert.deepEqual(readingOf(sent[0], sent[1]), reading)
  }
  assert.deepEqual(opened(JSON.parse(JSON.stringify(sealed({ kind: 'tell', turn: 3 })))), {
    kind: 'tell',
    turn: 3,
  })
  for (const foreign of [undefined, null, 'tell', 7, {}, [], { kind: 'tell' }]) {
    assert.equal(opened(foreign), undefined)
  }
})

test('a reading counts what was recorded; a gauge nothing', () => {
  assert.deepEqual(READINGS.map(countOf), [2 ** 64, 0.5, 0, 0, 0, 4, 0, 2, 7, 1])
})

test('counters add up to the unit, histograms merge and the parts stay as they are', () => {
  const part = histogramOf(1, 2)
  const merged = new MergedReadings()
  for (const worker of ['1', '2']) {
    merged.add({ ...head, kind: 'counter', total: 2n ** 53n + 1n }, worker)
    merged.add({ ...head, kind: 'histogram', histogram: part }, worker)
    merged.add({ ...head, kind: 'gauge', value: Number(worker) }, worker)
    const last = { count: 1, mean: 4, squares: 0, min: 4, max: 4 }
    merged.add({ ...head, kind: 'summary', sum: 8, count: 2, last }, worker)
  }
  merged.addDeparted([
    { ...head, kind: 'counter', total: 3 },
    { ...head, kind: 'gauge', value: 9 },
  ])
  const values = merged.values()
  const of = <Kind extends Reading['kind']>(kind: Kind) =>
    values.filter((each): each is Reading & { kind: Kind } => each.kind === kind)
  assert.equal(of('counter')[0]!.total, 2n ** 54n + 5n)
  assert.deepEqual([of('histogram')[0]!.histogram.count, part.count], [4n, 2n])
  assert.deepEqual(
    of('gauge').map(({ value, labels }) => [value, labels]),
    [
      [
        1,
        [
          ['kind', 'i7'],
          ['worker', '1'],
        ],
      ],
      [
        2,
        [
          ['kind', 'i7'],
          ['worker', '2'],
        ],
      ],
    ],
  )
  const [{ sum, count, last }] = of('summary') as [Reading & { kind: 'summary' }]
  assert.deepEqual([sum, count, last.count], [16, 4, 2])
})

test('exemplars of all processes that live are those of the whole, the newest of each size', () => {
  const merged = new MergedReadings()
  const part = (exemplars: Exemplar[]): Reading => {
    return { ...head, kind: 'histogram', histogram: histogramOf(3), exemplars }
  }
  merged.addDeparted([part([exemplar(100, 9, 'departed')])])
  merged.add(part([exemplar(3, 4, 'later'), exemplar(900, 5, 'large')]), '1')
  merged.add(part([exemplar(3.5, 3, 'earlier')]), '2')
  const [reading] = merged.values()
  const traces = reading!.exemplars?.map(({ labels }) => labels[0]![1])
  assert.deepEqual(traces, ['later', 'large'])
  assert.ok(reading!.kind === 'histogram' && reading!.histogram.count === 3n)
})
