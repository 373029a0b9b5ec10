/** What a series holds since it began, read from the zone now: counters, gauges, distributions. */
import {
  binsHistogram,
  boundedHistogram,
  EMPTY_SUMMARY,
  type Exact,
  exact,
  Histogram,
} from '../../model/index.ts'
import type { GaugeReading, Zone, ZoneReader } from '../../shm/index.ts'
import type {
  CounterRecord,
  GaugeRecord,
  HistogramRecord,
  SeriesRecord,
  Total,
} from '../series/record.ts'
import { boundedBins } from './readings/histograms.ts'

/** Knowledge of the sources of shared gauges, which tell no writes. */
export interface SharedSources {
  /** Tells whether the source ran in the interval that ends now: its gauges still hold. */
  isActive(source: string): boolean
  /** Tells whether a gauge of the source was ever decremented below zero. */
  hasWrapped(source: string): boolean
}

export class Totals {
  readonly #zone: Zone
  readonly #reader: ZoneReader
  readonly #sources: readonly SharedSources[]
  /** Metrics of the counters that are read at once. */
  #metrics = new Uint32Array(0)
  readonly #gauge: GaugeReading = { value: Number.NaN, sequence: 0 }

  constructor(zone: Zone, reader: ZoneReader, sources: readonly SharedSources[] = []) {
    this.#zone = zone
    this.#reader = reader
    this.#sources = sources
  }

  of(record: SeriesRecord): Total {
    switch (record.kind) {
      case 'counter': {
        const decrements = record.decrements === undefined ? 0 : this.counter(record.decrements)
        return { kind: 'counter', total: this.counter(record), decrements }
      }
      case 'gauge':
        return { kind: 'gauge', value: this.gauge(record) }
      case 'histogram':
        if (record.isWindowed) {
          return { kind: 'histogram', histogram: record.windows?.total() ?? new Histogram() }
        }
        return { kind: 'histogram', histogram: this.#histogram(record) }
      case 'summary': {
        const { total = EMPTY_SUMMARY, sum = 0, last } = record.windows ?? {}
        return { kind: 'summary', summary: total, sum, last: last?.summary ?? EMPTY_SUMMARY }
      }
    }
  }

  #histogram({ metric, windows }: HistogramRecord): Histogram {
    const total = this.#histogramOf(metric)
    if (windows === undefined) return total
    const all = windows.total()
    if (!total.isEmpty) all.mergeFrom(total)
    return all
  }

  #histogramOf(metric: number): Histogram {
    const type = this.#zone.type(metric)
    if (type === 'exponential') return this.#reader.exponential(metric)
    const bins = this.#reader.bins(metric)
    return type === 'binned' ? boundedHistogram(boundedBins(bins)) : binsHistogram(bins)
  }

  /**
   * Reads the total of a counter, or the sum of a distribution that comes in windows: what may have
   * a fraction. Undefined for others.
   */
  sum(record: SeriesRecord): Exact | undefined {
    if (record.kind === 'counter') return this.counter(record)
    if (record.kind === 'summary') return record.windows?.sum
    if (record.kind === 'gauge' || record.windows === undefined) return undefined
    return record.isWindowed ? record.windows.sum : this.#histogram(record).sum
  }

  /** Reads the total of a counter, with its fraction. */
  counter({ metric, windows }: CounterRecord): Exact {
    const whole = this.#reader.counter(metric)
    return windows === undefined ? exact(whole) : windows.total(whole)
  }

  /** Reads the totals of many counters at once, without their windows. */
  counters(records: readonly CounterRecord[], totals: BigUint64Array): void {
    if (this.#metrics.length < records.length) this.#metrics = new Uint32Array(records.length)
    for (let i = 0; i < records.length; i++) this.#metrics[i] = records[i]!.metric
    this.#reader.counters(this.#metrics.subarray(0, records.length), totals)
  }

  /** Tells whether a source of shared gauges ran in the interval that ends now. */
  isActive(source: string): boolean {
    return this.#sources.some((each) => each.isActive(source))
  }

  /** Reads the value of a gauge; undefined when none was written yet. */
  gauge({ metric, source }: GaugeRecord): Exact | undefined {
    if (this.#zone.mode(metric) === 'shared') {
      const value = this.#reader.sharedGauge(metric)
      const isSigned = value >> 63n === 1n && this.#sources.some((each) => each.hasWrapped(source))
      return exact(isSigned ? BigInt.asIntN(64, value) : value)
    }
    return this.#reader.gauge(metric, this.#gauge) ? this.#gauge.value : undefined
  }
}
