/**
 * Count, sum, mean, deviation, min and max without buckets: what an interval of samples carries.
 * Merged by Chan's formula, which keeps the deviation where sums of squares would cancel. Mean and
 * squares stay finite whatever finite values come: squares stop at the largest double, which limits
 * the deviation of values beyond about 1e154.
 */
export interface Summary {
  readonly count: number
  readonly mean: number
  /** Sum of squared distances from the mean (Welford's M2). */
  readonly squares: number
  readonly min: number
  readonly max: number
}

export const EMPTY_SUMMARY: Summary = {
  count: 0,
  mean: 0,
  squares: 0,
  min: Number.NaN,
  max: Number.NaN,
}

/**
 * Adds one observation; values that are not finite are ignored.
 *
 * @example
 * import { addToSummary, EMPTY_SUMMARY } from 'pentameter/model'
 *
 * const summary = [10, 20].reduce(addToSummary, EMPTY_SUMMARY)
 * console.log(summary.count, summary.mean, summary.max) // 2 15 20
 */
export function addToSummary(summary: Summary, value: number): Summary {
  if (!Number.isFinite(value)) return summary
  return mergeSummaries(summary, { count: 1, mean: value, squares: 0, min: value, max: value })
}

/**
 * Adds two summaries, as if all observations had been made in one.
 *
 * @example
 * import { addToSummary, EMPTY_SUMMARY, mergeSummaries } from 'pentameter/model'
 *
 * const first = addToSummary(EMPTY_SUMMARY, 10)
 * const second = addToSummary(EMPTY_SUMMARY, 20)
 * console.log(mergeSummaries(first, second).mean) // 15
 */
export function mergeSummaries(a: Summary, b: Summary): Summary {
  if (a.count === 0) return b
  if (b.count === 0) return a
  const count = a.count + b.count
  const distance = b.mean - a.mean
  const squares = a.squares + b.squares + distance * distance * ((a.count * b.count) / count)
  return {
    count,
    // Opposite means near the largest double are further apart than it.
    mean: Number.isFinite(distance)
      ? a.mean + distance * (b.count / count)
      : a.mean * (a.count / count) + b.mean * (b.count / count),
    squares: Math.min(squares, Number.MAX_VALUE),
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
  }
}

/**
 * Computes the sum of the observations, within the rounding of their mean; 0 when empty.
 *
 * @example
 * import { addToSummary, EMPTY_SUMMARY, summarySum } from 'pentameter/model'
 *
 * console.log(summarySum([10, 20].reduce(addToSummary, EMPTY_SUMMARY))) // 30
 */
export function summarySum(summary: Summary): number {
  return summary.mean * summary.count
}

/**
 * Computes the deviation of the whole population (divisor n); 0 when empty.
 *
 * @example
 * import { addToSummary, EMPTY_SUMMARY, summaryDeviation } from 'pentameter/model'
 *
 * console.log(summaryDeviation([10, 20].reduce(addToSummary, EMPTY_SUMMARY))) // 5
 */
export function summaryDeviation(summary: Summary): number {
  return summary.count === 0 ? 0 : Math.sqrt(Math.max(0, summary.squares / summary.count))
}
