/**
 * A dense histogram's slot, 34 words: `[sum:u64][bins: 33 x u64]`. Bounds are 2^0 … 2^31 and
 * 2^32 - 1; the sum is kept modulo 2^64, as the Proxy-Wasm document's successor does. One thread
 * writes it, with plain stores; the count is the sum of the bins.
 */
import { U64_MAX } from '../../model/index.ts'
import { DENSE_BINS } from '../layout.ts'
import type { Page } from '../memory.ts'
import type { SlotOwner } from './slot-owner.ts'

const LAST_BIN = DENSE_BINS - 1
const LAST_POWER = 2_147_483_647

/** Bin of a non-negative integer: of the bounds, the least one that is not below it. */
export function denseBin(value: number): number {
  if (value <= 1) return 0
  return value > LAST_POWER ? LAST_BIN : 32 - Math.clz32(value - 1)
}

/** Inclusive upper bound of a bin. */
export function denseBound(bin: number): number {
  return bin === LAST_BIN ? 0xffff_ffff : 2 ** bin
}

export class DenseHandle {
  readonly metric: number
  #owner: SlotOwner
  #words: BigUint64Array
  #halves: Int32Array
  #at: number

  /** Handles come from `writer.dense(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.#owner = owner
    this.metric = metric
    this.#words = page.words
    this.#halves = page.halves
    this.#at = at
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
      const words = this.#words
      words[at]! += BigInt(value | 0)
      words[at + (value <= 1 ? 1 : 33 - Math.clz32(value - 1))]! += 1n
      return true
    }
    return Number.isSafeInteger(value) && this.#observeExact(BigInt(value))
  }

  #observeExact(value: bigint): boolean {
    if (value < 0n || value > U64_MAX || !this.#owner.isAttached) return false
    const bin = value > LAST_POWER ? LAST_BIN : denseBin(Number(value))
    this.#words[this.#at] = this.#words[this.#at]! + value
    this.#words[this.#at + 1 + bin]! += 1n
    return true
  }

  /** For the writer: points the handle to where every way is the exact one, which refuses. */
  unbind(nobody: SlotOwner, nowhere: Page): void {
    this.#owner = nobody
    this.#words = nowhere.words
    this.#halves = nowhere.halves
    this.#at = 0
  }
}
