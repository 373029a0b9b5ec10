/**
 * Series of the store by slot: which key has which, given out in blocks of one kind, so that the
 * chunks of a bundle are alike; with life spans and totals.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Cell, identityOf, KINDS, type Kind } from '../../model/index.ts'
import type { SeriesDefinition, SeriesQuery, StoredSeries } from '../store.ts'
import { BLOCK_SLOTS, blockNumber, kindAt } from './bundles/levels.ts'
import { readState, setState } from './database.ts'
import type { SlotDefinition } from './head/record.ts'
import { encodeTotal, LastMetadata, type NoteDamage, totalOf } from './row-facts.ts'
import { changing, keyHash, ROW_COLUMNS, type SeriesRow, wholenessOf } from './series-row.ts'

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
  readonly #begin: StatementSync
  readonly #row: StatementSync
  readonly #live: StatementSync
  readonly #end: StatementSync
  readonly #kind: StatementSync
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
    const first = '$slot, $kind, $hash, $metadata, $origin, NULL, NULL, NULL, 1, $key'
    this.#insert = db.prepare(`INSERT INTO series VALUES (${first}, row_crc(${first}))`)
    const change = (columns: Readonly<Record<string, string>>): StatementSync => {
      return db.prepare(`${changing(columns)} WHERE slot = $slot`)
    }
    const facts = { metadata: '$metadata', origin: '$origin', living: '1' }
    this.#annotate = change(facts)
    this.#begin = change({ ...facts, firstS: 'NULL', lastS: 'NULL', total: 'NULL' })
    this.#live = change({ living: '$living' })
    this.#end = change({ living: '$living', total: 'NULL' })
    const span = {
      firstS: 'min(coalesce(firstS, $firstS), $firstS)',
      lastS: 'max(coalesce(lastS, 0), $lastS)',
    }
    this.#update = change({ ...span, total: '$total', living: '$living' })
    this.#widen = change(span)
    const one = db.prepare(`SELECT ${ROW_COLUMNS} FROM series WHERE slot = ?`)
    one.setReturnArrays(true)
    this.#row = one
    this.#kind = db.prepare('SELECT kind FROM series WHERE slot = ?')
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
    this.#end.run({ living: 0, slot: defined.slot })
    return defined.slot
  }

  /** Widens the life span of a series by that of its past. */
  widen(slot: number, firstS: number, lastS: number): void {
    this.#widen.run({ firstS, lastS, slot })
  }

  /** Writes what a record says of a series; the same again changes nothing. */
  write({ slot, kind, key, metadata, origin }: SlotDefinition): void {
    const text = JSON.stringify(metadata)
    const told = { metadata: text, origin: origin ?? null, slot }
    const row = this.#rowOf(slot)
    this.#blocks = Math.max(this.#blocks, blockNumber(slot) + 1)
    if (row === undefined) {
      this.#insert.run({ ...told, kind: KINDS.indexOf(kind), hash: keyHash(key), key })
      return
    }
    if (wholenessOf(row) !== 'whole') {
      this.#damaged({ code: 'series' })
      this.#begin.run(told)
      return
    }
    // a hub that starts again tells of all its series
    const [, , , metadataText, knownOrigin, , , , living] = row
    const isSame = metadataText === text && knownOrigin === told.origin
    if (!isSame || living !== 1) this.#annotate.run(told)
  }

  #rowOf(slot: number): SeriesRow | undefined {
    return this.#row.get(slot) as unknown as SeriesRow | undefined
  }

  #nextSlot(kind: Kind): number {
    let next = this.#next.get(kind) ?? 0
    if (next % BLOCK_SLOTS === 0) next = this.#blocks++ * BLOCK_SLOTS
    this.#next.set(kind, next + 1)
    return next
  }

  /** Reads the total at the last seal; undefined for none, or none that can be believed. */
  total(slot: number): Cell | undefined {
    const row = this.#rowOf(slot)
    if (row === undefined || row[7] === null) return undefined
    if (wholenessOf(row) === 'whole') return totalOf(kindAt(row[1]), row[7], this.#damaged)
    this.#damaged({ code: 'series' })
    return undefined
  }

  /** Writes the life span and the total of a series at a seal. */
  update(slot: number, span: SeriesSpan): void {
    const { firstS, lastS, total, isLiving } = span
    const bytes = total === undefined ? null : encodeTotal(total)
    this.#update.run({ firstS, lastS, total: bytes, living: isLiving ? 1 : 0, slot })
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
    change.run({ living: isLiving ? 1 : 0, slot })
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
    const select = (where: string): StatementSync => {
      const statement = this.#db.prepare(`SELECT ${ROW_COLUMNS} FROM series WHERE ${where}`)
      statement.setReturnArrays(true)
      return statement
    }
    if (keys !== undefined) {
      const one = select('hash = ? AND key = ?')
      return keys.flatMap((key) => {
        const row = one.get(keyHash(key), key) as unknown as SeriesRow | undefined
        return row === undefined ? [] : reader.series(row)
      })
    }
    const all = select('slot > ? ORDER BY slot LIMIT ?')
    for (let last = after; ; ) {
      const rows = all.all(last, Math.min(limit, LIST_LIMIT)) as unknown as readonly SeriesRow[]
      const series = rows.flatMap((row) => reader.series(row))
      // a page of none would be taken for the end of the list
      if (series.length > 0 || rows.length === 0) return series
      last = rows.at(-1)![0]
    }
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

  /** Reads a row; one of which not even the key can be believed is left out. */
  series(row: SeriesRow): StoredSeries[] {
    const [slot, kindNumber, , metadata, origin, firstS, lastS, total, living, key] = row
    const wholeness = wholenessOf(row)
    if (wholeness !== 'whole') this.#damaged({ code: 'series' })
    if (wholeness === 'none') return []
    const kind = kindAt(kindNumber)
    const isLiving = living === 1 && wholeness === 'whole'
    return [
      {
        number: slot,
        ...{ key, kind },
        metadata: this.#metadata.of(metadata),
        origin: origin ?? undefined,
        firstS: Number(firstS),
        lastS: Number(lastS),
        total: isLiving ? totalOf(kind, total, this.#damaged) : undefined,
      },
    ]
  }
}
