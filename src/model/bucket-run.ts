/**
 * One side (positive or negative) of a histogram: counts of the consecutive buckets
 * [offset, offset + counts.length). Counts are u64, so that a peer's 64-bit bins stay exact.
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

  add(index: number, count: bigint): void {
    this.cover(index, index + 1)
    this.counts[index - this.offset]! += count
  }

  /** Makes room for [low, end); grows by half so that a spreading run is not copied per bucket. */
  cover(low: number, end: number): void {
    if (this.counts.length > 0 && low >= this.offset && end <= this.end) return
    const isEmpty = this.counts.length === 0
    const from = isEmpty ? low : Math.min(low, this.offset)
    const to = isEmpty ? end : Math.max(end, this.end)
    const counts = new BigUint64Array(to - from)
    if (!isEmpty) counts.set(this.counts, this.offset - from)
    this.offset = from
    this.counts = counts
  }

  mergeFrom(other: BucketRun): void {
    if (other.counts.length === 0) return
    this.cover(other.offset, other.end)
    const shift = other.offset - this.offset
    for (let i = 0; i < other.counts.length; i++) this.counts[i + shift]! += other.counts[i]!
  }

  /** Halves the resolution `steps` times: bucket i becomes i >> steps. Exact. */
  downscale(steps: number): void {
    if (steps === 0 || this.counts.length === 0) return
    const offset = this.offset >> steps
    const counts = new BigUint64Array(((this.end - 1) >> steps) - offset + 1)
    for (let i = 0; i < this.counts.length; i++) {
      counts[((this.offset + i) >> steps) - offset]! += this.counts[i]!
    }
    this.offset = offset
    this.counts = counts
  }

  total(): bigint {
    let sum = 0n
    for (const count of this.counts) sum += count
    return sum
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

  /** The span [lowest, highest] of buckets that are not empty; undefined when there is none. */
  span(): [number, number] | undefined {
    let low = 0
    let high = this.counts.length - 1
    while (low <= high && this.counts[low] === 0n) low++
    while (high >= low && this.counts[high] === 0n) high--
    return low > high ? undefined : [this.offset + low, this.offset + high]
  }
}

const EMPTY = new BigUint64Array(0)
