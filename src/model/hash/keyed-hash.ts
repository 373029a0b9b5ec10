/**
 * HalfSipHash-2-4 (Aumasson, Bernstein): a hash of 32 bits under a key of 64. Without the key no
 * peer can choose names that meet in one place of a table, so tables that are filled by what peers
 * send are looked up by it, or by the sum of `word-hash.ts` where every line or frame is.
 */
import { drawInts } from './chance.ts'

/** Two words of chance. */
export type HashKey = readonly [low: number, high: number]

/**
 * Draws a key from the machine's chance.
 *
 * @example
 * import { createHashKey } from 'pentameter/model'
 *
 * console.log(createHashKey().length) // 2
 */
export function createHashKey(): HashKey {
  const [low, high] = drawInts(2)
  return [low!, high!]
}

/** The key of this thread, for tables that no other thread looks into; drawn when it is needed. */
let own: HashKey | undefined

function ownKey(): HashKey {
  own ??= createHashKey()
  return own
}

/**
 * Hashes bytes[start, end): what the key tables of a hub are looked up by. Signed, 32 bits.
 * @param key one for each process or thread where none is given, so that another run has others
 *
 * @example
 * import { keyedHash } from 'pentameter/model'
 *
 * const bytes = Buffer.from('requests')
 * console.log(keyedHash(bytes, 0, 8) === keyedHash(bytes, 0, 8)) // true
 * console.log(keyedHash(bytes, 0, 0, [0x03020100, 0x07060504]) >>> 0) // 1537160617
 */
export function keyedHash(
  bytes: Uint8Array,
  start: number,
  end: number,
  key: HashKey = ownKey(),
): number {
  let v0 = key[0]
  let v1 = key[1]
  let v2 = 0x6c796765 ^ key[0]
  let v3 = 0x74656462 ^ key[1]
  const wholeEnd = end - ((end - start) & 3)
  // whole words, the rest with the length, and the end: all in one loop, and no array
  for (let at = start; at <= wholeEnd + 4; at += 4) {
    let word = 0
    let rounds = 2
    if (at < wholeEnd) {
      word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    } else if (at === wholeEnd) {
      word = (end - start) << 24
      for (let i = at; i < end; i++) word |= bytes[i]! << (8 * (i - at))
    } else {
      v2 ^= 0xff
      rounds = 4
    }
    v3 ^= word
    for (; rounds > 0; rounds--) {
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
    }
    v0 ^= word
  }
  return v1 ^ v3
}
