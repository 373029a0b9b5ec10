/**
 * A distribution as a classic histogram or as a summary (statshero.md §7.3).
 *
 * Buckets at scale 0, cumulative, each under its upper bound:
 *   negative i: v in [-2^(i+1), -2^i)   le = -(floor(2^i) + 1)   exact for integers
 *   zero:       |v| <= threshold        le = threshold
 *   positive i: v in (2^i, 2^(i+1)]     le = 2^(i+1)
 *   overflow:   v >= 2^31, no more known, in +Inf alone: 2^31 itself is not under its own bound
 */
import {
  canonicalMean,
  type Exact,
  type Histogram,
  lowerBound,
  upperBound,
} from '../../model/index.ts'
import { numberText } from './text.ts'

export const QUANTILES = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999] as const

/** The constant parts of a row's lines, made once per layout. */
export interface DistributionText {
  /** `name_bucket{…,le="` or `name{…,quantile="`. */
  readonly open: string
  readonly sum: string
  readonly count: string
}

export function bucketLines(
  histogram: Histogram,
  text: DistributionText,
  shift: number,
  isOpenMetrics: boolean,
): string {
  const coarse = histogram.atScale(Math.min(0, histogram.scale))
  let seen = 0n
  let last: Exact = Number.NEGATIVE_INFINITY
  let lastText = ''
  let line = ''
  let lines = ''
  const add = (bound: Exact, count: bigint): void => {
    seen += count
    // A peer's zero threshold may reach over its own buckets: bounds rise all the same.
    if (bound === Number.POSITIVE_INFINITY || bound < last) return
    last = bound
    const boundText = numberText(bound, shift)
    // The smallest bounds may be or read alike: the later line holds the earlier one's count.
    if (boundText !== lastText) lines += line
    lastText = boundText
    line = `${text.open}${boundText}"} ${seen}\n`
  }
  const { negative, positive, scale } = coarse
  const hasNegative = !negative.isEmpty && negative.span() !== undefined
  for (let i = negative.counts.length - 1; i >= 0; i--) {
    const count = negative.counts[i]!
    if (count !== 0n) add(negativeBound(negative.offset + i, scale), count)
  }
  if (coarse.zeroCount !== 0n) add(coarse.zeroThreshold, coarse.zeroCount)
  positive.forEach((index, count) => {
    add(upperBound(index, scale), count)
  })
  seen += coarse.overflow
  lines += `${line}${text.open}+Inf"} ${seen}\n`
  return lines + sumLines(histogram, text, shift, seen, isOpenMetrics && hasNegative, isOpenMetrics)
}

/**
 * OpenMetrics forbids `_sum` (and with it `_count`) beside negative bounds, as the sum is then no
 * counter.
 */
function sumLines(
  histogram: Histogram,
  text: DistributionText,
  shift: number,
  count: bigint,
  isForbidden: boolean,
  isOpenMetrics: boolean,
): string {
  const sum = exportedSum(histogram)
  if (isForbidden || (isOpenMetrics && !(sum >= 0))) return ''
  return `${text.sum} ${numberText(sum, shift)}\n${text.count} ${count}\n`
}

/** The exact sum; estimated from the buckets where the sender does not know it. */
export function exportedSum(histogram: Histogram): Exact {
  if (histogram.count === 0n) return 0
  return histogram.sum ?? canonicalMean(histogram) * Number(histogram.count)
}

/** Below index -1 only fractions live: their bound is the bucket's own end, but never -0. */
function negativeBound(index: number, scale: number): Exact {
  const lower = lowerBound(index, scale)
  if (lower < 0.5) return -Math.max(lower, Number.MIN_VALUE)
  const whole = Math.floor(lower)
  return Number.isSafeInteger(whole) ? -(whole + 1) : -(BigInt(whole) + 1n)
}

/**
 * Of bins no more is known than their bounds, so a quantile is the bound of its bin; above the last
 * one it has none (proxywasm.md §7).
 */
function boundOf({ count, zeroCount, zeroThreshold, positive, scale }: Histogram, q: number) {
  if (count === 0n) return Number.NaN
  const rank = BigInt(Math.max(1, Math.ceil(q * Number(count))))
  let seen = zeroCount
  if (seen >= rank) return zeroThreshold
  for (let i = 0; i < positive.counts.length; i++) {
    seen += positive.counts[i]!
    if (seen >= rank) return upperBound(positive.offset + i, scale)
  }
  return Number.POSITIVE_INFINITY
}

export function quantileLines(
  histogram: Histogram,
  text: DistributionText,
  shift: number,
  isOpenMetrics: boolean,
): string {
  let lines = ''
  for (const q of QUANTILES) {
    const isBinned = histogram.overflowFrom !== Number.POSITIVE_INFINITY
    const value = isBinned ? boundOf(histogram, q) : histogram.quantile(q)
    // OpenMetrics takes no negative quantile values.
    if (isOpenMetrics && value < 0) continue
    lines += `${text.open}${q}"} ${numberText(value, shift)}\n`
  }
  const sum = exportedSum(histogram)
  if (!isOpenMetrics || sum >= 0) lines += `${text.sum} ${numberText(sum, shift)}\n`
  return `${lines}${text.count} ${histogram.count}\n`
}
