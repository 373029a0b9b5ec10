/**
 * Integers of 384 bits in six words, two's complement, lowest word first: sums and extremes of
 * integers of up to 100 decimal digits (below 2^333), exact over 2^50 of the largest.
 */
import { WIDE_WORDS } from '../layout.ts'

const BITS = 64 * WIDE_WORDS
const LIMIT = 1n << BigInt(BITS - 1)

/** Tells whether the integer can be kept in WIDE_WORDS words. */
export function fitsWide(value: bigint): boolean {
  return value >= -LIMIT && value < LIMIT
}

export function readWide(words: BigUint64Array, at: number): bigint {
  let value = 0n
  for (let i = WIDE_WORDS - 1; i >= 0; i--) value = (value << 64n) | words[at + i]!
  return BigInt.asIntN(BITS, value)
}

/** Writes the words; not atomic: readers tell by the slot's guard. */
export function writeWide(words: BigUint64Array, at: number, value: bigint): void {
  let rest = value
  for (let i = 0; i < WIDE_WORDS; i++) {
    words[at + i] = BigInt.asUintN(64, rest)
    rest >>= 64n
  }
}
