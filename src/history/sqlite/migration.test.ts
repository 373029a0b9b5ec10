/** Folders of earlier versions go on, with all that is in them. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { crc32, deflateRawSync, zstdDecompressSync } from 'node:zlib'
import { SecondMaker, START_S } from '../../../test/support/history.ts'
import { type Identity, identityKey } from '../../model/index.ts'
import { databasePath } from './database.ts'
import { headNumbers, headPath } from './head/head-log.ts'
import { SqliteHistory } from './sqlite-history.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const HITS: Identity = { name: 'hits', kind: 'counter', labels: [] }
const DAY_S = 86_400
/** Start of a window of four hours. */
const BEGIN_S = START_S + 7200

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-migration-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function open(folder: string, nowS: number): SqliteHistory {
  return new SqliteHistory({
    folder,
    nowMs: () => nowS * 1000,
    ...{ bytesLimit: 2 ** 30, seriesLimit: 1000 },
    ...{ secondsKeptS: 7 * DAY_S, minutesKeptS: 90 * DAY_S, hoursKeptS: 365 * DAY_S },
  })
}

/** Appends a second every 30 s, whose counter is 1. */
async function fill(store: SqliteHistory, fromS: number, toS: number): Promise<void> {
  const maker = new SecondMaker()
  for (let endS = fromS + 30; endS <= toS; endS += 30) {
    const cell = { kind: 'counter', delta: 1 } as const
    await store.append({ ...maker.second(endS, [{ identity: HITS, cell }]), seconds: 30 })
    await new Promise(setImmediate)
  }
}

async function sums(store: SqliteHistory, hours: number, stepS: number): Promise<number> {
  const groups = [[identityKey(HITS)]]
  const range = { fromS: BEGIN_S, toS: BEGIN_S + hours * 3600, stepS }
  const { columns, stepS: found } = await store.read({ groups, ...range })
  assert.equal(found, stepS)
  const deltas = columns[0]!.cells.map((cell) => (cell?.kind === 'counter' ? cell.delta : 0))
  return deltas.reduce<number>((sum, delta) => sum + Number(delta), 0)
}

/** Makes of a folder what schema 3 had: rows of series without a checksum. */
function toSchema3(folder: string): void {
  const db = new DatabaseSync(databasePath(folder))
  db.exec('ALTER TABLE series DROP COLUMN crc; PRAGMA user_version = 3')
  db.close()
}

/** Makes of a folder what schema 2 had: an index of keys. */
function toSchema2(folder: string): void {
  const db = new DatabaseSync(databasePath(folder))
  db.exec(`ALTER TABLE series RENAME TO series3;
    CREATE TABLE series(slot INTEGER PRIMARY KEY, kind INTEGER NOT NULL,
      key BLOB NOT NULL UNIQUE, metadata TEXT NOT NULL, origin TEXT, firstS INTEGER,
      lastS INTEGER, total BLOB, living INTEGER NOT NULL);
    INSERT INTO series SELECT slot, kind, key, metadata, origin, firstS, lastS, total, living
      FROM series3;
    DROP TABLE series3; PRAGMA user_version = 2`)
  db.close()
}

/** Makes of a folder what schema 1 had: minutes of an hour only, in the table of that name. */
function toSchema1(folder: string): void {
  toSchema2(folder)
  const db = new DatabaseSync(databasePath(folder))
  assert.equal(db.prepare('SELECT count(*) AS n FROM minute').get()?.n, 0)
  db.exec('DROP TABLE minute; ALTER TABLE minute1 RENAME TO minute; PRAGMA user_version = 1')
  db.close()
}

/** Makes of a head log one of version 1, whose records are packed by deflate. */
function toHead1(folder: string, number: number): void {
  const file = readFileSync(headPath(folder, number))
  const head = Buffer.from(file.subarray(0, 8))
  head.writeUInt32LE(1, 4)
  const parts = [head]
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32LE(at)
    const bytes = deflateRawSync(zstdDecompressSync(file.subarray(at + 8, end)))
    const sizes = Buffer.alloc(8)
    sizes.writeUInt32LE(bytes.length, 0)
    sizes.writeUInt32LE(crc32(bytes), 4)
    parts.push(sizes, bytes)
    at = end
  }
  writeFileSync(headPath(folder, number), Buffer.concat(parts))
}

test('a folder of schema 1, with a head log of its time, goes on and loses nothing', async () => {
  const folder = newFolder()
  const store = open(folder, BEGIN_S + 3 * 3600)
  await fill(store, BEGIN_S, BEGIN_S + 2 * 3600 + 900)
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true })
  await store.close()
  const [number] = headNumbers(copy)
  toHead1(copy, number!)
  toSchema1(copy)
  const next = open(copy, BEGIN_S + 9 * 3600)
  const count = (2 * 3600 + 900) / 30
  for (const step of [1, 60, 3600]) assert.equal(await sums(next, 3, step), count)
  await fill(next, BEGIN_S + 2 * 3600 + 900, BEGIN_S + 5 * 3600)
  await next.retain()
  await next.close()
  const db = new DatabaseSync(databasePath(copy))
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, 4)
  assert.equal(db.prepare('SELECT count(*) AS n FROM minute').get()?.n, 2, 'four hours each')
  db.close()
  const again = open(copy, BEGIN_S + 9 * 3600)
  for (const step of [60, 3600]) assert.equal(await sums(again, 6, step), (5 * 3600) / 30)
  await again.close()
})

test('a folder of schema 3 goes on with its series and totals, which are whole', async () => {
  const folder = newFolder()
  const store = open(folder, BEGIN_S + 3600)
  await fill(store, BEGIN_S, BEGIN_S + 900)
  await store.close()
  toSchema3(folder)
  const next = open(folder, BEGIN_S + 3600)
  const { keyEnds, totals } = await next.living({ limit: 10, after: 0 })
  assert.deepEqual([keyEnds.length, [...totals]], [1, [30]])
  assert.equal(await sums(next, 1, 60), 30)
  assert.deepEqual((await next.health()).damaged, {})
  await next.close()
})
