/** Numbers of one series over the shown window. */

import type { SeriesInfo, StatisticsJson } from '../../http/api.ts'
import {
  EMPTY_SUMMARY,
  mergeSummaries,
  type Summary,
  summaryDeviation,
} from '../../model/summary.ts'
import { digits, digitsApart, exact, text } from '../format/number.ts'
import { SECONDS, type Shown } from '../format/rate.ts'
import {
  aboveAll,
  type BucketRows,
  deviation,
  type Merged,
  mergeSeconds,
  quantile,
} from '../store/buckets.ts'
import { MAIN_LANE, type SeriesData } from '../store/series-data.ts'
import { intervalMeans, pacedRate } from './pace.ts'

type NumberRow = readonly [name: string, words: string]

/** Computes the relative width of a bucket at a scale: the most a percentile can be off. */
function bucketError(scale: number): number {
  return 2 ** (0.5 ** scale) - 1
}

/** Says how far percentiles that are read from buckets can be off. */
export function bucketWords(rows: BucketRows): string {
  return `percentiles ${exactnessWords(rows)}`
}

/** Says the same behind a word for them. */
export function exactnessWords({ scale, bounds }: BucketRows): string {
  return bounds === undefined ? withinWords(bucketError(scale)) : BOUNDED_WORDS
}

/** Says the same of percentiles since the start; nothing where there are none. */
export function startWords({ relativeError, bounds }: StatisticsJson): string {
  if (relativeError !== undefined) return `percentiles ${withinWords(relativeError)}`
  return bounds === undefined ? '' : `percentiles ${BOUNDED_WORDS}`
}

/** Words for bounds that a histogram has chosen: anything may be between two of them. */
const BOUNDED_WORDS = 'between bounds'

/** @param error relative width of the buckets that percentiles were read from */
function withinWords(error: number): string {
  return `within ±${digits(error * 100, 2)}\u00a0%`
}

/** Reads the value of a counter or gauge: a rate is that of the time between points. */
export function valueNow(data: SeriesData, second: number): number {
  const paced = data.kind === 'counter' ? pacedRate(data, second) : undefined
  return paced?.rate ?? data.at(MAIN_LANE[data.kind], second)
}

/**
 * Reads the one value by which simple viewers know a series, as the hub tells it. To them a counter
 * whose points come slower than seconds is nothing between two of them: here it is their mean.
 */
export function oneValue(
  { kind, canonical }: Pick<SeriesInfo, 'kind' | 'canonical'>,
  data: SeriesData | undefined,
  second: number,
): number {
  const paced = kind === 'counter' && data !== undefined ? pacedRate(data, second) : undefined
  return paced ? paced.rate * SECONDS.min : (canonical.value ?? Number.NaN)
}

/**
 * Writes the numbers of the seconds (from, to].
 * @param sinceMs Unix ms at which the series came: rates are those of the time since
 */
export function windowNumbers(
  data: SeriesData,
  { unit, factor }: Shown,
  from: number,
  to: number,
  sinceMs = 0,
): readonly NumberRow[] {
  const seconds = knownSeconds(data, Math.max(from, Math.floor(sinceMs / 1000)), to)
  if (data.kind === 'histogram') return distributionNumbers(data, unit, from, to, seconds)
  if (data.kind === 'summary') return summaryNumbers(data, unit, from, to, seconds)
  const { mean, deviation } = moments(data, from, to)
  const [min, max] = [extremeOf(data, 'min', from, to), extremeOf(data, 'max', from, to)]
  const significant = digitsApart([min, max])
  const write = (value: number): string => text(value * factor, unit, significant)
  return [
    ['now', write(valueNow(data, to))],
    ['mean', write(mean)],
    ['min', write(min)],
    ['max', write(max)],
    ['deviation', text(deviation * factor, unit)],
  ]
}

/**
 * Finds the least or largest value in the seconds (from, to], NaN where none is known: of a gauge
 * what it went through within them, of others their main lane, of a counter whose points come
 * slower than seconds the means between them.
 */
export function extremeOf(data: SeriesData, end: 'min' | 'max', from: number, to: number): number {
  const values = data.kind === 'gauge' ? data.values(end, from, to) : mainValues(data, from, to)
  const pick = end === 'min' ? Math.min : Math.max
  return values.reduce(
    (kept, value) => (Number.isNaN(value) ? kept : Number.isNaN(kept) ? value : pick(kept, value)),
    Number.NaN,
  )
}

/** Copies what extremes and deviation are of. */
function mainValues(data: SeriesData, from: number, to: number): Float64Array {
  return intervalMeans(data, from, to) ?? data.values(MAIN_LANE[data.kind], from, to)
}

interface Moments {
  readonly mean: number
  readonly deviation: number
}

/**
 * Computes mean and deviation over the seconds (from, to], NaN both where none is known. A step of
 * which fewer seconds are known counts for as many. Where points come slower than seconds, the
 * deviation is that of the means between them.
 */
export function moments(data: SeriesData, from: number, to: number): Moments {
  const { mean, deviation } = momentsOf(data, data.values(MAIN_LANE[data.kind], from, to), from)
  const means = intervalMeans(data, from, to)
  return { mean, deviation: means ? momentsOf(data, means, from).deviation : deviation }
}

function momentsOf(data: SeriesData, values: Float64Array, from: number): Moments {
  let seconds = 0
  let mean = Number.NaN
  let square = 0
  values.forEach((value, i) => {
    if (Number.isNaN(value)) return
    const weight = data.secondsAt(data.endOf(from + 1) + i * data.step)
    seconds += weight
    const last = mean || 0
    mean = last + ((value - last) * weight) / seconds
    square += weight * (value - last) * (value - mean)
  })
  return { mean, deviation: Math.sqrt(square / seconds) }
}

/** Merges the steps that have some of the seconds (from, to] of a summary to one. */
function mergeSummarySeconds(data: SeriesData, from: number, to: number): Summary {
  let merged = EMPTY_SUMMARY
  const { step } = data
  for (let second = Math.floor(from / step) * step + 1; second <= to; second += step) {
    const count = data.at('count', second) * data.secondsAt(second)
    if (!(count > 0)) continue
    const deviation = data.at('deviation', second)
    merged = mergeSummaries(merged, {
      count,
      mean: data.at('mean', second),
      squares: deviation * deviation * count,
      min: data.at('min', second),
      max: data.at('max', second),
    })
  }
  return merged
}

function summaryNumbers(
  data: SeriesData,
  unit: string,
  from: number,
  to: number,
  seconds: number,
): readonly NumberRow[] {
  const merged = mergeSummarySeconds(data, from, to)
  const { count, min, max } = merged
  const isSome = count > 0
  return [
    ['count', isSome ? exact(count) : '–'],
    ['rate', text(count / seconds, '/s')],
    ['mean', text(isSome ? merged.mean : Number.NaN, unit)],
    ['min', text(min, unit)],
    ['max', text(max, unit)],
    ['deviation', text(isSome ? summaryDeviation(merged) : Number.NaN, unit)],
  ]
}

function knownSeconds(data: SeriesData, from: number, to: number): number {
  return Math.max(1, Math.min(to - from, to - data.coveredFrom))
}

function distributionNumbers(
  data: SeriesData,
  unit: string,
  from: number,
  to: number,
  seconds: number,
): readonly NumberRow[] {
  const merged = mergeSeconds(data, from, to)
  const q = (part: number): string => {
    const value = quantile(merged, part)
    return `${leastSign(merged, part, value)}${text(value, unit)}`
  }
  const isSome = merged.count > 0
  // Where the sender knows no extremes, the ends of the outermost buckets are all there is.
  const isAtLeast = isSome && Number.isNaN(merged.min)
  const isOpen = merged.overflow > 0 || aboveAll(merged) > 0
  const isAtMost = isSome && Number.isNaN(merged.max) && !isOpen
  const mean = isSome ? merged.sum / merged.count : Number.NaN
  return [
    ['count', isSome ? exact(merged.count) : '–'],
    ['rate', text(merged.count / seconds, '/s')],
    ['mean', text(mean, unit)],
    ['min', isAtLeast ? `≥ ${q(0)}` : q(0)],
    ['p50', q(0.5)],
    ['p75', q(0.75)],
    ['p90', q(0.9)],
    ['p95', q(0.95)],
    ['p99', q(0.99)],
    ['p99.9', q(0.999)],
    ['max', isAtMost ? `≤ ${q(1)}` : q(1)],
    ['deviation', text(deviation(merged), unit)],
  ]
}

/** Says of a quantile that it is the least that can be, where no more is known. */
function leastSign(merged: Merged, q: number, value: number): string {
  const { count, overflow, overflowFrom } = merged
  if (overflow > 0 && value >= overflowFrom) return '≥ '
  return q * count > count - aboveAll(merged) ? '> ' : ''
}

/** Says what a heat map, whose axis is logarithmic, leaves out of the seconds (from, to]. */
export function undrawnWords(data: SeriesData, from: number, to: number): string {
  const { zero, negative, overflow } = mergeSeconds(data, from, to)
  const parts: string[] = []
  if (negative > 0) parts.push(`${exact(negative)} below zero`)
  if (zero > 0) {
    parts.push(`${exact(zero)} ${data.zeroTo > 0 ? `up to ${text(data.zeroTo)}` : 'at zero'}`)
  }
  if (overflow > 0) parts.push(`${exact(overflow)} of ${text(data.overflowFrom)} or more`)
  return parts.length === 0 ? '' : `${parts.join(' and ')} not drawn`
}

/**
 * Says of the seconds (from, to] which rows of a heat map stand for more than they are high: those
 * outside of a histogram's own bounds.
 */
export function outerRowWords(data: SeriesData, from: number, to: number, unit: string): string {
  const merged = mergeSeconds(data, from, to)
  const { bounds, counts } = merged
  if (bounds === undefined) return ''
  const parts: string[] = []
  if (counts[0]! > 0) parts.push(`lowest row: all up to ${text(bounds[0]!, unit)}`)
  if (aboveAll(merged) > 0) parts.push(`top row: all above ${text(bounds.at(-1)!, unit)}`)
  return parts.join(', ')
}
