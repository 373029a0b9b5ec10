/**
 * The one distribution type of the system: base-2 exponential buckets on both sides of zero, with
 * count, sum, min and max. Merging and downscaling are exact, and commute; so cells of any
 * interval, worker or hub can be added up in any order. Where a sender has chosen bounds, buckets
 * lie between these instead; of different bounds a sum has those that both have.
 *
 * Merging is a commutative monoid among histograms of one zero threshold, with the empty histogram
 * of scale 8 as neutral element (sums of integers to the last digit, of fractions within rounding).
 * No sender of ours has a threshold but 0. Merges of different thresholds are commutative and keep
 * every count, but which buckets fold into zero depends on their widths at that moment. Only where
 * thresholds are 0 or powers of two, which are bounds at every scale from 0 up, and no scale is
 * below 0, any order gives the same distribution; one order may give it at a coarser scale.
 */

import {
  addExact,
  type Exact,
  exact,
  isInteger,
  maxExact,
  minExact,
  multiplyExact,
} from '../exact.ts'
import { BucketRun } from './bucket-run.ts'
import { bucketIndex, lowerBound, SCALE_MAX, upperBound } from './buckets.ts'
import {
  type Bounds,
  boundedIndex,
  boundedValue,
  commonBounds,
  hasBounds,
  regrouped,
} from './explicit-bounds.ts'
import { valueInside } from './inside.ts'

/** Limit of buckets per side; more range lowers the scale, as in OpenTelemetry's default. */
export const BUCKETS_LIMIT = 160

/**
 * A distribution in base-2 exponential buckets, with exact count, sum, min and max.
 *
 * @example
 * import { Histogram } from 'pentameter/model'
 *
 * const latencies = new Histogram()
 * for (let ms = 1; ms <= 1000; ms++) latencies.record(ms)
 * console.log(latencies.count, latencies.mean()) // 1000n 500.5
 * console.log(Math.abs(latencies.quantile(0.99) / 990 - 1) < 0.011) // true
 */
export class Histogram {
  /** Exponent of the buckets' widths; means nothing where there are {@link bounds}. */
  scale: number
  /**
   * Bounds of buckets instead of powers, as explicit-bounds.ts has them: bucket i is counted in
   * place i of `positive`, whatever the signs; nothing is in `negative`, zero bucket or overflow.
   */
  bounds: Bounds | undefined = undefined
  count = 0n
  /** Sum of the observations; undefined where the sender does not know it. */
  sum: Exact | undefined = 0
  /** NaN while empty or not known. */
  min: Exact = Number.NaN
  max: Exact = Number.NaN
  /** Observations v with |v| <= zeroThreshold. */
  zeroCount = 0n
  zeroThreshold = 0
  /** Observations v with v >= overflowFrom of which no more is known; in no bucket. */
  overflow = 0n
  /** Infinity where every observation has a bucket; 2^31 where bins end there. */
  overflowFrom = Number.POSITIVE_INFINITY
  readonly positive = new BucketRun()
  readonly negative = new BucketRun()

  constructor(scale = SCALE_MAX) {
    this.scale = scale
  }

  get isEmpty(): boolean {
    return this.count === 0n
  }

  /**
   * Adds `count` observations of one value; never throws. A value that is not finite is ignored
   * (no NaN or Infinity enters a distribution), and so is a count that is no positive integer.
   */
  record(value: Exact, count: Exact = 1): void {
    if (typeof value === 'number' && !Number.isFinite(value)) return
    if (!isInteger(count) || count <= 0) return
    const times = BigInt(count)
    const observed = typeof value === 'bigint' ? exact(value) : value + 0 // -0 becomes 0
    if (this.sum !== undefined) this.sum = addExact(this.sum, multiplyExact(observed, count))
    this.#widen(observed, observed)
    this.count += times
    const size = observed < 0 ? -observed : observed
    if (this.bounds !== undefined) this.positive.add(boundedIndex(this.bounds, observed), times)
    else if (size <= this.zeroThreshold) this.zeroCount += times
    else this.#recordSide(observed < 0 ? this.negative : this.positive, size, times)
  }

  /**
   * Widens [min, max], before count rises; what one part does not know is not known of the whole.
   */
  #widen(min: Exact, max: Exact): void {
    const isFirst = this.count === 0n
    if (isFirst || Number.isNaN(min)) this.min = min
    else if (!Number.isNaN(this.min)) this.min = minExact(this.min, min)
    if (isFirst || Number.isNaN(max)) this.max = max
    else if (!Number.isNaN(this.max)) this.max = maxExact(this.max, max)
  }

  #recordSide(side: BucketRun, size: Exact, times: bigint): void {
    const index = bucketIndex(size, this.scale)
    const steps = stepsToFit(side, index, index)
    if (steps > 0) this.downscaleTo(this.scale - steps)
    side.add(index >> steps, times)
  }

  /** Adds a bucket as a peer sent it; min, max and sum are the caller's. */
  addBucket(index: number, count: bigint, isNegative = false): void {
    if (count <= 0n) return
    const side = isNegative ? this.negative : this.positive
    const steps = this.bounds === undefined ? stepsToFit(side, index, index) : 0
    if (steps > 0) this.downscaleTo(this.scale - steps)
    side.add(index >> steps, count)
    this.count += count
  }

  /** Lowers the scale; every bucket i becomes i >> steps. A higher scale is ignored. */
  downscaleTo(scale: number): void {
    const steps = this.scale - scale
    if (steps <= 0 || this.bounds !== undefined) return
    this.positive.downscale(steps)
    this.negative.downscale(steps)
    this.scale = scale
  }

  /** Adds another histogram; the other stays as it is. The coarser scale of the two holds. */
  mergeFrom(other: Histogram): void {
    if (this.bounds !== undefined || other.bounds !== undefined) this.#mergeBounded(other)
    else this.#mergeScaled(other)
  }

  /** Merges where one of both has bounds; the empty histogram without bounds stays neutral. */
  #mergeBounded(other: Histogram): void {
    if (other.isEmpty && other.bounds === undefined) return
    if (this.isEmpty && this.bounds === undefined) {
      this.copyFrom(other)
      return
    }
    const bounds = commonBounds(this, other)
    this.regroupTo(bounds)
    let source = other
    if (!hasBounds(other, bounds)) {
      source = other.clone()
      source.regroupTo(bounds)
    }
    this.positive.mergeFrom(source.positive)
    this.#addMoments(source)
  }

  /**
   * Counts between other bounds from now on. Each of them must be a bound that it has already, so
   * that no bucket is split; what it has besides is given up.
   */
  regroupTo(bounds: Bounds): void {
    if (!hasBounds(this, bounds)) {
      const { offset, counts } = regrouped(this, bounds)
      this.positive.offset = offset
      this.positive.counts = counts
      this.negative.clear()
      this.zeroCount = 0n
      this.zeroThreshold = 0
      this.overflow = 0n
      this.overflowFrom = Number.POSITIVE_INFINITY
    }
    this.bounds = bounds
  }

  #mergeScaled(other: Histogram): void {
    let source = other.scale > this.scale ? other.atScale(this.scale) : other
    this.downscaleTo(source.scale)
    if (source.zeroThreshold !== this.zeroThreshold) {
      source = source.clone()
      this.levelZero(source)
    }
    this.zeroCount += source.zeroCount
    this.overflow += source.overflow
    this.overflowFrom = Math.min(this.overflowFrom, source.overflowFrom)
    const steps = Math.max(
      mergeSteps(this.positive, source.positive),
      mergeSteps(this.negative, source.negative),
    )
    const fitted = steps > 0 ? source.atScale(source.scale - steps) : source
    this.downscaleTo(this.scale - steps)
    this.positive.mergeFrom(fitted.positive)
    this.negative.mergeFrom(fitted.negative)
    this.#addMoments(source)
  }

  #addMoments(source: Histogram): void {
    if (!source.isEmpty) this.#widen(source.min, source.max)
    this.count += source.count
    this.sum =
      this.sum === undefined || source.sum === undefined
        ? undefined
        : addExact(this.sum, source.sum)
  }

  /** Raises both zero thresholds until they are equal: folding a bucket can raise one further. */
  levelZero(other: Histogram): void {
    while (this.zeroThreshold !== other.zeroThreshold) {
      if (this.zeroThreshold < other.zeroThreshold) this.foldZero(other.zeroThreshold)
      else other.foldZero(this.zeroThreshold)
    }
  }

  /** Moves what lies within the threshold into the zero bucket; never splits a bucket. */
  foldZero(threshold: number): void {
    if (threshold <= this.zeroThreshold) return
    this.zeroThreshold = threshold
    for (const side of [this.positive, this.negative]) {
      side.forEach((index, count) => {
        if (lowerBound(index, this.scale) >= threshold) return
        this.zeroThreshold = Math.max(this.zeroThreshold, upperBound(index, this.scale))
        this.zeroCount += count
        side.counts[index - side.offset] = 0n
      })
    }
  }

  /** Computes sum divided by count; NaN when empty or without a sum. */
  mean(): number {
    if (this.count === 0n || this.sum === undefined) return Number.NaN
    const sum = Number(this.sum)
    // A sum beyond the doubles is a bigint, and its mean lies between min and max again.
    if (typeof this.sum === 'bigint' && !Number.isFinite(sum)) return Number(this.sum / this.count)
    return sum / Number(this.count)
  }

  /**
   * Estimates the q-quantile: the observation of rank ceil(q * count), placed on the exponential
   * curve inside its bucket and limited to [min, max]. Relative error at most 2^(2^-scale) - 1;
   * among the overflow, the least it can be. Between bounds of its own it is placed on a straight
   * line, above the last of them on that, and it may be as wrong as its bucket is wide.
   * @param q 0 to 1
   * @returns NaN when empty
   */
  quantile(q: number): number {
    if (this.count === 0n) return Number.NaN
    const total = Number(this.count)
    const rank = Math.min(Math.max(Math.ceil(q * total), 1), total)
    return this.#limit(this.#valueAtRank(rank))
  }

  #valueAtRank(rank: number): number {
    let seen = 0
    const { negative, positive } = this
    for (let i = negative.counts.length - 1; i >= 0; i--) {
      const count = Number(negative.counts[i]!)
      if (count > 0 && seen + count >= rank) {
        return -valueInside(negative.offset + i, this.scale, 1 - (rank - seen - 0.5) / count)
      }
      seen += count
    }
    seen += Number(this.zeroCount)
    if (seen >= rank) return 0
    for (let i = 0; i < positive.counts.length; i++) {
      const count = Number(positive.counts[i]!)
      if (count > 0 && seen + count >= rank) {
        return this.#inside(positive.offset + i, (rank - seen - 0.5) / count)
      }
      seen += count
    }
    return this.overflow > 0n ? this.overflowFrom : Number(this.max)
  }

  /** Computes the value at a fraction of a bucket of the positive side. */
  #inside(index: number, fraction: number): number {
    const { bounds, scale } = this
    if (bounds === undefined) return valueInside(index, scale, fraction)
    return boundedValue(bounds, index, fraction)
  }

  /** Gives the upper bound, inclusive, of a bucket of the positive side. */
  upperOf(index: number): number {
    const { bounds, scale } = this
    if (bounds === undefined) return upperBound(index, scale)
    return bounds[index] ?? Number.POSITIVE_INFINITY
  }

  #limit(value: number): number {
    const low = Number(this.min)
    const high = Number(this.max)
    if (value < low) return low
    return value > high ? high : value
  }

  /**
   * Estimates the standard deviation from the buckets' middles; 0 for one observation, NaN for
   * none. Computed in units of the largest middle's power of two, so that no square leaves the
   * doubles.
   */
  deviation(): number {
    if (this.count < 2n) return this.count === 0n ? Number.NaN : 0
    const total = Number(this.count)
    const middles = this.#middles()
    const largest = Math.max(...middles.map(([value]) => Math.abs(value)))
    if (largest === 0) return 0
    const unit = 2 ** Math.min(Math.floor(Math.log2(largest)), 1023)
    let mean = 0
    for (const [value, n] of middles) mean += ((value / unit) * n) / total
    let spread = 0
    for (const [value, n] of middles) spread += n * (value / unit - mean) ** 2
    return Math.min(Math.sqrt(spread / (total - 1)) * unit, Number.MAX_VALUE)
  }

  /** Lists the middle of every bucket that is not empty, with its count. */
  #middles(): [value: number, count: number][] {
    const middles: [number, number][] = []
    this.negative.forEach((i, n) => {
      middles.push([this.#limit(-valueInside(i, this.scale, 0.5)), Number(n)])
    })
    middles.push([0, Number(this.zeroCount)])
    this.positive.forEach((i, n) => {
      middles.push([this.#limit(this.#inside(i, 0.5)), Number(n)])
    })
    if (this.overflow > 0n) middles.push([this.overflowFrom, Number(this.overflow)])
    return middles
  }

  clone(): Histogram {
    return this.atScale(this.scale)
  }

  /** Becomes a copy of another one, within the memory it has as far as that suffices. */
  copyFrom(other: Histogram): void {
    this.scale = other.scale
    this.bounds = other.bounds
    this.count = other.count
    this.sum = other.sum
    this.min = other.min
    this.max = other.max
    this.zeroCount = other.zeroCount
    this.zeroThreshold = other.zeroThreshold
    this.overflow = other.overflow
    this.overflowFrom = other.overflowFrom
    this.positive.copyFrom(other.positive)
    this.negative.copyFrom(other.negative)
  }

  /** Makes a copy at a coarser (or the same) scale. */
  atScale(scale: number): Histogram {
    const copy = new Histogram(this.scale)
    copy.bounds = this.bounds
    copy.count = this.count
    copy.sum = this.sum
    copy.min = this.min
    copy.max = this.max
    copy.zeroCount = this.zeroCount
    copy.zeroThreshold = this.zeroThreshold
    copy.overflow = this.overflow
    copy.overflowFrom = this.overflowFrom
    for (const side of ['positive', 'negative'] as const) {
      copy[side].offset = this[side].offset
      copy[side].counts = this[side].counts.slice()
    }
    copy.downscaleTo(scale)
    return copy
  }
}

/**
 * Adds two histograms into a new one.
 *
 * @example
 * import { Histogram, mergeHistograms } from 'pentameter/model'
 *
 * const [first, second] = [new Histogram(), new Histogram()]
 * first.record(10)
 * second.record(30)
 * console.log(mergeHistograms(first, second).sum) // 40
 */
export function mergeHistograms(a: Histogram, b: Histogram): Histogram {
  const sum = a.clone()
  sum.mergeFrom(b)
  return sum
}

/** Counts how often the range [low, high] joined with the run must be halved to fit the limit. */
function stepsToFit(side: BucketRun, low: number, high: number): number {
  const span = side.span()
  if (span === undefined) return 0
  let from = Math.min(low, span[0])
  let to = Math.max(high, span[1])
  let steps = 0
  for (; to - from >= BUCKETS_LIMIT; steps++) {
    from >>= 1
    to >>= 1
  }
  return steps
}

function mergeSteps(side: BucketRun, other: BucketRun): number {
  const span = other.span()
  return span === undefined ? 0 : stepsToFit(side, span[0], span[1])
}
