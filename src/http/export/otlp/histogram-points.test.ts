import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedHistogram, Histogram } from '../../../model/index.ts'
import { explicitBuckets, momentsOf } from './histogram-points.ts'

test('bounds of one’s own are explicit bounds as they are, whatever a dialect’s rules are', () => {
  const counts = BigUint64Array.of(0n, 2n, 0n, 1n)
  const bounds = [-2, 1, 50]
  const histogram = boundedHistogram({ bounds, counts, sum: 60n })
  assert.deepEqual(explicitBuckets(histogram, {}), { bounds, counts: [...counts] })
  const fixed = explicitBuckets(histogram, { form: 'explicit', boundsCount: 32, shift: 1 })
  assert.deepEqual(fixed, { bounds: [-0.2, 0.1, 5], counts: [...counts] })
  assert.deepEqual(momentsOf(histogram, 60, true, 0), {}, 'a sum of negatives is none')
  assert.deepEqual(explicitBuckets(new Histogram(), {}), { bounds: [], counts: [0n] })
})
