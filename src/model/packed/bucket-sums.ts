/**
 * Sums of the buckets of several packed histograms, for a quantile of all of them: numbers in one
 * place, where a Histogram would be an object of BigInts for each. Counts beyond 2^53 are rounded.
 */
import { valueInside } from '../histogram/inside.ts'

/** Buckets that are told apart: 16 octaves at the scale 8, all doubles at the scale 1. */
const WIDTH = 4096

export class BucketSums {
  /** Observations of any value. */
  count = 0
  /** Observations of zero, below zero, and above all buckets. */
  zero = 0
  negative = 0
  overflow = 0
  overflowFrom = Number.POSITIVE_INFINITY
  /** Ends of all; infinite the other way round where one histogram does not know its own. */
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY
  #scale = 0
  readonly #sums = new Float64Array(WIDTH)
  /** Index of the bucket in the first place, and the places used. */
  #base = 0
  #used = 0

  /** Forgets all sums. */
  clear(): void {
    this.#sums.fill(0, 0, this.#used)
    this.#used = 0
    this.count = this.zero = this.negative = this.overflow = 0
    this.overflowFrom = this.min = Number.POSITIVE_INFINITY
    this.max = Number.NEGATIVE_INFINITY
  }

  /** Makes room for buckets [first, end) of a scale. @returns steps to shift each index by */
  open(scale: number, first: number, end: number): number {
    if (this.#used === 0) {
      this.#scale = scale
      this.#base = first
    }
    let coarse = Math.min(scale, this.#scale)
    for (;;) {
      const own = this.#scale - coarse
      const low = Math.min(this.#base >> own, first >> (scale - coarse))
      const ownEnd = this.#used === 0 ? low : (this.#base + this.#used - 1) >> own
      const high = Math.max(ownEnd, (end - 1) >> (scale - coarse))
      if (high - low < WIDTH) {
        this.#move(own, low, high - low + 1)
        this.#scale = coarse
        return scale - coarse
      }
      coarse -= 1
    }
  }

  /** Adds to a bucket within the room. @param index shifted as `open` has said */
  add(index: number, count: number): void {
    const at = index - this.#base
    this.#sums[at] = this.#sums[at]! + count
  }

  #move(steps: number, base: number, used: number): void {
    if (steps > 0) {
      // A sum moves to a place that has been read, or stays.
      const first = this.#base >> steps
      for (let i = 0; i < this.#used; i++) {
        const at = ((this.#base + i) >> steps) - first
        const sum = this.#sums[i]!
        this.#sums[i] = 0
        this.#sums[at] = this.#sums[at]! + sum
      }
      this.#base = first
    }
    if (base < this.#base && this.#used > 0) {
      const by = this.#base - base
      this.#sums.copyWithin(by, 0, Math.min(this.#used, WIDTH - by))
      this.#sums.fill(0, 0, by)
    }
    this.#base = base
    this.#used = used
  }

  /**
   * Estimates a quantile as a Histogram does; NaN without observations, and where it lies below
   * zero, as those buckets are not kept.
   */
  quantile(q: number): number {
    const rank = Math.min(Math.max(Math.ceil(q * this.count), 1), this.count)
    let seen = this.negative
    if (this.count === 0 || seen >= rank) return Number.NaN
    seen += this.zero
    if (seen >= rank) return this.#limit(0)
    for (let i = 0; i < this.#used; i++) {
      const count = this.#sums[i]!
      if (count > 0 && seen + count >= rank) {
        const share = (rank - seen - 0.5) / count
        return this.#limit(valueInside(this.#base + i, this.#scale, share))
      }
      seen += count
    }
    return this.#limit(this.overflow > 0 ? this.overflowFrom : this.max)
  }

  #limit(value: number): number {
    return Math.min(this.max, Math.max(this.min, value))
  }
}
