/** A value that goes up and down. */
import type { Labels } from '../../model/index.ts'
import type { GaugeHandle, GaugeReading } from '../../shm/index.ts'
import type { EventSource } from '../registry.ts'
import type { CounterHome } from '../threads/home.ts'
import { Instrument, type InstrumentOptions } from './instrument.ts'

export interface GaugeOptions<Label extends string = string> extends InstrumentOptions<Label> {
  /**
   * Meaning of the values of several threads together: the one set `last` (default), their `sum`
   * (of the threads that live), the least or the greatest.
   */
  readonly across?: 'last' | 'sum' | 'min' | 'max'
}

type SetHandle = Pick<GaugeHandle, 'set'>

/** Stand-in where the zone has no room. */
const FULL: SetHandle = { set: () => false }
const NOTHING = () => Number.NaN

/**
 * One set of labels of a {@link Gauge}.
 *
 * @example
 * import { EventSource, Gauge } from 'pentameter/instrument'
 *
 * const open = new Gauge('open-carts', new EventSource('Shop'), { labels: ['country'] })
 * const inNorway = open.with({ country: 'NO' })
 * inNorway.set(12)
 */
export class BoundGauge {
  readonly #handle: SetHandle
  readonly #read: () => number
  readonly #refuse: () => void
  #value = 0
  #isReset = false

  constructor(handle: SetHandle, read: () => number, refuse: () => void) {
    this.#handle = handle
    this.#read = read
    this.#refuse = refuse
  }

  /**
   * Sets the value; never throws: what is no finite number is not set, and counted as
   * `refused_values`.
   */
  set(value: number): void {
    if (!Number.isFinite(value) || !this.#handle.set(value)) this.#refuse()
    else {
      this.#value = value
      this.#isReset = false
    }
  }

  /** Changes this thread's value, at first 0, by any finite number; as {@link set} otherwise. */
  add(n = 1): void {
    if (Number.isFinite(n)) this.set(this.#value + n)
    else this.#refuse()
  }

  /** Reads the value that stands, over all threads as `across` says; NaN before one was set. */
  value(): number {
    return this.#isReset ? Number.NaN : this.#read()
  }

  /** Has {@link value} know none until this thread sets one; {@link add} begins at 0. */
  reset(): void {
    this.#isReset = true
    this.#value = 0
  }
}

/**
 * A value that goes up and down; threads that name it alike have one each, see `across`.
 * @example
 * ```ts
 * import { EventSource, Gauge } from 'pentameter/instrument'
 *
 * const open = new Gauge('open-carts', new EventSource('Shop'), { across: 'sum' })
 * open.set(12)
 * open.add(-1)
 * ```
 */
export class Gauge<Label extends string = string> extends Instrument<
  BoundGauge,
  number,
  Label,
  GaugeOptions
> {
  /**
   * @throws {TypeError | RangeError} for a name, label or text that cannot be sent
   * @throws {ZoneFullError} where the registry's shared memory cannot be made
   */
  constructor(name: string, source: EventSource, options: GaugeOptions<Label> = {}) {
    super(name, source, options, (refuse) => new BoundGauge(FULL, NOTHING, refuse))
  }

  /** Sets the value, as {@link BoundGauge.set}. */
  set(value: number): void {
    this.own.set(value)
  }

  /** Adds, as {@link BoundGauge.add}. */
  add(n = 1): void {
    this.own.add(n)
  }

  /** Reads, as {@link BoundGauge.value}; NaN with labels, whose sets {@link values} lists. */
  value(): number {
    return this.own.value()
  }

  protected bind(home: CounterHome, labels: Labels): BoundGauge | undefined {
    const mode = this.options.across ?? 'last'
    const metric = this.define(home, 'Gauge', labels, 'gauge', { mode })
    const handle = metric < 0 ? undefined : home.writer.gauge(metric)
    if (handle === undefined) return undefined
    this.present(home, 'Gauge', labels)
    const reading: GaugeReading = { value: Number.NaN, sequence: 0 }
    const read = () => (home.reader.gauge(metric, reading) ? Number(reading.value) : Number.NaN)
    return new BoundGauge(handle, read, () => this.refuse('want a finite number'))
  }
}
