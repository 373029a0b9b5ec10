/**
 * What metrics cost in bytes, before there are any: the original's structures and its allocator are
 * drawn below. Three figures for the original, one for this zone:
 *
 *   documented   the rule in the document's text
 *   struct       what the original's structures add up to
 *   allocated    what its slab allocator really takes for them
 *
 * On 64 bits the original's zone holds per metric one node, and per worker of a histogram a block:
 *
 *   node    [tree:40][key:16][value:16][cas:4][pad:4][queue:16] = 96, [name], [type:u32][pad:4],
 *           then 16 per worker: [u64][pad:8] | [value:u64][updated:u64] | [block:u64][pad:8]
 *   block   document: [bins:u8][pad:3] and 8 per bin; peer: [type:u32][bins:u8][pad:3][sum:u64] too
 */

export type EstimateProfile = 'document' | 'peer'
export type EstimateKind = 'counter' | 'gauge' | 'histogram'

export interface EstimateQuestion {
  /** Edition of the document whose histograms are meant; `document` unless given. */
  readonly profile?: EstimateProfile
  readonly kind: EstimateKind
  /** Bytes of the name with its prefix. */
  readonly prefixedNameBytes: number
  /** Default 1. */
  readonly workers?: number
  /** Bins of each worker's histogram: 1 to 18, default 5, which is what it begins with. */
  readonly bins?: number
}

/** Bytes of one metric. */
export interface Estimate {
  readonly documented: number
  readonly struct: number
  readonly allocated: number
  /**
   * Figure that the text prints for this very example, where it has one; not always its own rule.
   */
  readonly printed?: number
}

/** Bytes of a page of the allocator behind the original's zone (`ngx_slab`). */
export const SLAB_PAGE_BYTES = 4_096
const CHUNK_MIN = 8
const CHUNK_MAX = 2_048

export const BINS_AT_FIRST = 5
export const BINS_LIMIT = 18
const NAME_BYTES_LIMIT = 65_535
const WORKERS_LIMIT = 1_024

const NODE_BYTES = 96
const VALUE_BYTES = 8
const WORKER_BYTES = 16
const BIN_BYTES = 8
/** Bytes of a histogram's block before its bins. */
const BLOCK_HEAD_BYTES: Readonly<Record<EstimateProfile, number>> = { document: 4, peer: 16 }
/** Bytes that the rules of the two texts count for a worker's histogram beside its bins. */
const RULE_HEAD_BYTES: Readonly<Record<EstimateProfile, number>> = { document: 20, peer: 28 }

/**
 * Estimates what a metric costs in the original's zone, by its documents and as it is allocated.
 * @throws {RangeError} for a number that no zone could have
 *
 * @example
 * import { estimate } from 'pentameter/shm'
 *
 * const bytes = estimate({ kind: 'counter', prefixedNameBytes: 64, workers: 4 })
 * console.log(bytes.documented, bytes.allocated) // 232 256
 */
export function estimate(question: EstimateQuestion): Estimate {
  const { kind, profile, name, workers, bins } = checkQuestion(question)
  const perWorker =
    kind === 'histogram' ? RULE_HEAD_BYTES[profile] + BIN_BYTES * bins : WORKER_BYTES
  const { node, block } = structures(question)
  const blocks = block === undefined ? 0 : workers
  const printed = printedFigure(checkQuestion(question))
  return {
    ...(printed === undefined ? {} : { printed }),
    documented: NODE_BYTES + name + VALUE_BYTES + workers * perWorker,
    struct: node + blocks * (block ?? 0),
    allocated: slabBytes(node) + blocks * slabBytes(block ?? 0),
  }
}

/**
 * Finds the figure that a text prints; the examples of both have names of 64 bytes and four
 * workers.
 */
function printedFigure(question: CheckedQuestion): number | undefined {
  const { kind, profile, name, workers, bins } = question
  if (name !== 64 || workers !== 4) return undefined
  // The text adds up its own rule wrongly: it gives 232.
  if (kind !== 'histogram') return 168
  if (bins === BINS_AT_FIRST) return 408
  return bins === BINS_LIMIT ? (profile === 'document' ? 824 : 856) : undefined
}

/** Lists the allocations a metric makes: one node, and for a histogram a block per worker. */
function structures(question: EstimateQuestion): {
  readonly node: number
  readonly block: number | undefined
} {
  const { kind, profile, name, workers, bins } = checkQuestion(question)
  return {
    node: NODE_BYTES + name + VALUE_BYTES + WORKER_BYTES * workers,
    block: kind === 'histogram' ? BLOCK_HEAD_BYTES[profile] + BIN_BYTES * bins : undefined,
  }
}

export interface CapacityQuestion extends EstimateQuestion {
  /** Size as the directive takes it: a number of bytes, or text with the suffix k or m. */
  readonly zoneBytes: number | string
}

export interface Capacity {
  /** Metrics of this kind until one is refused. */
  readonly fits: number
  /** Pages of 4096 bytes that the allocator has to give. */
  readonly pages: number
}

/**
 * Computes how many such metrics an original's zone holds.
 * @throws {RangeError} as {@link estimate}
 *
 * @example
 * import { capacity } from 'pentameter/shm'
 *
 * const question = { kind: 'counter', prefixedNameBytes: 64, workers: 4 } as const
 * console.log(capacity({ ...question, zoneBytes: '5m' }).fits) // 20336
 */
export function capacity(question: CapacityQuestion): Capacity {
  const pages = pagesOf(zoneBytes(question.zoneBytes))
  let fits = 0
  let refused = pages * SLAB_PAGE_BYTES
  while (refused - fits > 1) {
    const middle = Math.floor((fits + refused) / 2)
    if (pagesFor(question, middle) <= pages) fits = middle
    else refused = middle
  }
  return { fits, pages }
}

/**
 * Computes the bytes of the smallest original's zone that holds so many metrics.
 *
 * @example
 * import { smallestZone } from 'pentameter/shm'
 *
 * console.log(smallestZone({ kind: 'counter', prefixedNameBytes: 64, workers: 4 }, 1000)) // 266240
 */
export function smallestZone(question: EstimateQuestion, count: number): number {
  const pages = pagesFor(question, within('count', count, 0, COUNT_LIMIT))
  let size = Math.max(ZONE_BYTES_MIN, pages * SLAB_PAGE_BYTES)
  while (pagesOf(size) < pages) size += SLAB_PAGE_BYTES
  return size
}

const COUNT_LIMIT = 1_000_000_000

/** Pool of the allocator's own fields, and what it keeps per page beside the page. */
const POOL_BYTES = 704
const PAGE_ENTRY_BYTES = 24

/** Pages that the original's allocator can give from a zone. */
function pagesOf(size: number): number {
  const most = Math.floor((size - POOL_BYTES) / (SLAB_PAGE_BYTES + PAGE_ENTRY_BYTES))
  const head = Math.ceil((POOL_BYTES + PAGE_ENTRY_BYTES * most) / SLAB_PAGE_BYTES)
  return Math.min(most, Math.floor(size / SLAB_PAGE_BYTES) - head)
}

/** Chunk in which the original keeps its store's own header. */
const STORE_HEADER_BYTES = 128

/**
 * Pages taken by so many metrics. A page is cut for one class when that has no free chunk, and
 * nothing is given back: so only the numbers count, not their order.
 */
function pagesFor(question: EstimateQuestion, count: number): number {
  const { node, block } = structures(question)
  const chunks = new Map<number, number>([[STORE_HEADER_BYTES, 1]])
  const add = (bytes: number, more: number): void => {
    chunks.set(bytes, (chunks.get(bytes) ?? 0) + more)
  }
  add(slabBytes(node), count)
  if (block !== undefined) add(slabBytes(block), count * (question.workers ?? 1))
  let pages = 0
  for (const [bytes, number] of chunks) {
    pages +=
      bytes >= SLAB_PAGE_BYTES
        ? (number * bytes) / SLAB_PAGE_BYTES
        : Math.ceil(number / chunksPerPage(bytes))
  }
  return pages
}

/** Classes below it keep their map of free chunks in chunks of the page itself. */
const INNER_MAP_BELOW = 64

function chunksPerPage(bytes: number): number {
  const chunks = SLAB_PAGE_BYTES / bytes
  if (bytes >= INNER_MAP_BELOW) return chunks
  return chunks - Math.max(1, Math.floor(chunks / (8 * bytes)))
}

/** Minimum of the original's directive: its allocator needs this much to work at all. */
const ZONE_BYTES_MIN = 12_288
const SUFFIX_SHIFT: Readonly<Record<string, number>> = { '': 0, k: 10, m: 20 }

/**
 * Reads the size of an original's zone, with its directive's checks and words.
 * @throws {RangeError}
 *
 * @example
 * import { zoneBytes } from 'pentameter/shm'
 *
 * console.log(zoneBytes('5m')) // 5242880
 */
export function zoneBytes(given: number | string): number {
  const match = /^(\d{1,16})([km]?)$/i.exec(String(given))
  if (match === null) throw new RangeError(`invalid shm size "${given}"`)
  const size = Number(match[1]) * 2 ** SUFFIX_SHIFT[match[2]!.toLowerCase()]!
  if (!Number.isSafeInteger(size)) throw new RangeError(`invalid shm size "${given}"`)
  if (size < ZONE_BYTES_MIN) {
    const least = `minimum required is ${ZONE_BYTES_MIN} bytes`
    throw new RangeError(`shm size of ${size} bytes is too small, ${least}`)
  }
  if (size % SLAB_PAGE_BYTES !== 0) {
    const rule = `must be a multiple of ${SLAB_PAGE_BYTES}`
    throw new RangeError(`shm size of ${size} bytes is not page-aligned, ${rule}`)
  }
  return size
}

interface CheckedQuestion {
  readonly kind: EstimateKind
  readonly profile: EstimateProfile
  readonly name: number
  readonly workers: number
  readonly bins: number
}

function checkQuestion(question: EstimateQuestion): CheckedQuestion {
  const { kind, profile = 'document', prefixedNameBytes } = question
  if (kind !== 'counter' && kind !== 'gauge' && kind !== 'histogram') {
    throw new RangeError(`kind ${kind} is not counter, gauge or histogram`)
  }
  if (profile !== 'document' && profile !== 'peer') {
    throw new RangeError(`profile ${profile} is not document or peer`)
  }
  const { workers = 1, bins = BINS_AT_FIRST } = question
  return {
    kind,
    profile,
    name: within('prefixedNameBytes', prefixedNameBytes, 0, NAME_BYTES_LIMIT),
    workers: within('workers', workers, 1, WORKERS_LIMIT),
    bins: within('bins', bins, 1, BINS_LIMIT),
  }
}

function within(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} ${value} is not an integer of ${min} to ${max}`)
}

/**
 * Computes the bytes that the allocator gives for `size` bytes: a power of two from 8 to 2048,
 * above that whole pages.
 *
 * @example
 * import { slabBytes } from 'pentameter/shm'
 *
 * console.log(slabBytes(100), slabBytes(5000)) // 128 8192
 */
export function slabBytes(size: number): number {
  if (size <= CHUNK_MIN) return CHUNK_MIN
  if (size > CHUNK_MAX) return Math.ceil(size / SLAB_PAGE_BYTES) * SLAB_PAGE_BYTES
  return 2 ** (32 - Math.clz32(size - 1))
}
