/**
 * Layout of a zone (docs/formats/zone.md): every number that two threads must agree on. A zone is a
 * run of 64 KiB pages in one SharedArrayBuffer:
 *
 *   page 0…   fixed area: header 640 B, segment entries 64 B each, descriptor page table
 *   others    index | descriptors | names | chunk tables | segment chunks | bucket blocks | free
 *
 * Offsets in words count 8 bytes, in ints 4 bytes. Native byte order, which must be little-endian.
 */

/** "PMZ1" read as a little-endian u32. */
export const MAGIC = 0x315a4d50
export const VERSION = 1

export const PAGE_BYTES = 65_536
export const PAGE_WORDS = 8_192
export const PAGE_INTS = 16_384
/** Word offset in the zone >>> PAGE_SHIFT = page. */
export const PAGE_SHIFT = 13

/** Two cache lines, because processors fetch them in pairs: what differs in writers is this far. */
export const LINE_BYTES = 128

/**
 * The header as ints. Four parts, LINE_BYTES apart, so that a gauge raising the sequence does not
 * take the epoch's line away from the histograms that read it.
 */
export const HEADER = Object.freeze({
  // Written once, by the creator.
  magic: 0,
  version: 1,
  pagesMax: 2,
  metricsLimit: 3,
  keyBytesLimit: 4,
  /** Segments at most, the base included. */
  segmentsMax: 5,
  fixedPages: 6,
  descriptorTableAt: 7,
  // Written under the lock.
  lock: 32,
  generation: 33,
  /** Segment entries ever leased, the base included. */
  segments: 34,
  metrics: 35,
  topPage: 36,
  freePage: 37,
  freeBlock: 38,
  blocksAt: 39,
  namesAt: 40,
  tablesAt: 41,
  /** `page | log2(entries) << 24`: place and size of the index change in one store. */
  index: 42,
  chunks: 43,
  /** Next slot of each metric type, in the order of METRIC_TYPES; -1 before the first. */
  slotCursors: 44,
  /** Pages in use by each of PARTS. */
  partPages: 48,
  /** Refusals by each of REFUSALS; raised by Atomics.add, without the lock. */
  refusals: 56,
  /** Metric + 1 of the one retired last, of each metric type; 0 = none waits. */
  freeMetrics: 61,
  freeCount: 65,
  /** Metrics ever retired. */
  retired: 66,
  /** Index entries that are TOMBSTONE. */
  tombstones: 67,
  // Raised by every gauge write; 64-bit, so this is an even int.
  sequence: 96,
  // Raised once per window, read by every histogram observation.
  epoch: 128,
})
export const HEADER_INTS = 160

/**
 * Segment entry, 64 B: `[state:i32][threadId:i32][lease:u32][chunks:u32][tableAt:u32]` and room.
 */
export const ENTRY = Object.freeze({ state: 0, threadId: 1, lease: 2, chunks: 3, tableAt: 4 })
export const ENTRY_INTS = 16
export const SEGMENT_STATE = Object.freeze({ free: 0, leased: 1, folding: 2 })

/** A chunk table entry is `page | type << 24`; 0 = the segment has no such chunk. */
export const CHUNK_PAGE_MASK = 0xff_ffff
export const CHUNK_TYPE_SHIFT = 24

/**
 * Descriptor, 32 B:
 * `[nameAt:u32][nameLength:u16][type:u8][mode:u8][slotAt:u32][slotWords:u32]`
 * `[nameRoom:u32][nextFree:u32]` and 8 B of room.
 * `mode` is 0, or 0x80 while the metric is retired; `nextFree` is then the metric + 1 of the one
 * retired before it.
 */
export const DESCRIPTOR_INTS = 8
export const DESCRIPTORS_PER_PAGE = PAGE_INTS / DESCRIPTOR_INTS

/** Index entry: `[hash:u32][metric + 1:u32]`, 0 = empty; of a retired metric -1. */
export const INDEX_ENTRY_INTS = 2
export const TOMBSTONE = -1
export const INDEX_ENTRIES_PER_PAGE = PAGE_INTS / INDEX_ENTRY_INTS

export const METRIC_TYPES = ['counter', 'gauge', 'dense', 'exponential'] as const
export type MetricType = (typeof METRIC_TYPES)[number]

/** Bins of a dense histogram: bounds 2^0 … 2^31 and 2^32 - 1. */
export const DENSE_BINS = 33
/** Ring of an exponential histogram's side; the model's BUCKETS_LIMIT. */
export const RING_WORDS = 160
/** Words of a wide integer: 384 bits, two's complement. */
export const WIDE_WORDS = 6

/** Words of an exponential slot before its positive ring; drawn in slots/exponential-slot.ts. */
export const EXPONENTIAL_HEAD_WORDS = 14 + 3 * WIDE_WORDS

/** Words a metric takes in every segment, in the order of METRIC_TYPES. */
export const SLOT_WORDS: readonly number[] = [
  1,
  4,
  1 + DENSE_BINS,
  EXPONENTIAL_HEAD_WORDS + RING_WORDS,
]

/** What pages are used for; the order of HEADER.partPages. */
export const PARTS = [
  'fixed',
  'index',
  'descriptors',
  'names',
  'tables',
  'segments',
  'blocks',
  'free',
] as const
export type Part = (typeof PARTS)[number]

/** Why a definition or a slot was refused; refusal number i is the metric number -1 - i. */
export const REFUSALS = [
  'typeMismatch',
  'keyTooLong',
  'metricsLimit',
  'zoneFull',
  'lockTimeout',
] as const
export type Refusal = (typeof REFUSALS)[number]

/** What `define` answers instead of a metric. */
export function refusalNumber(refusal: Refusal): number {
  return -1 - REFUSALS.indexOf(refusal)
}

/** Name of a negative answer of `define`; undefined for a metric. */
export function refusalOf(answer: number): Refusal | undefined {
  return answer < 0 ? REFUSALS[-1 - answer] : undefined
}
