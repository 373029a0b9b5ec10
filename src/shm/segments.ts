/**
 * Segments: one per writer, and segment 0, the base, that belongs to no thread and holds what
 * detached writers left. A segment is a table of chunks; a chunk is a page taken when the first
 * metric in it is used by this writer, so a segment costs what its writer touches.
 */
import {
  CHUNK_PAGE_MASK,
  CHUNK_TYPE_SHIFT,
  ENTRY,
  ENTRY_INTS,
  HEADER,
  HEADER_INTS,
  PAGE_SHIFT,
} from './layout.ts'
import type { Page, ZoneMemory } from './memory.ts'

export class Segment {
  readonly index: number
  readonly #memory: ZoneMemory
  readonly #entryAt: number
  #table: Int32Array | undefined

  constructor(memory: ZoneMemory, index: number) {
    this.index = index
    this.#memory = memory
    this.#entryAt = HEADER_INTS + index * ENTRY_INTS
  }

  /** The chunk that holds a slot; undefined when this writer never used it. */
  pageOf(slotAt: number): Page | undefined {
    const page = this.entry(slotAt >>> PAGE_SHIFT) & CHUNK_PAGE_MASK
    return page === 0 ? undefined : this.#memory.page(page)
  }

  /** Entry of the chunk table: `page | type << 24`, 0 = none. */
  entry(chunk: number): number {
    const table = this.#chunkTable()
    return table === undefined ? 0 : Atomics.load(table, chunk)
  }

  /** Publishes a chunk whose page is filled; under the lock. */
  setEntry(chunk: number, entry: number): void {
    Atomics.store(this.#chunkTable()!, chunk, entry)
  }

  /**
   * The chunk that holds a slot, taken now if need be.
   * @returns undefined when the zone is full or its lock stuck; counted
   */
  takePage(slotAt: number, type: number): Page | undefined {
    const held = this.pageOf(slotAt)
    if (held !== undefined) return held
    if (!this.#memory.lock()) {
      this.#memory.countRefusal('lockTimeout')
      return undefined
    }
    const page = this.#memory.allocatePage('segments')
    if (page !== 0) this.setEntry(slotAt >>> PAGE_SHIFT, page | (type << CHUNK_TYPE_SHIFT))
    this.#memory.unlock()
    if (page !== 0) return this.#memory.page(page)
    this.#memory.countRefusal('zoneFull')
    return undefined
  }

  /** Chunks held now. */
  countChunks(): number {
    let count = 0
    const chunks = Atomics.load(this.#memory.ints, HEADER.chunks)
    for (let chunk = 0; chunk < chunks; chunk++) if (this.entry(chunk) !== 0) count++
    return count
  }

  field(field: number): number {
    return Atomics.load(this.#memory.ints, this.#entryAt + field)
  }

  setField(field: number, value: number): void {
    Atomics.store(this.#memory.ints, this.#entryAt + field, value)
  }

  /** Moves the state from one value to another; false when it was not the expected one. */
  exchangeState(from: number, to: number): boolean {
    const at = this.#entryAt + ENTRY.state
    return Atomics.compareExchange(this.#memory.ints, at, from, to) === from
  }

  /** Gives the segment its chunk table, once; under the lock. False when the zone is full. */
  takeTable(): boolean {
    if (this.field(ENTRY.tableAt) !== 0) return true
    const at = this.#memory.allocateTable()
    if (at === 0) return false
    this.setField(ENTRY.tableAt, at)
    return true
  }

  #chunkTable(): Int32Array | undefined {
    if (this.#table !== undefined) return this.#table
    const at = this.field(ENTRY.tableAt)
    if (at === 0) return undefined
    this.#table = new Int32Array(this.#memory.buffer, at * 4, this.#memory.tableInts)
    return this.#table
  }
}

/** The segments of a zone as one thread sees them. */
export class Segments {
  readonly #memory: ZoneMemory
  readonly #segments: Segment[] = []

  constructor(memory: ZoneMemory) {
    this.#memory = memory
  }

  /** Entries ever leased, the base included; entry 0 is the base. */
  get count(): number {
    return Atomics.load(this.#memory.ints, HEADER.segments)
  }

  at(index: number): Segment {
    for (let i = this.#segments.length; i <= index; i++) {
      this.#segments.push(new Segment(this.#memory, i))
    }
    return this.#segments[index]!
  }
}
