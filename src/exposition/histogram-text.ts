/** A distribution's lines as a classic histogram or as a summary. */
import type { Exact, Exemplar, Histogram, Kind } from '../model/index.ts'
import { exportedSum, forEachBound } from './distribution.ts'
import { ByBound } from './exemplars.ts'
import { exemplarText, numberText, sampleOpenText, sampleText } from './text.ts'

export const QUANTILES = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999] as const

/** The constant parts of a row's lines, made once per layout. */
export interface DistributionText {
  /** `name_bucket{…,le="` or `name{…,quantile="`. */
  readonly open: string
  readonly sum: string
  readonly count: string
}

/** Makes the constant parts; undefined for kinds of one sample. */
export function distributionText(
  type: Kind,
  name: string,
  labels: string,
): DistributionText | undefined {
  if (type === 'counter' || type === 'gauge') return undefined
  return {
    open:
      type === 'histogram'
        ? sampleOpenText(`${name}_bucket`, labels, 'le')
        : sampleOpenText(name, labels, 'quantile'),
    sum: sampleText(`${name}_sum`, labels),
    count: sampleText(`${name}_count`, labels),
  }
}

/**
 * Writes the buckets, the sum and the count.
 * @param isWindowed see {@link forEachBound}
 * @param exemplars which OpenMetrics has behind the buckets that they are in
 */
export function bucketLines(
  histogram: Histogram,
  text: DistributionText,
  shift: number,
  isOpenMetrics: boolean,
  isWindowed = false,
  exemplars: readonly Exemplar[] = [],
): string {
  const byBound = isOpenMetrics && exemplars.length > 0 ? new ByBound(exemplars) : undefined
  const markOf = (bound: Exact, isSame: boolean): string => {
    const exemplar = byBound?.next(Number(bound), isSame)
    return exemplar === undefined ? '' : exemplarText(exemplar, shift)
  }
  let lastText = ''
  let line = ''
  let lines = ''
  let hasNegative = false
  const count = forEachBound(histogram, isWindowed, (bound, seen) => {
    const boundText = numberText(bound, shift)
    hasNegative ||= boundText.startsWith('-')
    // The smallest bounds may be or read alike: the later line holds the earlier one's count.
    const isSame = boundText === lastText
    if (!isSame) lines += line
    lastText = boundText
    line = `${text.open}${boundText}"} ${seen}${markOf(bound, isSame)}\n`
  })
  lines += `${line}${text.open}+Inf"} ${count}${markOf(Number.POSITIVE_INFINITY, false)}\n`
  if (isOpenMetrics && hasNegative) return lines
  return lines + sumLines(histogram, text, shift, count, isOpenMetrics)
}

/**
 * Writes the sum. OpenMetrics forbids `_sum` (and with it `_count`) beside negative bounds, as the
 * sum is then no counter, and wants both where there are none: also where the bounds of negative
 * observations are so small that they read as 0, which then goes for their sum too.
 */
function sumLines(
  histogram: Histogram,
  text: DistributionText,
  shift: number,
  count: bigint,
  isOpenMetrics: boolean,
): string {
  const sum = exportedSum(histogram)
  const shown = isOpenMetrics && sum < 0 ? '0' : numberText(sum, shift)
  return `${text.sum} ${shown}\n${text.count} ${count}\n`
}

/**
 * Gives the bound of a quantile's bin, as no more is known of bins; above the last one there is
 * none.
 */
function boundOf(histogram: Histogram, q: number): number {
  const { count, zeroCount, zeroThreshold, positive } = histogram
  if (count === 0n) return Number.NaN
  const rank = BigInt(Math.max(1, Math.ceil(q * Number(count))))
  let seen = zeroCount
  if (seen >= rank) return zeroThreshold
  for (let i = 0; i < positive.counts.length; i++) {
    seen += positive.counts[i]!
    if (seen >= rank) return histogram.upperOf(positive.offset + i)
  }
  return Number.POSITIVE_INFINITY
}

export function exportedQuantile(histogram: Histogram, q: number): number {
  const { bounds, overflowFrom } = histogram
  const isBinned = bounds !== undefined || overflowFrom !== Number.POSITIVE_INFINITY
  return isBinned ? boundOf(histogram, q) : histogram.quantile(q)
}

export function quantileLines(
  histogram: Histogram,
  text: DistributionText,
  shift: number,
  isOpenMetrics: boolean,
): string {
  let lines = ''
  for (const q of QUANTILES) {
    const value = exportedQuantile(histogram, q)
    // OpenMetrics takes no negative quantile values.
    if (isOpenMetrics && value < 0) continue
    lines += `${text.open}${q}"} ${numberText(value, shift)}\n`
  }
  const sum = exportedSum(histogram)
  if (!isOpenMetrics || sum >= 0) lines += `${text.sum} ${numberText(sum, shift)}\n`
  return `${lines}${text.count} ${histogram.count}\n`
}
