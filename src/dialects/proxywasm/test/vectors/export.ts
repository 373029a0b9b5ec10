/** Vectors of Proxy-Wasm metrics: what a histogram is in the formats of exports. */

import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { binsHistogram } from '../../../../model/index.ts'
import { classicBuckets, explicitPoint, exponentialPoint, nativeBuckets } from '../../map.ts'
import { MetricStore } from '../../store/metric-store.ts'
import { record, type WorkerOps } from './store.ts'

export function checkExport({ ops, dense, count, ...expect }: VectorCase): undefined {
  const store = MetricStore.create()
  const metric = store.define({ name: 'h', type: 'histogram' })
  record(store, metric, ops as WorkerOps, 2)
  const reading = store.bins(metric)
  const { bins, sum } = dense as { bins: [number, number][]; sum: string }
  const filled = reading.bounds
    .map((bound, i) => [bound, Number(reading.counts[i])])
    .filter(([, each]) => each! > 0)
  same('dense bins', filled, bins)
  same('dense sum', String(reading.sum), sum)
  const histogram = binsHistogram(reading)
  same('count', Number(histogram.count), count)
  same('sum', String(histogram.sum), sum)
  const classic = classicBuckets(reading).map(([le, each]) => [le, Number(each)])
  same('classic', classic, expect.classicCumulative)
  const { bounds, counts } = explicitPoint(reading)
  same('explicit', { bounds, counts: counts.map(Number) }, expect.otlpExplicit)
  same('exponential', numbers(exponentialPoint(reading)), expect.otlpExponential)
  const native = { schema: 0, zeroThreshold: 1, zeroCount: Number(histogram.zeroCount) }
  const positive = nativeBuckets(reading).map(([index, each]) => [index, Number(each)])
  same('native', { ...native, positive }, expect.prometheusNative)
  store.close()
}

function numbers(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each)),
  )
}
