/**
 * The zone's memory: growth, pages, blocks, the lock, and views. A length-tracking view over a
 * growable SharedArrayBuffer is 30 to 100 times slower than one that states its length, so every
 * view here states it; such views stay valid when the buffer grows.
 */
import { Generation } from './generation.ts'
import {
  ENTRY_INTS,
  HEADER,
  HEADER_INTS,
  LINE_BYTES,
  MAGIC,
  PAGE_BYTES,
  PAGE_INTS,
  PAGE_SHIFT,
  PAGE_WORDS,
  PARTS,
  type Part,
  REFUSALS,
  type Refusal,
  RING_WORDS,
  VERSION,
} from './layout.ts'

/** Memory that is no zone, or one of another version. */
export class ZoneFormatError extends Error {
  override name = 'ZoneFormatError'
}

/** One page under the three types its words are used as. */
export class Page {
  readonly words: BigUint64Array
  readonly floats: Float64Array
  /** Half words: half 2i is the low one of word i, half 2i + 1 the high one. */
  readonly halves: Int32Array

  constructor(buffer: ArrayBufferLike, byteAt = 0) {
    this.words = new BigUint64Array(buffer, byteAt, PAGE_WORDS)
    this.floats = new Float64Array(buffer, byteAt, PAGE_WORDS)
    this.halves = new Int32Array(buffer, byteAt, PAGE_INTS)
  }
}

/** Lock word: a futex in the manner of Drepper's mutex 2, so that a free lock costs no wake-up. */
const FREE = 0
const HELD = 1
const CONTENDED = 2
/** A definition takes microseconds; who waits this long waits for a thread that died. */
const LOCK_TIMEOUT_MS = 2_000

/** Neither it nor the one before may be 0, which a window that was never written holds. */
const FIRST_EPOCH = 2

/** The buffer grows by at least 1 MiB: a grow costs about 10 microseconds whatever its size. */
const GROW_PAGES = 16

export class ZoneMemory {
  readonly buffer: SharedArrayBuffer
  /** The fixed area: header, segment entries, descriptor page table. */
  readonly ints: Int32Array
  readonly sequence: BigInt64Array
  /** The window epoch alone: what every histogram observation reads. */
  readonly epoch: Int32Array
  readonly #pages: (Page | undefined)[] = []
  readonly #bytes: (Uint8Array | undefined)[] = []
  readonly generation: Generation
  #isLockStuck = false

  private constructor(buffer: SharedArrayBuffer, fixedPages: number) {
    this.buffer = buffer
    this.ints = new Int32Array(buffer, 0, fixedPages * PAGE_INTS)
    this.sequence = new BigInt64Array(buffer, HEADER.sequence * 4, 1)
    this.epoch = new Int32Array(buffer, HEADER.epoch * 4, 1)
    this.generation = new Generation(this)
  }

  static create(limits: {
    pagesMax: number
    metricsLimit: number
    keyBytesLimit: number
    segmentsMax: number
    descriptorPages: number
  }): ZoneMemory {
    requireLittleEndian()
    const descriptorTableAt = HEADER_INTS + limits.segmentsMax * ENTRY_INTS
    const fixedPages = Math.ceil((descriptorTableAt + limits.descriptorPages) / PAGE_INTS)
    const buffer = new SharedArrayBuffer(fixedPages * PAGE_BYTES, {
      maxByteLength: limits.pagesMax * PAGE_BYTES,
    })
    const memory = new ZoneMemory(buffer, fixedPages)
    const { ints } = memory
    ints[HEADER.version] = VERSION
    ints[HEADER.pagesMax] = limits.pagesMax
    ints[HEADER.metricsLimit] = limits.metricsLimit
    ints[HEADER.keyBytesLimit] = limits.keyBytesLimit
    ints[HEADER.segmentsMax] = limits.segmentsMax
    ints[HEADER.fixedPages] = fixedPages
    ints[HEADER.descriptorTableAt] = descriptorTableAt
    ints[HEADER.topPage] = fixedPages
    ints[HEADER.partPages] = fixedPages
    ints[HEADER.epoch] = FIRST_EPOCH
    ints.fill(-1, HEADER.slotCursors, HEADER.slotCursors + 4)
    return memory
  }

  /** The creator's last store: from here on other threads may open the buffer. */
  publish(): void {
    Atomics.store(this.ints, HEADER.magic, MAGIC)
  }

  /** @throws {ZoneFormatError} when the buffer holds no zone of this version */
  static open(buffer: SharedArrayBuffer): ZoneMemory {
    requireLittleEndian()
    if (!(buffer instanceof SharedArrayBuffer)) {
      throw new ZoneFormatError('a zone is opened from its SharedArrayBuffer')
    }
    if (buffer.byteLength < PAGE_BYTES) {
      throw new ZoneFormatError(`zone of ${buffer.byteLength} bytes is below one page`)
    }
    const header = new Int32Array(buffer, 0, HEADER_INTS)
    const magic = Atomics.load(header, HEADER.magic)
    if (magic !== MAGIC) {
      throw new ZoneFormatError(`zone magic 0x${(magic >>> 0).toString(16)} is not "PMZ1"`)
    }
    const version = header[HEADER.version]!
    if (version !== VERSION) throw new ZoneFormatError(`zone version ${version}, known: ${VERSION}`)
    const size = header[HEADER.pagesMax]! * PAGE_BYTES
    if (buffer.maxByteLength !== size) {
      throw new ZoneFormatError(`zone of at most ${buffer.maxByteLength} bytes, header: ${size}`)
    }
    return new ZoneMemory(buffer, header[HEADER.fixedPages]!)
  }

  page(index: number): Page {
    let page = this.#pages[index]
    if (page === undefined) {
      page = new Page(this.buffer, index * PAGE_BYTES)
      this.#pages[index] = page
    }
    return page
  }

  /** The page that holds a word, by the word's offset in the zone. */
  pageOfWord(at: number): Page {
    return this.page(at >>> PAGE_SHIFT)
  }

  bytes(index: number): Uint8Array {
    let bytes = this.#bytes[index]
    if (bytes === undefined) {
      bytes = new Uint8Array(this.buffer, index * PAGE_BYTES, PAGE_BYTES)
      this.#bytes[index] = bytes
    }
    return bytes
  }

  /**
   * Takes the lock that guards definitions, allocation, folding and retirement.
   * @returns false when its holder kept it for LOCK_TIMEOUT_MS; after that, at once while it does
   */
  lock(): boolean {
    const { ints } = this
    if (Atomics.compareExchange(ints, HEADER.lock, FREE, HELD) !== FREE) {
      if (this.#isLockStuck) return false
      const until = performance.now() + LOCK_TIMEOUT_MS
      while (Atomics.exchange(ints, HEADER.lock, CONTENDED) !== FREE) {
        const left = until - performance.now()
        this.#isLockStuck = left <= 0
        if (this.#isLockStuck) return false
        Atomics.wait(ints, HEADER.lock, CONTENDED, left)
      }
    }
    this.#isLockStuck = false
    return true
  }

  unlock(): void {
    if (Atomics.exchange(this.ints, HEADER.lock, FREE) === CONTENDED) {
      Atomics.notify(this.ints, HEADER.lock, 1)
    }
  }

  countRefusal(refusal: Refusal): void {
    Atomics.add(this.ints, HEADER.refusals + REFUSALS.indexOf(refusal), 1)
  }

  /**
   * A zeroed page for a part; under the lock.
   * @returns 0 when the zone is full
   */
  allocatePage(part: Part): number {
    const { ints } = this
    const free = ints[HEADER.freePage]!
    if (free === 0) return this.allocateRun(part, 1)
    const page = this.page(free)
    ints[HEADER.freePage] = page.halves[0]!
    page.words.fill(0n)
    this.#countPages('free', -1)
    this.#countPages(part, 1)
    return free
  }

  /** The first of `count` neighbouring new pages, or 0; under the lock. */
  allocateRun(part: Part, count: number): number {
    const first = this.ints[HEADER.topPage]!
    if (!this.#grow(first + count)) return 0
    this.ints[HEADER.topPage] = first + count
    this.#countPages(part, count)
    return first
  }

  #grow(pages: number): boolean {
    const { buffer } = this
    if (pages * PAGE_BYTES <= buffer.byteLength) return true
    const pagesMax = this.ints[HEADER.pagesMax]!
    if (pages > pagesMax) return false
    try {
      buffer.grow(Math.min(pagesMax, pages + GROW_PAGES - 1) * PAGE_BYTES)
      return true
    } catch {
      return false // the machine has no more memory: the same answer as a full zone
    }
  }

  /** Gives a page back; under the lock, and when no table names the page any more. */
  freePage(index: number, part: Part): void {
    this.page(index).halves[0] = this.ints[HEADER.freePage]!
    this.ints[HEADER.freePage] = index
    this.#countPages(part, -1)
    this.#countPages('free', 1)
  }

  #countPages(part: Part, change: number): void {
    this.ints[HEADER.partPages + PARTS.indexOf(part)]! += change
  }

  /**
   * A zeroed block of RING_WORDS; 10 lines of 128 bytes, so blocks of two writers share none.
   * Under the lock.
   * @returns its word offset in the zone, or 0 when the zone is full
   */
  allocateBlock(): number {
    const { ints } = this
    const free = ints[HEADER.freeBlock]!
    if (free !== 0) {
      const { words, halves } = this.pageOfWord(free)
      const at = free & (PAGE_WORDS - 1)
      ints[HEADER.freeBlock] = halves[2 * at]!
      words.fill(0n, at, at + RING_WORDS)
      return free
    }
    let at = ints[HEADER.blocksAt]!
    if (at === 0 || (at & (PAGE_WORDS - 1)) + RING_WORDS > PAGE_WORDS) {
      at = this.allocatePage('blocks') << PAGE_SHIFT
      if (at === 0) return 0
    }
    const isLast = (at & (PAGE_WORDS - 1)) + 2 * RING_WORDS > PAGE_WORDS
    ints[HEADER.blocksAt] = isLast ? 0 : at + RING_WORDS
    return at
  }

  /** Gives a block back; under the lock, and when no slot names the block any more. */
  freeBlock(at: number): void {
    this.pageOfWord(at).halves[2 * (at & (PAGE_WORDS - 1))] = this.ints[HEADER.freeBlock]!
    this.ints[HEADER.freeBlock] = at
  }

  /**
   * A zeroed chunk table of one int per page the zone may have; under the lock.
   * @returns its int offset in the zone, or 0 when the zone is full
   */
  allocateTable(): number {
    const { ints } = this
    const size = this.tableInts
    let at = ints[HEADER.tablesAt]!
    if (at === 0 || (at & (PAGE_INTS - 1)) + size > PAGE_INTS) {
      at = this.allocatePage('tables') * PAGE_INTS
      if (at === 0) return 0
    }
    const isLast = (at & (PAGE_INTS - 1)) + 2 * size > PAGE_INTS
    ints[HEADER.tablesAt] = isLast ? 0 : at + size
    return at
  }

  get tableInts(): number {
    const line = LINE_BYTES / 4
    return Math.ceil(this.ints[HEADER.pagesMax]! / line) * line
  }
}

/** Half 2i is the low half of word i only there. */
function requireLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) {
    throw new ZoneFormatError('zones need a little-endian machine')
  }
}
