/**
 * Which bin a latency belongs to (§4.3). The rules differ for 2^k and nowhere else:
 *
 *   bin        0        1     2      3       4       …  64
 *   document   0 and 1  2     3..4   5..8    9..16      above 2^63       2^(i-1) < v <= 2^i
 *   peer       0        1     2..3   4..7    8..15      2^63 and above   2^(i-1) <= v < 2^i
 *
 * 2^i ns is an upper bound, inclusive, under both.
 */
import type { Binning } from '../spec.ts'
import { bitLength, highHalf, isPowerOfTwo, lowHalf } from './halves.ts'

/** 2^64, the first value that has no bin. */
const VALUE_END = 2 ** 64

/**
 * Makes the integer that stands for a latency: fractions go up under the document's rule and down
 * under the peer's, so that they stay in their bin.
 * @returns undefined for what is no latency: negative, not finite, 2^64 or more
 */
export function wholeLatency(
  latencyNs: number | bigint,
  binning: Binning,
): number | bigint | undefined {
  // NaN fails the comparison as well
  if (!(latencyNs >= 0 && latencyNs < VALUE_END)) return undefined
  if (typeof latencyNs === 'bigint' || Number.isInteger(latencyNs)) return latencyNs
  return binning === 'document' ? Math.ceil(latencyNs) : Math.floor(latencyNs)
}

/** Computes the bin of an integer from 0 to 2^64 - 1. */
export function binOf(value: number | bigint, binning: Binning): number {
  const high = highHalf(value)
  const low = lowHalf(value)
  const bits = bitLength(high, low)
  return binning === 'document' && isPowerOfTwo(high, low) ? bits - 1 : bits
}

/** Tells whether a value may lie in a bin under either rule: the closed range [2^(i-1), 2^i]. */
export function isInBin(high: number, low: number, bin: number): boolean {
  const bits = bitLength(high, low)
  return bits === bin || (bits === bin + 1 && isPowerOfTwo(high, low))
}

/** Tells which rule put an extreme value into a bin; undefined where both would have. */
export function binningOf(high: number, low: number, bin: number): Binning | undefined {
  if (!isPowerOfTwo(high, low)) return undefined
  return bitLength(high, low) === bin ? 'peer' : 'document'
}
