/** Differences of snapshots: increases, wraps and resets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonBin, JsonDocument } from '../spec.ts'
import { diffDocuments } from './diff.ts'

const counter = (value: number | string): JsonDocument => ({ c: { type: 'counter', value } })
const histogram = (bins: Readonly<Record<number, number>>, sum?: number | string): JsonDocument => {
  const value = Object.entries(bins).map(([ub, count]): JsonBin => ({ ub: Number(ub), count }))
  return { h: { type: 'histogram', value, ...(sum === undefined ? {} : { sum }) } }
}

test('counters by their increase, gauges by their later value, new metrics from nothing', () => {
  const before: JsonDocument = { ...counter(5), g: { type: 'gauge', value: 9 } }
  const after: JsonDocument = {
    ...counter('9007199254740993'),
    g: { type: 'gauge', value: 4 },
    x: { type: 'counter', value: 1 },
  }
  assert.deepEqual(diffDocuments(before, after), {
    metrics: {
      c: { type: 'counter', value: 9007199254740988 },
      g: { type: 'gauge', value: 4 },
      x: { type: 'counter', value: 1 },
    },
    resets: [],
  })
})

test('a counter that fell began anew, unless it passed 2^64', () => {
  assert.deepEqual(diffDocuments(counter(5), counter(3)), { metrics: counter(3), resets: ['c'] })
  const wrapped = diffDocuments(counter('18446744073709551615'), counter(1))
  assert.deepEqual(wrapped, { metrics: counter(2), resets: [] })
})

test('a name that now is another type counts from nothing', () => {
  const gauge: JsonDocument = { c: { type: 'gauge', value: 7 } }
  assert.deepEqual(diffDocuments(gauge, counter(7)), { metrics: counter(7), resets: [] })
})

test('histograms bin by bin, the sum modulo 2^64', () => {
  const before = histogram({ 1: 2, 4294967295: 0 }, '18446744073709551610')
  const after = histogram({ 1: 2, 8: 3, 4294967295: 1 }, 4)
  assert.deepEqual(diffDocuments(before, after), {
    metrics: histogram({ 1: 0, 8: 3, 4294967295: 1 }, 10),
    resets: [],
  })
})

test('of the original program a bin that falls by 2^31 wrapped, by less it began anew', () => {
  const before = histogram({ 1: 4294967295, 4294967295: 0 })
  const after = histogram({ 1: 4, 4294967295: 0 })
  const wrapped = diffDocuments(before, after, { isPeer: true })
  assert.deepEqual(wrapped.metrics, histogram({ 1: 5, 4294967295: 0 }))
  assert.deepEqual(diffDocuments(before, after).resets, ['h'])
  const fell = histogram({ 1: 4294967290, 4294967295: 0 })
  assert.deepEqual(diffDocuments(before, fell, { isPeer: true }).resets, ['h'])
})

test('a bin that is gone is a reset of the histogram', () => {
  const before = histogram({ 1: 1, 8: 1, 4294967295: 0 })
  const after = histogram({ 1: 5, 4294967295: 0 })
  assert.deepEqual(diffDocuments(before, after), { metrics: after, resets: ['h'] })
})
