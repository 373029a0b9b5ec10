/**
 * Messages by latency bin, added up exactly (§7): the sum that every view, quantile and export is
 * made from. Adding is commutative, so late, repeated and shuffled windows come to the same.
 */

import type { Exact } from '../../../model/index.ts'
import { BINS, SKEW_BIN } from '../spec.ts'

const HIGH = 2 ** 32
/** 2^20 windows of less than 2^32 add up to less than 2^52, and two such sums to less than 2^53. */
const NARROW_MAX = 2 ** 20

/** Bins of a window for roll-ups: of one that has just come, or of one that is kept. */
export interface WindowBins {
  /** Indices of the bins that are not 0, ascending; `filledCount` of them are valid. */
  readonly filled: Uint8Array
  readonly filledCount: number
  /** Halves of the counts, by bin; valid for the filled ones only. */
  readonly high: Uint32Array
  readonly low: Uint32Array
  /** Whether a count is 2^32 or more: if not, all upper halves are 0. */
  readonly isWide: boolean
  readonly isMinKnown: boolean
  readonly isMaxKnown: boolean
  /** Halves of the extremes; valid where they are known. */
  readonly minHigh: number
  readonly minLow: number
  readonly maxHigh: number
  readonly maxLow: number
  /** Gives the minimum; NaN where it is not known. */
  min(): Exact
  max(): Exact
}

export class BinCounts {
  /**
   * Counts are high * 2^32 + low: exact up to 2^85. Carrying from low to high waits for NARROW_MAX
   * windows, none of which adds 2^32 or more to a bin: low stays below 2^53 meanwhile.
   */
  readonly #high = new Float64Array(BINS)
  readonly #low = new Float64Array(BINS)
  /** Windows since low was below 2^32 in all bins, at the most. */
  #narrow = 0

  addFrame({ filled, filledCount, high, low, isWide }: WindowBins): void {
    const sums = this.#low
    if (isWide) {
      for (let i = 0; i < filledCount; i++) {
        const bin = filled[i]!
        this.#add(bin, high[bin]!, low[bin]!)
      }
      return
    }
    for (let i = 0; i < filledCount; i++) {
      const bin = filled[i]!
      sums[bin] = sums[bin]! + low[bin]!
    }
    if (++this.#narrow === NARROW_MAX) this.#carry()
  }

  /** @param count 0 or more */
  add(bin: number, count: bigint): void {
    this.#add(bin, Number(count >> 32n), Number(count & 0xffff_ffffn))
  }

  /** Adds counts of all bins, each a lower and an upper half, that stand from a place on. */
  addWords(words: Uint32Array, start: number): void {
    for (let bin = 0; bin < BINS; bin++) {
      const at = start + 2 * bin
      const [low, high] = [words[at]!, words[at + 1]!]
      if ((low | high) !== 0) this.#add(bin, high, low)
    }
  }

  merge(other: BinCounts): void {
    for (let bin = 0; bin < BINS; bin++) this.#add(bin, other.#high[bin]!, other.#low[bin]!)
    this.#narrow = 0
  }

  #carry(): void {
    for (let bin = 0; bin < BINS; bin++) this.#add(bin, 0, 0)
    this.#narrow = 0
  }

  #add(bin: number, high: number, low: number): void {
    const sum = this.#low[bin]! + low
    const carry = Math.floor(sum / HIGH)
    this.#low[bin] = sum - carry * HIGH
    this.#high[bin] = this.#high[bin]! + high + carry
  }

  count(bin: number): bigint {
    const value = this.approximate(bin)
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value)
    return BigInt(this.#high[bin]!) * BigInt(HIGH) + BigInt(this.#low[bin]!)
  }

  isFilled(bin: number): boolean {
    return this.#low[bin]! > 0 || this.#high[bin]! > 0
  }

  /**
   * Finds the lowest and highest filled bin within [first, last]; none: the first one lies above.
   */
  span(first: number, last: number): readonly [lowest: number, highest: number] {
    let lowest = first
    while (lowest <= last && !this.isFilled(lowest)) lowest++
    let highest = last
    while (highest > lowest && !this.isFilled(highest)) highest--
    return [lowest, highest]
  }

  /** Gives the nearest double of a count. */
  approximate(bin: number): number {
    return this.#high[bin]! * HIGH + this.#low[bin]!
  }

  /** Counts messages, skewed ones too. */
  total(): bigint {
    return this.latencies() + this.skewed()
  }

  /** Counts messages whose latency is one: all but those of bin 64. */
  latencies(): bigint {
    let sum = 0n
    for (let bin = 0; bin < SKEW_BIN; bin++) if (this.isFilled(bin)) sum += this.count(bin)
    return sum
  }

  /** Counts messages that happened while the clocks of two workers disagreed. */
  skewed(): bigint {
    return this.count(SKEW_BIN)
  }

  /** Counts by index of the bins that are not 0, as decimal texts. */
  toSparse(): Record<string, string> {
    const sparse: Record<string, string> = {}
    for (let bin = 0; bin < BINS; bin++) if (this.isFilled(bin)) sparse[bin] = `${this.count(bin)}`
    return sparse
  }

  clear(): void {
    this.#high.fill(0)
    this.#low.fill(0)
    this.#narrow = 0
  }

  clone(): BinCounts {
    const copy = new BinCounts()
    copy.merge(this)
    return copy
  }
}
