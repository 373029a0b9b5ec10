/** Answers and lists that cross a thread are what they were. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CellAnswer, StoredSeries } from '../../../history/store.ts'
import { addToSummary, type Cell, EMPTY_SUMMARY, Histogram } from '../../../model/index.ts'
import { packAnswer, packList, unpackAnswer, unpackList } from './packed-answer.ts'

function histogramOf(...values: number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

const spread = { first: 1, firstAt: 1000, min: -0.5, max: 9, count: 4 }
const summary = [3, 4, 8].reduce(addToSummary, EMPTY_SUMMARY)

function columnsOf(): CellAnswer['columns'] {
  const counters: (Cell | undefined)[] = [
    { kind: 'counter', delta: 0.5 },
    undefined,
    { kind: 'counter', delta: 2n ** 60n + 1n },
    { kind: 'counter', delta: 7 },
  ]
  const gauges: (Cell | undefined)[] = [
    { kind: 'gauge', value: -0, at: 1000 },
    { kind: 'gauge', value: 2n ** 55n + 1n, at: 2000, spread },
    { kind: 'gauge', value: Number.NaN, at: 3000 },
    { kind: 'gauge', value: 3, at: 4000, spread: { ...spread, count: 2 } },
  ]
  const histograms: (Cell | undefined)[] = [
    undefined,
    { kind: 'histogram', histogram: histogramOf(1, 5, 900) },
    { kind: 'histogram', histogram: histogramOf(-4, 0) },
    undefined,
  ]
  const summaries: (Cell | undefined)[] = [undefined, { kind: 'summary', summary }, undefined]
  return [
    { kind: 'counter', cells: counters },
    { kind: 'gauge', cells: gauges },
    { kind: 'histogram', cells: histograms },
    { kind: 'summary', cells: [...summaries, undefined] },
    { kind: undefined, cells: new Array<undefined>(4).fill(undefined) },
  ]
}

test('an answer with cells of each kind is the same behind a thread', () => {
  const covered = Uint8Array.of(1, 1, 0, 1)
  const whole = { fromS: 60, stepS: 60, length: 4, untilS: 290, covered, columns: columnsOf() }
  assert.deepEqual(unpackAnswer(structuredClone(packAnswer(whole))), whole)
})

test('a list of series has its totals, histograms too', () => {
  const series = {
    ...{ number: 129, key: Uint8Array.of(1, 2), metadata: { dialect: 'test' }, origin: undefined },
    ...{ firstS: 1, lastS: 9 },
  }
  const list: StoredSeries[] = [
    { ...series, kind: 'counter', total: { kind: 'counter', delta: 2n ** 61n } },
    { ...series, kind: 'histogram', total: { kind: 'histogram', histogram: histogramOf(3) } },
    { ...series, kind: 'gauge', total: undefined },
  ]
  assert.deepEqual(unpackList(structuredClone(packList(list))), list)
})
