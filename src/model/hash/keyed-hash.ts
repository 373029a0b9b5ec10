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

/** The key of this thread, for tables that no other thread looks into. */
const OWN_KEY = createHashKey()

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
  key: HashKey = OWN_KEY,
): number {
  const state: State = [key[0], key[1], 0x6c796765 ^ key[0], 0x74656462 ^ key[1]]
  const wholeEnd = end - ((end - start) & 3)
  for (let at = start; at < wholeEnd; at += 4) absorb(state, wordAt(bytes, at, 4))
  absorb(state, wordAt(bytes, wholeEnd, end - wholeEnd) | ((end - start) << 24))
  state[2] ^= 0xff
  for (let i = 0; i < 4; i++) mix(state)
  return state[1] ^ state[3]
}

type State = [v0: number, v1: number, v2: number, v3: number]

/** Reads a little-endian word of up to four bytes. */
function wordAt(bytes: Uint8Array, at: number, count: number): number {
  let word = 0
  for (let i = 0; i < count; i++) word |= bytes[at + i]! << (8 * i)
  return word
}

function absorb(state: State, word: number): void {
  state[3] ^= word
  mix(state)
  mix(state)
  state[0] ^= word
}

/** Mixes the state by one round of the document. */
function mix(state: State): void {
  let [v0, v1, v2, v3] = state
  v0 = (v0 + v1) | 0
  v1 = rotate(v1, 5) ^ v0
  v0 = rotate(v0, 16)
  v2 = (v2 + v3) | 0
  v3 = rotate(v3, 8) ^ v2
  v0 = (v0 + v3) | 0
  v3 = rotate(v3, 7) ^ v0
  v2 = (v2 + v1) | 0
  v1 = rotate(v1, 13) ^ v2
  v2 = rotate(v2, 16)
  state[0] = v0
  state[1] = v1
  state[2] = v2
  state[3] = v3
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
