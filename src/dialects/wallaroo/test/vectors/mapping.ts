/**
 * Vectors of Wallaroo's exports: every form of the same bins as it leaves the hub, by /metrics and
 * by OTLP, read back by readers that know nothing of the writers; estimated sum, quantiles.
 */

import { FakeHubView, START_MS } from '../../../../../test/support/hub/fake-hub-view.ts'
import {
  parseExposition,
  sampleTexts,
} from '../../../../../test/support/outputs/exposition-parser.ts'
import {
  type ReadMetric,
  readFamilies,
} from '../../../../../test/support/outputs/metric-families.ts'
import {
  metricsOf,
  type OtlpPoint,
  readRequest,
} from '../../../../../test/support/outputs/otlp-messages.ts'
import { near, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { RequestWriter } from '../../../../http/export/otlp/protobuf.ts'
import { OtlpSource, type SourceOptions } from '../../../../http/export/otlp/source.ts'
import { Exposition } from '../../../../http/export/prometheus/exposition.ts'
import type { Exact } from '../../../../model/index.ts'
import { histogramOf, mappingOf } from '../../map.ts'
import { LatencyTotals } from '../../rollup/latency-totals.ts'
import { withFrame } from '../frames.ts'

type Fields = Readonly<Record<string, unknown>>

const TOLERANCE = 1e-9

export function checkMapping({ windows, expect }: VectorCase): undefined {
  const series = (windows as Fields[]).map((window) => {
    const totals = new LatencyTotals()
    withFrame(window, (frame) => totals.add(frame))
    return totals
  })
  for (const order of [series, series.toReversed()]) {
    const sum = new LatencyTotals()
    for (const totals of order) sum.merge(totals)
    checkTotals(sum, expect as Fields)
  }
  return undefined
}

function checkTotals(totals: LatencyTotals, expect: Fields): void {
  const { counts } = totals
  same('messages', `${counts.total()}`, expect.messages_total)
  same('latencies', `${counts.latencies()}`, expect.latency_count)
  same('skewed', `${counts.skewed()}`, expect.clock_skew_samples)
  checkExports(new Exported(totals, false), expect)
  same('extremes', [text(totals.minNs), text(totals.maxNs)], [expect.min_ns, expect.max_ns])
  near('sum', totals.sumNs, expect.sum_estimate_ns, TOLERANCE)
  for (const [q, value] of Object.entries(expect.quantiles_ns as Fields)) {
    near(`quantile ${q}`, totals.quantile(Number(q)) ?? null, value, TOLERANCE)
  }
  if (expect.with_skew_included !== undefined) {
    checkSkew(new Exported(totals, true), expect.with_skew_included as Fields)
  }
}

function checkExports(exported: Exported, expect: Fields): void {
  same('exponential', exported.exponential(), expect.otlp_exponential_ns)
  same('native', exported.native(), expect.prometheus_native_ns)
  const classic = expect.prometheus_classic_seconds as readonly Fields[]
  const lines = classic.map(({ le_seconds: le, count }) => [le, count])
  near('classic as text', exported.classicText(), lines, TOLERANCE)
  near('classic as protobuf', exported.classicProtobuf(), lines, TOLERANCE)
  const { bounds, counts } = exported.explicit()
  same('explicit', counts, expect.otlp_explicit_bucket_counts)
  same(
    'explicit bounds',
    bounds,
    Array.from({ length: 64 }, (_, i) => 2 ** i / 1e9),
  )
  near('sum', exported.sumSeconds() * 1e9, expect.sum_estimate_ns, TOLERANCE)
}

function checkSkew(exported: Exported, expect: Fields): void {
  same('exponential', exported.exponential(), expect.otlp_exponential_ns)
  same('native', exported.native(), expect.prometheus_native_ns)
  same('+Inf', exported.classicText().at(-1)![1], expect.plus_inf_count)
  same('+Inf in protobuf', exported.classicProtobuf().at(-1)![1], expect.plus_inf_count)
}

type Line = readonly [bound: number | string, count: string]

const NAMES = {
  ...{ application: 'app', category: 'computation', pipeline: 'p', worker: 'w', name: 'n' },
}
const FAMILY = 'wallaroo_computation_latency'
const FORMS: SourceOptions = {
  ...{ temporality: 'dialect', histogram: 'dialect', estimatedSum: false, resource: {} },
}

/** A hub with this one series, and what leaves it. */
class Exported {
  readonly #hub = new FakeHubView()
  readonly #exposition = new Exposition(this.#hub, { nativeHistograms: true }, { count: () => {} })

  constructor(totals: LatencyTotals, hasSkew: boolean) {
    const { identity, metadata } = mappingOf(NAMES).latency!
    const { name, kind, labels } = identity
    const id = this.#hub.add({ name, kind, labels, metadata, isWindowed: true })
    const histogram = histogramOf(totals, hasSkew)
    histogram.sum = totals.sumNs
    this.#hub.replace(id, histogram)
  }

  #metric(family: string): ReadMetric {
    const pieces = [...this.#exposition.pieces('protobuf')].filter((piece) => piece !== undefined)
    return readFamilies(Buffer.concat(pieces as Uint8Array[])).get(family)!.metrics[0]!
  }

  #text(): Map<string, string> {
    const text = [...this.#exposition.pieces('text')].join('')
    return sampleTexts(parseExposition(text, 'text'))
  }

  classicText(): Line[] {
    const lines: Line[] = []
    for (const [sample, count] of this.#text()) {
      const bound = /_bucket\{.*le="([^"]*)"/.exec(sample)?.[1]
      if (bound !== undefined) lines.push([bound === '+Inf' ? bound : Number(bound), count])
    }
    return lines
  }

  classicProtobuf(): Line[] {
    const { buckets, count } = this.#metric(`${FAMILY}_seconds`)
    return [...buckets!, ['+Inf', count!]]
  }

  sumSeconds(): number {
    for (const [sample, sum] of this.#text()) if (sample.includes('_sum{')) return Number(sum)
    return Number.NaN
  }

  native(): unknown {
    const { schema, zeroThreshold, zeroCount, positive } = this.#metric(`${FAMILY}_nanoseconds`)
      .native!
    // the span without buckets says that an empty one is native
    const spans = positive.spans.filter(([, length]) => length > 0)
    return {
      ...{ schema, zero_threshold: zeroThreshold, zero_count: zeroCount },
      ...{ positive_spans: spans, positive_deltas: positive.deltas },
    }
  }

  #point(form: 'explicit' | 'exponential', unit: string): OtlpPoint {
    const source = new OtlpSource(this.#hub, { ...FORMS, histogram: form })
    const writer = new RequestWriter()
    for (const piece of source.pieces(START_MS, undefined)) {
      if (piece !== undefined) writer.add(piece.metric)
    }
    const request = readRequest(writer.request(source.resource))
    const json: unknown = JSON.parse([...source.json()].join(''))
    const [metric, other] = [request, json].map((each) => metricsOf(each).get(FAMILY)!)
    same('unit', metric!.unit, unit)
    same('JSON', other!.points[0], metric!.points[0])
    const point = metric!.points[0]!
    same(
      'sum, min and max of a total',
      [point.sum, point.min, point.max],
      [undefined, undefined, undefined],
    )
    return point
  }

  exponential(): unknown {
    const point = this.#point('exponential', 'ns')
    const { offset, bucketCounts } = point.positive as { offset: number; bucketCounts: string[] }
    return {
      ...{ scale: point.scale, zero_threshold: point.zeroThreshold, zero_count: point.zeroCount },
      positive: { offset, bucket_counts: bucketCounts },
    }
  }

  explicit(): { bounds: unknown; counts: Fields } {
    const { explicitBounds, bucketCounts } = this.#point('explicit', 's')
    const filled = (bucketCounts as string[]).map((count, bin) => [`${bin}`, count] as const)
    same('explicit counts', filled.length, 65)
    return {
      bounds: explicitBounds,
      counts: Object.fromEntries(filled.filter(([, count]) => count !== '0')),
    }
  }
}

function text(value: Exact): string | null {
  return Number.isNaN(value) ? null : `${value}`
}
