/**
 * The database of a history: what makes it ours, its tables, and why a file is refused. A file that
 * is not ours, or not whole, is never written to.
 *
 *   series   a row each: slot, key of its identity, which is found by part of its hash (an index of
 *            keys would have them all twice), metadata, life span, total at the last seal, checksum
 *   second5  bundles of cells of a second, of five minutes; second, of an hour, made of twelve
 *   minute1  bundles of cells of a minute, of an hour; minute, of four hours, made of four
 *   hour     bundles of cells of an hour, of thirty days
 *   run      spans of time in which a hub ran
 *   state    numbers: the first head log that is not sealed, whether it was closed in order
 *
 * Rows of bundles have the id `window * 2^21 + block`, where a block is 128 slots: a window is one
 * range of ids, which retention deletes at once.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { HistoryError } from '../store.ts'
import { asHistoryError, RECOVERY } from './folder.ts'
import { headNumbers, syncFolder } from './head/head-log.ts'
import { changing, defineRowCrc, keyHash } from './series-row.ts'

/** Number in SQLite's header that says whose file it is: 'PMHI'. */
export const APPLICATION_ID = 0x504d_4849
const SCHEMA_VERSION = 4
export const PAGE_BYTES = 4096
/** Time to wait for another process that reads or copies, ms. */
const BUSY_MS = 5000

/** Table of series as versions 3 and 4 have it. */
function seriesTable(crc: string): string {
  return `
CREATE TABLE series(slot INTEGER PRIMARY KEY, kind INTEGER NOT NULL, hash INTEGER NOT NULL,
  metadata TEXT NOT NULL, origin TEXT, firstS INTEGER, lastS INTEGER, total BLOB,
  living INTEGER NOT NULL, key BLOB NOT NULL${crc});
CREATE INDEX series_hash ON series(hash);
`
}

const SCHEMA = `${seriesTable(', crc INTEGER NOT NULL')}
CREATE TABLE second5(id INTEGER PRIMARY KEY, b BLOB NOT NULL);
CREATE TABLE second(id INTEGER PRIMARY KEY, b BLOB NOT NULL);
CREATE TABLE minute1(id INTEGER PRIMARY KEY, b BLOB NOT NULL);
CREATE TABLE minute(id INTEGER PRIMARY KEY, b BLOB NOT NULL);
CREATE TABLE hour(id INTEGER PRIMARY KEY, b BLOB NOT NULL);
CREATE TABLE run(startS INTEGER PRIMARY KEY, endS INTEGER NOT NULL);
CREATE TABLE state(name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO state VALUES ('head', 1), ('clean', 1);
`

/** Task from each version of the schema to the next one, by the version that they start from. */
const MIGRATIONS: ReadonlyMap<number, string> = new Map([
  // minutes were of an hour only; they become four hours with the next ones
  [
    1,
    `ALTER TABLE minute RENAME TO minute1;
     CREATE TABLE minute(id INTEGER PRIMARY KEY, b BLOB NOT NULL)`,
  ],
  // keys had an index of their own, which held each a second time
  [
    2,
    `ALTER TABLE series RENAME TO series2; ${seriesTable('')}
     INSERT INTO series SELECT slot, kind, key_hash(key), metadata, origin, firstS, lastS, total,
       living, key FROM series2;
     DROP TABLE series2`,
  ],
  // rows had no checksum
  [
    3,
    `ALTER TABLE series ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
     ${changing({})}`,
  ],
])

interface Found {
  /** Whether the last owner closed it in order. */
  readonly wasClean: boolean
  /** Whether series are found by their keys. */
  readonly isIndexed: boolean
}

export interface OpenedDatabase extends Found {
  readonly db: DatabaseSync
}

export function databasePath(folder: string): string {
  return join(folder, 'history.db')
}

/**
 * Opens the database of a folder, made where there is none.
 * @throws {HistoryError} `foreign`, `newer` or `damaged`; the files are as they were then
 */
export function openDatabase(folder: string): OpenedDatabase {
  const path = databasePath(folder)
  if (!existsSync(path)) {
    const heads = headNumbers(folder)
    if (heads.length > 0) {
      throw damagedError(path, `it is missing beside ${heads.length} head logs`)
    }
    createDatabase(folder)
  }
  const found = checkWhole(path)
  const db = new DatabaseSync(path, { timeout: BUSY_MS })
  try {
    migrate(db, path, schemaVersion(db))
    configure(db)
    if (!found.isIndexed) db.exec('REINDEX series_hash')
    return { db, ...found }
  } catch (error) {
    db.close()
    throw asDamaged(path, error)
  }
}

/**
 * Opens the database of a folder for reading alone, while a hub may be writing it.
 * @throws {HistoryError} `missing` where there is none, or what it is instead
 */
export function openForReading(folder: string): DatabaseSync {
  const path = databasePath(folder)
  if (!existsSync(path)) throw new HistoryError('missing', `there is no history in ${folder}`)
  const version = looking(path, schemaVersion)
  if (version !== SCHEMA_VERSION) throw versionError(path, version)
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS })
  defineRowCrc(db)
  return db
}

/**
 * Reads a database without leaving a trace, whatever it is: plainly opened, SQLite would merge the
 * log beside it into it, or index that in another file. So it locks nothing, which is right for one
 * that this process alone has, and for a first page.
 * @throws {HistoryError} `foreign` or `damaged`
 */
export function looking<T>(path: string, look: (db: DatabaseSync) => T): T {
  checkHeader(path)
  const url = pathToFileURL(path)
  const vfs = `vfs=${process.platform === 'win32' ? 'win32' : 'unix'}-none`
  url.search = `?mode=ro&${hasLog(path) ? vfs : 'immutable=1'}`
  const db = new DatabaseSync(url)
  try {
    // its index of the log is in memory then
    db.exec('PRAGMA locking_mode=EXCLUSIVE')
    return look(db)
  } catch (error) {
    throw asDamaged(path, error)
  } finally {
    db.close()
  }
}

/** Says what is damaged, and what can be done. */
function damagedError(path: string, problem: string, cause?: unknown): HistoryError {
  return new HistoryError('damaged', `${path}: ${problem}; ${RECOVERY}`, { cause })
}

/** Gives an error of SQLite: damage, unless it is of the disk. */
function asDamaged(path: string, error: unknown): HistoryError {
  const known = asHistoryError(error, path)
  if (known === error || known.code !== 'failed') return known
  return damagedError(path, (error as Error).message, error)
}

/** Tells whether there is a log beside a database that is not merged into it. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}

function versionError(path: string, version: number): HistoryError {
  if (version > SCHEMA_VERSION) {
    const text = `${path} has schema ${version}; this version knows ${SCHEMA_VERSION}`
    return new HistoryError('newer', text)
  }
  const text = `${path} has schema ${version}; a hub that opens it makes ${SCHEMA_VERSION} of it`
  return new HistoryError('older', text)
}

/** Makes the file under another name first, so that it is there whole or not at all. */
export function createDatabase(folder: string): void {
  const path = databasePath(folder)
  const draft = `${path}.new`
  for (const leftOver of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) {
    rmSync(leftOver, { force: true })
  }
  const db = new DatabaseSync(draft)
  db.exec(`PRAGMA page_size=${PAGE_BYTES}; PRAGMA auto_vacuum=INCREMENTAL;
    PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION};
    BEGIN; ${SCHEMA} COMMIT`)
  db.close()
  renameSync(draft, path)
  syncFolder(folder)
}

/** Looks at the header of the file, before SQLite is asked to take it for one of its own. */
function checkHeader(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size === 0) throw damagedError(path, 'it is empty')
    const head = Buffer.alloc(100)
    const length = readSync(descriptor, head, 0, 100, 0)
    if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
      if (length < 100) throw damagedError(path, `${size} bytes are no SQLite database`)
      throw new HistoryError('foreign', `${path} of ${size} bytes is no SQLite database`)
    }
    if (length < 100) throw damagedError(path, 'it ends in its header')
    const id = head.readUInt32BE(68)
    if (id !== APPLICATION_ID) {
      throw new HistoryError('foreign', `${path} is a database of another program (id ${id})`)
    }
    const expected = head.readUInt32BE(28) * head.readUInt16BE(16)
    if (!hasLog(path) && size !== expected) {
      throw damagedError(path, `it has ${size} bytes, its header says ${expected}`)
    }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Looks through what can't be done without, and through everything where it was not closed in
 * order: what is refused has not been written to.
 */
function checkWhole(path: string): Found {
  return looking(path, (db) => {
    const version = schemaVersion(db)
    if (version > SCHEMA_VERSION) throw versionError(path, version)
    const check = (pragma: string): string => {
      const [problem] = Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})
      return String(problem).replaceAll(/\s+/g, ' ')
    }
    const wasClean = readState(db, 'clean') === 1
    const isIndexed = check("integrity_check('series')") === 'ok'
    // a page of bundles that can't be read costs these; without the others there is nothing
    const parts = wasClean && !hasLog(path) ? ["'run'", "'state'"] : ['1']
    if (!isIndexed) parts.push("'series'")
    for (const part of parts) {
      const problem = check(`quick_check(${part})`)
      if (problem !== 'ok') throw damagedError(path, problem)
    }
    return { wasClean, isIndexed }
  })
}

function migrate(db: DatabaseSync, path: string, from: number): void {
  defineRowCrc(db)
  if (from === SCHEMA_VERSION) return
  db.function('key_hash', { deterministic: true }, (key) => keyHash(key as Uint8Array))
  for (let version = from; version < SCHEMA_VERSION; version++) {
    const step = MIGRATIONS.get(version)
    if (step === undefined) throw new HistoryError('foreign', `${path} has schema ${version}`)
    db.exec(`BEGIN; ${step}; PRAGMA user_version=${version + 1}; COMMIT`)
  }
}

function configure(db: DatabaseSync): void {
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=4194304;
    PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY`)
  setState(db, 'clean', 0)
}

export function readState(db: DatabaseSync, name: string): number {
  const row = db.prepare('SELECT value FROM state WHERE name = ?').get(name)
  return Number(row?.value ?? 0)
}

export function setState(db: DatabaseSync, name: string, value: number): void {
  db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?)').run(name, value)
}

/**
 * Merges the log of SQLite into the database, unless another process reads from it: what is in the
 * log alone goes where a bit of it changes.
 */
export function mergeLog(db: DatabaseSync): void {
  try {
    db.exec(`PRAGMA busy_timeout=0; PRAGMA wal_checkpoint(TRUNCATE);
      PRAGMA busy_timeout=${BUSY_MS}`)
  } catch {
    // what stays in the log is merged another time: the disk may be full
  }
}

/** Runs work in a transaction, which is taken back where the work throws. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
