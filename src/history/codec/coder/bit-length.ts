/** Lengths of numbers in bits. */

/** Counts the bits of a whole number from 0 to 2^53: 0 of 0, 1 of 1, 2 of 2 and 3. */
export function bitLength(value: number): number {
  if (value < 4_294_967_296) return 32 - Math.clz32(value)
  return 64 - Math.clz32(Math.floor(value / 4_294_967_296))
}

/** Powers of two up to 2^63. */
export const POWERS = Float64Array.from({ length: 64 }, (_, i) => 2 ** i)

/** Folds signed numbers to those from 0: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4. */
export function fold(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

/** Finds the signed number again. */
export function unfold(folded: number): number {
  return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
}

/** Finds the context of a count: half octaves of what is expected, in 1/64. */
export function halfOctave(expected: number): number {
  const scaled = expected * 64
  if (scaled >= 16_777_216) return 47
  const q = Math.floor(scaled)
  if (q < 2) return q
  const octave = 31 - Math.clz32(q)
  return Math.min(47, 2 * octave + ((q >>> (octave - 1)) & 1))
}
