/**
 * The zone's memory: growth, pages, blocks, the lock, the budget, and views. A length-tracking view
 * over a growable SharedArrayBuffer is 30 to 100 times slower than one that states its length, so
 * every view here states it; such views stay valid when the memory grows.
 */

import { type HashKey, keyedHash } from '../../model/index.ts'
import {
  BACKINGS,
  type Backing,
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
  RING_WORDS,
  VERSION,
  type ZoneRefusal,
} from '../layout.ts'
import { createBacking, openBacking, type SharedZone, type ZoneBacking } from './backing.ts'
import { Generation } from './generation.ts'
import { ZoneLock } from './lock.ts'

/**
 * Memory that is no zone, or one of another version.
 *
 * @example
 * import { Zone, ZoneFormatError } from 'pentameter/shm'
 *
 * try {
 *   Zone.open(new SharedArrayBuffer(2 ** 20))
 * } catch (error) {
 *   console.log(error instanceof ZoneFormatError) // true
 * }
 */
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

/**
 * First epoch: neither it nor the one before may be 0, which a window that was never written holds.
 */
const FIRST_EPOCH = 2

/** HEADER.charged is a u32. */
const CHARGE_MAX = 4_294_967_295

/** The buffer grows by at least 1 MiB: a grow costs about 10 microseconds whatever its size. */
const GROW_PAGES = 16

export interface MemoryLimits {
  readonly backing: Backing
  /** Identity of the first zone: two ints of chance. */
  readonly zoneId: readonly [number, number]
  /** Key by which names are hashed: chance, the same in all threads and in successors. */
  readonly hashKey: HashKey
  readonly ordinal: number
  readonly pagesMax: number
  readonly metricsLimit: number
  readonly keyBytesLimit: number
  readonly segmentsMax: number
  readonly descriptorPages: number
  /** Segments that definitions are charged for. */
  readonly workers: number
  /** Words that definitions may take; 0 = as many as there are. */
  readonly budget: number
}

/**
 * One thread's view of a zone's memory. When the zone is reconfigured, what this object shows is
 * replaced by the successor ({@link adopt}), so that everything built on it moves along.
 */
export class ZoneMemory {
  #backing: ZoneBacking
  #ints: Int32Array
  #sequence: BigInt64Array
  #epoch: Int32Array
  #listening: Int32Array
  #pages: (Page | undefined)[] = []
  #bytes: (Uint8Array | undefined)[] = []
  #lock: ZoneLock
  readonly generation: Generation
  /** Brings this thread to the zone's successor; set by the zone, false = not to be had. */
  follow: () => boolean = () => false
  /** Work that this thread has to do under the next lock it takes; set by the zone. */
  arrears: (() => void) | undefined

  private constructor(backing: ZoneBacking, fixedPages: number) {
    this.#backing = backing
    const buffer = backing.buffer(fixedPages * PAGE_BYTES)
    this.#ints = new Int32Array(buffer, 0, fixedPages * PAGE_INTS)
    this.#sequence = new BigInt64Array(buffer, HEADER.sequence * 4, 1)
    this.#epoch = new Int32Array(buffer, HEADER.epoch * 4, 1)
    this.#listening = new Int32Array(buffer, HEADER.listening * 4, 1)
    this.#lock = new ZoneLock(this.#ints)
    this.generation = new Generation(this)
  }

  /** The fixed area: header, segment entries, descriptor page table. */
  get ints(): Int32Array {
    return this.#ints
  }

  /** Hashes a metric's key: no peer can choose the hash, for it does not know the zone's key. */
  hashOf(key: Uint8Array): number {
    const ints = this.#ints
    return keyedHash(key, 0, key.length, [ints[HEADER.hashKey]!, ints[HEADER.hashKey + 1]!])
  }

  get sequence(): BigInt64Array {
    return this.#sequence
  }

  /** The window epoch alone: what every histogram observation reads. */
  get epoch(): Int32Array {
    return this.#epoch
  }

  /** Whether a reader takes summaries: what each of their observations reads. */
  get listening(): Int32Array {
    return this.#listening
  }

  /** Memory to hand to another thread. */
  get shared(): SharedZone {
    return this.#backing.shared
  }

  /** Bytes that the memory has now. */
  get size(): number {
    return this.#backing.size
  }

  static create(limits: MemoryLimits): ZoneMemory {
    requireLittleEndian()
    const descriptorTableAt = HEADER_INTS + limits.segmentsMax * ENTRY_INTS
    const fixedPages = Math.ceil((descriptorTableAt + limits.descriptorPages) / PAGE_INTS)
    const backing = createBacking(limits.backing, fixedPages, limits.pagesMax)
    const memory = new ZoneMemory(backing, fixedPages)
    const { ints } = memory
    ints[HEADER.version] = VERSION
    ints[HEADER.backing] = BACKINGS.indexOf(limits.backing)
    ints.set(limits.zoneId, HEADER.zoneId)
    ints.set(limits.hashKey, HEADER.hashKey)
    ints[HEADER.ordinal] = limits.ordinal
    ints[HEADER.pagesMax] = limits.pagesMax
    ints[HEADER.metricsLimit] = limits.metricsLimit
    ints[HEADER.keyBytesLimit] = limits.keyBytesLimit
    ints[HEADER.segmentsMax] = limits.segmentsMax
    ints[HEADER.fixedPages] = fixedPages
    ints[HEADER.descriptorTableAt] = descriptorTableAt
    ints[HEADER.workers] = limits.workers
    ints[HEADER.budget] = limits.budget
    ints[HEADER.topPage] = fixedPages
    ints[HEADER.partPages] = fixedPages
    ints[HEADER.epoch] = FIRST_EPOCH
    return memory
  }

  /**
   * Publishes the zone, the creator's last store: from here on other threads may open the buffer.
   */
  publish(): void {
    Atomics.store(this.ints, HEADER.magic, MAGIC)
  }

  /** @throws {ZoneFormatError} when the memory holds no zone of this version */
  static open(shared: SharedZone): ZoneMemory {
    requireLittleEndian()
    const backing = openBacking(shared)
    if (backing === undefined) {
      throw new ZoneFormatError('a zone is opened from its shared memory')
    }
    if (backing.size < PAGE_BYTES) {
      throw new ZoneFormatError(`zone of ${backing.size} bytes is below one page`)
    }
    const header = new Int32Array(backing.buffer(PAGE_BYTES), 0, HEADER_INTS)
    const magic = Atomics.load(header, HEADER.magic)
    if (magic !== MAGIC) {
      throw new ZoneFormatError(`zone magic 0x${(magic >>> 0).toString(16)} is not "PMZ1"`)
    }
    const version = header[HEADER.version]!
    if (version !== VERSION) throw new ZoneFormatError(`zone version ${version}, known: ${VERSION}`)
    const size = header[HEADER.pagesMax]! * PAGE_BYTES
    if (shared instanceof SharedArrayBuffer && shared.maxByteLength !== size) {
      throw new ZoneFormatError(`zone of at most ${shared.maxByteLength} bytes, header: ${size}`)
    }
    const fixedPages = header[HEADER.fixedPages]!
    if (fixedPages < 1 || fixedPages * PAGE_BYTES > backing.size) {
      throw new ZoneFormatError(`zone of ${backing.size} bytes, fixed pages: ${fixedPages}`)
    }
    return new ZoneMemory(backing, fixedPages)
  }

  /**
   * Shows the successor from now on, which must not be used through the other object any more.
   * @returns what this object showed before
   */
  adopt(next: ZoneMemory): ZoneMemory {
    const old = new ZoneMemory(this.#backing, this.#ints[HEADER.fixedPages]!)
    old.#pages = this.#pages
    old.#bytes = this.#bytes
    this.#backing = next.#backing
    this.#ints = next.#ints
    this.#sequence = next.#sequence
    this.#epoch = next.#epoch
    this.#listening = next.#listening
    this.#lock = next.#lock
    this.#pages = next.#pages
    this.#bytes = next.#bytes
    return old
  }

  page(index: number): Page {
    let page = this.#pages[index]
    if (page === undefined) {
      page = new Page(this.#backing.buffer((index + 1) * PAGE_BYTES), index * PAGE_BYTES)
      this.#pages[index] = page
    }
    return page
  }

  /** Finds the page that holds a word, by the word's offset in the zone. */
  pageOfWord(at: number): Page {
    return this.page(at >>> PAGE_SHIFT)
  }

  bytes(index: number): Uint8Array {
    let bytes = this.#bytes[index]
    if (bytes === undefined) {
      const buffer = this.#backing.buffer((index + 1) * PAGE_BYTES)
      bytes = new Uint8Array(buffer, index * PAGE_BYTES, PAGE_BYTES)
      this.#bytes[index] = bytes
    }
    return bytes
  }

  /** Views ints that may go over several pages, from an int offset in the zone. */
  intsAt(at: number, length: number): Int32Array {
    return new Int32Array(this.#backing.buffer((at + length) * 4), at * 4, length)
  }

  /**
   * Takes the lock that guards definitions, allocation, folding and retirement. Where the zone was
   * replaced, this object shows the successor when it returns, and the lock is the successor's.
   * @param timeoutMs two seconds, unless who asks can come again
   * @returns false when its holder kept it for so long; after two seconds, at once while it does
   */
  lock(timeoutMs?: number): boolean {
    for (;;) {
      const answer = this.#lock.take(timeoutMs)
      if (answer === 'taken') this.arrears?.()
      if (answer !== 'replaced') return answer === 'taken'
      if (!this.follow()) return false
    }
  }

  /**
   * Waits until a replacement that has begun is over, and follows it.
   * @returns false when the lock stays held
   */
  awaitReplacement(): boolean {
    const isOver = this.lock()
    if (isOver) this.unlock()
    return isOver
  }

  unlock(): void {
    this.#lock.release()
  }

  /** Takes the lock from a thread that is known to be dead; false when it did not hold it. */
  lockFrom(deadThread: number): boolean {
    return this.#lock.takeFrom(deadThread)
  }

  /** True once a successor holds what is defined; its readers and writers move there. */
  get isReplaced(): boolean {
    return this.#lock.isReplaced
  }

  /** Closes the zone; under the lock, which is never free again. */
  close(): void {
    this.#lock.close()
  }

  /**
   * Takes words from the budget of definitions; needs no lock. Without a budget the words are only
   * counted, as far as the count goes.
   * @returns false, with nothing taken, when the budget has not as many left
   */
  charge(words: number): boolean {
    const { ints } = this
    const budget = ints[HEADER.budget]! >>> 0
    for (;;) {
      const charged = Atomics.load(ints, HEADER.charged)
      const sum = (charged >>> 0) + words
      if (budget !== 0 && sum > budget) return false
      const next = Math.min(Math.max(sum, 0), CHARGE_MAX)
      if (Atomics.compareExchange(ints, HEADER.charged, charged, next | 0) === charged) return true
    }
  }

  countRefusal(refusal: ZoneRefusal): void {
    Atomics.add(this.ints, HEADER.refusals + REFUSALS.indexOf(refusal), 1)
  }

  /**
   * Allocates a zeroed page for a part; under the lock.
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

  /** Allocates `count` neighbouring new pages and gives the first, or 0; under the lock. */
  allocateRun(part: Part, count: number): number {
    const first = this.ints[HEADER.topPage]!
    if (!this.#grow(first + count)) return 0
    this.ints[HEADER.topPage] = first + count
    this.#countPages(part, count)
    return first
  }

  #grow(pages: number): boolean {
    if (pages * PAGE_BYTES <= this.size) return true
    const pagesMax = this.#ints[HEADER.pagesMax]!
    if (pages > pagesMax) return false
    return this.#backing.grow(Math.min(pagesMax, pages + GROW_PAGES - 1) * PAGE_BYTES)
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
   * Allocates a zeroed block of RING_WORDS; 10 lines of 128 bytes, so blocks of two writers share
   * none. Under the lock.
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
   * Allocates a zeroed chunk table of one int per page the zone may have; under the lock.
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

/** Checks the byte order: half 2i is the low half of word i on little-endian machines only. */
function requireLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) {
    throw new ZoneFormatError('zones need a little-endian machine')
  }
}
