/**
 * Series of the store by slot: which key has which, given out in blocks of one kind, so that the
 * chunks of a bundle are alike; with life spans and totals.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Cell, identityOf, KINDS, type Kind } from '../../model/index.ts'
import type { SeriesDefinition, SeriesQuery, StoredSeries } from '../store.ts'
import { BLOCK_SLOTS, blockNumber, kindAt } from './bundles/levels.ts'
import { keyHash, readState, setState } from './database.ts'
import type { SlotDefinition } from './head/record.ts'
import { encodeTotal, LastMetadata, type NoteDamage, totalOf } from './row-facts.ts'

const LIST_LIMIT = 10_000
/** Keys whose slots are remembered: those of large reads, which come again. */
const FOUND_LIMIT = 32_768

interface KnownSlot {
  readonly slot: number
  readonly kind: Kind
}

/** Facts of a series of which the past is told. */
export type PastSeries = Pick<SeriesDefinition, 'key' | 'metadata' | 'origin'>

export class Slots {
  readonly #find: StatementSync
  readonly #insert: StatementSync
  readonly #annotate: StatementSync
  readonly #known: StatementSync
  readonly #live: StatementSync
  readonly #end: StatementSync
  readonly #kind: StatementSync
  readonly #total: StatementSync
  readonly #update: StatementSync
  readonly #widen: StatementSync
  readonly #delete: StatementSync
  readonly #forgetEmpty: StatementSync
  readonly #count: StatementSync
  readonly #db: DatabaseSync
  readonly #damaged: NoteDamage
  /** Slot after the last one given out, by kind; a multiple of a block's slots when it is full. */
  readonly #next = new Map<Kind, number>()
  #blocks: number
  readonly #found = new Map<string, KnownSlot>()

  /** @param damaged told of facts of series that can't be read: they are left out */
  constructor(db: DatabaseSync, damaged: NoteDamage = () => {}) {
    this.#db = db
    this.#damaged = damaged
    this.#find = db.prepare('SELECT slot, kind FROM series WHERE hash = ? AND key = ?')
    this.#insert = db.prepare(
      `INSERT INTO series(slot, kind, hash, key, metadata, origin, living)
         VALUES (?, ?, ?, ?, ?, ?, 1)`,
    )
    this.#annotate = db.prepare(
      'UPDATE series SET metadata = ?, origin = ?, living = 1 WHERE slot = ?',
    )
    this.#known = db.prepare('SELECT metadata, origin, living FROM series WHERE slot = ?')
    this.#live = db.prepare('UPDATE series SET living = ? WHERE slot = ?')
    this.#end = db.prepare('UPDATE series SET living = ?, total = NULL WHERE slot = ?')
    this.#kind = db.prepare('SELECT kind FROM series WHERE slot = ?')
    this.#total = db.prepare('SELECT kind, total FROM series WHERE slot = ?')
    this.#update = db.prepare(
      `UPDATE series SET firstS = min(coalesce(firstS, ?), ?), lastS = max(coalesce(lastS, 0), ?),
         total = ?, living = ? WHERE slot = ?`,
    )
    this.#widen = db.prepare(
      `UPDATE series SET firstS = min(coalesce(firstS, ?), ?), lastS = max(coalesce(lastS, 0), ?)
         WHERE slot = ?`,
    )
    this.#delete = db.prepare('DELETE FROM series WHERE slot = ?')
    this.#forgetEmpty = db.prepare('DELETE FROM series WHERE slot = ? AND lastS IS NULL')
    this.#count = db.prepare('SELECT count(*) AS n FROM series')
    const last = db.prepare('SELECT max(slot) AS slot FROM series').get()?.slot
    // block 0 is never used: 0 is no slot
    const next = blockNumber(Number(last ?? 0)) + 1
    // bundles may hold cells of series that were let go of: their slots are not given out again
    this.#blocks = Math.max(next, readState(db, 'blocks'))
  }

  get count(): number {
    return Number(this.#count.get()?.n)
  }

  find(key: Uint8Array): KnownSlot | undefined {
    const text = Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
    const held = this.#found.get(text)
    if (held !== undefined) return held
    const row = this.#find.get(keyHash(key), key)
    if (row === undefined) return undefined
    const known = { slot: Number(row.slot), kind: kindAt(row.kind) }
    if (this.#found.size >= FOUND_LIMIT) this.#found.clear()
    this.#found.set(text, known)
    return known
  }

  /** Has keys looked up anew: series may have been taken away. */
  forget(): void {
    this.#found.clear()
  }

  kindOf(slot: number): Kind | undefined {
    const row = this.#kind.get(slot)
    return row === undefined ? undefined : kindAt(row.kind)
  }

  /** Gives the slot of a series that the hub tells of; undefined for a key that names none. */
  define({ key, metadata, origin }: PastSeries): SlotDefinition | undefined {
    const known = this.find(key)
    const kind = known?.kind ?? identityOf(key)?.kind
    if (kind === undefined) return undefined
    const slot = known?.slot ?? this.#nextSlot(kind)
    const definition = { slot, kind, key, metadata, origin }
    this.write(definition)
    return definition
  }

  /**
   * Gives the slot of a series of which only the past is told: a new one is not living.
   * @throws {RangeError} for a key that names no series
   */
  past(series: PastSeries): number {
    const known = this.find(series.key)
    if (known !== undefined) return known.slot
    const defined = this.define(series)
    if (defined === undefined) throw new RangeError('a key that names no series')
    this.#end.run(0, defined.slot)
    return defined.slot
  }

  /** Widens the life span of a series by that of its past. */
  widen(slot: number, firstS: number, lastS: number): void {
    this.#widen.run(firstS, firstS, lastS, slot)
  }

  /** Writes what a record says of a series; the same again changes nothing. */
  write({ slot, kind, key, metadata, origin }: SlotDefinition): void {
    const text = JSON.stringify(metadata)
    const known = this.#known.get(slot)
    this.#blocks = Math.max(this.#blocks, blockNumber(slot) + 1)
    if (known === undefined) {
      this.#insert.run(slot, KINDS.indexOf(kind), keyHash(key), key, text, origin ?? null)
      return
    }
    // a hub that starts again tells of all its series
    const isSame = known.metadata === text && known.origin === (origin ?? null)
    if (!isSame || known.living !== 1) this.#annotate.run(text, origin ?? null, slot)
  }

  #nextSlot(kind: Kind): number {
    let next = this.#next.get(kind) ?? 0
    if (next % BLOCK_SLOTS === 0) next = this.#blocks++ * BLOCK_SLOTS
    this.#next.set(kind, next + 1)
    return next
  }

  /** Reads the total at the last seal. */
  total(slot: number): Cell | undefined {
    const row = this.#total.get(slot)
    return row === undefined ? undefined : totalOf(kindAt(row.kind), row.total, this.#damaged)
  }

  /** Writes the life span and the total of a series at a seal. */
  update(slot: number, span: SeriesSpan): void {
    const { firstS, lastS, total, isLiving } = span
    const bytes = total === undefined ? null : encodeTotal(total)
    this.#update.run(firstS, firstS, lastS, bytes, isLiving ? 1 : 0, slot)
  }

  /**
   * Writes that a series without new cells is there, or has ended: one that never had a cell is
   * forgotten then, for there is nothing to be told of it.
   */
  setLiving(slot: number, isLiving: boolean, isReset: boolean): void {
    if (!isLiving && this.#forgetEmpty.run(slot).changes !== 0) {
      this.forget()
      return
    }
    const change = isReset || !isLiving ? this.#end : this.#live
    change.run(isLiving ? 1 : 0, slot)
  }

  /** Lets go of series whose cells may be in bundles for a while; part of a transaction. */
  letGo(slots: readonly number[]): void {
    setState(this.#db, 'blocks', this.#blocks)
    for (const slot of slots) this.delete(slot)
  }

  /** Deletes a series of which there is no cell. */
  delete(slot: number): void {
    this.forget()
    this.#delete.run(slot)
  }

  list({ keys, limit = LIST_LIMIT, after = 0 }: SeriesQuery = {}): StoredSeries[] {
    const reader = new RowReader(this.#damaged)
    const columns = 'slot, key, kind, metadata, origin, firstS, lastS, total, living'
    if (keys !== undefined) {
      const one = this.#db.prepare(`SELECT ${columns} FROM series WHERE hash = ? AND key = ?`)
      one.setReturnArrays(true)
      return keys.flatMap((key) => {
        const row = one.get(keyHash(key), key)
        return row === undefined ? [] : reader.series(row)
      })
    }
    const all = this.#db.prepare(
      `SELECT ${columns} FROM series WHERE slot > ? ORDER BY slot LIMIT ?`,
    )
    all.setReturnArrays(true)
    return all.all(after, Math.min(limit, LIST_LIMIT)).map((row) => reader.series(row))
  }
}

interface SeriesSpan {
  readonly firstS: number
  readonly lastS: number
  readonly total: Cell | undefined
  readonly isLiving: boolean
}

/** Reader of rows as arrays, which thousands of series share their metadata in. */
class RowReader {
  readonly #metadata: LastMetadata
  readonly #damaged: NoteDamage

  constructor(damaged: NoteDamage) {
    this.#damaged = damaged
    this.#metadata = new LastMetadata(damaged)
  }

  /** @param row columns as `list` selects them */
  series(row: unknown): StoredSeries {
    const [slot, key, kindNumber, metadata, origin, firstS, lastS, total, living] =
      row as readonly unknown[]
    const kind = kindAt(kindNumber)
    return {
      number: Number(slot),
      key: key as Uint8Array,
      kind,
      metadata: this.#metadata.of(String(metadata)),
      origin: origin === null ? undefined : String(origin),
      firstS: Number(firstS),
      lastS: Number(lastS),
      total: living === 1 ? totalOf(kind, total, this.#damaged) : undefined,
    }
  }
}
