/**
 * The hub's metrics of itself are ordinary series of the zone (dialect `hub`, names beginning
 * `pentameter.`): seen, kept and exported like all others. The list is docs/self-metrics.md.
 */
import { type Labels, sortLabels } from '../../model/index.ts'
import type { CounterHandle, GaugeHandle, Writer } from '../../shm/index.ts'
import { type KnownSeries, OWN_SOURCE, type SeriesDefiner } from '../ingest/definition.ts'
import { OWN_MEANINGS } from './own-meanings.ts'

type LabelValues = Readonly<Record<string, string>>

const NO_LABELS: LabelValues = {}

export class SelfMetrics {
  readonly #series: SeriesDefiner
  readonly #writer: Writer
  readonly #counters = new Map<string, OwnCounter>()
  readonly #gauges = new Map<string, GaugeHandle | undefined>()

  constructor(series: SeriesDefiner, writer: Writer) {
    this.#series = series
    this.#writer = writer
  }

  /**
   * Gives the counter of a name and labels, made on first use; one that found no room counts
   * nowhere.
   * @param description the hub's own by default, see {@link OWN_MEANINGS}
   */
  counter(name: string, labels: LabelValues = NO_LABELS, description?: string): OwnCounter {
    const key = keyOf(name, labels)
    const known = this.#counters.get(key)
    if (known !== undefined) return known
    const record = this.#define(name, 'counter', labels, description)
    const counter = new OwnCounter(record && this.#writer.counter(record.metric))
    this.#counters.set(key, counter)
    return counter
  }

  gauge(
    name: string,
    value: number,
    labels: LabelValues = NO_LABELS,
    unit?: string,
    description?: string,
  ): void {
    const key = keyOf(name, labels)
    if (!this.#gauges.has(key)) {
      const record = this.#define(name, 'gauge', labels, description, unit)
      this.#gauges.set(key, record && this.#writer.gauge(record.metric))
    }
    this.#gauges.get(key)?.set(value)
  }

  #define(
    name: string,
    kind: 'counter' | 'gauge',
    labels: LabelValues,
    description = OWN_MEANINGS[name],
    unit?: string,
  ): KnownSeries | undefined {
    const pairs: Labels = sortLabels(Object.entries(labels))
    const record = this.#series.define({
      identity: { name, kind, labels: pairs },
      metadata: {
        dialect: 'hub',
        ...(description === undefined ? {} : { description }),
        ...(unit === undefined ? {} : { unit }),
      },
      source: OWN_SOURCE,
    })
    return typeof record === 'string' ? undefined : record
  }
}

/** A counter of the hub itself. */
export class OwnCounter {
  readonly #handle: CounterHandle | undefined
  #value = 0

  constructor(handle: CounterHandle | undefined) {
    this.#handle = handle
  }

  get value(): number {
    return this.#value
  }

  add(n = 1): void {
    this.#value += n
    this.#handle?.add(n)
  }

  /** Raises the counter to a total kept elsewhere (the kernel's), never lowers it. */
  raiseTo(total: number): void {
    if (total > this.#value) this.add(total - this.#value)
  }
}

function keyOf(name: string, labels: LabelValues): string {
  return JSON.stringify([name, ...Object.entries(labels).flat()])
}
