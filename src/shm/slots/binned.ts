/**
 * A binned histogram's slot, 19 words: `[sum:u64][bins: 18 x u64]`. Its bounds are the metric's
 * own, up to 17 beside its name, and one more that takes all greater values. One thread writes it,
 * with plain stores; the sum is modulo 2^64.
 */
import { U64_MAX } from '../../model/index.ts'
import { LAST_BOUND } from '../layout.ts'
import type { Page } from '../memory/memory.ts'
import type { Bounds, SlotOwner } from './slot-owner.ts'

/**
 * A writer's part of a histogram with bounds of its definition.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const sizes = zone.define(Buffer.from('sizes'), 'binned', { bounds: [10, 100] })
 * zone.attach().binned(sizes)?.observe(50)
 * console.log(zone.reader().bins(sizes).counts) // BigUint64Array(3) [ 0n, 1n, 0n ]
 */
export class BinnedHandle {
  readonly metric: number
  #owner!: SlotOwner
  #words!: BigUint64Array
  #halves!: Int32Array
  #at = 0
  #bounds!: Bounds

  /** Handles come from `writer.binned(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Adds one observation of an integer 0 … 2^64 - 1.
   * @returns false, with nothing added, for any other value, and after it was released or the
   *   writer detached
   */
  observe(value: number | bigint): boolean {
    if (typeof value === 'bigint') return this.#observeExact(value)
    const at = this.#at
    if ((value | 0) === value && value >= 0 && this.#halves[2 * at + 1]! >= 0) {
      this.#words[at]! += BigInt(value | 0)
      this.#words[at + 1 + this.#binOf(value)]! += 1n
      return true
    }
    return Number.isSafeInteger(value) && this.#observeExact(BigInt(value))
  }

  #observeExact(value: bigint): boolean {
    if (value < 0n || value > U64_MAX || !this.#owner.isAttached) return false
    this.#words[this.#at]! += value
    const number = value > LAST_BOUND ? LAST_BOUND : Number(value)
    this.#words[this.#at + 1 + this.#binOf(number)]! += 1n
    return true
  }

  /** Finds the number of the first bound that is not below a value. */
  #binOf(value: number): number {
    const { page, at, count } = this.#bounds
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >> 1
      if (page.halves[at + middle]! >>> 0 < value) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * Points the handle to a slot, for the writer; of an owner that is not attached, to where every
   * way is the exact one, which refuses.
   */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#words = page.words
    this.#halves = page.halves
    this.#at = at
    this.#bounds = owner.bounds(this.metric)
  }
}
