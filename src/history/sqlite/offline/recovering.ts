/**
 * What can be read of a damaged database, put into a new one: a page that can't be read costs the
 * rows of it alone, and a chunk with a wrong checksum itself. The damaged files stay as they are.
 */
import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { identityOf, KINDS } from '../../../model/index.ts'
import { DecodeError } from '../../../wire/index.ts'
import { Bundle, type BundledChunk, encodeBundle } from '../../codec/index.ts'
import { HistoryError } from '../../store.ts'
import { blockNumber, blockOf, LEVELS, type Level } from '../bundles/levels.ts'
import { createDatabase, databasePath, inTransaction, looking, setState } from '../database.ts'
import { lockFolder } from '../folder.ts'
import { headNumbers } from '../head/head-log.ts'
import { changing, defineRowCrc, ROW_COLUMNS, type SeriesRow, wholenessOf } from '../series-row.ts'
import { type CopyOptions, copyHeads, makingCopy } from './copying.ts'
import { copyRepaired, copyWithTables, needsRepair } from './header.ts'

export interface Recovered {
  readonly series: number
  readonly bundles: number
  readonly lost: Readonly<Record<Loss, number>>
}

/** Stretches of tables that can't be reached, rows that are not as they were, and chunks. */
type Loss = 'stretches' | 'rows' | 'chunks'

/** Largest number of a row. */
const ID_MAX = Number.MAX_SAFE_INTEGER

/**
 * Copies what can be read of a history that no hub has open.
 * @throws {HistoryError} where nothing can be read, or the copy can't be made
 */
export function recover(options: CopyOptions): Recovered {
  const { from, to } = options
  if (!existsSync(databasePath(from))) {
    throw new HistoryError('missing', `there is no history in ${from}`)
  }
  const lock = lockFolder(from, Date.now())
  try {
    return makingCopy(options, () => {
      createDatabase(to)
      const target = new DatabaseSync(databasePath(to))
      defineRowCrc(target)
      try {
        const recovered = readable(options, (path) => {
          return looking(path, (source) => {
            return inTransaction(target, () => new Recovery(source, target).run(headNumbers(from)))
          })
        })
        copyHeads(options)
        return recovered
      } finally {
        target.close()
      }
    })
  } finally {
    lock.release()
  }
}

/** Error about a list of tables that can't be read. */
class NoTables extends HistoryError {}

/** Does work with the database, or with a copy whose header, or first page, is right. */
function readable({ from, to }: CopyOptions, work: (path: string) => Recovered): Recovered {
  const path = databasePath(from)
  const copy = `${databasePath(to)}.damaged`
  try {
    const isRight = !needsRepair(path)
    if (!isRight) copyRepaired(path, copy)
    try {
      return work(isRight ? path : copy)
    } catch (error) {
      if (!(error instanceof NoTables)) throw error
      copyWithTables(path, copy, databasePath(to))
      const recovered = work(copy)
      // the pages of one that an older version made are others
      if (recovered.series === 0) throw error
      return recovered
    }
  } finally {
    for (const each of [copy, `${copy}-wal`]) rmSync(each, { force: true })
  }
}

class Recovery {
  readonly #source: DatabaseSync
  readonly #target: DatabaseSync
  readonly #lost = { stretches: 0, rows: 0, chunks: 0 }

  constructor(source: DatabaseSync, target: DatabaseSync) {
    this.#source = source
    this.#target = target
  }

  /** @param heads numbers of the head logs that are there */
  run(heads: readonly number[]): Recovered {
    // where it is not known which logs are sealed, they are not: these are deleted at once
    setState(this.#target, 'head', heads[0] ?? 1)
    for (const { name, value } of this.#all('state')) {
      if (typeof name === 'string' && Number.isSafeInteger(value)) {
        setState(this.#target, name, value as number)
      }
    }
    setState(this.#target, 'clean', 1)
    this.#copyRuns()
    const series = this.#copySeries()
    let bundles = 0
    for (const level of LEVELS) bundles += this.#copyBundles(level)
    return { series, bundles, lost: this.#lost }
  }

  /** Reads a small table, as far as that is possible. */
  #all(table: string): Record<string, unknown>[] {
    const rows: Record<string, unknown>[] = []
    const one = this.#prepare(`SELECT * FROM ${table} WHERE rowid = ?`)
    for (const id of this.#ids(table)) {
      const row = this.#read(() => one.get(id))
      if (row !== undefined) rows.push(row as Record<string, unknown>)
    }
    return rows
  }

  #copyRuns(): void {
    const insert = this.#target.prepare('INSERT OR IGNORE INTO run VALUES (?, ?)')
    for (const { startS, endS } of this.#all('run')) {
      const isSpan = Number.isSafeInteger(startS) && Number.isSafeInteger(endS)
      if (isSpan && Number(endS) > Number(startS)) insert.run(Number(startS), Number(endS))
      else this.#lost.rows++
    }
  }

  /** Copies series that can be believed; one whose key alone can ends, and has its past. */
  #copySeries(): number {
    const one = this.#prepare(`SELECT ${ROW_COLUMNS} FROM series WHERE slot = ?`)
    one.setReturnArrays(true)
    const places = ROW_COLUMNS.split(',').map(() => '?')
    const insert = this.#target.prepare(`INSERT INTO series VALUES (${places.join()})`)
    const end = this.#target.prepare(
      `${changing({ kind: '?', metadata: "''", origin: 'NULL', total: 'NULL', living: '0' })}
         WHERE slot = ?`,
    )
    let count = 0
    for (const id of this.#ids('series')) {
      const row = this.#read(() => one.get(id)) as unknown as SeriesRow | undefined
      if (row === undefined) continue
      const wholeness = wholenessOf(row)
      if (wholeness !== 'whole') this.#lost.rows++
      if (wholeness === 'none') continue
      insert.run(...row)
      count++
      const kind = wholeness === 'whole' ? undefined : identityOf(row[9])?.kind
      if (kind !== undefined) end.run(KINDS.indexOf(kind), id)
    }
    return count
  }

  #copyBundles(level: Level): number {
    const one = this.#prepare(`SELECT b FROM ${level.table} WHERE id = ?`)
    const insert = this.#target.prepare(`INSERT INTO ${level.table} VALUES (?, ?)`)
    let count = 0
    for (const id of this.#ids(level.table)) {
      const row = this.#read(() => one.get(id))
      const bytes = row && this.#wholeBundle(level, id, row.b)
      if (bytes === undefined) continue
      insert.run(id, bytes)
      count++
    }
    return count
  }

  /** Gives a bundle without chunks that can't be read; undefined where none is left. */
  #wholeBundle(level: Level, id: number, value: unknown): Uint8Array | undefined {
    const bundle = this.#read(() => {
      const opened = new Bundle(value as Uint8Array, id)
      const isOfPlace = [...opened.slots].every((slot) => blockNumber(slot) === blockOf(id))
      if (isOfPlace && opened.resolution === level.cellS) return opened
      throw new RangeError('a bundle of another place')
    })
    if (bundle === undefined) return undefined
    const chunks: BundledChunk[] = []
    for (const slot of bundle.slots) {
      try {
        chunks.push({ slot, bytes: bundle.chunk(slot)! })
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error
        this.#lost.chunks++
      }
    }
    if (chunks.length === bundle.slots.length) return value as Uint8Array
    return chunks.length === 0 ? undefined : encodeBundle(level.cellS, chunks, bundle.version, id)
  }

  /** Reads a row that is listed; one that can't be read is counted. */
  #read<T>(read: () => T | undefined): T | undefined {
    try {
      const value = read()
      if (value !== undefined) return value
    } catch {
      // it is counted as one that is not found under its number
    }
    this.#lost.rows++
    return undefined
  }

  #prepare(sql: string): StatementSync {
    try {
      return this.#source.prepare(sql)
    } catch (error) {
      const text = `its list of tables can't be read: ${(error as Error).message}`
      throw new NoTables('damaged', text, { cause: error })
    }
  }

  /** Lists the numbers of the rows that can be reached, rising. */
  #ids(table: string): readonly number[] {
    const ids = new Set<number>()
    const scan = this.#prepare(`SELECT 1.0 * rowid AS id FROM ${table} NOT INDEXED`)
    try {
      // in the order of pages: numbers may not rise, where one has changed
      for (const { id } of scan.iterate()) ids.add(Number(id))
    } catch {
      for (const id of this.#reachable(table)) ids.add(id)
    }
    return [...ids].sort((a, b) => a - b)
  }

  /** Lists the numbers of a table some of whose pages can't be read. */
  *#reachable(table: string): Generator<number> {
    const next = this.#prepare(
      `SELECT 1.0 * rowid AS id FROM ${table} WHERE rowid >= ? ORDER BY rowid LIMIT 1`,
    )
    /** Number of the first row from a number on; undefined where a page is in the way. */
    const find = (from: number): number | undefined => {
      try {
        const id = Number(next.get(from)?.id ?? Number.POSITIVE_INFINITY)
        return id >= from ? id : undefined
      } catch {
        return undefined
      }
    }
    for (let from = 0; from <= ID_MAX; ) {
      let id = find(from)
      if (id === undefined) {
        this.#lost.stretches++
        const behind = behindStretch(find, from)
        id = behind === undefined ? undefined : find(behind)
      }
      if (id === undefined || id > ID_MAX) return
      yield id
      from = id + 1
    }
  }
}

/** Finds a number behind a stretch that can't be read; undefined where nothing is behind it. */
function behindStretch(
  find: (from: number) => number | undefined,
  from: number,
): number | undefined {
  let high = 1
  while (find(from + high) === undefined) {
    high *= 2
    if (from + high > ID_MAX) return undefined
  }
  let low = Math.floor(high / 2)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (find(from + middle) === undefined) low = middle
    else high = middle
  }
  return from + high
}
