/**
 * The canonical single value of a series, for viewers that know numbers only: a gauge is its value,
 * a counter a rate per time scale, a distribution its mean.
 */
import type { Exact } from './exact.ts'
import { subtractExact } from './exact.ts'
import { boundedValue } from './histogram/explicit-bounds.ts'
import type { Histogram } from './histogram/histogram.ts'
import type { Summary } from './summary.ts'
import { summarySum } from './summary.ts'

/** Seconds of the document's rate, shown as " / Min". */
export const MINUTE = 60

/**
 * Gives the ending of a counter's display name for its rate time scale in seconds.
 *
 * @example
 * import { rateSuffix } from 'pentameter/model'
 *
 * console.log(`Requests${rateSuffix(60)}`) // Requests / Min
 */
export function rateSuffix(timeScaleS: number): string {
  if (timeScaleS === 1) return ' / sec'
  if (timeScaleS === MINUTE) return ' / Min'
  if (timeScaleS === 3600) return ' / hr'
  return ` / ${timeScaleS} sec`
}

/**
 * Computes the rate of an increment: 2 in 1.01 s is 118.8 a minute.
 * @param intervalS length of the window in seconds; 0 or less gives NaN
 *
 * @example
 * import { incrementRate } from 'pentameter/model'
 *
 * console.log(incrementRate(30, 2)) // 900
 * console.log(incrementRate(30, 2, 1)) // 15
 */
export function incrementRate(increment: Exact, intervalS: number, timeScaleS = MINUTE): number {
  return intervalS > 0 ? (Number(increment) * timeScaleS) / intervalS : Number.NaN
}

/**
 * Computes the rate between two readings of a cumulative counter; a smaller second reading is a
 * reset.
 *
 * @example
 * import { readingRate } from 'pentameter/model'
 *
 * console.log(readingRate(100, 130, 10, 1)) // 3
 * console.log(readingRate(100, 20, 10, 1)) // 2
 */
export function readingRate(
  from: Exact | undefined,
  to: Exact,
  elapsedS: number,
  timeScaleS = MINUTE,
): number {
  if (from === undefined) return Number.NaN
  return incrementRate(to < from ? to : subtractExact(to, from), elapsedS, timeScaleS)
}

/**
 * Computes the mean of a distribution: sum / count where a sum is known; otherwise estimated from
 * the buckets: one observation of the lowest is min, one of the highest max, the others lie at the
 * bucket's geometric middle (between bounds of its own, in the middle), limited to [min, max]; the
 * zero bucket is 0, overflow the least that it can be. NaN when empty.
 *
 * @example
 * import { canonicalMean, Histogram } from 'pentameter/model'
 *
 * const sizes = new Histogram()
 * sizes.record(10)
 * sizes.record(20)
 * console.log(canonicalMean(sizes)) // 15
 */
export function canonicalMean(histogram: Histogram): number {
  if (histogram.count === 0n) return Number.NaN
  return histogram.sum === undefined ? estimatedMean(histogram) : histogram.mean()
}

function estimatedMean(histogram: Histogram): number {
  const min = Number(histogram.min)
  const max = Number(histogram.max)
  const limit = (value: number): number => {
    if (value < min) return min
    return value > max ? max : value
  }
  const middles: { value: number; count: number }[] = []
  const perOctave = 2 ** -histogram.scale
  histogram.negative.forEach((index, count) => {
    middles.unshift({ value: -(2 ** ((index + 0.5) * perOctave)), count: Number(count) })
  })
  if (histogram.zeroCount > 0n) middles.push({ value: 0, count: Number(histogram.zeroCount) })
  const { bounds } = histogram
  histogram.positive.forEach((index, count) => {
    const value =
      bounds === undefined ? 2 ** ((index + 0.5) * perOctave) : boundedValue(bounds, index, 0.5)
    middles.push({ value, count: Number(count) })
  })
  if (histogram.overflow > 0n) {
    middles.push({ value: histogram.overflowFrom, count: Number(histogram.overflow) })
  }
  let sum = 0
  for (const { value, count } of middles) sum += limit(value) * count
  const low = middles[0]
  const high = middles.at(-1)
  if (low === undefined || high === undefined) return Number.NaN
  if (!Number.isNaN(min)) sum += min - limit(low.value)
  if (!Number.isNaN(max) && Number(histogram.count) > 1) sum += max - limit(high.value)
  return sum / Number(histogram.count)
}

/**
 * Computes the mean of a summary as delivered: 0 for an empty interval.
 *
 * @example
 * import { EMPTY_SUMMARY, summaryMean } from 'pentameter/model'
 *
 * console.log(summaryMean(EMPTY_SUMMARY)) // 0
 */
export function summaryMean(summary: Summary): number {
  return summary.count === 0 ? 0 : summarySum(summary) / summary.count
}
