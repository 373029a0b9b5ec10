/**
 * Unsigned 64-bit integers as two halves of 32 bits, so that reading one allocates nothing and
 * loses nothing.
 */

const HIGH = 2 ** 32

/** Counts the bits up to the highest 1: 0 for 0, 64 for 2^63 and above. */
export function bitLength(high: number, low: number): number {
  return high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high)
}

export function isPowerOfTwo(high: number, low: number): boolean {
  if (high === 0) return low !== 0 && (low & (low - 1)) === 0
  return low === 0 && (high & (high - 1)) === 0
}

/** Compares: negative, 0 or positive. */
export function compareHalves(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  return aHigh === bHigh ? aLow - bLow : aHigh - bHigh
}

/** Converts to the nearest double. */
export function toNumber(high: number, low: number): number {
  return high * HIGH + low
}

/** Converts to a number where that is exact, else to a bigint. */
export function toExact(high: number, low: number): number | bigint {
  return high < 0x20_0000 ? high * HIGH + low : toBigInt(high, low)
}

export function toBigInt(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low)
}

/** Gives the upper half of an integer from 0 to 2^64 - 1. */
export function highHalf(value: number | bigint): number {
  return typeof value === 'bigint' ? Number(value >> 32n) : Math.floor(value / HIGH)
}

/** Gives the lower half of an integer from 0 to 2^64 - 1. */
export function lowHalf(value: number | bigint): number {
  return typeof value === 'bigint' ? Number(value & 0xffff_ffffn) : value % HIGH
}

const NS_PER_SECOND = 1_000_000_000

/** Computes the whole seconds of so many nanoseconds. */
export function secondsOf(high: number, low: number): number {
  // by the nearest double it is one off at most, which the rest tells
  const seconds = Math.floor(toNumber(high, low) / NS_PER_SECOND)
  const rest = restOf(low, seconds)
  if (rest < NS_PER_SECOND) return seconds
  return rest < 2 * NS_PER_SECOND ? seconds + 1 : seconds - 1
}

/** Computes the nanoseconds left of them, by the lower halves alone: the rest is below 2^32. */
export function restOf(low: number, seconds: number): number {
  return (low - Math.imul(seconds, NS_PER_SECOND)) >>> 0
}
