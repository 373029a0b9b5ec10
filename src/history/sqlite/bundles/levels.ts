/**
 * The tables of bundles, and how cells are added to what they hold. Cells form a commutative
 * monoid, so adding is all that is ever done: a late cell, a second that comes again, twelve
 * windows that become one are the same operation.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KINDS, type Kind } from '../../../model/index.ts'
import { DecodeError } from '../../../wire/index.ts'
import { Bundle, type BundledChunk, encodeBundle } from '../../codec/index.ts'
import { quickCodec } from '../../quick/quick-coder.ts'
import { blockOf, type Entry, entriesOf, mergeEntries, type WindowFrame } from './entries.ts'

export interface Level {
  readonly table: 'second5' | 'second' | 'minute' | 'hour'
  /** Width of a cell and of a window, seconds. */
  readonly cellS: 1 | 60 | 3600
  readonly windowS: number
}

export const SECOND5: Level = { table: 'second5', cellS: 1, windowS: 300 }
export const SECOND: Level = { table: 'second', cellS: 1, windowS: 3600 }
export const MINUTE: Level = { table: 'minute', cellS: 60, windowS: 3600 }
export const HOUR: Level = { table: 'hour', cellS: 3600, windowS: 2_592_000 }
export const LEVELS: readonly Level[] = [SECOND5, SECOND, MINUTE, HOUR]

/** Slots of a block: neighbours of one kind, in one bundle. */
export const BLOCK_SLOTS = 128
const BLOCKS_LIMIT = 2 ** 21

export function rowId(window: number, block: number): number {
  return window * BLOCKS_LIMIT + block
}

export function windowOf(id: number): number {
  return Math.floor(id / BLOCKS_LIMIT)
}

export function blockNumber(slot: number): number {
  return Math.floor(slot / BLOCK_SLOTS)
}

function frameOf({ cellS, windowS }: Level, window: number): WindowFrame {
  return { startMs: window * windowS * 1000, widthMs: cellS * 1000 }
}

interface Row {
  readonly id: number
  readonly bytes: Uint8Array
}

/** Cells of the series of one block, by slot. */
export type BlockEntries = ReadonlyMap<number, readonly Entry[]>

export class BundleTable {
  readonly level: Level
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #delete: StatementSync
  readonly #ids: StatementSync
  readonly #damaged: (error: DecodeError) => void

  /** @param damaged told of chunks that can't be read: they are left out */
  constructor(db: DatabaseSync, level: Level, damaged: (error: DecodeError) => void) {
    this.level = level
    this.#damaged = damaged
    this.#read = db.prepare(`SELECT b FROM ${level.table} WHERE id = ?`)
    this.#write = db.prepare(`INSERT OR REPLACE INTO ${level.table} VALUES (?, ?)`)
    this.#delete = db.prepare(`DELETE FROM ${level.table} WHERE id = ?`)
    this.#ids = db.prepare(`SELECT id FROM ${level.table} WHERE id >= ? AND id < ? ORDER BY id`)
  }

  /** Opens a bundle; undefined where there is none, or none that can be read. */
  open(window: number, block: number): Bundle | undefined {
    const row = this.#read.get(rowId(window, block))
    if (row === undefined) return undefined
    return this.#guarded(() => new Bundle(row.b as Uint8Array))
  }

  /** Reads the cells of a series in a bundle; undefined where it has none that can be read. */
  entries(bundle: Bundle, slot: number, kind: Kind, window: number): Entry[] | undefined {
    return this.#guarded(() => {
      const chunk = bundle.chunk(slot)
      if (chunk === undefined) return undefined
      return entriesOf(quickCodec().decode(kind, chunk), frameOf(this.level, window))
    })
  }

  #guarded<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#damaged(error)
      return undefined
    }
  }

  /** Makes the row of a block of a window with more cells in it; not written yet. */
  rowWith(window: number, block: number, added: BlockEntries, kind: Kind): Row {
    const held = this.open(window, block)
    const slots = new Set(added.keys())
    for (const slot of held?.slots ?? []) slots.add(slot)
    const chunks: BundledChunk[] = []
    for (const slot of [...slots].sort((a, b) => a - b)) {
      const bytes = this.#chunkWith(held, slot, kind, window, added.get(slot) ?? [])
      if (bytes !== undefined) chunks.push({ slot, bytes })
    }
    return { id: rowId(window, block), bytes: encodeBundle(this.level.cellS, chunks) }
  }

  #chunkWith(
    held: Bundle | undefined,
    slot: number,
    kind: Kind,
    window: number,
    added: readonly Entry[],
  ): Uint8Array | undefined {
    if (added.length === 0) return held && this.#guarded(() => held.chunk(slot))
    const before = held && this.entries(held, slot, kind, window)
    const entries = before === undefined ? added : mergeEntries(before, added)
    return quickCodec().encode(blockOf(entries, frameOf(this.level, window)))
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
      const bytes = slots.has(slot) ? undefined : this.#guarded(() => held.chunk(slot))
      return bytes === undefined ? [] : { slot, bytes }
    })
    if (chunks.length === 0) this.delete(window, block)
    else this.write({ id: rowId(window, block), bytes: encodeBundle(this.level.cellS, chunks) })
  }

  /** Lists the rows of windows [from, to) as `[window, block]`. */
  rows(fromWindow: number, toWindow: number): [number, number][] {
    return this.#ids.all(fromWindow * BLOCKS_LIMIT, toWindow * BLOCKS_LIMIT).map((row) => {
      const id = Number(row.id)
      return [windowOf(id), id % BLOCKS_LIMIT]
    })
  }
}

/** Kind of the series of a number, as the database has it. */
export function kindAt(number: unknown): Kind {
  return KINDS[Number(number)] ?? 'counter'
}
