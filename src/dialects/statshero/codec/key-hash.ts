/**
 * The hash of a key: of its bytes as little-endian words of four, the last one filled up with
 * zeros, so that a scan can take four bytes at a time.
 *
 * It begins with a secret, so no peer can work out where a key comes to lie; but two differences
 * that cancel each other do so from every beginning. A hash that resists that costs a fifth of a
 * line's time: the table does without, until its keys crowd (hub/ingest/keys/key-table.ts).
 */
import { drawInts } from '../../../model/hash/chance.ts'

/** 2^32 / golden ratio. */
const FACTOR = 0x9e3779b1
/** Seed, another one in each thread. */
export const SEED = drawInts(1)[0]!

/**
 * Adds a word to a hash. Multiplying spreads bits upwards only; shifting brings them down to where
 * tables look.
 */
export function addWord(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, FACTOR)
  return product ^ (product >>> 15)
}

/** Hashes the key in bytes[start, end) to a signed 32-bit integer. */
export function hashKey(
  bytes: Uint8Array,
  start: number,
  end: number,
  seed: number = SEED,
): number {
  let hash = seed
  let word = 0
  for (let at = start; at < end; at++) {
    const place = (at - start) & 3
    word |= bytes[at]! << (8 * place)
    if (place < 3) continue
    hash = addWord(hash, word)
    word = 0
  }
  return addWord(hash, word)
}

const LOW_BITS = 0x01010101
const HIGH_BITS = 0x80808080
/** Pattern that takes 0A to 3A, as it does 1A and 2A: keys with SUB or `*` are only slower. */
const LF_TO_COLON = 0x30303030
const COLONS = 0x3a3a3a3a
const BARS = 0x7c7c7c7c

/** Tells whether a word may have a `:`, `|` or LF among its bytes; true for few others. */
export function mayEndKey(word: number): boolean {
  // in a difference of zero the subtraction borrows into the high bit
  const colons = (word | LF_TO_COLON) ^ COLONS
  const bars = word ^ BARS
  return ((((colons - LOW_BITS) & ~colons) | ((bars - LOW_BITS) & ~bars)) & HIGH_BITS) !== 0
}
