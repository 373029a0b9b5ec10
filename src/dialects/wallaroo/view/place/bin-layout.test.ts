import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boundText,
  columnsOf,
  filledSpan,
  labelStarts,
  placeOf,
  shareHeight,
} from './bin-layout.ts'

const plain = (words: string): string => words.replaceAll('\u00a0', ' ')

test('bars reach from the first to the last filled bin', () => {
  const counts = new Array<number>(65).fill(0)
  assert.equal(filledSpan(counts), undefined)
  counts[0] = 1
  assert.deepEqual(filledSpan(counts), { first: 0, last: 0, columns: 1 })
  counts[63] = 2
  assert.deepEqual(filledSpan(counts), { first: 0, last: 63, columns: 64 })
})

test('the bar of bin 64 stands behind a gap, not where its bound would be', () => {
  const counts = new Array<number>(65).fill(0)
  counts[64] = 5
  assert.deepEqual(filledSpan(counts), { first: 64, last: 64, columns: 1 })
  counts[9] = 2
  counts[11] = 1
  const span = filledSpan(counts)!
  assert.deepEqual(span, { first: 9, last: 11, columns: 5 })
  assert.deepEqual(columnsOf(span), [
    [9, 0],
    [10, 1],
    [11, 2],
    [64, 4],
  ])
})

test('heights are square roots, so that one message in a hundred is a tenth of all', () => {
  assert.equal(shareHeight(1, 1), 1)
  assert.ok(Math.abs(shareHeight(0.01, 1) - 0.1) < 1e-12)
  assert.ok(shareHeight(0.2, 0.2) < 1 && shareHeight(0.2, 0.2) > 0.9)
})

test('a latency lies in the bar that ends at its bound', () => {
  assert.equal(placeOf(1024, 10), 1)
  assert.equal(placeOf(1024, 8), 3)
  assert.ok(placeOf(1025, 10) > 1)
  assert.equal(placeOf(0, 3), 0)
})

test('bounds are named by what they nearly are', () => {
  assert.deepEqual(
    [0, 5, 10, 14, 20, 30, 35, 64].map((bin) => plain(boundText(bin))),
    ['1 ns', '32 ns', '1 µs', '16 µs', '1 ms', '1 s', '34 s', 'bin 64'],
  )
})

test('names of percentiles that lie together stand side by side, within the chart', () => {
  assert.deepEqual(labelStarts([50, 200], [20, 20], 400), [40, 190])
  assert.deepEqual(labelStarts([50, 52, 54], [20, 20, 20], 400), [40, 64, 88])
  assert.deepEqual(labelStarts([50, 396, 400], [20, 20, 20], 400), [40, 356, 380])
})
