import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SecondCounts } from '../../rollup/second-counts.ts'
import { lineOf } from './line.ts'

function counts(length: number, countOf: (second: number) => number | bigint | undefined) {
  const made = new SecondCounts(length)
  for (let i = 0; i < length; i++) {
    const count = countOf(i)
    if (count !== undefined) made.add(i, count)
  }
  return made
}

test('a short window has a point for each second, and a gap where no window is', () => {
  const messages = [3, undefined, 5n]
  assert.deepEqual(lineOf(counts(3, (i) => messages[i])), [3, null, 5])
})

test('a long one has means over equal parts, of the seconds that are known', () => {
  const line = lineOf(counts(300, (i) => (i % 5 === 0 || i >= 295 ? undefined : i)))
  assert.equal(line.length, 60)
  assert.deepEqual([line[0], line[1], line.at(-1)], [3, 8, null])
})

test('every second is in one point, whatever the length', () => {
  for (const seconds of [10, 59, 60, 61, 119, 301, 3600]) {
    const points = Math.min(60, seconds)
    for (const second of [0, 1, seconds - 2, seconds - 1]) {
      const line = lineOf(counts(seconds, (i) => (i === second ? 7 : undefined)))
      assert.equal(line.filter((count) => count === 7).length, 1)
      assert.equal(line.length, points)
    }
  }
})
