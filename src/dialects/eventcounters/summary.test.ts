/** Mean windows as summaries, and back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { mergeSummaries } from '../../model/index.ts'
import { EMPTY_MEAN, fromSummary, toSummary } from './summary.ts'
import type { MeanStatistics } from './window.ts'

function meanOf(samples: readonly number[]): MeanStatistics {
  if (samples.length === 0) return EMPTY_MEAN
  const mean = samples.reduce((sum, x) => sum + x, 0) / samples.length
  const squares = samples.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / samples.length)
  const [min, max] = [Math.min(...samples), Math.max(...samples)]
  return { kind: 'mean', count: samples.length, mean, deviation, min, max }
}

test('merged windows say of all their samples what one window would', () => {
  const samples = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 20 })
  holds(
    fc.property(fc.array(samples, { minLength: 1, maxLength: 6 }), (parts) => {
      const summaries = parts.map((samples) => toSummary(meanOf(samples)))
      const found = fromSummary(summaries.reduce(mergeSummaries))
      const expected = meanOf(parts.flat())
      assert.deepEqual(
        [found.count, found.min, found.max],
        [expected.count, expected.min, expected.max],
      )
      assert.ok(Math.abs(found.mean - expected.mean) <= 1e-9 * 1e6)
      assert.ok(Math.abs(found.deviation - expected.deviation) <= 1e-9 * 1e6)
    }),
  )
})

test('what the sender of a window did not know spoils nothing', () => {
  const known = meanOf([1, 3])
  const unknown: MeanStatistics = { ...known, deviation: Number.NaN }
  assert.equal(toSummary(unknown).squares, 0)
  assert.equal(toSummary({ ...known, mean: Number.NaN }).count, 0)
  const { min, max } = toSummary({ ...known, min: Number.NaN, max: Number.POSITIVE_INFINITY })
  assert.deepEqual([min, max], [2, 2])
  const nothing = toSummary({ ...known, mean: Number.NaN })
  assert.deepEqual(fromSummary(mergeSummaries(nothing, toSummary(known))), known)
})

test('an empty window has infinities here and nothing in the model', () => {
  assert.deepEqual(fromSummary(toSummary(EMPTY_MEAN)), EMPTY_MEAN)
})
