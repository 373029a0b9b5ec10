/**
 * Segments: one per writer, and segment 0, the base, that belongs to no thread and holds what
 * detached writers left. A segment is a table of chunks; a chunk is a page taken when the first
 * metric in it is used by this writer, so a segment costs what its writer touches.
 *
 * While a reconfiguration is going on, segments of the zones before that have not moved yet are
 * listed behind the zone's own: who adds up all of the list counts every value once.
 */
import { Descriptors } from '../definitions/descriptors.ts'
import {
  CHUNK_CLASS_SHIFT,
  CHUNK_PAGE_MASK,
  ENTRY,
  ENTRY_INTS,
  HEADER,
  HEADER_INTS,
  PAGE_SHIFT,
} from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'

export class Segment {
  /** Memory where the segment is. */
  readonly memory: ZoneMemory
  /** Number of the segment there. */
  readonly index: number
  readonly #entryAt: number
  #table: Int32Array | undefined

  constructor(memory: ZoneMemory, index: number) {
    this.memory = memory
    this.index = index
    this.#entryAt = HEADER_INTS + index * ENTRY_INTS
  }

  /** Finds the chunk that holds a slot; undefined when this writer never used it. */
  pageOf(slotAt: number): Page | undefined {
    const page = this.entry(slotAt >>> PAGE_SHIFT) & CHUNK_PAGE_MASK
    return page === 0 ? undefined : this.memory.page(page)
  }

  /** Reads an entry of the chunk table: `page | slot class << 24`, 0 = none. */
  entry(chunk: number): number {
    const table = this.#chunkTable()
    return table === undefined || chunk >= table.length ? 0 : Atomics.load(table, chunk)
  }

  /** Publishes a chunk whose page is filled; under the lock. */
  setEntry(chunk: number, entry: number): void {
    Atomics.store(this.#chunkTable()!, chunk, entry)
  }

  /**
   * Takes the chunk of a slot, if the segment has none yet; under the lock.
   * @returns false when the zone is full
   */
  reserve(slotAt: number, slotClass: number): boolean {
    if (this.entry(slotAt >>> PAGE_SHIFT) !== 0) return true
    const page = this.memory.allocatePage('segments')
    if (page !== 0) this.setEntry(slotAt >>> PAGE_SHIFT, page | (slotClass << CHUNK_CLASS_SHIFT))
    return page !== 0
  }

  /** Counts chunks held now. */
  countChunks(): number {
    let count = 0
    const chunks = Atomics.load(this.memory.ints, HEADER.chunks)
    for (let chunk = 0; chunk < chunks; chunk++) if (this.entry(chunk) !== 0) count++
    return count
  }

  field(field: number): number {
    return Atomics.load(this.memory.ints, this.#entryAt + field)
  }

  setField(field: number, value: number): void {
    Atomics.store(this.memory.ints, this.#entryAt + field, value)
  }

  /** Gives the segment its chunk table, once; under the lock. False when the zone is full. */
  takeTable(): boolean {
    if (this.field(ENTRY.tableAt) !== 0) return true
    const at = this.memory.allocateTable()
    if (at === 0) return false
    this.setField(ENTRY.tableAt, at)
    return true
  }

  #chunkTable(): Int32Array | undefined {
    if (this.#table !== undefined) return this.#table
    const at = this.field(ENTRY.tableAt)
    if (at === 0) return undefined
    this.#table = this.memory.intsAt(at, this.memory.tableInts)
    return this.#table
  }
}

/** A segment of a zone that was replaced. It holds nothing any more once it has moved. */
export class UnmovedSegment extends Segment {
  /** Segment of the successor that the values go to. */
  get target(): number {
    return -1 - this.field(ENTRY.movedTo)
  }

  get isMoved(): boolean {
    return this.field(ENTRY.movedTo) >= 0
  }

  override entry(chunk: number): number {
    return this.isMoved ? 0 : super.entry(chunk)
  }
}

/** A zone that was replaced, and what of it has not moved. */
export class Predecessor {
  readonly memory: ZoneMemory
  readonly descriptors: Descriptors
  readonly segments: readonly UnmovedSegment[]
  #shared: number[] | undefined

  constructor(memory: ZoneMemory) {
    this.memory = memory
    this.descriptors = new Descriptors(memory)
    this.segments = Array.from(
      { length: memory.ints[HEADER.segments]! },
      (_, i) => new UnmovedSegment(memory, i),
    ).filter((segment) => segment.field(ENTRY.movedTo) !== 0)
  }

  /** Lists shared gauges: each has a word here that unmoved threads go on adding to. */
  sharedMetrics(): readonly number[] {
    if (this.#shared === undefined) {
      this.#shared = []
      for (let metric = 0; metric < this.descriptors.count; metric++) {
        if (this.descriptors.mode(metric) === 'shared') this.#shared.push(metric)
      }
    }
    return this.#shared
  }
}

/** The segments of a zone as one thread sees them. */
export class Segments {
  readonly #memory: ZoneMemory
  #own: Segment[] = []
  #unmoved: UnmovedSegment[] = []
  #predecessors: Predecessor[] = []

  constructor(memory: ZoneMemory) {
    this.#memory = memory
  }

  /**
   * Segments that may hold values: the entries ever leased, entry 0 being the base, and what has
   * not moved from the zones before.
   */
  get count(): number {
    return this.ownCount + this.#unmoved.length
  }

  /** Number of the zone's own, which come first. */
  get ownCount(): number {
    return Atomics.load(this.#memory.ints, HEADER.segments)
  }

  at(index: number): Segment {
    const unmoved = this.#unmoved.length > 0 ? this.#unmoved[index - this.ownCount] : undefined
    return unmoved ?? this.own(index)
  }

  /** Gives a segment of the zone's own, leased or not. */
  own(index: number): Segment {
    for (let i = this.#own.length; i <= index; i++) this.#own.push(new Segment(this.#memory, i))
    return this.#own[index]!
  }

  /** Zones before this one of which not everything has moved yet. */
  get predecessors(): readonly Predecessor[] {
    return this.#predecessors
  }

  /** Reads what unmoved threads have added to a shared gauge in the zones before. */
  sharedRest(metric: number): bigint {
    let rest = 0n
    for (const { descriptors } of this.#predecessors) {
      if (metric >= descriptors.count) continue
      rest += Atomics.load(descriptors.pageOf(metric).words, descriptors.sharedAt(metric))
    }
    return rest
  }

  /** Zeroes a shared gauge, here and in the zones before; under the lock. */
  clearShared(descriptors: Descriptors, metric: number): void {
    const at = descriptors.sharedAt(metric)
    for (const before of this.#predecessors) {
      if (metric < before.descriptors.count) {
        Atomics.store(before.descriptors.pageOf(metric).words, at, 0n)
      }
    }
    Atomics.store(descriptors.pageOf(metric).words, at, 0n)
  }

  /** Follows the memory, which shows a successor now; these zones hold what has not moved to it. */
  succeed(memories: readonly ZoneMemory[]): void {
    this.#own = []
    this.#predecessors = memories.map(
      (memory) =>
        this.#predecessors.find((known) => known.memory === memory) ?? new Predecessor(memory),
    )
    this.forgetMoved()
  }

  /** Counts, in the zones before, segments whose values are still there. */
  countUnmoved(): number {
    return this.#predecessors.flatMap(({ segments }) => segments).filter(({ isMoved }) => !isMoved)
      .length
  }

  /** Lets go of the zones from which everything has moved. */
  forgetMoved(): void {
    this.#predecessors = this.#predecessors.filter(({ segments }) =>
      segments.some(({ isMoved }) => !isMoved),
    )
    this.#unmoved = this.#predecessors.flatMap(({ segments }) => segments)
  }
}
