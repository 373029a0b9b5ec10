import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Merged } from '../../viewer/store/buckets.ts'
import { ScreenBuffer } from '../screen-buffer.ts'
import { drawBars, drawDetailedBars } from './bars.ts'

function merged(counts: readonly number[], part: Partial<Merged> = {}): Merged {
  const { zero = 0, overflow = 0, negative = 0 } = part
  return {
    ...{ scale: 0, offset: 0, zero: 0, negative: 0, overflow: 0 },
    ...{ overflowFrom: Number.POSITIVE_INFINITY, sum: Number.NaN },
    ...{ min: Number.NaN, max: Number.NaN },
    counts: Float64Array.from(counts),
    count: counts.reduce((sum, count) => sum + count, zero + overflow + negative),
    ...part,
  }
}

function drawn(value: Merged, rows = 8, columns = 44, draw = drawBars): string[] {
  const buffer = new ScreenBuffer(columns, rows)
  draw(buffer, { row: 0, column: 0, rows, columns }, value, 'ms')
  return Array.from({ length: rows }, (_, row) => buffer.rowText(row)).filter(Boolean)
}

test('bars grow by eighths, and what is not nothing is seen', () => {
  const bars = drawn(merged([1, 250, 500, 1000])).map((line) => /[█-▏]+/.exec(line)?.[0])
  assert.deepEqual(bars, ['▏', '████▎', '████████▌', '█████████████████'])
})

test('a bar ends at its upper bound, with its share and the percentiles in it', () => {
  assert.deepEqual(drawn(merged([1, 2, 1])), [
    ' 2.00 ms ████████▌          25.0 %',
    ' 4.00 ms █████████████████  50.0 % p50',
    ' 8.00 ms ████████▌          25.0 % p90–p99.9',
  ])
})

test('neighbours are merged where there are more buckets than rows', () => {
  const all = drawn(merged(new Array<number>(16).fill(10)), 4)
  assert.equal(all.length, 4)
  assert.ok(all.every((line) => line.includes('25.0 %')))
})

test('between bounds of their own buckets end there, the last one nowhere', () => {
  const own = { bounds: [1, 5, 100], scale: 0, offset: 0 }
  const labels = (rows: number): string[] =>
    drawn(merged([4, 2, 0, 1], own), rows).map((line) => line.slice(0, 8).trim())
  assert.deepEqual(labels(8), ['1.00 ms', '5.00 ms', '100 ms', '>100 ms'])
  assert.deepEqual(labels(2), ['5.00 ms', '>5.00 ms'])
})

test('zero, what is below it and the overflow have bars of their own', () => {
  const value = merged([4], { zero: 2, negative: 1, overflow: 1, overflowFrom: 1024 })
  const labels = drawn(value).map((line) => line.slice(0, 8).trim())
  assert.deepEqual(labels, ['< 0', '0', '2.00 ms', '≥1.02 s'])
})

test('details are the share so far and counts', () => {
  assert.deepEqual(drawn(merged([1000, 3000]), 8, 60, drawDetailedBars), [
    '   up to                 share  so far       count',
    ' 2.00 ms ████▍          25.0 %  25.0 %       1 000',
    ' 4.00 ms █████████████  75.0 %   100 %       3 000 p50–p99.9',
  ])
})

test('nothing is said to be nothing', () => {
  assert.deepEqual(drawn(merged([])), ['no observations in this window'])
})
