import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundText, filledSpan, labelStarts, placeOf, shareHeight } from './bin-layout.ts'

const plain = (words: string): string => words.replaceAll('\u00a0', ' ')

test('bars reach from the first to the last filled bin', () => {
  const counts = new Array<number>(65).fill(0)
  assert.equal(filledSpan(counts), undefined)
  counts[0] = 1
  assert.deepEqual(filledSpan(counts), { first: 0, last: 0 })
  counts[63] = 2
  assert.deepEqual(filledSpan(counts), { first: 0, last: 63 })
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
    [0, 5, 10, 14, 20, 30, 35].map((bin) => plain(boundText(bin))),
    ['1 ns', '32 ns', '1 µs', '16 µs', '1 ms', '1 s', '34 s'],
  )
})

test('names of percentiles that lie together stand side by side, within the chart', () => {
  assert.deepEqual(labelStarts([50, 200], [20, 20], 400), [40, 190])
  assert.deepEqual(labelStarts([50, 52, 54], [20, 20, 20], 400), [40, 64, 88])
  assert.deepEqual(labelStarts([50, 396, 400], [20, 20, 20], 400), [40, 356, 380])
})
