/**
 * The shared index: open addressing over `[hash:u32][metric + 1:u32]`, in pages of 8,192 entries,
 * each at most three quarters full, tombstones of retired metrics included. It compares key bytes,
 * never the hash alone, so two keys of one hash stay two metrics.
 *
 *   page       [used:u32][-1:i32] [hash:u32][metric + 1:u32] * 8,191
 *   directory  [page:u32] * 16,384, by the topmost 14 bits of a hash; pages have neighbouring ones
 *
 * There is one page first, and no directory. A page that is full is split in two, by the next bit
 * of its entries' hashes: so one more metric never costs more than one page, however many there
 * are. The first entry of a page tells how many of its entries are not empty; probes take it for a
 * tombstone.
 *
 * Finding takes no lock. An entry is published by one store of `metric + 1`, after its hash and the
 * descriptor; probes skip tombstones, and a new entry takes the place of the first one it meets.
 * Entries leave, and pages are laid out anew, only with the generation odd: within one generation
 * every descriptor that an entry names stays as it is, and no entry changes its place.
 */
import {
  HEADER,
  INDEX_DIRECTORY,
  INDEX_ENTRIES_PER_PAGE,
  INDEX_ENTRY_INTS,
  PAGE_INTS,
  TOMBSTONE,
} from '../layout.ts'
import type { ZoneMemory } from '../memory/memory.ts'
import type { Descriptors } from './descriptors.ts'

const PAGE_MASK = INDEX_DIRECTORY - 1
/** Shift that leaves of a hash its place in the directory. */
const DIRECTORY_SHIFT = Math.clz32(PAGE_INTS) + 1
const LAST = PAGE_INTS - 1
/** Entries of a page that may be in use, by metrics or tombstones. */
const USED_LIMIT = 0.75 * INDEX_ENTRIES_PER_PAGE

export class IndexTable {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors

  constructor(memory: ZoneMemory, descriptors: Descriptors) {
    this.#memory = memory
    this.#descriptors = descriptors
  }

  /**
   * Finds the metric of a key, or -1. Holds under the lock, and where the generation stays the
   * same.
   */
  find(hash: number, key: Uint8Array): number {
    const page = this.#pageOf(hash)
    if (page === 0) return -1
    const entries = this.#entries(page)
    let at = firstEntry(hash)
    for (let probes = 0; probes < INDEX_ENTRIES_PER_PAGE; probes++) {
      const metric = Atomics.load(entries, at + 1) - 1
      if (metric === -1) return -1
      if (entries[at] === hash && this.#descriptors.has(metric)) {
        if (this.#descriptors.hasKey(metric, key)) return metric
      }
      at = (at + INDEX_ENTRY_INTS) & LAST
    }
    return -1
  }

  /** Finds the page of a hash; 0 while there is no index. */
  #pageOf(hash: number): number {
    const place = Atomics.load(this.#memory.ints, HEADER.index)
    if ((place & INDEX_DIRECTORY) === 0) return place
    return Atomics.load(this.#entries(place & PAGE_MASK), hash >>> DIRECTORY_SHIFT)
  }

  #entries(page: number): Int32Array {
    return this.#memory.page(page).halves
  }

  /**
   * Makes room for an entry of a hash; under the lock.
   * @returns false when the zone is full
   */
  reserve(hash: number): boolean {
    if (this.#memory.ints[HEADER.index] === 0) {
      const first = this.#allocate()
      if (first === 0) return false
      Atomics.store(this.#memory.ints, HEADER.index, first)
    }
    for (;;) {
      const page = this.#pageOf(hash)
      const entries = this.#entries(page)
      if (entries[0]! < USED_LIMIT) return true
      const live = countLive(entries)
      // Tombstones alone are swept out of a page that would be less than half as full without them.
      if (live >= USED_LIMIT / 2 && this.#split(page, hash)) continue
      if (live >= USED_LIMIT) return false
      this.#sweep(entries)
    }
  }

  /** @returns a page without entries; 0 when the zone is full */
  #allocate(): number {
    const page = this.#memory.allocatePage('index')
    if (page !== 0) clear(this.#entries(page))
    return page
  }

  /**
   * Gives the upper half of a page's hashes a page of its own.
   * @returns false when the zone is full, or the page has one place in the directory only
   */
  #split(page: number, hash: number): boolean {
    const { ints, generation } = this.#memory
    const directory = this.#directory(page)
    if (directory === 0) return false
    const pages = this.#entries(directory)
    let first = hash >>> DIRECTORY_SHIFT
    let end = first + 1
    while (first > 0 && pages[first - 1] === page) first--
    while (end < PAGE_INTS && pages[end] === page) end++
    const middle = (first + end) >>> 1
    const upper = middle === first ? 0 : this.#allocate()
    if (upper === 0) return false
    const entries = this.#entries(page)
    const before = entries.slice()
    for (let at = INDEX_ENTRY_INTS; at < PAGE_INTS; at += INDEX_ENTRY_INTS) {
      if (before[at + 1]! <= 0 || before[at]! >>> DIRECTORY_SHIFT < middle) continue
      insert(this.#entries(upper), before[at]!, before[at + 1]!)
    }
    generation.begin()
    // rising: who takes over from a thread that dies here knows what it had begun
    for (let i = middle; i < end; i++) Atomics.store(pages, i, upper)
    Atomics.store(ints, HEADER.index, directory | INDEX_DIRECTORY)
    ints[HEADER.tombstones]! -= refill(entries, before, (each) => each >>> DIRECTORY_SHIFT < middle)
    generation.end()
    return true
  }

  /** Finds the directory, or makes one in which all hashes have this page; 0: the zone is full. */
  #directory(page: number): number {
    const place = this.#memory.ints[HEADER.index]!
    if ((place & INDEX_DIRECTORY) !== 0) return place & PAGE_MASK
    const directory = this.#memory.allocatePage('index')
    if (directory !== 0) this.#entries(directory).fill(page)
    return directory
  }

  /** Lays the entries of a page out anew, without tombstones. */
  #sweep(entries: Int32Array): void {
    const { ints, generation } = this.#memory
    const before = entries.slice()
    generation.begin()
    ints[HEADER.tombstones]! -= refill(entries, before, () => true)
    generation.end()
  }

  /** Fills all pages anew with every metric that is linked; under the lock, generation odd. */
  rebuild(): void {
    const { ints } = this.#memory
    if (ints[HEADER.index] === 0) return
    for (const page of this.#mendedPages()) clear(this.#entries(page))
    for (let metric = 0; metric < ints[HEADER.metrics]!; metric++) {
      if (!this.#descriptors.has(metric) || !this.#descriptors.isLinked(metric)) continue
      const hash = this.#memory.hashOf(this.#descriptors.key(metric))
      insert(this.#entries(this.#pageOf(hash)), hash, metric + 1)
    }
    ints[HEADER.tombstones] = 0
  }

  /**
   * Lists the pages. Where a thread died that was splitting one, the places of the upper half that
   * it had not reached are given to the new page, too.
   */
  #mendedPages(): ReadonlySet<number> {
    const place = this.#memory.ints[HEADER.index]!
    const pages = new Set<number>()
    if ((place & INDEX_DIRECTORY) === 0) return pages.add(place)
    const directory = this.#entries(place & PAGE_MASK)
    for (let i = 0; i < PAGE_INTS; i++) {
      const before = directory[i - 1]
      if (directory[i] !== before && pages.has(directory[i]!)) directory[i] = before!
      pages.add(directory[i]!)
    }
    return pages
  }

  /** Publishes a metric whose descriptor is written; under the lock, after {@link reserve}. */
  publish(hash: number, metric: number): void {
    const isReused = insert(this.#entries(this.#pageOf(hash)), hash, metric + 1)
    if (isReused) this.#memory.ints[HEADER.tombstones]!--
  }

  /** Leaves a tombstone in a metric's place; under the lock, with the generation odd. */
  remove(hash: number, metric: number): void {
    const entries = this.#entries(this.#pageOf(hash))
    let at = firstEntry(hash)
    while (entries[at + 1] !== metric + 1) at = (at + INDEX_ENTRY_INTS) & LAST
    Atomics.store(entries, at + 1, TOMBSTONE)
    this.#memory.ints[HEADER.tombstones]!++
  }
}

/** Empties a page but for its first entry. */
function clear(entries: Int32Array): void {
  entries.fill(0)
  entries[1] = TOMBSTONE
}

/** Counts the metrics in a page. */
function countLive(entries: Int32Array): number {
  let live = 0
  for (let at = 1; at < PAGE_INTS; at += INDEX_ENTRY_INTS) if (entries[at]! > 0) live++
  return live
}

/**
 * Fills a page with those that it had whose hashes stay.
 * @returns the number of tombstones that it had
 */
function refill(entries: Int32Array, before: Int32Array, stays: (hash: number) => boolean): number {
  clear(entries)
  let tombstones = 0
  for (let at = INDEX_ENTRY_INTS; at < PAGE_INTS; at += INDEX_ENTRY_INTS) {
    const value = before[at + 1]!
    if (value === TOMBSTONE) tombstones++
    else if (value > 0 && stays(before[at]!)) insert(entries, before[at]!, value)
  }
  return tombstones
}

/** Inserts an entry; true when it took the place of a tombstone. */
function insert(entries: Int32Array, hash: number, value: number): boolean {
  let at = firstEntry(hash)
  while (at === 0 || entries[at + 1]! > 0) at = (at + INDEX_ENTRY_INTS) & LAST
  const isReused = entries[at + 1] === TOMBSTONE
  if (!isReused) entries[0]!++
  entries[at] = hash
  Atomics.store(entries, at + 1, value)
  return isReused
}

function firstEntry(hash: number): number {
  return ((hash ^ (hash >>> 15)) * INDEX_ENTRY_INTS) & LAST
}
