/**
 * The keyed hash of keys that are hashed for every line or frame: NH of UMAC (Black, Halevi,
 * Krawczyk, Krovetz, Rogaway, 1999) over words of four bytes. Each word has a secret of its own by
 * its place, which is added to it, and the product of the two halves joins a sum:
 *
 *   sum = Σ (word + secret)[low 16] * (word + secret)[high 16]   mod 2^32
 *
 * Of two different texts the sums are equal under at most one in 2^15 secrets, whatever the texts:
 * who does not know the secrets can't choose names that meet in one place. A hash that only begins
 * with a secret promises nothing of the kind: two differences that cancel each other do so from
 * every beginning.
 */
import { drawInts } from './chance.ts'

/** Words with a secret of their own: 64 KiB of text, and no key of the hub is longer. */
const SECRET_WORDS = 16_384
const PLACE_MASK = SECRET_WORDS - 1
/** 2^32 / golden ratio. */
const FACTOR = 0x9e3779b1

/** Secrets of words by their place in a text. */
export type WordSecrets = Int32Array

/** Draws secrets from the machine's chance. */
export function createWordSecrets(): WordSecrets {
  return drawInts(SECRET_WORDS)
}

/**
 * Adds a word to a sum, which begins at 0.
 * @param place of the word in the text, from 0
 */
export function addWord(sum: number, word: number, secrets: WordSecrets, place: number): number {
  const hidden = (word + secrets[place & PLACE_MASK]!) | 0
  return (sum + Math.imul(hidden & 0xffff, hidden >>> 16)) | 0
}

/** Makes a hash of a sum: tables look at the lowest bits, and products have little in theirs. */
export function finishSum(sum: number): number {
  const folded = Math.imul(sum ^ (sum >>> 16), FACTOR)
  return folded ^ (folded >>> 15)
}

/** Hashes bytes[start, end) under these secrets; signed, 32 bits. */
export function hashWords(
  bytes: Uint8Array,
  start: number,
  end: number,
  secrets: WordSecrets,
): number {
  let sum = 0
  let place = 0
  let at = start
  for (; at + 4 <= end; at += 4) {
    const low = bytes[at]! | (bytes[at + 1]! << 8)
    const high = bytes[at + 2]! | (bytes[at + 3]! << 8)
    sum = addWord(sum, low | (high << 16), secrets, place++)
  }
  // of three bytes at most, so that the length tells apart what ends with zeros
  let rest = (end - start) << 24
  for (let shift = 0; at < end; at++, shift += 8) rest |= bytes[at]! << shift
  return finishSum(addWord(sum, rest, secrets, place))
}
