/**
 * Keys that an ingest knows, in memory that WebAssembly addresses, so that a codec finds them where
 * it scans. The ingest alone adds, removes and lays out anew; the codec looks up, and gathers in an
 * entry what its lines add. All of it belongs to one thread.
 *
 *   [room of the codec]
 *   head     [bucketsAt:u32][mask:u32][pad:8][secrets: 1025 x u32] up to 16 bytes, then room
 *   buckets  [hash:i32][place:i32] each; place: byte of an entry; 0 = empty, -1 = removed
 *   entries  [slot:i32][length << 8 | type:i32][lines:i32][counter:i32][sum:u64][key: length bytes]
 *            each from a multiple of 8 bytes on; counter: what the ingest finds its counter by
 *
 * Behind the last entry are 16 bytes more, so that a key may be read by blocks of 16. A key of at
 * most 4,096 bytes is looked up by hashWords (src/model/hash/word-hash.ts) under the secrets, with
 * its type by mixType, from bucket `hash & mask` on, up to an empty one.
 */
import type { WasmOwnMemory } from './wasm.ts'

/** Words of the head that come before the secrets. */
export const KEY_HEAD_WORDS = 4
/** Secrets in memory: one for each whole word of the longest key, and one for its rest. */
export const KEY_SECRETS = 1025
/** Size of the head; entries read beyond it find bytes, whatever they are. */
export const KEY_HEAD_BYTES = 4096 + 64

/** Places in an entry, in bytes. */
export const ENTRY = { slot: 0, head: 4, lines: 8, counter: 12, sum: 16, key: 24 } as const
/** Mark in place of a number of lines: this counter's lines are told one by one. */
export const NOT_GATHERED = -1

export interface KeyMemory {
  readonly memory: WasmOwnMemory
  /** Byte where the head begins: the room of the codec is before it. */
  readonly headAt: number
  /**
   * Adds to counters what was gathered in their entries, and empties these.
   * @param places of the entries, `count` of them, each once
   */
  takeGathered(places: Int32Array, count: number): void
}

/** Factor that spreads a type over a hash (2^32 / golden ratio). */
const TYPE_FACTOR = 0x9e3779b1

/** Makes the hash of a key with its type from that of its bytes. */
export function mixType(hash: number, type: number): number {
  return hash ^ Math.imul(type + 1, TYPE_FACTOR)
}
