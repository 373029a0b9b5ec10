/** Mean windows and the model's summaries, which merge (eventcounters.md §7.1); pure. */
import { EMPTY_SUMMARY, type Summary, summaryDeviation } from '../../model/index.ts'
import type { MeanStatistics } from './window.ts'

/**
 * Makes a summary of a Mean window. What its sender did not know spoils nothing: without a mean it
 * is empty, without a deviation it has none, for min and max the mean stands in.
 */
export function toSummary(statistics: MeanStatistics): Summary {
  const { count, mean, deviation, min, max } = statistics
  if (count === 0 || !Number.isFinite(mean)) return EMPTY_SUMMARY
  const squares = Number.isNaN(deviation) ? 0 : Math.min(deviation * deviation * count, MAX_SQUARES)
  return { count, mean, squares, min: finiteOr(mean, min), max: finiteOr(mean, max) }
}

const MAX_SQUARES = Number.MAX_VALUE

function finiteOr(mean: number, value: number): number {
  return Number.isFinite(value) ? value : mean
}

/**
 * Makes a Mean window of a summary, the inverse: of an empty one, min and max are the infinities of
 * an empty interval.
 */
export function fromSummary(summary: Summary): MeanStatistics {
  const { count, mean, min, max } = summary
  if (count === 0) return EMPTY_MEAN
  return { kind: 'mean', count, mean, deviation: summaryDeviation(summary), min, max }
}

/** Makes the statistics of one value, as a PollingCounter has it (eventcounters.md §4.4). */
export function singleMean(value: number): MeanStatistics {
  return { kind: 'mean', count: 1, mean: value, deviation: 0, min: value, max: value }
}

/** An interval without samples. */
export const EMPTY_MEAN: MeanStatistics = Object.freeze({
  kind: 'mean',
  count: 0,
  mean: 0,
  deviation: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
})
