/**
 * A counter's slot, one word: `[u64]`. One thread writes it, with plain stores.
 *
 * A saturating total is at most 2^64 - 1. The fast path needs no comparison with the others' slots:
 * only a slot of 2^63 or more, or a bigint that would take it there, asks for the total of all
 * segments and is refused when it would pass. Where several threads come near the limit at once
 * each may be granted, which is why readers and folds saturate: a total never wraps and never
 * falls.
 *
 * A wrapping counter's total is the sum of its slots modulo 2^64. A slot may hold anything: it is
 * the total that means something.
 *
 * A settable total saturates, too, but every thread sees it coming: once it is 2^62 or more it is
 * guarded, and none adds to it without a look at all segments. That is found out in time, as a
 * thread looks at the total whenever its own slot is 2^52 or more, and 1,024 slots below that are
 * less than 2^62. What writers read of it may be set, lower as well (segments/settable.ts).
 */
import { U64_MAX } from '../../model/index.ts'
import { DESCRIPTOR_GUARDED, PAGE_WORDS } from '../layout.ts'
import type { Page } from '../memory/memory.ts'
import type { SlotOwner, TotalChange } from './slot-owner.ts'

const HALF = 1n << 63n
const I64_MIN = -HALF
const TWO_32 = 4294967296
/** Flag above a slot's word in its page: of a wrapping counter. */
const WRAPPING = PAGE_WORDS
const AT_MASK = PAGE_WORDS - 1

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
  // Four fields, and no private method, for which every object would hold one more: there may be a
  // handle for each of many label sets in each of many threads.
  readonly metric: number
  #owner!: SlotOwner
  #words!: BigUint64Array
  /** Word in the page, with a flag. */
  #place = 0

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
    const words = this.#words
    const at = this.#place & AT_MASK
    if ((n | 0) === n && n >= 0 && isBelowHalf(words[at]!)) {
      words[at]! += BigInt(n | 0)
      return true
    }
    if (!Number.isSafeInteger(n)) return false
    if (n < 0 || !isBelowHalf(words[at]!)) return this.addExact(BigInt(n))
    // In halves: to convert a double costs ten times as much as two ints.
    words[at]! += BigInt((n / TWO_32) | 0) * 4294967296n + BigInt(n % TWO_32)
    return true
  }

  /** Adds as {@link add}, increments up to 2^64 - 1; to a wrapping counter, from -2^63 on. */
  addExact(n: bigint): boolean {
    const words = this.#words
    const at = this.#place & AT_MASK
    if (this.#place !== at) return addModulo(words, at, n)
    if (n < 0n || n > U64_MAX || !this.#owner.isAttached) return false
    if (this.wouldPass(n)) return false
    words[at] = words[at]! + n
    return true
  }

  /**
   * Adds to a wrapping counter: any integer of [-2^63, 2^64), modulo 2^64.
   * @returns false, with nothing added, for any other number, to a saturating counter, and after it
   *   was released or the writer detached
   */
  addWrapping(delta: number | bigint): boolean {
    if (this.#place < WRAPPING) return false
    return typeof delta === 'bigint' ? this.addExact(delta) : this.add(delta)
  }

  /**
   * Tells whether an increment would take the total past 2^64 - 1. Looks at the total only where
   * this slot is, or would be, 2^63 or more.
   */
  wouldPass(delta: bigint): boolean {
    const next = this.#words[this.#place & AT_MASK]! + delta
    return next >= HALF && this.#owner.counterTotal(this.metric) + delta > U64_MAX
  }

  /**
   * Reads what this writer alone has added since it was attached; of a wrapping counter, modulo
   * 2^64.
   */
  value(): bigint {
    return this.#owner.isAttached ? this.#words[this.#place & AT_MASK]! : 0n
  }

  /**
   * Points the handle to a slot, for the writer; of an owner that is not attached, to where every
   * way is the exact one, which refuses.
   */
  bind(owner: SlotOwner, page: Page, at: number): void {
    this.#owner = owner
    this.#words = page.words
    this.#place = owner.isAttached && owner.isWrapping(this.metric) ? at | WRAPPING : at
  }
}

/** Slots from here on have their thread look at the total: 2^52, in a high half. */
const OWN_HIGH_LIMIT = 1 << 20
const OWN_LIMIT = 1n << 52n
/** Totals from here on are guarded. */
export const GUARDED_FROM = 1n << 62n

/**
 * A writer's part of a counter in the mode `settable`.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const hits = zone.define(Buffer.from('hits'), 'counter', { mode: 'settable' })
 * const handle = zone.attach().settableCounter(hits)
 * handle?.add(5)
 * handle?.setTotal(3) // reset
 * const reader = zone.reader()
 * console.log(reader.counterReading(hits), reader.counter(hits)) // 3n 8n
 */
export class SettableHandle {
  readonly metric: number
  #owner!: SlotOwner
  #words!: BigUint64Array
  #halves!: Int32Array
  #at = 0
  /** Ints in which the metric's descriptor is, and the one that says whether it is guarded. */
  #flags!: Int32Array
  #flagsAt = 0

  /** Handles come from `writer.settableCounter(metric)`. */
  constructor(owner: SlotOwner, metric: number, page: Page, at: number) {
    this.metric = metric
    this.bind(owner, page, at)
  }

  /**
   * Adds a non-negative safe integer.
   * @returns false, with nothing added, when the total would pass 2^64 - 1; undefined for any other
   *   number, and after it was released or the writer detached
   */
  add(n: number): boolean | undefined {
    const at = this.#at
    if ((n | 0) === n && n >= 0 && this.#halves[2 * at + 1]! >>> 0 < OWN_HIGH_LIMIT) {
      if ((this.#flags[this.#flagsAt]! & DESCRIPTOR_GUARDED) === 0) {
        this.#words[at]! += BigInt(n | 0)
        return true
      }
    }
    return Number.isSafeInteger(n) ? this.addExact(BigInt(n)) : undefined
  }

  /** Adds as {@link add}, an integer of [0, 2^64). */
  addExact(n: bigint): boolean | undefined {
    if (n < 0n || n > U64_MAX || !this.#owner.isAttached) return undefined
    if (this.#words[this.#at]! + n >= OWN_LIMIT || this.#isGuarded) {
      const total = this.#owner.counterTotal(this.metric) + n
      if (total > U64_MAX) return false
      if (total >= GUARDED_FROM && !this.#guard()) return undefined
    }
    this.#words[this.#at]! += n
    return true
  }

  /**
   * Adds an integer of [0, 2^64) where that takes neither a lock nor a look at the total.
   * @returns false, with nothing added, where only {@link addExact} can tell
   */
  addUnlooked(n: bigint): boolean {
    const words = this.#words
    const next = words[this.#at]! + n
    if (n < 0n || next >= OWN_LIMIT || this.#isGuarded) return false
    words[this.#at] = next
    return true
  }

  get #isGuarded(): boolean {
    return (this.#flags[this.#flagsAt]! & DESCRIPTOR_GUARDED) !== 0
  }

  #guard(): boolean {
    return this.#isGuarded || this.#owner.guard(this.metric)
  }

  /**
   * Makes what `reader.counterReading` answers an integer of [0, 2^64). What other threads add at
   * this moment is added to it. The total grows by what the reading grows by, or by all of a lower
   * one, which began anew; it never falls.
   * @returns undefined, with nothing set, for any other number, and after it was released or the
   *   writer detached
   */
  setTotal(value: number | bigint): TotalChange | undefined {
    const wanted = integerOf(value)
    if (wanted === undefined || !this.#owner.isAttached) return undefined
    if (wanted < GUARDED_FROM && !this.#isGuarded) {
      const growth = wanted - this.#owner.counterTotal(this.metric)
      if (growth >= 0n) {
        this.#words[this.#at]! += growth
        return 'set'
      }
    }
    if (!this.#guard()) return undefined
    return this.#owner.settables.setTotal(this.metric, wanted, (by) => {
      this.#words[this.#at]! += by
    })
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
    this.#flagsAt = owner.settables.flagsAt(this.metric)
    this.#flags = owner.settables.flags(this.metric)
  }
}

/** Converts to a bigint of [0, 2^64), or undefined. */
function integerOf(value: number | bigint): bigint | undefined {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return undefined
  return value >= 0 && value <= U64_MAX ? BigInt(value) : undefined
}

/** Compares by the sign, which compiles to one comparison of a word; with 2^63 it would not. */
function isBelowHalf(word: bigint): boolean {
  return BigInt.asIntN(64, word) >= 0n
}

/** Adds modulo 2^64: the array keeps the low 64 bits. */
function addModulo(words: BigUint64Array, at: number, delta: bigint): boolean {
  if (delta < I64_MIN || delta > U64_MAX) return false
  words[at]! += delta
  return true
}
