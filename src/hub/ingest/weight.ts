/**
 * Sample rates: a line at rate r stands for 1/r lines. Totals stay integers: a weight that is a
 * whole number is used exactly, any other carries its fraction to the next line of the same series
 * (four increments of 1 at a sample rate of 0.43 give 9).
 */
import { type Exact, exact, multiplyExact } from '../../model/index.ts'

/** Relative distance at which a weight counts as a whole number, and below which a sum does. */
const TOLERANCE = 1e-9

/** Gives the whole number that a weight is, or 0 for one with a fraction. */
export function wholeWeight(weight: number): number {
  const whole = Math.round(weight)
  return Math.abs(weight - whole) <= TOLERANCE * Math.max(1, weight) ? whole : 0
}

/**
 * Computes `value * weight` as an integer, with what is left over kept in `carries[slot]`.
 * @param value an integer, 0 or more
 * @param weight 1 or more
 */
export function take(carries: number[], slot: number, value: Exact, weight: number): Exact {
  const whole = wholeWeight(weight)
  if (whole !== 0) return multiplyExact(value, whole)
  const product = Number(value) * weight
  const sum = carries[slot]! + product
  const taken = Math.floor(sum + TOLERANCE)
  carries[slot] = sum - taken
  return Number.isSafeInteger(taken) ? taken : exact(BigInt(taken))
}
