/**
 * A dense histogram's slot, 34 words: `[sum:u64][bins: 33 x u64]`. Bounds are 2^0 … 2^31 and
 * 2^32 - 1; the sum is kept modulo 2^64, as filters count it. One thread
 * writes it, with plain stores; the count is the sum of the bins. In the mode `fractions` the sum
 * is a double, and a fraction is counted where the integer above it would be.
 */
import { U64_MAX } from '../../model/index.ts'
import { DENSE_BINS } from '../layout.ts'
import type { Page } from '../memory/memory.ts'
import type { SlotOwner } from './slot-owner.ts'

const LAST_BIN = DENSE_BINS - 1
const LAST_POWER = 2_147_483_647

/**
 * Finds the bin of a non-negative integer: of the bounds, the least one that is not below it.
 *
 * @example
 * import { denseBin, denseBound } from 'pentameter/shm'
 *
 * console.log(denseBin(5), denseBound(denseBin(5))) // 3 8
 */
export function denseBin(value: number): number {
  if (value <= 1) return 0
  return value > LAST_POWER ? LAST_BIN : 32 - Math.clz32(value - 1)
}

/**
 * Finds the bin as {@link denseBin} does, for any integer of 64 bits.
 *
 * @example
 * import { denseBinOf } from 'pentameter/shm'
 *
 * console.log(denseBinOf(2n ** 63n)) // 32
 */
export function denseBinOf(value: bigint): number {
  return value > LAST_POWER ? LAST_BIN : denseBin(Number(value))
}

/**
 * Gives the inclusive upper bound of a bin.
 *
 * @example
 * import { denseBound } from 'pentameter/shm'
 *
 * console.log(denseBound(0), denseBound(31), denseBound(32)) // 1 2147483648 4294967295
 */
export function denseBound(bin: number): number {
  return bin === LAST_BIN ? 0xffff_ffff : 2 ** bin
}

/**
 * A writer's part of a histogram of integers in 33 bins by powers of two.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const sizes = zone.define(Buffer.from('sizes'), 'dense')
 * zone.attach().dense(sizes)?.observe(50)
 * console.log(zone.reader().dense(sizes).sum) // 50n
 */
export class DenseHandle {
  // What an observation reads stands first.
  #words!: BigUint64Array
  #at = 0
  readonly metric: number
  #owner!: SlotOwner

  /** Handles come from `writer.dense(metric)`. */
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
    const words = this.#words
    if ((value | 0) === value && value >= 0 && BigInt.asIntN(64, words[at]!) >= 0n) {
      words[at]! += BigInt(value | 0)
      const below = value - 1 // -1 becomes 0, without a branch
      words[at + 33 - Math.clz32(below & ~(below >> 31))]! += 1n
      return true
    }
    return Number.isSafeInteger(value) && this.#observeExact(BigInt(value))
  }

  #observeExact(value: bigint): boolean {
    if (value < 0n || value > U64_MAX || !this.#owner.isAttached) return false
    this.#words[this.#at] = this.#words[this.#at]! + value
    this.#words[this.#at + 1 + denseBinOf(value)]! += 1n
    return true
  }

  /**
   * Points the handle to a slot, for the writer; of an owner that is not attached, to where every
   * way is the exact one, which refuses.
   */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#words = page.words
    this.#at = at
  }
}

/**
 * A dense histogram in the mode `fractions`.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const times = zone.define(Buffer.from('times'), 'dense', { mode: 'fractions' })
 * zone.attach().dense(times)?.observe(0.25)
 * console.log(zone.reader().bins(times).sum) // 0.25
 */
export class FractionsHandle {
  readonly metric: number
  #owner!: SlotOwner
  #page!: Page
  #at = 0

  /** Handles come from `writer.dense(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Adds one observation of a finite number that is not negative, or an integer up to 2^64 - 1. The
   * sum stays at the largest double it cannot pass.
   * @returns false, with nothing added, for any other value, and after it was released or the
   *   writer detached
   */
  observe(value: number | bigint): boolean {
    // Number(null) and Number('') are 0: what is neither number nor bigint is no observation.
    const number = typeof value === 'bigint' ? Number(value) : value
    if (typeof number !== 'number' || !this.#owner.isAttached) return false
    if (!(number >= 0 && number < Number.POSITIVE_INFINITY)) return false
    if (typeof value === 'bigint' && value > U64_MAX) return false
    const { floats, words } = this.#page
    const at = this.#at
    floats[at] = Math.min(floats[at]! + number, Number.MAX_VALUE)
    words[at + 1 + denseBin(Math.ceil(number))]! += 1n
    return true
  }

  /** Points the handle to a slot, as {@link DenseHandle.bind}. */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#page = page
    this.#at = at
  }
}
