/** Vectors of Proxy-Wasm metrics: what a histogram is in the formats of exports. */

import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { forEachBound } from '../../../../exposition/distribution.ts'
import { exponentialBuckets } from '../../../../exposition/exponential.ts'
import { type NativeSide, nativeForm } from '../../../../exposition/native-histogram.ts'
import { explicitBuckets } from '../../../../http/export/otlp/histogram-points.ts'
import { binsHistogram, type Histogram } from '../../../../model/index.ts'
import { exportRules } from '../../export-rules.ts'
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
  const classic = expect.classicCumulative as [le: string, count: number][]
  const bounds = classic.map(([le]) => le)
  same('classic', classicCounts(histogram, bounds), classic)
  const rules = exportRules({ prometheusNames: 'labels' }).otlp!.histogram!
  same('explicit', numbers(explicitBuckets(histogram, rules)), expect.otlpExplicit)
  const { negative, ...exponential } = exponentialBuckets(histogram)
  same('negative', negative.counts, [])
  const { overflow } = histogram
  same('exponential', numbers({ ...exponential, overflow }), expect.otlpExponential)
  const { negative: _, positive, ...native } = nativeForm(histogram)!
  same('native', numbers({ ...native, positive: nativeCounts(positive) }), expect.prometheusNative)
  store.close()
}

/** What a classic histogram says of each bound: of one that it leaves out, what is below. */
function classicCounts(histogram: Histogram, bounds: readonly string[]): [string, number][] {
  const shown = new Map<string, bigint>()
  const total = forEachBound(histogram, false, (bound, seen) => shown.set(String(bound), seen))
  shown.set('+Inf', total)
  let seen = 0n
  return bounds.map((bound) => {
    seen = shown.get(bound) ?? seen
    return [bound, Number(seen)]
  })
}

/** Filled buckets by their index in Prometheus. */
export function nativeCounts({ spans, deltas }: NativeSide): [index: number, count: bigint][] {
  const counts: [number, bigint][] = []
  let index = 0
  let count = 0n
  for (const [offset, length] of spans) {
    index += offset
    for (const end = index + length; index < end; index++) {
      count += deltas[counts.length]!
      counts.push([index, count])
    }
  }
  return counts
}

function numbers(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each)),
  )
}
