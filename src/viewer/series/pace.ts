/**
 * Counters whose points come slower than the seconds that are shown: an OTLP export or a scrape
 * each ten seconds is one second of ten times the rate and nine of nothing, a window of two seconds
 * one of twice the rate and one of nothing. What is known of now is the mean of the time that the
 * last point tells of.
 */
import type { SeriesData } from '../store/series-data.ts'

/** Lane of a counter's increments, and of the observations of a distribution. */
type RateLane = 'rate' | 'count'

/** Rates of a series by second, as SeriesData has them. */
interface Rates<Lane extends RateLane> {
  /** Seconds of a step: pace shows in seconds alone. */
  readonly step?: number
  at(lane: Lane, second: number): number
}

export interface PacedRate {
  /** Mean of the interval, per second. */
  readonly rate: number
  /** Seconds between two points. */
  readonly interval: number
  /** Seconds since the last one. */
  readonly age: number
}

/** Least and longest time between points that is looked for, seconds. */
const LEAST = 2
const MOST = 60
/** Distances between points that have to be alike. */
const DISTANCES = 3
/** Difference of such distances: senders and the hub's seconds are not in step. */
const JITTER = 1

/**
 * Reads the rate of a counter whose last points came at even distances. Undefined for all others,
 * and as soon as the next point is late: then nothing was counted, or the sender is gone.
 */
export function pacedRate<Lane extends RateLane = 'rate'>(
  data: Rates<Lane>,
  second: number,
  lane = 'rate' as Lane,
): PacedRate | undefined {
  if (data.step !== 1) return undefined
  const last = pointBefore(data, second, lane)
  if (last === undefined) return undefined
  const distances: number[] = []
  let at = last
  while (distances.length < DISTANCES) {
    const before = pointBefore(data, at - 1, lane)
    if (before === undefined) return undefined
    distances.push(at - before)
    at = before
  }
  const [least, most] = [Math.min(...distances), Math.max(...distances)]
  const age = second - last
  if (least < LEAST || most - least > JITTER || age > most + JITTER) return undefined
  const interval = Math.round((last - at) / DISTANCES)
  return { rate: data.at(lane, last) / interval, interval, age }
}

/**
 * Copies the rates of the seconds (from, to], each as the mean of the time between two points that
 * it lies in; NaN while the next one is still to come. Undefined for all but counters whose last
 * points of these seconds came at even distances.
 */
export function intervalMeans(
  data: SeriesData,
  from: number,
  to: number,
): Float64Array | undefined {
  const last = pointBefore(data, to, 'rate')
  const paced = last === undefined ? undefined : pacedRate(data, last)
  if (last === undefined || paced === undefined) return undefined
  const { interval } = paced
  const reach = interval + JITTER
  const means = data.values('rate', from, to)
  // what no point has told of by the time it is late was nothing
  const isLate = !Number.isNaN(data.at('rate', last + reach + 1))
  let begin = isLate ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  let mean = Number.NaN
  // the point behind the window tells of its last seconds
  for (let at = to + reach; at > from; at -= 1) {
    const rate = data.at('rate', at)
    if (Number.isNaN(rate)) continue
    if (rate !== 0) {
      const before = pointBefore(data, at - 1, 'rate')
      begin = before !== undefined && at - before <= reach ? before : at - interval
      mean = rate / interval
    }
    if (at <= to) means[at - from - 1] = at > begin ? mean : 0
  }
  return means
}

/** Finds the last second up to one in which something was counted, all behind it being known. */
function pointBefore<Lane extends RateLane>(
  data: Rates<Lane>,
  second: number,
  lane: Lane,
): number | undefined {
  for (let at = second; at > second - MOST - JITTER; at--) {
    const rate = data.at(lane, at)
    if (Number.isNaN(rate)) return undefined
    if (rate !== 0) return at
  }
  return undefined
}
