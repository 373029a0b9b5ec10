/** A counter of fractions that only grows: a double, over all threads. */
import type { Labels } from '../../model/index.ts'
import type { EventSource } from '../registry.ts'
import type { CounterHome, SampleHandle } from '../threads/home.ts'
import { readFractions } from '../threads/zone-counters.ts'
import {
  type ExemplarLabels,
  Instrument,
  type InstrumentOptions,
  type KeepExemplar,
} from './instrument.ts'

/** Options of a counter of fractions. */
export interface FractionalOptions<Label extends string = string> extends InstrumentOptions<Label> {
  /** Has the counter take fractions; its total is a double, and no bigint. */
  readonly isFractional: true
}

/** Stand-in where the zone has no room. */
const FULL: SampleHandle = { observe: () => false }
const NOTHING = () => 0
const KEEP_NONE: KeepExemplar = () => {}

/**
 * One set of labels of a {@link FractionalCounter}.
 *
 * @example
 * import { EventSource, FractionalCounter } from 'pentameter/instrument'
 *
 * const paid = new FractionalCounter('paid', new EventSource('Shop'), { labels: ['currency'] })
 * const inEuros = paid.with({ currency: 'EUR' }) // kept, as that of a counter
 * inEuros.add(12.5)
 */
export class BoundFractionalCounter {
  readonly #handle: SampleHandle
  readonly #read: () => number
  readonly #refuse: () => void
  readonly #keep: KeepExemplar
  #baseline = 0

  constructor(
    handle: SampleHandle,
    read: () => number,
    refuse: () => void,
    keep: KeepExemplar = KEEP_NONE,
  ) {
    this.#handle = handle
    this.#read = read
    this.#refuse = refuse
    this.#keep = keep
  }

  /**
   * Adds a finite number, 0 or more. Never throws: what is none is not added, and counted as
   * `refused_values`. The total stays at the largest double it cannot pass.
   * @param exemplar as that of a counter of integers
   */
  add(n = 1, exemplar?: ExemplarLabels): void {
    if (typeof n !== 'number' || !this.#handle.observe(n)) this.#refuse()
    else if (exemplar !== undefined) this.#keep(n, exemplar)
  }

  /** Reads the total since it was made, or since {@link reset}, over all threads. */
  value(): number {
    return Math.max(0, this.#read() - this.#baseline)
  }

  /** Has {@link value} begin at 0. What the total before has no place for is lost in it. */
  reset(): void {
    this.#baseline = this.#read()
  }
}

/**
 * A counter of fractions that only grows: a double, over all threads that name it alike. What is
 * counted in whole numbers is exact for longer, and cheaper, in a {@link Counter}.
 * @example
 * ```ts
 * import { EventSource, FractionalCounter } from 'pentameter/instrument'
 *
 * const busy = new FractionalCounter('busy', new EventSource('Shop'), { unit: 's' })
 * busy.add(0.25)
 * console.log(busy.value()) // 0.25
 * ```
 */
export class FractionalCounter<Label extends string = string> extends Instrument<
  BoundFractionalCounter,
  number,
  Label
> {
  /**
   * @throws {TypeError | RangeError} for a name, label or text that cannot be sent
   * @throws {ZoneFullError} where the registry's shared memory cannot be made
   */
  constructor(name: string, source: EventSource, options: InstrumentOptions<Label> = {}) {
    super(name, source, options, (refuse) => new BoundFractionalCounter(FULL, NOTHING, refuse))
  }

  /** Adds, as {@link BoundFractionalCounter.add}. */
  add(n = 1, exemplar?: ExemplarLabels): void {
    this.own.add(n, exemplar)
  }

  /** Reads, as {@link BoundFractionalCounter.value}; 0 with labels, listed by {@link values}. */
  value(): number {
    return this.own.value()
  }

  protected bind(home: CounterHome, labels: Labels): BoundFractionalCounter | undefined {
    const metric = this.define(home, 'FractionalCounter', labels, 'dense', { mode: 'fractions' })
    const handle = metric < 0 ? undefined : home.writer.dense(metric)
    if (handle === undefined) return undefined
    this.present(home, 'FractionalCounter', labels)
    const read = () => readFractions(home.reader, metric)
    const refuse = () => this.refuse('want a finite number of 0 or more')
    return new BoundFractionalCounter(handle, read, refuse, this.exemplarsOf(metric))
  }
}
