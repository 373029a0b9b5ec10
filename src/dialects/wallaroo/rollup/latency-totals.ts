/**
 * What any number of windows say of latencies together (§7): bins, extremes as far as they are
 * known, and an estimate of the sum, which no window carries. Adding windows and merging totals are
 * commutative and come to the same.
 */
import { type Exact, maxExact, minExact } from '../../../model/index.ts'
import { toNumber } from '../codec/halves.ts'
import { SKEW_BIN } from '../spec.ts'
import { BinCounts, type WindowBins } from './bin-counts.ts'

const HIGH = 2 ** 32
/** Stand-ins for a sample of bin i: 0, then the middle of (2^(i-1), 2^i] on a scale of powers. */
export const MIDDLES = Float64Array.from({ length: SKEW_BIN }, (_, i) =>
  i === 0 ? 0 : 2 ** (i - 0.5),
)

export class LatencyTotals {
  readonly counts = new BinCounts()
  #minNs: Exact = Number.NaN
  #maxNs: Exact = Number.NaN
  /** The nearest doubles. */
  #leastNs = Number.NaN
  #greatestNs = Number.NaN
  /** Estimate; exact while no window had more than two samples. */
  sumNs = 0
  /** Whether every window that had latencies knew its extreme: only then a quantile may use it. */
  #isMinComplete = true
  #isMaxComplete = true

  /** Least of those that are known; NaN where none is. */
  get minNs(): Exact {
    return this.#minNs
  }

  set minNs(min: Exact) {
    this.#minNs = min
    this.#leastNs = Number(min)
  }

  /** Greatest of those that are known; NaN where none is. */
  get maxNs(): Exact {
    return this.#maxNs
  }

  set maxNs(max: Exact) {
    this.#maxNs = max
    this.#greatestNs = Number(max)
  }

  add(frame: WindowBins): void {
    this.counts.addFrame(frame)
    const { isMinKnown, isMaxKnown } = frame
    const least = isMinKnown ? toNumber(frame.minHigh, frame.minLow) : 0
    const greatest = isMaxKnown ? toNumber(frame.maxHigh, frame.maxLow) : Number.POSITIVE_INFINITY
    // most windows change neither, which doubles tell
    if (isMinKnown && !(least > this.#leastNs)) this.#lower(frame.min())
    if (isMaxKnown && !(greatest < this.#greatestNs)) this.#raise(frame.max())
    if (frame.filledCount === 0 || frame.filled[0] === SKEW_BIN) return
    this.sumNs += estimateSum(frame, least, greatest)
    this.#isMinComplete &&= isMinKnown
    this.#isMaxComplete &&= isMaxKnown
  }

  #lower(min: Exact): void {
    this.minNs = minExact(this.#minNs, min)
  }

  #raise(max: Exact): void {
    this.maxNs = maxExact(this.#maxNs, max)
  }

  merge(other: LatencyTotals): void {
    this.counts.merge(other.counts)
    if (!Number.isNaN(other.#leastNs)) this.#lower(other.#minNs)
    if (!Number.isNaN(other.#greatestNs)) this.#raise(other.#maxNs)
    this.sumNs += other.sumNs
    this.#isMinComplete &&= other.#isMinComplete
    this.#isMaxComplete &&= other.#isMaxComplete
  }

  /** Begins anew. */
  clear(): void {
    this.counts.clear()
    this.minNs = Number.NaN
    this.maxNs = Number.NaN
    this.sumNs = 0
    this.#isMinComplete = true
    this.#isMaxComplete = true
  }

  /**
   * Computes the q-quantile of all latencies, on the exponential curve inside its bin and within
   * the extremes where every window knew them.
   * @param q 0 to 1
   * @returns undefined without latencies
   */
  quantile(q: number): number | undefined {
    const value = quantileOf(this.counts, q)
    if (value === undefined) return undefined
    const low = this.#isMinComplete ? this.#leastNs : Number.NEGATIVE_INFINITY
    const high = this.#isMaxComplete ? this.#greatestNs : Number.POSITIVE_INFINITY
    return Math.min(Math.max(value, low), high)
  }
}

/** Computes a quantile by the bins alone. @returns undefined without latencies */
function quantileOf(counts: BinCounts, q: number): number | undefined {
  const rank = q * Number(counts.latencies())
  let seen = 0
  for (let bin = 0; bin < SKEW_BIN; bin++) {
    const count = counts.approximate(bin)
    if (count === 0) continue
    if (seen + count >= rank || isLast(counts, bin)) {
      const share = Math.min((rank - seen) / count, 1)
      return bin === 0 ? share : 2 ** (bin - 1 + share)
    }
    seen += count
  }
  return undefined
}

/** Doubles may add up to less than the count: then the last bin is the one. */
function isLast(counts: BinCounts, bin: number): boolean {
  for (let next = bin + 1; next < SKEW_BIN; next++) if (counts.isFilled(next)) return false
  return true
}

/**
 * Estimates the sum of a window's latencies: one sample is the minimum, one the maximum, the others
 * the middle of their bins, within the extremes. Off by less than 42 % (2^(1/2) - 1) of what is
 * estimated.
 */
export function estimateSum(frame: WindowBins, least: number, greatest: number): number {
  const { filled, filledCount, high, low, isMinKnown, isMaxKnown, isWide } = frame
  let last = filledCount - 1
  if (filled[last] === SKEW_BIN) last--
  let sum = 0
  // all of them lie within the extremes, which are in the first and in the last bin
  for (let i = 1; i < last; i++) {
    const bin = filled[i]!
    sum += low[bin]! * MIDDLES[bin]!
    if (isWide) sum += high[bin]! * HIGH * MIDDLES[bin]!
  }
  for (let i = 0; i <= last; i += Math.max(last, 1)) {
    const bin = filled[i]!
    let count = high[bin]! * HIGH + low[bin]!
    if (i === 0 && isMinKnown) {
      sum += least
      count--
    }
    if (i === last && isMaxKnown && count > 0) {
      sum += greatest
      count--
    }
    sum += count * Math.min(Math.max(MIDDLES[bin]!, least), greatest)
  }
  return sum
}
