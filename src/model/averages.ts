/**
 * Moving averages of rates as numbers in an array of many: the arithmetic of `ewma.ts`, for those
 * who have a million of them.
 */

/** Nanoseconds between two ticks. */
export const TICK_NS = 5e9

/**
 * Computes the weight of the newest tick in an average over so many minutes: 1 - e^(-5 s /
 * minutes).
 *
 * @example
 * import { tickWeight } from 'pentameter/model'
 *
 * console.log(tickWeight(1).toFixed(4)) // 0.0800
 */
export function tickWeight(minutes: number): number {
  return 1 - Math.exp(-5 / 60 / minutes)
}

/** Ticks without a look (12 h 49 min 15 s) after which the averages are given up, not decayed. */
const TICKS_MAX = 9231

const WEIGHTS = [tickWeight(1), tickWeight(5), tickWeight(15)] as const

/**
 * Numbers of one rate in an array of many: what `MovingAverages` holds, for those who have columns
 * of them. `[last tick, ns][uncounted][m1][m5][m15]`; before the first tick m1 is NaN.
 */
export const AVERAGES_LENGTH = 5
const LAST_TICK = 0
const UNCOUNTED = 1
const RATES = 2

/** Begins averages at a place of an array. */
export function beginAverages(numbers: Float64Array, at: number, nowNs: number): void {
  numbers.fill(0, at, at + AVERAGES_LENGTH)
  numbers[at + LAST_TICK] = nowNs
  numbers[at + RATES] = Number.NaN
}

/** Runs the ticks that are due, as {@link MovingAverages.advance}. */
export function advanceAverages(numbers: Float64Array, at: number, nowNs: number): void {
  const age = nowNs - numbers[at + LAST_TICK]!
  if (!(age > TICK_NS)) return
  numbers[at + LAST_TICK] = nowNs - (age % TICK_NS)
  const ticks = Math.floor(age / TICK_NS)
  if (ticks < TICKS_MAX) {
    tick(numbers, at, ticks)
    return
  }
  const hasTicked = !Number.isNaN(numbers[at + RATES]!)
  numbers.fill(0, at + UNCOUNTED, at + AVERAGES_LENGTH)
  if (!hasTicked) numbers[at + RATES] = Number.NaN
}

/**
 * Decays the rates: the first of these ticks counts what was added; the others decay in closed
 * form.
 */
function tick(numbers: Float64Array, at: number, ticks: number): void {
  const instant = numbers[at + UNCOUNTED]! / 5
  const hasTicked = !Number.isNaN(numbers[at + RATES]!)
  numbers[at + UNCOUNTED] = 0
  for (let i = 0; i < WEIGHTS.length; i++) {
    const weight = WEIGHTS[i]!
    const rate = numbers[at + RATES + i]!
    const first = hasTicked ? rate + weight * (instant - rate) : instant
    numbers[at + RATES + i] = ticks === 1 ? first : first * (1 - weight) ** (ticks - 1)
  }
}

/** Counts events for the tick at hand, as {@link MovingAverages.add}. */
export function addToAverages(numbers: Float64Array, at: number, count: number): void {
  numbers[at + UNCOUNTED]! += count
}

/** Reads the averages over 1, 5 and 15 minutes. */
export function readAverages(numbers: Float64Array, at: number): [number, number, number] {
  const m1 = numbers[at + RATES]!
  return [Number.isNaN(m1) ? 0 : m1, numbers[at + RATES + 1]!, numbers[at + RATES + 2]!]
}
