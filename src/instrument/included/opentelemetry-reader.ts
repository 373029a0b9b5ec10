/**
 * A reader for the metrics SDK of OpenTelemetry: what instrumentations record there is shown with
 * ours. It has no timer: the SDK is asked when our metrics are read, for totals in the buckets that
 * a hub keeps. Its shapes are those of `@opentelemetry/sdk-metrics` 2; nothing of it is imported.
 */
import { Histogram, type Labels, sortLabels } from '../../model/index.ts'
import type { MetricsSource, SourceSeries } from './included-sources.ts'

/** Numbers of the SDK's enums AggregationType, AggregationTemporality and DataPointType. */
const DEFAULT = 0
const EXPONENTIAL = 5
const CUMULATIVE = 1
const POINTS = { histogram: 0, exponential: 1, gauge: 2, sum: 3 } as const
/** Buckets for each sign, as OpenTelemetry has them. */
const BUCKETS = 160
/** Sets of attributes of one instrument; more are one, marked `otel.metric.overflow`. */
const CARDINALITY = 2000

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: unknown
}

interface Metric {
  readonly descriptor: {
    readonly name: string
    readonly description: string
    readonly unit: string
  }
  readonly dataPointType: number
  readonly isMonotonic?: boolean
  readonly dataPoints: readonly Point[]
}

interface Collected {
  readonly resourceMetrics: {
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string; readonly version?: string }
      readonly metrics: readonly Metric[]
    }[]
  }
  readonly errors: readonly unknown[]
}

/** Producer that a reader asks for metrics; the SDK gives one to each of its readers. */
interface OtelMetricProducer<Result = unknown> {
  collect(options?: { timeoutMillis?: number }): Promise<Result>
}

interface Buckets {
  readonly offset: number
  readonly bucketCounts: readonly number[]
}

interface AnyDistribution {
  readonly count: number
  readonly sum?: number
  readonly min?: number
  readonly max?: number
}

interface ExponentialValue extends AnyDistribution {
  readonly scale: number
  readonly zeroCount: number
  readonly positive: Buckets
  readonly negative: Buckets
}

interface ExplicitValue extends AnyDistribution {
  readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] }
}

/**
 * Reader of the OpenTelemetry SDK, made by {@link Metrics.otelReader}: an `IMetricReader` for
 * `new MeterProvider({ readers })`.
 * @example
 * ```ts
 * import { metrics } from 'pentameter'
 *
 * const reader = metrics.otelReader()
 * // new MeterProvider({ readers: [reader] }).getMeter('shop').createCounter('orders').add(1)
 * console.log(reader.selectAggregationTemporality()) // 1
 * ```
 */
export class OpenTelemetryReader implements MetricsSource {
  #producer: OtelMetricProducer | undefined
  #isShutDown = false

  /** @throws {Error} for a second provider: each has a reader of its own */
  setMetricProducer(producer: OtelMetricProducer): void {
    if (this.#producer !== undefined) throw new Error('this reader has a MeterProvider already')
    this.#producer = producer
  }

  /** Chooses exponential buckets for histograms; views of the provider go before. */
  selectAggregation(instrument: string) {
    return instrument === 'HISTOGRAM'
      ? { type: EXPONENTIAL, options: { recordMinMax: true, maxSize: BUCKETS } }
      : { type: DEFAULT }
  }

  /** Chooses totals, for all instruments. */
  selectAggregationTemporality() {
    return CUMULATIVE
  }

  selectCardinalityLimit(): number {
    return CARDINALITY
  }

  /** Collects, for who holds the SDK's end of it. @throws {Error} without a provider */
  async collect<Result>(options?: { timeoutMillis?: number }): Promise<Result> {
    if (this.#producer === undefined) throw new Error('this reader has no MeterProvider')
    return (await this.#producer.collect(options)) as Result
  }

  /** Has nothing to flush: what is shown is read when it is asked for. */
  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {
    this.#isShutDown = true
  }

  /** Gives all series of the SDK; none before a provider has it and after its end. */
  async read(): Promise<SourceSeries[]> {
    if (this.#producer === undefined || this.#isShutDown) return []
    const { resourceMetrics } = await this.collect<Collected>()
    return resourceMetrics.scopeMetrics.flatMap(({ scope, metrics }) =>
      metrics.flatMap((metric) =>
        metric.dataPoints.map((point) => seriesOf(metric, point, scope.name)),
      ),
    )
  }
}

function seriesOf(metric: Metric, { attributes, value }: Point, scope: string): SourceSeries {
  const { name, description, unit } = metric.descriptor
  const head = { name, description, unit, labels: labelsOf(attributes, scope) }
  switch (metric.dataPointType) {
    case POINTS.exponential:
      return { ...head, kind: 'histogram', value: exponentialOf(value as ExponentialValue) }
    case POINTS.histogram:
      return { ...head, kind: 'histogram', value: explicitOf(value as ExplicitValue) }
    default: {
      const isCounter = metric.dataPointType === POINTS.sum && metric.isMonotonic === true
      return { ...head, kind: isCounter ? 'counter' : 'gauge', value: value as number }
    }
  }
}

/** Makes labels as a hub does of points that it receives: the scope is one of them. */
function labelsOf(attributes: Point['attributes'], scope: string): Labels {
  const pairs = Object.entries(attributes).map(([key, value]) => [key, textOf(value)] as const)
  const own = scope === '' ? [] : [['otel.scope.name', scope] as const]
  return sortLabels([...pairs.filter(([key]) => key !== 'otel.scope.name'), ...own])
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function distribution(value: AnyDistribution, scale: number): Histogram {
  const histogram = new Histogram(scale)
  histogram.sum = value.sum
  histogram.min = value.min ?? Number.NaN
  histogram.max = value.max ?? Number.NaN
  return histogram
}

function exponentialOf(value: ExponentialValue): Histogram {
  const histogram = distribution(value, value.scale)
  histogram.zeroCount = BigInt(value.zeroCount)
  histogram.count = histogram.zeroCount
  for (const isNegative of [false, true]) {
    const { offset, bucketCounts } = isNegative ? value.negative : value.positive
    bucketCounts.forEach((count, i) => {
      histogram.addBucket(
        (offset + i) >> (value.scale - histogram.scale),
        BigInt(count),
        isNegative,
      )
    })
  }
  return histogram
}

function explicitOf(value: ExplicitValue): Histogram {
  const histogram = distribution(value, 0)
  const { boundaries, counts } = value.buckets
  histogram.bounds = [...boundaries]
  histogram.positive.counts = BigUint64Array.from(counts, BigInt)
  histogram.count = histogram.positive.total()
  return histogram
}
