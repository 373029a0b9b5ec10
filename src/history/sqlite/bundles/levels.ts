/**
 * The tables of bundles, and how cells are added to what they hold. Cells form a commutative
 * monoid, so adding is all that is ever done: a late cell, a second that comes again, twelve
 * windows that become one are the same operation.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KINDS, type Kind } from '../../../model/index.ts'
import { DecodeError } from '../../../wire/index.ts'
import { faultOf } from '../../codec/fault.ts'
import {
  type Block,
  Bundle,
  type BundledChunk,
  type BundleVersion,
  encodeBundle,
} from '../../codec/index.ts'
import { quickCodec } from '../../quick/quick-coder.ts'
import type { NoteDamage } from '../row-facts.ts'
import { mergeBlocks, moved } from './blocks.ts'
import { type Entry, entriesOf, type WindowFrame } from './entries.ts'
import { type ChunkPart, decodeParts, encodeParts } from './parts.ts'

export interface Level {
  readonly table: 'second5' | 'second' | 'minute1' | 'minute' | 'hour'
  /** Width of a cell and of a window, seconds. */
  readonly cellS: 1 | 60 | 3600
  readonly windowS: number
}

export const SECOND5: Level = { table: 'second5', cellS: 1, windowS: 300 }
export const SECOND: Level = { table: 'second', cellS: 1, windowS: 3600 }
/** Minutes of the hours at hand: they are written again every five minutes. */
export const MINUTE1: Level = { table: 'minute1', cellS: 60, windowS: 3600 }
export const MINUTE: Level = { table: 'minute', cellS: 60, windowS: 14_400 }
export const HOUR: Level = { table: 'hour', cellS: 3600, windowS: 2_592_000 }
export const LEVELS: readonly Level[] = [SECOND5, SECOND, MINUTE1, MINUTE, HOUR]

/** Slots of a block: neighbours of one kind, in one bundle. */
export const BLOCK_SLOTS = 128
const BLOCKS_LIMIT = 2 ** 21
const WINDOWS_LIMIT = 2 ** 31
const SQLITE_CORRUPT = 11
/** Parts of a chunk: twelve of an hour, and as many of late cells before all become one. */
const PARTS_MOST = 24

export function rowId(window: number, block: number): number {
  return window * BLOCKS_LIMIT + block
}

export function windowOf(id: number): number {
  return Math.floor(id / BLOCKS_LIMIT)
}

/** Gives the block of the id of a row. */
export function blockOf(id: number): number {
  return id % BLOCKS_LIMIT
}

export function blockNumber(slot: number): number {
  return Math.floor(slot / BLOCK_SLOTS)
}

/** Gives the frame of a window, in which its blocks are. */
export function frameOf({ cellS, windowS }: Level, window: number): WindowFrame {
  return { startMs: window * windowS * 1000, widthMs: cellS * 1000 }
}

interface Row {
  readonly id: number
  readonly bytes: Uint8Array
}

/** Cells of the series of one bundle, by slot. */
export type SlotBlocks = ReadonlyMap<number, Block>

export class BundleTable {
  readonly level: Level
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #delete: StatementSync
  readonly #ids: StatementSync
  readonly #ends: StatementSync
  readonly #damaged: NoteDamage
  readonly #digits: number

  /**
   * @param damaged told of rows and chunks that can't be read: they are left out
   * @param digits significant digits of gauges that are no decimals of few places; 0 = every bit
   */
  constructor(db: DatabaseSync, level: Level, damaged: NoteDamage, digits = 0) {
    this.level = level
    this.#damaged = damaged
    this.#digits = digits
    this.#read = db.prepare(`SELECT b FROM ${level.table} WHERE id = ?`)
    this.#write = db.prepare(`INSERT OR REPLACE INTO ${level.table} VALUES (?, ?)`)
    this.#delete = db.prepare(`DELETE FROM ${level.table} WHERE id = ?`)
    this.#ends = db.prepare(`SELECT min(id) AS first, max(id) AS last FROM ${level.table}`)
    this.#ids = db.prepare(`SELECT id FROM ${level.table} WHERE id >= ? AND id < ? ORDER BY id`)
  }

  /** Opens a bundle; undefined where there is none, or none that can be read. */
  open(window: number, block: number): Bundle | undefined {
    return this.#guarded(() => {
      const id = rowId(window, block)
      const row = this.#read.get(id)
      if (row === undefined) return undefined
      if (row.b instanceof Uint8Array) return new Bundle(row.b, id)
      throw faultOf('bundle_truncated', 0, 'a row without bytes')
    })
  }

  /** Reads the cells of a series in a bundle; undefined where it has none that can be read. */
  read(bundle: Bundle, slot: number, kind: Kind, window: number): Block | undefined {
    return this.#guarded(() => {
      const chunk = bundle.chunk(slot)
      if (chunk === undefined) return undefined
      if (bundle.version === 1) return quickCodec().decode(kind, chunk)
      const frame = frameOf(this.level, window)
      let sum: Block | undefined
      for (const { shift, bytes } of decodeParts(chunk)) {
        const part = moved(quickCodec().decode(kind, bytes), shift, shift * frame.widthMs)
        sum = sum === undefined ? part : mergeBlocks(sum, part, frame)
      }
      return sum
    })
  }

  /** Lists the cells of a series in a bundle, as {@link read} has them. */
  entries(bundle: Bundle, slot: number, kind: Kind, window: number): Entry[] | undefined {
    const block = this.read(bundle, slot, kind, window)
    return block && entriesOf(block, frameOf(this.level, window))
  }

  #guarded<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (error instanceof DecodeError) this.#damaged(error)
      else if (isOfPages(error)) this.#damaged({ code: 'database' })
      else throw error
      return undefined
    }
  }

  /** Makes the row of a bundle of a window with more cells in it; not written yet. */
  rowWith(window: number, block: number, added: SlotBlocks, kind: Kind): Row {
    const frame = frameOf(this.level, window)
    return this.#rowOf(window, block, added, kind, (more, held, slot) => {
      const before = held && this.read(held, slot, kind, window)
      const all = before === undefined ? more : mergeBlocks(before, more, frame)
      const bytes = quickCodec().encode(all, { digits: this.#digits })
      return this.#isParted(kind) ? encodeParts([{ shift: 0, bytes }]) : bytes
    })
  }

  /**
   * Makes the row of a bundle of a window with chunks of shorter ones in it, as they are.
   * @param added parts by slot, of a kind whose bundles have some
   */
  rowWithParts(
    window: number,
    block: number,
    added: ReadonlyMap<number, readonly ChunkPart[]>,
    kind: Kind,
  ): Row {
    return this.#rowOf(window, block, added, kind, (more, held, slot) => {
      const before = held && this.#partsIn(held, slot)
      const parts = [...(before ?? []), ...more]
      if (parts.length <= PARTS_MOST) return encodeParts(parts)
      const whole = parts.map(({ shift, bytes }) => {
        return moved(quickCodec().decode(kind, bytes), shift, shift * this.level.cellS * 1000)
      })
      const frame = frameOf(this.level, window)
      const all = whole.reduce((sum, part) => mergeBlocks(sum, part, frame))
      return encodeParts([{ shift: 0, bytes: quickCodec().encode(all) }])
    })
  }

  #partsIn(bundle: Bundle, slot: number): ChunkPart[] | undefined {
    return this.#guarded(() => {
      const bytes = bundle.chunk(slot)
      if (bytes === undefined) return undefined
      return bundle.version === 1 ? [{ shift: 0, bytes }] : decodeParts(bytes)
    })
  }

  /** Finds a chunk as it is; undefined where there is none, or none that can be read. */
  chunk(bundle: Bundle, slot: number): Uint8Array | undefined {
    return this.#guarded(() => bundle.chunk(slot))
  }

  /** Tells whether chunks of a kind are put together of those of shorter windows. */
  #isParted(kind: Kind): boolean {
    return this.level === SECOND && isDistribution(kind)
  }

  /** @param chunkOf makes the chunk of a series of which more has come */
  #rowOf<T>(
    window: number,
    block: number,
    added: ReadonlyMap<number, T>,
    kind: Kind,
    chunkOf: (more: T, held: Bundle | undefined, slot: number) => Uint8Array,
  ): Row {
    const held = this.open(window, block)
    const version = this.#isParted(kind) ? 2 : 1
    const slots = new Set(added.keys())
    for (const slot of held?.slots ?? []) slots.add(slot)
    const chunks: BundledChunk[] = []
    for (const slot of [...slots].sort((a, b) => a - b)) {
      const more = added.get(slot)
      const bytes =
        more === undefined ? this.#heldAs(version, held, slot) : chunkOf(more, held, slot)
      if (bytes !== undefined) chunks.push({ slot, bytes })
    }
    const id = rowId(window, block)
    return { id, bytes: encodeBundle(this.level.cellS, chunks, version, id) }
  }

  /** Gives the chunk of a series of which no more has come, as bundles of a version have it. */
  #heldAs(version: BundleVersion, held: Bundle | undefined, slot: number): Uint8Array | undefined {
    const bytes = held && this.chunk(held, slot)
    if (bytes === undefined || held?.version === version) return bytes
    return encodeParts([{ shift: 0, bytes }])
  }

  write({ id, bytes }: Row): void {
    this.#write.run(id, bytes)
  }

  delete(window: number, block: number): void {
    this.#delete.run(rowId(window, block))
  }

  /** Takes series out of a bundle. */
  remove(window: number, block: number, slots: ReadonlySet<number>): void {
    const held = this.open(window, block)
    if (held === undefined) return
    const chunks = [...held.slots].flatMap((slot) => {
      const bytes = slots.has(slot) ? undefined : this.chunk(held, slot)
      return bytes === undefined ? [] : { slot, bytes }
    })
    if (chunks.length === 0) {
      this.delete(window, block)
      return
    }
    const id = rowId(window, block)
    this.write({ id, bytes: encodeBundle(this.level.cellS, chunks, held.version, id) })
  }

  /**
   * Gives the first window that has bundles and the one behind the last; equal ones without. Where
   * these can't be read they may be any.
   */
  span(): readonly [first: number, end: number] {
    return (
      this.#guarded(() => {
        const { first, last } = this.#ends.get() ?? {}
        return first === null || first === undefined
          ? ([0, 0] as const)
          : ([windowOf(Number(first)), windowOf(Number(last)) + 1] as const)
      }) ?? [0, WINDOWS_LIMIT]
    )
  }

  /** Lists the rows of windows [from, to) as `[window, block]`. */
  rows(fromWindow: number, toWindow: number): [number, number][] {
    return this.#ids.all(fromWindow * BLOCKS_LIMIT, toWindow * BLOCKS_LIMIT).map((row) => {
      const id = Number(row.id)
      return [windowOf(id), blockOf(id)]
    })
  }
}

/** Tells whether an error is of a page of the database that can't be read. */
function isOfPages(error: unknown): boolean {
  return ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === SQLITE_CORRUPT
}

/** Tells whether cells of a kind are distributions, which are dear to read and write again. */
export function isDistribution(kind: Kind): boolean {
  return kind === 'histogram' || kind === 'summary'
}

/** Kind of the series of a number, as the database has it. */
export function kindAt(number: unknown): Kind {
  return KINDS[Number(number)] ?? 'counter'
}
