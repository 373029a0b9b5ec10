/**
 * One side (positive or negative) of a histogram: counts of the consecutive buckets
 * [offset, offset + counts.length). Counts are u64, so that a peer's 64-bit bins stay exact.
 */
import { U64_MAX } from '../exact.ts'

/**
 * Counts of consecutive buckets, which grows at both ends.
 *
 * @example
 * import { BucketRun } from 'pentameter/model'
 *
 * const run = new BucketRun()
 * run.add(4, 2n)
 * run.add(7, 1n)
 * run.downscale(1) // bucket 4 becomes 2, bucket 7 becomes 3
 * console.log(run.span(), run.total()) // [ 2, 3 ] 3n
 */
export class BucketRun {
  offset = 0
  counts: BigUint64Array = EMPTY

  /** Index behind the last bucket held. */
  get end(): number {
    return this.offset + this.counts.length
  }

  get isEmpty(): boolean {
    return this.counts.length === 0
  }

  /** Adds to one bucket; a count stops at 2^64 - 1 instead of wrapping. */
  add(index: number, count: bigint): void {
    if (count === 0n) return
    this.cover(index, index + 1)
    this.#raise(index - this.offset, count)
  }

  /** Makes room for [low, end) beside the buckets that are not empty; empty ends are given up. */
  cover(low: number, end: number): void {
    if (this.counts.length > 0 && low >= this.offset && end <= this.end) return
    const span = this.span()
    const from = span === undefined ? low : Math.min(low, span[0])
    const to = span === undefined ? end : Math.max(end, span[1] + 1)
    const counts = new BigUint64Array(to - from)
    if (span !== undefined) {
      const held = this.counts.subarray(span[0] - this.offset, span[1] + 1 - this.offset)
      counts.set(held, span[0] - from)
    }
    this.offset = from
    this.counts = counts
  }

  mergeFrom(other: BucketRun): void {
    const { counts: added, offset } = other
    let low = 0
    let end = added.length
    while (low < end && added[low] === 0n) low++
    while (end > low && added[end - 1] === 0n) end--
    if (low === end) return
    this.cover(offset + low, offset + end)
    const { counts } = this
    const shift = offset - this.offset
    for (let i = low; i < end; i++) {
      const count = added[i]!
      const sum = BigInt.asUintN(64, counts[i + shift]! + count)
      counts[i + shift] = sum < count ? U64_MAX : sum
    }
  }

  #raise(position: number, count: bigint): void {
    const sum = this.counts[position]! + count
    this.counts[position] = sum > U64_MAX ? U64_MAX : sum
  }

  /** Halves the resolution `steps` times: bucket i becomes i >> steps. Exact. */
  downscale(steps: number): void {
    if (steps === 0 || this.counts.length === 0) return
    const offset = this.offset >> steps
    const counts = new BigUint64Array(((this.end - 1) >> steps) - offset + 1)
    for (let i = 0; i < this.counts.length; i++) {
      const position = ((this.offset + i) >> steps) - offset
      const sum = counts[position]! + this.counts[i]!
      counts[position] = sum > U64_MAX ? U64_MAX : sum
    }
    this.offset = offset
    this.counts = counts
  }

  clear(): void {
    this.offset = 0
    this.counts = EMPTY
  }

  /** Adds all counts up, beyond 2^64 too. */
  total(): bigint {
    const { counts } = this
    SUM[0] = 0n
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!
      SUM[0] += count
      if (SUM[0] < count) return counts.reduce((sum, each) => sum + each, 0n)
    }
    return SUM[0]
  }

  /** Becomes a copy of another one; where its buckets have room they stay, others empty. */
  copyFrom(other: BucketRun): void {
    const hasRoom = other.offset >= this.offset && other.end <= this.end
    if (hasRoom) this.counts.fill(0n)
    else {
      this.offset = other.offset
      this.counts = new BigUint64Array(other.counts.length)
    }
    this.counts.set(other.counts, other.offset - this.offset)
  }

  clone(): BucketRun {
    const copy = new BucketRun()
    copy.offset = this.offset
    copy.counts = this.counts.slice()
    return copy
  }

  /** Calls back for every bucket that is not empty, lowest index first. */
  forEach(visit: (index: number, count: bigint) => void): void {
    for (let i = 0; i < this.counts.length; i++) {
      const count = this.counts[i]!
      if (count !== 0n) visit(this.offset + i, count)
    }
  }

  /**
   * Finds the span [lowest, highest] of buckets that are not empty; undefined when there is none.
   */
  span(): [number, number] | undefined {
    let low = 0
    let high = this.counts.length - 1
    while (low <= high && this.counts[low] === 0n) low++
    while (high >= low && this.counts[high] === 0n) high--
    return low > high ? undefined : [this.offset + low, this.offset + high]
  }
}

const EMPTY = new BigUint64Array(0)
/** Place of a running sum modulo 2^64: a variable would be a new bigint at each addition. */
const SUM = new BigUint64Array(1)
