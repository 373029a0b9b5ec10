/**
 * A shared gauge: one u64 for all threads, in the metric's descriptor, written by Atomics alone. So
 * an increment is exact by any thread, which costs every write the one cache line that all of
 * them want. Below zero it wraps modulo 2^64.
 */
import { U64_MAX } from '../../model/index.ts'
import type { Page } from '../memory/memory.ts'
import type { SlotOwner } from './slot-owner.ts'

const I64_MIN = -(1n << 63n)

/** What {@link SharedGaugeHandle.add} did: `wrapped` where that took the value below zero. */
export type SharedChange = 'added' | 'wrapped'

export class SharedGaugeHandle {
  readonly metric: number
  #owner!: SlotOwner
  #words!: BigUint64Array
  #at = 0

  /** Handles come from `writer.sharedGauge(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Sets the value of all threads: an integer of [0, 2^64).
   * @returns false, with nothing written, for any other value, and after it was released or the
   *   writer detached
   */
  set(value: number | bigint): boolean {
    const wanted = integerOf(value)
    if (wanted === undefined || wanted < 0n || !this.#owner.isAttached) return false
    Atomics.store(this.#words, this.#at, wanted)
    return this.#owner.isReplacing ? this.#owner.setShared(this.metric, wanted) : true
  }

  /**
   * Adds to the value of all threads: an integer of [-2^63, 2^64), modulo 2^64.
   * @returns undefined, with nothing added, for any other value, and after it was released or the
   *   writer detached
   */
  add(delta: number | bigint): SharedChange | undefined {
    const wanted = integerOf(delta)
    if (wanted === undefined || !this.#owner.isAttached) return undefined
    const before = Atomics.add(this.#words, this.#at, wanted)
    return before + wanted < 0n ? 'wrapped' : 'added'
  }

  /** The value of all threads. */
  value(): bigint {
    return this.#owner.isAttached ? this.#owner.sharedValue(this.metric) : 0n
  }

  /** For the writer: points the handle to a word; it refuses where the owner is not attached. */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#words = page.words
    this.#at = at
  }
}

/** A bigint of [-2^63, 2^64), or undefined. */
function integerOf(value: number | bigint): bigint | undefined {
  if (typeof value === 'bigint') return value >= I64_MIN && value <= U64_MAX ? value : undefined
  if ((value | 0) === value) return BigInt(value | 0) // ten times as fast as from a double
  return Number.isSafeInteger(value) ? BigInt(value) : undefined
}
