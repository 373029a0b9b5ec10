/** A counter that only grows: an integer, exact up to 2^64 - 1, over all threads. */
import { type Exact, exact, type Labels } from '../../model/index.ts'
import type { CounterHandle } from '../../shm/index.ts'
import type { EventSource } from '../registry.ts'
import type { CounterHome } from '../threads/home.ts'
import {
  type ExemplarLabels,
  Instrument,
  type InstrumentOptions,
  type KeepExemplar,
} from './instrument.ts'

type AddHandle = Pick<CounterHandle, 'add' | 'addExact'>

/** Stand-in where the zone has no room. */
const FULL: AddHandle = { add: () => false, addExact: () => false }
const NOTHING = () => 0n
const KEEP_NONE: KeepExemplar = () => {}

/**
 * One set of labels of a {@link Counter}.
 *
 * @example
 * import { Counter, EventSource } from 'pentameter/instrument'
 *
 * const orders = new Counter('orders', new EventSource('Shop'), { labels: ['payment'] })
 * const byCard = orders.with({ payment: 'card' }) // kept: finding it again costs more than adding
 * byCard.add()
 */
export class BoundCounter {
  readonly #handle: AddHandle
  readonly #read: () => bigint
  readonly #refuse: () => void
  readonly #keep: KeepExemplar
  #baseline = 0n

  constructor(
    handle: AddHandle,
    read: () => bigint,
    refuse: () => void,
    keep: KeepExemplar = KEEP_NONE,
  ) {
    this.#handle = handle
    this.#read = read
    this.#refuse = refuse
    this.#keep = keep
  }

  /**
   * Adds an integer, 0 or more. Never throws: a fraction (which a u64 cannot hold), a negative or
   * unsafe number, and what would pass 2^64 - 1 is not added, and counted as `refused_values`.
   * @param exemplar what tells where this came from, `{ trace_id: '…' }`; the newest is shown
   */
  add(n: number | bigint = 1, exemplar?: ExemplarLabels): void {
    const isAdded =
      typeof n === 'number'
        ? this.#handle.add(n)
        : typeof n === 'bigint' && this.#handle.addExact(n)
    if (!isAdded) this.#refuse()
    else if (exemplar !== undefined) this.#keep(Number(n), exemplar)
  }

  /**
   * Reads the total since it was made, or since {@link reset}, over all threads; a bigint where a
   * number would not be exact.
   */
  value(): Exact {
    return exact(this.#read() - this.#baseline)
  }

  /** Has {@link value} begin at 0, as that of the instrument does. */
  reset(): void {
    this.#baseline = this.#read()
  }
}

/**
 * A counter that only grows: an integer, exact up to 2^64 - 1, over all threads that name it alike.
 * @example
 * ```ts
 * import { Counter, EventSource } from 'pentameter/instrument'
 *
 * const orders = new Counter('orders', new EventSource('Shop'), { labels: ['payment'] })
 * const byCard = orders.with({ payment: 'card' })
 * byCard.add()
 * byCard.add(2n)
 * ```
 */
export class Counter<Label extends string = string> extends Instrument<BoundCounter, Exact, Label> {
  /**
   * @throws {TypeError | RangeError} for a name, label or text that cannot be sent
   * @throws {ZoneFullError} where the registry's shared memory cannot be made
   */
  constructor(name: string, source: EventSource, options: InstrumentOptions<Label> = {}) {
    super(name, source, options, (refuse) => new BoundCounter(FULL, NOTHING, refuse))
  }

  /** Adds, as {@link BoundCounter.add}. */
  add(n: number | bigint = 1, exemplar?: ExemplarLabels): void {
    this.own.add(n, exemplar)
  }

  /** Reads, as {@link BoundCounter.value}; 0 with labels, whose sets {@link values} lists. */
  value(): Exact {
    return this.own.value()
  }

  protected bind(home: CounterHome, labels: Labels): BoundCounter | undefined {
    const metric = this.define(home, 'Counter', labels, 'counter')
    const handle = metric < 0 ? undefined : home.writer.counter(metric)
    if (handle === undefined) return undefined
    this.present(home, 'Counter', labels)
    const read = () => home.reader.counter(metric)
    const refuse = () =>
      this.refuse(
        'want a whole number from 0, as a bigint beyond 2^53 - 1; at most 2^64 - 1 in all',
      )
    return new BoundCounter(handle, read, refuse, this.exemplarsOf(metric))
  }
}
