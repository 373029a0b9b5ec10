/**
 * Registers of `prom-client` and of `@prometheus-io/client`, whose metrics have one shape: read by
 * their public `getMetricsAsJSON`.
 */
import { Histogram, type Labels, sortLabels } from '../../model/index.ts'
import type { MetricsSource, SourceSeries } from './included-sources.ts'

/** Register of prom-client or `@prometheus-io/client`, so much of it as is called. */
export interface PromClientRegister {
  getMetricsAsJSON(): Promise<readonly object[]>
  registerMetric(metric: never): void
  removeSingleMetric(name: string): void
}

/** A metric of a register in its JSON. */
interface RegisterMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | (string & {})
  readonly values?: readonly RegisterValue[]
}

export interface RegisterValue {
  readonly value: number
  /** Name of the sample, where it is not that of the metric. */
  readonly metricName?: string
  readonly labels?: Readonly<Record<string, string | number | undefined>>
}

/** Mark of a metric in a register that is one of ours: it is not read back. */
export const OURS: unique symbol = Symbol('metrics of pentameter')

/** Source of what a register of prom-client or `@prometheus-io/client` holds. */
export class PromClientSource implements MetricsSource {
  readonly register: PromClientRegister
  /** True while the register asks its metrics for this source: ours among them give nothing. */
  isReading = false

  constructor(register: PromClientRegister) {
    this.register = register
  }

  async read(): Promise<SourceSeries[]> {
    // both libraries ask all metrics before they wait for any
    this.isReading = true
    const asked = this.register.getMetricsAsJSON()
    this.isReading = false
    const metrics = (await asked) as readonly RegisterMetric[]
    return metrics.filter((metric) => !(OURS in metric)).flatMap(seriesOf)
  }
}

function seriesOf({ name, help, type, values = [] }: RegisterMetric): readonly SourceSeries[] {
  const head = { name, description: help }
  if (type === 'histogram' || type === 'summary') {
    const isPart = (key: string): boolean => key === (type === 'histogram' ? 'le' : 'quantile')
    const groups = Map.groupBy(values, ({ labels = {} }) =>
      JSON.stringify(
        Object.entries(labels)
          .filter(([key]) => !isPart(key))
          .sort(),
      ),
    )
    return [...groups.values()].map((group) => {
      const labels = labelsOf(group[0]!, isPart)
      return type === 'histogram'
        ? { ...head, labels, kind: 'histogram', value: histogramOf(name, group) }
        : { ...head, labels, kind: 'summary', ...summaryOf(name, group) }
    })
  }
  // what else there may be is untyped: a gauge says nothing false of it
  const kind = type === 'counter' ? 'counter' : 'gauge'
  return values.map((each) => ({ ...head, kind, labels: labelsOf(each), value: each.value }))
}

function labelsOf(
  { labels = {} }: RegisterValue,
  isLeftOut: (key: string) => boolean = () => false,
): Labels {
  const pairs = Object.entries(labels).filter(([key, value]) => {
    return value !== undefined && !isLeftOut(key)
  })
  return sortLabels(pairs.map(([key, value]) => [key, String(value)] as const))
}

/** Makes a histogram of cumulative buckets: each has what the one below it has not. */
function histogramOf(name: string, values: readonly RegisterValue[]): Histogram {
  const buckets = values
    .filter(({ labels }) => labels?.le !== undefined)
    .map(({ labels, value }) => [Number(String(labels!.le).replace('Inf', 'Infinity')), value])
    .sort(([a], [b]) => a! - b!) as [bound: number, count: number][]
  const histogram = new Histogram(0)
  histogram.bounds = buckets.map(([bound]) => bound).filter(Number.isFinite)
  const counts = buckets.map(([, count], i) => BigInt(count - (buckets[i - 1]?.[1] ?? 0)))
  if (counts.length === histogram.bounds.length) counts.push(0n)
  histogram.positive.counts = BigUint64Array.from(counts)
  histogram.count = histogram.positive.total()
  histogram.sum = sampleOf(values, `${name}_sum`)
  return histogram
}

function summaryOf(name: string, values: readonly RegisterValue[]) {
  const quantiles = values
    .filter(({ labels }) => labels?.quantile !== undefined)
    .map(({ labels, value }) => [Number(labels!.quantile), value] as const)
  return {
    quantiles,
    sum: sampleOf(values, `${name}_sum`),
    count: sampleOf(values, `${name}_count`),
  }
}

function sampleOf(values: readonly RegisterValue[], wanted: string): number {
  return values.find(({ metricName }) => metricName === wanted)?.value ?? 0
}
