/**
 * An expanding histogram's slot, 35 words: `[sum:u64][bins: 33 x u64][state:u64]`, a dense one
 * that says which of its bounds the documented table holds (docs/formats/zone.md):
 *
 *   state   bit i (i < 32) = the bound 2^i is held; bits 32…36 = capacity, 0 = never written: 5
 *
 * The table begins with room for 5 bounds, of which 2^32 - 1 is always held. A value whose bound
 * is not held takes a free place; a full table grows 5, 9, 13, 17, 18, which the zone's budget may
 * refuse; from then on such a value is counted at the next larger bound that is held.
 *
 * Counts stay where the bound's number says, so growing moves nothing and a reader never meets a
 * table that was given back. A bound is marked as held before it is first counted: one
 * Atomics.store, at most 32 times in a slot's life. In the base, which no thread writes, the bins
 * are those of a dense histogram and the state is 0.
 */
import { U64_MAX } from '../../model/index.ts'
import { DENSE_BINS, HEADER } from '../layout.ts'
import type { Page } from '../memory/memory.ts'
import { denseBinOf } from './dense.ts'
import type { SlotOwner } from './slot-owner.ts'

const LAST_BIN = DENSE_BINS - 1
/** Word of the state in the slot. */
const EXPANDING_STATE = 1 + DENSE_BINS

/** Rooms of the documented table, in bounds. */
const CAPACITIES = [5, 9, 13, 17, 18] as const
const CAPACITY_FIRST = CAPACITIES[0]
export const CAPACITY_LAST = CAPACITIES[4]
/** Words of the budget that a bound of a grown table takes: `[bound:u32][spare:u32][count:u64]`. */
const WORDS_PER_BOUND = 2

/** Parts of a state. */
interface ExpandingState {
  /** Bit i = the bound 2^i is held. */
  readonly held: number
  readonly capacity: number
}

export function expandingState(words: BigUint64Array, at: number): ExpandingState {
  const state = Atomics.load(words, at + EXPANDING_STATE)
  const capacity = Number(state >> 32n)
  return { held: Number(state & 0xffff_ffffn) | 0, capacity: capacity || CAPACITY_FIRST }
}

/** Finds, in a table full of `held`, the least bound not below bound number `bin`. */
export function nextHeld(held: number, bin: number): number {
  const above = bin >= LAST_BIN ? 0 : held & -(2 ** bin)
  return above === 0 ? LAST_BIN : 31 - Math.clz32(above & -above)
}

/** Bounds held, the last one included. */
export function countHeld(held: number): number {
  let count = 1
  for (let rest = held; rest !== 0; rest &= rest - 1) count++
  return count
}

/**
 * A writer's part of the document's histogram, whose table grows from 5 to 18 bins.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const sizes = zone.define(Buffer.from('sizes'), 'expanding')
 * zone.attach().expanding(sizes)?.observe(50)
 * console.log(zone.reader().documentedBins(sizes).sum) // 50n
 */
export class ExpandingHandle {
  readonly metric: number
  #owner!: SlotOwner
  #words!: BigUint64Array
  #halves!: Int32Array
  #at = 0
  /** Bounds as in the state: this handle is the slot's only writer. */
  #held = 0

  /** Handles come from `writer.expanding(metric)`. */
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
      const bin = value <= 1 ? 0 : 32 - Math.clz32(value - 1)
      if (((this.#held >>> bin) & 1) !== 0) {
        const words = this.#words
        words[at]! += BigInt(value | 0)
        words[at + 1 + bin]! += 1n
        return true
      }
    }
    return Number.isSafeInteger(value) && this.#observeExact(BigInt(value))
  }

  #observeExact(value: bigint): boolean {
    if (value < 0n || value > U64_MAX || !this.#owner.isAttached) return false
    const bin = this.#placeFor(denseBinOf(value))
    this.#words[this.#at]! += value
    this.#words[this.#at + 1 + bin]! += 1n
    return true
  }

  /** Finds the bin that counts for a bound: its own if it is held or has room now. */
  #placeFor(bin: number): number {
    if (bin === LAST_BIN || ((this.#held >>> bin) & 1) !== 0) return bin
    if (this.#hold(bin)) return bin
    Atomics.add(this.#owner.memory.ints, HEADER.binFallbacks, 1)
    return nextHeld(this.#held, bin)
  }

  #hold(bin: number): boolean {
    const { capacity } = expandingState(this.#words, this.#at)
    const next = countHeld(this.#held) < capacity ? capacity : this.#grow(capacity)
    if (next === 0) return false
    this.#held |= 1 << bin
    const state = (BigInt(next) << 32n) | BigInt(this.#held >>> 0)
    Atomics.store(this.#words, this.#at + EXPANDING_STATE, state)
    return true
  }

  /** Finds the next capacity, or 0 when there is none or the budget has no room for it. */
  #grow(capacity: number): number {
    const next = CAPACITIES.find((room) => room > capacity)
    if (next === undefined) return 0
    return this.#owner.memory.charge(WORDS_PER_BOUND * (next - capacity)) ? next : 0
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
    this.#held = owner.isAttached ? expandingState(page.words, at).held : 0
  }
}
