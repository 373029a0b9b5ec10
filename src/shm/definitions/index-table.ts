/**
 * The shared index: open addressing over `[hash:u32][metric + 1:u32]`, at most three quarters full,
 * tombstones of retired metrics included. It compares key bytes, never the hash alone, so two keys
 * of one hash stay two metrics.
 *
 * Finding takes no lock. An entry is published by one store of `metric + 1`, after its hash and the
 * descriptor; probes skip tombstones, and a new entry takes the place of the first one it meets.
 * Entries leave, and tables are laid out anew, only with the generation odd: within one generation
 * every descriptor that an entry names stays as it is, and no entry changes its place.
 */
import {
  HEADER,
  INDEX_ENTRIES_PER_PAGE,
  INDEX_ENTRY_INTS,
  PAGE_INTS,
  TOMBSTONE,
} from '../layout.ts'
import type { ZoneMemory } from '../memory/memory.ts'
import type { Descriptors } from './descriptors.ts'

const SIZE_SHIFT = 24
const PAGE_MASK = (1 << SIZE_SHIFT) - 1
const FIRST_SIZE_LOG2 = Math.log2(INDEX_ENTRIES_PER_PAGE)

export class IndexTable {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  /** Ints of the memory and place that `#entries` shows. */
  #ints: Int32Array | undefined
  #place = 0
  #entries: Int32Array = new Int32Array(0)

  constructor(memory: ZoneMemory, descriptors: Descriptors) {
    this.#memory = memory
    this.#descriptors = descriptors
  }

  /**
   * Finds the metric of a key, or -1. Holds under the lock, and where the generation stays the
   * same.
   */
  find(hash: number, key: Uint8Array): number {
    const entries = this.#view(Atomics.load(this.#memory.ints, HEADER.index))
    const last = entries.length - 1
    let at = firstEntry(hash, last)
    for (let probes = 0; probes <= last; probes += INDEX_ENTRY_INTS) {
      const metric = Atomics.load(entries, at + 1) - 1
      if (metric === -1) return -1
      if (entries[at] === hash && this.#descriptors.has(metric)) {
        if (this.#descriptors.hasKey(metric, key)) return metric
      }
      at = (at + INDEX_ENTRY_INTS) & last
    }
    return -1
  }

  #view(place: number): Int32Array {
    const { ints } = this.#memory
    if (place !== this.#place || ints !== this.#ints) {
      const length = INDEX_ENTRY_INTS << (place >>> SIZE_SHIFT)
      this.#entries = this.#memory.intsAt((place & PAGE_MASK) * PAGE_INTS, length)
      this.#place = place
      this.#ints = ints
    }
    return this.#entries
  }

  /**
   * Makes room for one more entry; under the lock.
   * @returns false when the zone is full
   */
  reserve(): boolean {
    const { ints } = this.#memory
    const live = ints[HEADER.metrics]! - ints[HEADER.freeCount]! - ints[HEADER.unlinked]!
    const place = ints[HEADER.index]!
    if (place === 0) return this.#enlarge(FIRST_SIZE_LOG2)
    const sizeLog2 = place >>> SIZE_SHIFT
    const most = 0.75 * 2 ** sizeLog2
    if (live + ints[HEADER.tombstones]! < most) return true
    // Tombstones alone are swept out of a table that would be less than half as full without them.
    if (live >= most / 2 && this.#enlarge(sizeLog2 + 1)) return true
    if (live < most) this.#sweep()
    return live < most
  }

  /** Lays the entries out anew in a bigger table and gives the old one back. */
  #enlarge(sizeLog2: number): boolean {
    const { ints, generation } = this.#memory
    const pages = 2 ** sizeLog2 / INDEX_ENTRIES_PER_PAGE
    const page = this.#memory.allocateRun('index', pages)
    if (page === 0) return false
    const place = ints[HEADER.index]!
    const old = place === 0 ? undefined : this.#view(place)
    const next = page | (sizeLog2 << SIZE_SHIFT)
    if (old !== undefined) copyEntries(old, this.#view(next))
    generation.begin()
    Atomics.store(ints, HEADER.index, next)
    ints[HEADER.tombstones] = 0
    for (let i = 0; i < pages / 2 && old !== undefined; i++) {
      this.#memory.freePage((place & PAGE_MASK) + i, 'index')
    }
    generation.end()
    return true
  }

  /** Lays the entries out anew in the same table, without tombstones. */
  #sweep(): void {
    const { ints, generation } = this.#memory
    const entries = this.#view(ints[HEADER.index]!)
    const swept = new Int32Array(entries.length)
    copyEntries(entries, swept)
    generation.begin()
    entries.set(swept)
    ints[HEADER.tombstones] = 0
    generation.end()
  }

  /** Fills the table anew with every metric that is linked; under the lock, generation odd. */
  rebuild(): void {
    const { ints } = this.#memory
    if (ints[HEADER.index] === 0) return
    const entries = this.#view(ints[HEADER.index]!)
    entries.fill(0)
    for (let metric = 0; metric < ints[HEADER.metrics]!; metric++) {
      if (!this.#descriptors.has(metric) || !this.#descriptors.isLinked(metric)) continue
      insert(entries, this.#memory.hashOf(this.#descriptors.key(metric)), metric + 1)
    }
    ints[HEADER.tombstones] = 0
  }

  /** Publishes a metric whose descriptor is written; under the lock, after {@link reserve}. */
  publish(hash: number, metric: number): void {
    const { ints } = this.#memory
    const isReused = insert(this.#view(ints[HEADER.index]!), hash, metric + 1)
    if (isReused) ints[HEADER.tombstones]!--
  }

  /** Leaves a tombstone in a metric's place; under the lock, with the generation odd. */
  remove(hash: number, metric: number): void {
    const { ints } = this.#memory
    const entries = this.#view(ints[HEADER.index]!)
    const last = entries.length - 1
    let at = firstEntry(hash, last)
    while (entries[at + 1] !== metric + 1) at = (at + INDEX_ENTRY_INTS) & last
    Atomics.store(entries, at + 1, TOMBSTONE)
    ints[HEADER.tombstones]!++
  }
}

/** Copies what is no tombstone into an empty table. */
function copyEntries(from: Int32Array, to: Int32Array): void {
  for (let i = 0; i < from.length; i += INDEX_ENTRY_INTS) {
    if (from[i + 1]! > 0) insert(to, from[i]!, from[i + 1]!)
  }
}

/** Inserts an entry; true when it took the place of a tombstone. */
function insert(entries: Int32Array, hash: number, value: number): boolean {
  const last = entries.length - 1
  let at = firstEntry(hash, last)
  while (entries[at + 1]! > 0) at = (at + INDEX_ENTRY_INTS) & last
  const isReused = entries[at + 1] === TOMBSTONE
  entries[at] = hash
  Atomics.store(entries, at + 1, value)
  return isReused
}

function firstEntry(hash: number, last: number): number {
  return ((hash ^ (hash >>> 15)) * INDEX_ENTRY_INTS) & last
}
