/** OpenTelemetry's SDK with a reader that only asks at the end, which is its cheapest. */
import type { MeterOptions } from '@opentelemetry/api'
import {
  AggregationType,
  type DataPoint,
  MeterProvider,
  MetricReader,
  type Histogram as Point,
} from '@opentelemetry/sdk-metrics'
import { packageVersion } from '../measure/packages.ts'
import { INSTRUMENT_COUNT, type Instrument, inOrder, LABELS, VALUES } from './visits.ts'

export const OPENTELEMETRY = `OpenTelemetry ${packageVersion('@opentelemetry/sdk-metrics')}`

class AskedReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

export function attributes(passes: number): Instrument {
  const { meter, reader } = provide('attributes')
  const counter = meter.createCounter('requests')
  const labels = inOrder(LABELS)
  return {
    title: `${OPENTELEMETRY}, add with attributes`,
    passes,
    pass() {
      for (let i = 0; i < labels.length; i++) counter.add(1, labels[i]!)
    },
    recorded: () => sum(reader),
  }
}

export function counters(passes: number): Instrument {
  const { meter, reader } = provide('counters')
  const counters = LABELS.map((_, i) => meter.createCounter(`c${i}`))
  const visited = inOrder(counters)
  return {
    title: `${OPENTELEMETRY}, add without attributes`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.add(1)
    },
    recorded: () => sum(reader),
  }
}

export function histograms(passes: number): Instrument {
  const { meter, reader } = provide('histograms')
  const histograms = LABELS.map((_, i) => meter.createHistogram(`h${i}`))
  const visited = inOrder(histograms)
  return {
    title: `${OPENTELEMETRY}, exponential histogram`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.record(VALUES[i]!)
    },
    recorded: () => sum(reader),
  }
}

function provide(name: string, options?: MeterOptions) {
  const reader = new AskedReader({
    cardinalitySelector: () => 2 * INSTRUMENT_COUNT,
  })
  const exponential = { type: AggregationType.EXPONENTIAL_HISTOGRAM } as const
  const provider = new MeterProvider({
    readers: [reader],
    views: [{ instrumentName: 'h*', aggregation: exponential }],
  })
  return { meter: provider.getMeter(name, undefined, options), reader }
}

/** Of counters the sum, of histograms the number of observations. */
async function sum(reader: MetricReader): Promise<number> {
  const { resourceMetrics } = await reader.collect()
  let total = 0
  for (const { metrics } of resourceMetrics.scopeMetrics) {
    for (const { dataPoints } of metrics) {
      for (const { value } of dataPoints as DataPoint<number | Point>[]) {
        total += typeof value === 'number' ? value : value.count
      }
    }
  }
  return total
}
