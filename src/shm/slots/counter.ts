/**
 * A counter's slot, one word: `[u64]`. One thread writes it, with plain stores.
 *
 * A total is at most 2^64 - 1. The fast path needs no comparison with the others' slots: only a
 * slot of 2^63 or more, or an increment that would take it there, asks for the total of all
 * segments and is refused when it would pass. Where several threads come near the limit at once
 * each may be granted, which is why readers and folds saturate: a total never wraps and never
 * falls.
 */
import { U64_MAX } from '../../model/index.ts'
import type { Page } from '../memory.ts'
import type { SlotOwner } from './slot-owner.ts'

const HALF = 1n << 63n
const TWO_32 = 4294967296
/**
 * Increments up to here are added unchecked: even 10^9 of them a second would take 104 days from
 * the 2^63 at which larger increments would have stopped the fast path to 2^64.
 */
const SMALL_MAX = 1_023

export class CounterHandle {
  readonly metric: number
  #owner: SlotOwner
  /** SMALL_MAX, or -1 when even the smallest increment must take the exact path. */
  #smallMax: number
  #words: BigUint64Array
  #halves: Int32Array
  #at: number

  /** Handles come from `writer.counter(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.#owner = owner
    this.metric = metric
    this.#smallMax = SMALL_MAX
    this.#words = page.words
    this.#halves = page.halves
    this.#at = at
  }

  /**
   * Adds a non-negative safe integer.
   * @returns false, with nothing added, for any other number, when the total would pass 2^64 - 1,
   *   and after it was released or the writer detached
   */
  add(n: number): boolean {
    const at = this.#at
    if ((n | 0) === n && n >= 0 && (n <= this.#smallMax || this.#halves[2 * at + 1]! >= 0)) {
      this.#words[at]! += BigInt(n | 0)
      return true
    }
    return Number.isSafeInteger(n) && n >= 0 && this.#addSafe(n)
  }

  /** Halves instead of BigInt(n): converting a double costs ten times as much as two ints. */
  #addSafe(n: number): boolean {
    const at = this.#at
    if (this.#halves[2 * at + 1]! < 0) return this.addExact(BigInt(n))
    this.#words[at]! += BigInt((n / TWO_32) | 0) * 4294967296n + BigInt(n % TWO_32)
    return true
  }

  /** As {@link add}, for increments up to 2^64 - 1. */
  addExact(n: bigint): boolean {
    if (n < 0n || n > U64_MAX || !this.#owner.isAttached) return false
    const next = this.#words[this.#at]! + n
    if (next >= HALF) {
      if (this.#owner.counterTotal(this.metric) + n > U64_MAX) return false
      this.#smallMax = -1
    }
    this.#words[this.#at] = next
    return true
  }

  /** What this writer alone has added since it was attached. */
  value(): bigint {
    return this.#owner.isAttached ? this.#words[this.#at]! : 0n
  }

  /** For the writer: points the handle to where every way is the exact one, which refuses. */
  unbind(nobody: SlotOwner, nowhere: Page): void {
    this.#owner = nobody
    this.#words = nowhere.words
    this.#halves = nowhere.halves
    this.#at = 0
    this.#smallMax = -1
  }
}
