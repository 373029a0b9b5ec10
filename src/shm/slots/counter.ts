/**
 * A counter's slot, one word: `[u64]`. One thread writes it, with plain stores.
 *
 * A saturating total is at most 2^64 - 1. The fast path needs no comparison with the others' slots:
 * only a slot of 2^63 or more, or an increment that would take it there, asks for the total of all
 * segments and is refused when it would pass. Where several threads come near the limit at once
 * each may be granted, which is why readers and folds saturate: a total never wraps and never
 * falls.
 *
 * A wrapping counter's total is the sum of its slots modulo 2^64. A slot may hold anything: it is
 * the total that means something, and {@link CounterHandle.setTotal} moves this slot to where the
 * total is right.
 */
import { U64_MAX } from '../../model/index.ts'
import type { Page } from '../memory/memory.ts'
import type { SlotOwner } from './slot-owner.ts'

const HALF = 1n << 63n
const I64_MIN = -HALF
const TWO_32 = 4294967296
/**
 * Increments up to here are added unchecked: even 10^9 of them a second would take 104 days from
 * the 2^63 at which larger increments would have stopped the fast path to 2^64.
 */
const SMALL_MAX = 1_023
/** Bound of a wrapping counter: every int is added unchecked. */
const WRAPPING = 0x7fff_ffff
/** Bound below all increments: even the smallest must take the exact path. */
const NONE = -1

/** Effect of {@link CounterHandle.setTotal}: `reset` where the total fell. */
export type TotalChange = 'set' | 'reset'

/**
 * A writer's part of a counter.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const hits = zone.define(Buffer.from('hits'), 'counter')
 * const handle = zone.attach().counter(hits)
 * handle?.add(3)
 * console.log(zone.reader().counter(hits)) // 3n
 */
export class CounterHandle {
  readonly metric: number
  #owner!: SlotOwner
  /** SMALL_MAX, WRAPPING or NONE. */
  #smallMax = NONE
  #words!: BigUint64Array
  #at = 0

  /** Handles come from `writer.counter(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Adds a non-negative safe integer; to a wrapping counter, any safe integer modulo 2^64.
   * @returns false, with nothing added, for any other number, when the total would pass 2^64 - 1,
   *   and after it was released or the writer detached
   */
  add(n: number): boolean {
    const at = this.#at
    if ((n | 0) === n && n >= 0 && (n <= this.#smallMax || this.#isBelowHalf())) {
      this.#words[at]! += BigInt(n | 0)
      return true
    }
    if (!Number.isSafeInteger(n)) return false
    return this.#smallMax === WRAPPING ? this.addExact(BigInt(n)) : n >= 0 && this.#addSafe(n)
  }

  /**
   * Compares by the sign, which compiles to one comparison of a word; comparing with 2^63 does not.
   */
  #isBelowHalf(): boolean {
    return BigInt.asIntN(64, this.#words[this.#at]!) >= 0n
  }

  /**
   * Adds in halves instead of BigInt(n): converting a double costs ten times as much as two ints.
   */
  #addSafe(n: number): boolean {
    const at = this.#at
    if (!this.#isBelowHalf()) return this.addExact(BigInt(n))
    this.#words[at]! += BigInt((n / TWO_32) | 0) * 4294967296n + BigInt(n % TWO_32)
    return true
  }

  /** Adds as {@link add}, increments up to 2^64 - 1; to a wrapping counter, from -2^63 on. */
  addExact(n: bigint): boolean {
    if (this.#smallMax === WRAPPING) return this.#addWrapping(n)
    if (n < 0n || n > U64_MAX || !this.#owner.isAttached) return false
    const next = this.#words[this.#at]! + n
    if (next >= HALF) {
      if (this.#owner.counterTotal(this.metric) + n > U64_MAX) return false
      this.#smallMax = NONE
    }
    this.#words[this.#at] = next
    return true
  }

  /**
   * Adds to a wrapping counter: any integer of [-2^63, 2^64), modulo 2^64.
   * @returns false, with nothing added, for any other number, to a saturating counter, and after it
   *   was released or the writer detached
   */
  addWrapping(delta: number | bigint): boolean {
    if (this.#smallMax !== WRAPPING) return false
    return typeof delta === 'bigint' ? this.#addWrapping(delta) : this.add(delta)
  }

  /**
   * Tells whether an increment would take the total past 2^64 - 1. Looks at the total only where
   * this slot is, or would be, 2^63 or more.
   */
  wouldPass(delta: bigint): boolean {
    const next = this.#words[this.#at]! + delta
    return next >= HALF && this.#owner.counterTotal(this.metric) + delta > U64_MAX
  }

  /** Adds modulo 2^64: the array keeps the low 64 bits. */
  #addWrapping(delta: bigint): boolean {
    if (delta < I64_MIN || delta > U64_MAX) return false
    this.#words[this.#at]! += delta
    return true
  }

  /**
   * Makes the total of a wrapping counter, over all segments, an integer of [0, 2^64): this slot
   * takes the difference. What other threads add at this moment is added to it.
   * @returns whether the total fell by that; undefined, with nothing set, for any other number, for
   *   a saturating counter, and after it was released or the writer detached
   */
  setTotal(value: number | bigint): TotalChange | undefined {
    if (this.#smallMax !== WRAPPING) return undefined
    if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined
    const wanted = BigInt(value)
    if (wanted < 0n || wanted > U64_MAX) return undefined
    const total = BigInt.asUintN(64, this.#owner.counterTotal(this.metric))
    this.#words[this.#at]! += wanted - total
    return wanted < total ? 'reset' : 'set'
  }

  /**
   * Reads what this writer alone has added since it was attached; of a wrapping counter, modulo
   * 2^64.
   */
  value(): bigint {
    return this.#owner.isAttached ? this.#words[this.#at]! : 0n
  }

  /**
   * Points the handle to a slot, for the writer; of an owner that is not attached, to where every
   * way is the exact one, which refuses.
   */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#words = page.words
    this.#at = at
    const isWrapping = owner.isAttached && owner.isWrapping(this.metric)
    this.#smallMax = !owner.isAttached ? NONE : isWrapping ? WRAPPING : SMALL_MAX
  }
}
