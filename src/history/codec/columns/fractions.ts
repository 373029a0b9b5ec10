/**
 * Columns of fractions: shares and means are one whole number divided by another one, both small,
 * while their doubles look like noise. Said are the denominators in lowest terms, and how far each
 * numerator is from its denominator times the running value.
 */
import { type Decoder, type Encoder, WHOLE_MAX } from '../coder/coder.ts'
import { faultOf } from '../fault.ts'

/** Largest denominator: that a double of any other origin is such a fraction is one in 2^21. */
const DENOMINATOR_MAX = 65_535
/** Terms of a continued fraction whose denominator is no larger: those of the golden ratio. */
const TERMS_MAX = 26
/** Totals may be so large that their distance from what was expected is still whole. */
export const TOTAL_MAX = 2 ** 49 - 1
/** Share of the difference by which the running value moves. */
const RATE = 1 / 16

/** Distances of totals from count x running mean, or, with `back`, the totals of distances. */
export function distances(totals: Float64Array, counts: Float64Array, back = false): Float64Array {
  const out = new Float64Array(totals.length)
  let mean = 0
  for (let i = 0; i < totals.length; i++) {
    const count = counts[i]!
    const expected = Math.max(-TOTAL_MAX, Math.min(TOTAL_MAX, Math.floor(mean * count + 0.5)))
    out[i] = back ? totals[i]! + expected : totals[i]! - expected
    const total = back ? out[i]! : totals[i]!
    mean += (total / count - mean) * (i === 0 ? 1 : RATE)
  }
  return out
}

/**
 * Finds the denominators of numbers, if all have one.
 * @returns false where one of them is no such fraction
 */
function findFractions(
  values: Float64Array,
  count: number,
  numerators: Float64Array,
  denominators: Float64Array,
): boolean {
  for (let i = 0; i < count; i++) {
    const denominator = denominatorOf(Math.abs(values[i]!))
    if (denominator === 0) return false
    denominators[i] = denominator
    numerators[i] = Math.floor(values[i]! * denominator + 0.5)
    if (numerators[i]! / denominator !== values[i]! || Math.abs(numerators[i]!) > TOTAL_MAX) {
      return false
    }
  }
  return true
}

/** Finds the least denominator of a number from 0, by its continued fraction; 0 = there is none. */
function denominatorOf(value: number): number {
  let rest = value
  let [before, denominator] = [0, 1]
  for (let term = 0; term < TERMS_MAX; term++) {
    const whole = Math.floor(rest)
    if (term > 0) [before, denominator] = [denominator, whole * denominator + before]
    if (denominator > DENOMINATOR_MAX) return 0
    if (Math.floor(value * denominator + 0.5) / denominator === value) return denominator
    rest = 1 / (rest - whole)
  }
  return 0
}

/** Says a column, if it has nothing but fractions, behind what tells the reader so. */
export function encodeFractions(
  encoder: Encoder,
  values: Float64Array,
  count: number,
  begin: () => void,
): boolean {
  const numerators = new Float64Array(count)
  const denominators = new Float64Array(count)
  if (!findFractions(values, count, numerators, denominators)) return false
  begin()
  encoder.whole(denominators, count)
  encoder.whole(distances(numerators, denominators), count)
  return true
}

export function decodeFractions(decoder: Decoder, values: Float64Array, count: number): void {
  const denominators = new Float64Array(count)
  decoder.whole(denominators, count)
  for (const denominator of denominators) {
    if (denominator >= 1 && denominator <= DENOMINATOR_MAX) continue
    throw faultOf('chunk_value', decoder.offset, `denominator ${denominator}`)
  }
  const distance = new Float64Array(count)
  decoder.whole(distance, count)
  const numerators = distances(distance, denominators, true)
  for (let i = 0; i < count; i++) {
    if (Math.abs(numerators[i]!) > WHOLE_MAX) {
      throw faultOf('chunk_value', decoder.offset, `numerator ${numerators[i]}`)
    }
    values[i] = numerators[i]! / denominators[i]!
  }
}
