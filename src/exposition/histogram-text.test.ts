import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedHistogram } from '../model/index.ts'
import { bucketLines, distributionText, exportedQuantile } from './histogram-text.ts'

test('bounds of one’s own are all shown, exactly, and nothing else', () => {
  const counts = BigUint64Array.of(2n, 0n, 3n, 4n)
  const histogram = boundedHistogram({ bounds: [1, 5, 50], counts, sum: 700n })
  const text = distributionText('histogram', 'took', 'filter="f"')!
  for (const isWindowed of [false, true]) {
    assert.deepEqual(bucketLines(histogram, text, 0, true, isWindowed).trim().split('\n'), [
      'took_bucket{filter="f",le="1"} 2',
      'took_bucket{filter="f",le="5"} 2',
      'took_bucket{filter="f",le="50"} 5',
      'took_bucket{filter="f",le="+Inf"} 9',
      'took_sum{filter="f"} 700',
      'took_count{filter="f"} 9',
    ])
  }
  const scaled = bucketLines(histogram, text, 3, false)
  assert.match(scaled, /le="0.001"} 2\n.*le="0.005"} 2\n.*le="0.05"} 5\n.*le="\+Inf"} 9\n/)
  const quantiles = [0, 0.3, 0.5, 0.75].map((q) => exportedQuantile(histogram, q))
  assert.deepEqual(quantiles, [1, 50, 50, Infinity])
})
