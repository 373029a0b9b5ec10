/** Chance that no peer can guess, for the keys of hashes. */

/** Web Crypto: the one way to it that is the same in Node and browsers; no part of the language. */
declare const crypto: { getRandomValues(ints: Int32Array): Int32Array }

/** Draws 32-bit integers, at most 16,384 of them. */
export function drawInts(count: number): Int32Array {
  return crypto.getRandomValues(new Int32Array(count))
}
