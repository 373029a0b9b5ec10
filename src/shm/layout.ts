/**
 * Layout of a zone (docs/formats/zone.md): every number that two threads must agree on. A zone is a
 * run of 64 KiB pages in one SharedArrayBuffer:
 *
 *   page 0…   fixed area: header 768 B, segment entries 64 B each, descriptor page table
 *   others    index | descriptors | names | chunk tables | segment chunks | bucket blocks | free
 *
 * Offsets in words count 8 bytes, in ints 4 bytes. Native byte order, which must be little-endian.
 */

/** "PMZ1" read as a little-endian u32. */
export const MAGIC = 0x315a4d50
export const VERSION = 6

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
  /** Two ints of chance: tells this zone from all others where only names can be shared. */
  zoneId: 8,
  /** One of BACKINGS. */
  backing: 10,
  /** Number of zones this one follows: 0 of the first, one more at each reconfiguration. */
  ordinal: 11,
  /** Two ints of chance, kept by successors: the key by which names are hashed. */
  hashKey: 12,
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
  /** The page of the index, or that of its directory with INDEX_DIRECTORY; 0 = has none. */
  index: 42,
  chunks: 43,
  /** Cursors by slot class (room for 16): the next slot + 1; 0 = the next one begins a chunk. */
  slotCursors: 44,
  /** Pages in use by each of PARTS. */
  partPages: 60,
  /**
   * Free metrics by slot class (room for 16): metric + 1 of the one retired last; 0 = none waits.
   */
  freeMetrics: 68,
  freeCount: 84,
  /** Metrics ever retired. */
  retired: 85,
  /** Index entries that are TOMBSTONE. */
  tombstones: 86,
  /** Part of `charged` that the successor has taken over, of a zone that was replaced. */
  chargedMoved: 87,
  /** Number of times that a thread found the lock held; raised by Atomics.add. */
  lockWaits: 88,
  /** Words that definitions may take, 0 = as many as the zone has; words they have taken. */
  budget: 89,
  charged: 90,
  /** Segments folded for threads that died; locks taken over from such. */
  orphansFolded: 91,
  lockTakeovers: 92,
  /** Observations counted at a larger bound than theirs; raised by Atomics.add, off the lock. */
  binFallbacks: 93,
  /** Segments prepared at once, for which definitions are charged. */
  workers: 94,
  /** Metrics that are no more in the index and not retired yet. */
  unlinked: 95,
  /** Refusals by each of REFUSALS (room for 16); raised by Atomics.add, without the lock. */
  refusals: 96,
  /** Segments of zones before this one that have not moved here yet. */
  unmoved: 112,
  /** Closed windows of summaries that had to wait for another taking. */
  summariesDeferred: 113,
  // Raised by every gauge write; 64-bit, so this is an even int.
  sequence: 128,
  // Raised once per window, read by every histogram observation.
  epoch: 160,
  /** 1 while a reader takes summaries; read by each of their observations. */
  listening: 161,
})
export const HEADER_INTS = 192

/**
 * Amount that the sequence of a zone that is replaced is raised by: a thread that gets a number
 * from here on writes into the successor instead. At a write each nanosecond it would take 18 years
 * to get here.
 */
export const REPLACED_SEQUENCE = 1n << 61n

/** Kinds of the zone's memory: the number in HEADER.backing. */
export const BACKINGS = ['sab', 'wasm'] as const
export type Backing = (typeof BACKINGS)[number]

/**
 * Segment entry, 64 B: `[state:i32][threadId:i32][lease:u32][movedTo:i32][tableAt:u32]` and room.
 * `movedTo` is 0 but in a zone that was replaced: -1 - segment of the successor while the values
 * are still here, 1 + segment once they are there.
 */
export const ENTRY = Object.freeze({ state: 0, threadId: 1, lease: 2, movedTo: 3, tableAt: 4 })
export const ENTRY_INTS = 16
export const SEGMENT_STATE = Object.freeze({ free: 0, leased: 1, folding: 2 })

/** A chunk table entry is `page | slot class << 24`; 0 = the segment has no such chunk. */
export const CHUNK_PAGE_MASK = 0xff_ffff
export const CHUNK_CLASS_SHIFT = 24

/**
 * Descriptor, 32 B:
 * `[nameAt:u32][nameLength:u16][type:u8][mode:u8][slotAt:u32][slotWords:u32]`
 * `[nameRoom:u32][nextFree:u32][shared:u64]`.
 * The low bits of `mode` are the place in METRIC_MODES[type]; 0x20 = guarded, 0x40 = unlinked,
 * 0x80 = retired.
 * `nextFree` is, while the metric is retired, the metric + 1 of the one retired before it.
 * `shared` is a shared gauge's value; of a binned histogram `[boundsAt:u32][bounds:u32]`, the byte
 * offset and number of its bounds, u32 each; of a settable counter what its writers do not see of
 * the total; else 0.
 */
export const DESCRIPTOR_INTS = 8
export const DESCRIPTORS_PER_PAGE = PAGE_INTS / DESCRIPTOR_INTS
export const DESCRIPTOR = Object.freeze({
  nameAt: 0,
  lengthAndType: 1,
  slotAt: 2,
  slotWords: 3,
  nameRoom: 4,
  nextFree: 5,
  /** Two ints, 8-byte aligned. */
  shared: 6,
})
/** Bits in DESCRIPTOR.lengthAndType. */
export const DESCRIPTOR_GUARDED = 0x2000_0000
export const DESCRIPTOR_UNLINKED = 0x4000_0000
export const DESCRIPTOR_RETIRED = 0x8000_0000 | 0

/** Index entry: `[hash:u32][metric + 1:u32]`, 0 = empty; of a retired metric -1. */
export const INDEX_ENTRY_INTS = 2
export const TOMBSTONE = -1
export const INDEX_ENTRIES_PER_PAGE = PAGE_INTS / INDEX_ENTRY_INTS
/** Bit beside the number of a page. */
export const INDEX_DIRECTORY = 1 << 24

export const METRIC_TYPES = [
  'counter',
  'gauge',
  'dense',
  'exponential',
  'expanding',
  'binned',
  'summary',
] as const
export type MetricType = (typeof METRIC_TYPES)[number]

/**
 * Modes in which the slots of a type are used; the first is that of a definition which names none.
 */
export const METRIC_MODES = Object.freeze({
  counter: ['saturating', 'wrapping', 'settable'],
  gauge: ['last', 'sum', 'min', 'max', 'shared'],
  dense: ['integers', 'fractions'],
  exponential: ['plain'],
  expanding: ['plain'],
  binned: ['plain'],
  summary: ['plain'],
} as const)
export type CounterMode = (typeof METRIC_MODES)['counter'][number]
export type GaugeMode = (typeof METRIC_MODES)['gauge'][number]
export type DenseMode = (typeof METRIC_MODES)['dense'][number]
export type MetricMode = (typeof METRIC_MODES)[MetricType][number]

/** Bins of a dense histogram: bounds 2^0 … 2^31 and 2^32 - 1. */
export const DENSE_BINS = 33
/** Ring of an exponential histogram's side; the model's BUCKETS_LIMIT. */
export const RING_WORDS = 160
/** Words of a wide integer: 384 bits, two's complement. */
export const WIDE_WORDS = 6

/** Words of an exponential slot before its positive ring; drawn in slots/exponential-slot.ts. */
export const EXPONENTIAL_HEAD_WORDS = 14 + 3 * WIDE_WORDS

/** Bounds of a binned histogram that its definition names; one more, 2^32 - 1, is always there. */
export const BOUNDS_MAX = 17
export const BOUND_MAX = 4_294_967_294
export const LAST_BOUND = 4_294_967_295

/** Words of a summary's slot: a head, and two windows of six; drawn in slots/summary.ts. */
const SUMMARY_WORDS = 1 + 2 * 6

/** Words a metric takes in every segment, by type and in the order of METRIC_TYPES. */
const TYPE_WORDS: readonly number[] = [
  1,
  4,
  1 + DENSE_BINS,
  EXPONENTIAL_HEAD_WORDS + RING_WORDS,
  1 + DENSE_BINS + 1,
  1 + BOUNDS_MAX + 1,
  SUMMARY_WORDS,
]

/** Type and mode together: a chunk holds slots of one class, a number stays in its class. */
export interface SlotClass {
  readonly type: MetricType
  readonly mode: MetricMode
  /** 0 of shared gauges, which live in their descriptor. */
  readonly words: number
}

export const SLOT_CLASSES: readonly SlotClass[] = METRIC_TYPES.flatMap((type, i) =>
  METRIC_MODES[type].map((mode) => ({ type, mode, words: mode === 'shared' ? 0 : TYPE_WORDS[i]! })),
)

/** Words by slot class. */
export const SLOT_WORDS: readonly number[] = SLOT_CLASSES.map(({ words }) => words)

const FIRST_CLASSES = METRIC_TYPES.map((type) => SLOT_CLASSES.findIndex((c) => c.type === type))

/** Computes the slot class of the type and mode bytes of a descriptor. */
export function slotClass(type: number, mode: number): number {
  return FIRST_CLASSES[type]! + mode
}

/** Finds the slot class of a type in a mode; -1 when the type has no such mode. */
export function slotClassOf(type: MetricType, mode: MetricMode = METRIC_MODES[type][0]): number {
  return SLOT_CLASSES.findIndex((c) => c.type === type && c.mode === mode)
}

/** Parts that pages are used for; the order of HEADER.partPages. */
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

/** Reasons why a definition or a slot was refused; refusal number i is the metric number -1 - i. */
export const REFUSALS = [
  'type_mismatch',
  'key_too_long',
  'metrics_limit',
  'zone_full',
  'lock_timeout',
] as const
export type ZoneRefusal = (typeof REFUSALS)[number]

/**
 * Gives the number that `define` answers instead of a metric.
 *
 * @example
 * import { refusalNumber } from 'pentameter/shm'
 *
 * console.log(refusalNumber('type_mismatch')) // -1
 */
export function refusalNumber(refusal: ZoneRefusal): number {
  return -1 - REFUSALS.indexOf(refusal)
}

/**
 * Names a negative answer of `define`; undefined for a metric.
 *
 * @example
 * import { refusalOf, Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create({ keyBytesLimit: 3 })
 * console.log(refusalOf(zone.define(Buffer.from('hits'), 'counter'))) // key_too_long
 */
export function refusalOf(answer: number): ZoneRefusal | undefined {
  return answer < 0 ? REFUSALS[-1 - answer] : undefined
}
