import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from '../../../model/index.ts'
import { HistogramWindows } from './histogram-windows.ts'

function windowOf(zeros: bigint): Histogram {
  const histogram = new Histogram(0)
  histogram.zeroThreshold = 1
  histogram.zeroCount = zeros
  histogram.count = zeros
  return histogram
}

test('a window without observations shows the form in which others will come', () => {
  const windows = new HistogramWindows()
  windows.add(windowOf(0n))
  windows.close(() => assert.fail('an empty second'))
  const { scale, zeroThreshold, count } = windows.total()
  assert.deepEqual([scale, zeroThreshold, count], [0, 1, 0n])
  windows.add(windowOf(2n))
  windows.add(windowOf(0n))
  let seconds = 0
  windows.close(() => seconds++)
  windows.add(windowOf(0n))
  const total = windows.total()
  assert.deepEqual([seconds, total.zeroThreshold, total.count], [1, 1, 2n])
})
