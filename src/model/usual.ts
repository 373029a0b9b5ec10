/** How far the last ten seconds of a series are from its usual, and when it left that. */
import type { Kind } from './cell.ts'

export interface Change {
  readonly recent: number
  readonly usual: number
  /** recent / usual; Infinity from a usual 0, NaN while too little is known. */
  readonly ratio: number
  /** Distance from usual in spreads, 0 while the ratio is an everyday one. */
  readonly score: number
}

export const UNKNOWN_CHANGE: Change = {
  recent: Number.NaN,
  usual: Number.NaN,
  ratio: Number.NaN,
  score: 0,
}

const RATIO_ABOVE = 1.8
const RATIO_BELOW = 0.5
const SCORE_ABOVE = 6
/** Values of the past that it takes to call anything usual. */
const USUAL_LEAST = 6
/** Values of the past are kept as floats of 32 bits: greater ones are as great as the greatest. */
const LARGEST = 3.4e38
/** A rare event that goes from 0 to 2 is nothing: counts scatter by their root. */
const COUNTER_SPREAD = 0.8

export function isUnusual(change: Change): boolean {
  return change.score > SCORE_ABOVE
}

/** The usual of a series: the median of its past, and how far values are from it by the median. */
export interface Baseline {
  /** NaN while too little is known. */
  readonly usual: number
  readonly spread: number
}

const NO_BASELINE: Baseline = { usual: Number.NaN, spread: Number.NaN }

/** @param past values of the last 10 min, NaN where nothing is known */
export function baselineOf(past: Values): Baseline {
  const known = knownOf(past)
  if (known.length < USUAL_LEAST) return NO_BASELINE
  const usual = median(known)
  return { usual, spread: median(known.map((value) => Math.abs(value - usual))) }
}

/** Gives a value as it can be kept, and compared with those that are. */
export function comparable(value: number): number {
  return Math.min(LARGEST, Math.max(-LARGEST, value))
}

/** Compares what a series does now with its usual. */
export function changeFrom(kind: Kind, value: number, { usual, spread }: Baseline): Change {
  if (Number.isNaN(value) || Number.isNaN(usual)) return UNKNOWN_CHANGE
  const now = comparable(value)
  const ratio = now === usual ? 1 : now / usual
  const isFar = ratio > RATIO_ABOVE || ratio < RATIO_BELOW
  const floor =
    kind === 'counter' ? Math.sqrt(Math.abs(usual)) + COUNTER_SPREAD : Math.abs(usual) / 100
  const score = isFar ? Math.abs(now - usual) / Math.max(spread, floor, 1e-9) : 0
  return { recent: now, usual, ratio: usual === 0 && now !== 0 ? Infinity : ratio, score }
}

/**
 * Finds when a series left its usual: at the end of the last five seconds whose mean was on the
 * usual side of half way. `values` end now, oldest first, `step` seconds apart; the answer is
 * seconds before now.
 */
export function leftUsualAgo(values: Values, change: Change, step = 1): number {
  const half = (change.usual + change.recent) / 2
  const isUp = change.recent > change.usual
  const width = Math.max(1, Math.round(5 / step))
  for (let end = values.length - 1; end >= width - 1; end -= 1) {
    let sum = 0
    for (let i = end - width + 1; i <= end; i += 1) sum += values[i]!
    const mean = sum / width
    if (isUp ? mean < half : mean > half) return (values.length - 1 - end) * step
  }
  return values.length * step
}

/** Computes the mean of values that may be unknown; NaN where all are. */
export function meanOf(values: Float64Array): number {
  const known = knownOf(values)
  let sum = 0
  for (const value of known) sum += comparable(value)
  return sum / known.length
}

/**
 * Gives what a gauge was in an interval of which more than its last value is known: half way
 * between its extremes. Its last value alone, of one that swings faster than it is read, drifts
 * through all that it goes through.
 */
export function middleOf(min: number, max: number): number {
  return comparable(min) / 2 + comparable(max) / 2
}

/** @param known in any order, which changes */
function median(known: Values): number {
  if (known.length === 0) return Number.NaN
  known.sort()
  const middle = known.length >> 1
  if (known.length % 2 === 1) return known[middle]!
  return (known[middle - 1]! + known[middle]!) / 2
}

function knownOf(values: Values): Values {
  return values.filter((value) => !Number.isNaN(value))
}

type Values = Float64Array | Float32Array
