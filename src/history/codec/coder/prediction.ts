/** What encoder and decoder expect alike, from what both know already. */
import { bitLength } from './bit-length.ts'
import { WHOLE_CONTEXTS } from './models.ts'

/** Share by which a bucket's share of its row learns at least, and what an empty one counts. */
const SHARE_RATE = 0.03
const SHARE_OF_NONE = 0.02

/** Gives the part of what is left that a bucket is expected to have. */
export function expectedCount(left: number, share: number, rest: number): number {
  return share < rest ? (left * share) / rest : left
}

/** Moves the share of each bucket towards the row: fast at first, by 3 % later. */
export function learnShares(
  shares: Float64Array,
  row: Float64Array,
  width: number,
  index: number,
): void {
  const rate = Math.max(SHARE_RATE, 1 / (index + 2))
  for (let j = 0; j < width; j++) {
    shares[j] = shares[j]! + (row[j]! + SHARE_OF_NONE - shares[j]!) * rate
  }
}

/** Bits of the length of the longest residual of a row. */
export function rowDepth(totals: Float64Array, count: number): number {
  let largest = 0
  for (let i = 0; i < count; i++) if (totals[i]! > largest) largest = totals[i]!
  return Math.max(1, bitLength(bitLength(largest * 2)))
}

export function contextOf(length: number, fineness: number): number {
  return Math.min(WHOLE_CONTEXTS - 1, Math.floor(length * fineness + 0.5))
}

/** Gives the context of a sign: the distance before, and where the number before lies from here. */
export function signContext(distance: number, lean: number): number {
  return (Math.sign(distance) + 1) * 3 + Math.sign(lean) + 1
}
