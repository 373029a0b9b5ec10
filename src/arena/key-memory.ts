/**
 * Keys that an ingest knows, in memory that WebAssembly addresses, so that a codec finds them where
 * it scans. The ingest alone adds, removes and lays out anew; the codec looks up, and gathers in an
 * entry what its lines add. All of it belongs to one thread.
 *
 *   [room of the codec]
 *   head     [bucketsAt:u32][mask:u32][setsAt:u32][ticketOfAll:u32][ticketOfSource:u32][pad:12]
 *            [secrets: 1025 x u32] up to 16 bytes, then room
 *   refused  sets, then entries, see below
 *   buckets  [hash:i32][place:i32] each; place: byte of an entry; 0 = empty, -1 = removed
 *   entries  [slot:i32][length << 8 | type:i32][lines:i32][counter:i32][sum:u64][key: length bytes]
 *            each from a multiple of 8 bytes on; counter: what the ingest finds its counter by
 *
 * So it begins; as it grows, larger buckets follow, which the head names once they have all keys,
 * and entries are before and behind them.
 *
 * Behind the last entry are 16 bytes more, so that a key may be read by blocks of 16. A key of at
 * most 4,096 bytes is looked up by hashWords (src/model/hash/word-hash.ts) under the secrets, with
 * its type by mixType, from bucket `hash & mask` on, up to an empty one.
 *
 * A key that is not found there may be one that a limit refuses: it is looked for in the set
 * `hash & (REFUSED_SETS - 1)`, [hashes: 8 x i32][places: 8 x i32]; setsAt 0 = there are none. A
 * set begins at a multiple of 64, for processors read lines of so many bytes. An entry of these has
 * a negative slot and, in place of a counter, the ticket of whom it is refused to. It holds where
 * that is one of the two in the head: of a limit for all, and of the limit of the source whose
 * lines are read. The ingest draws new tickets when a limit eases, so that no entry before holds.
 */
import type { WasmOwnMemory } from './wasm.ts'

/** Words of the head that come before the secrets. */
export const KEY_HEAD_WORDS = 8
/** Words among them. */
export const KEY_HEAD = { setsAt: 2, ticketOfAll: 3, ticketOfSource: 4 } as const
/** Secrets in memory: one for each whole word of the longest key, and one for its rest. */
export const KEY_SECRETS = 1025
/** Size of the head; entries read beyond it find bytes, whatever they are. */
export const KEY_HEAD_BYTES = 4096 + 64

/** Places in an entry, in bytes; `counter` of a refused key is its ticket. */
export const ENTRY = { slot: 0, head: 4, lines: 8, counter: 12, sum: 16, key: 24 } as const
/** Mark in place of a number of lines: this counter's lines are told one by one. */
export const NOT_GATHERED = -1

/** Sets of refused keys, and buckets in each. */
export const REFUSED_SETS = 65_536
export const REFUSED_WAYS = 8

export interface KeyMemory {
  readonly memory: WasmOwnMemory
  /** Byte where the head begins: the room of the codec is before it. */
  readonly headAt: number
  /** Brings the tickets of refused keys up to date; before the codec looks for keys. */
  refresh(): void
  /**
   * Adds to counters what was gathered in their entries, and empties these.
   * @param places of the entries, `count` of them, each once
   */
  takeGathered(places: Int32Array, count: number): void
  /**
   * Counts a line of a refused key that was not gathered.
   * @param slot of its entry, negative
   * @returns slot that its value goes to, or REFUSED
   */
  refuse(slot: number): number
}

/** Factor that spreads a type over a hash (2^32 / golden ratio). */
const TYPE_FACTOR = 0x9e3779b1

/** Makes the hash of a key with its type from that of its bytes. */
export function mixType(hash: number, type: number): number {
  return hash ^ Math.imul(type + 1, TYPE_FACTOR)
}

/** Computes the bytes of an entry with a key of this length. */
export function entrySize(length: number): number {
  return (ENTRY.key + length + 7) & ~7
}
