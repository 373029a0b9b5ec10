/** What ends, cuts, changes or fills the files of a history: nothing that was durable is lost. */
import assert from 'node:assert/strict'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { SecondMaker, START_S } from '../../../test/support/history.ts'
import { type Identity, identityKey } from '../../model/index.ts'
import { HistoryError } from '../store.ts'
import { openSnapshot } from './offline/snapshot.ts'
import { SqliteHistory } from './sqlite-history.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const HITS: Identity = { name: 'hits', kind: 'counter', labels: [] }

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-faults-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function open(folder: string, rules: { bytesLimit?: number } = {}): SqliteHistory {
  return new SqliteHistory({
    folder,
    nowMs: () => (START_S + 7200) * 1000,
    bytesLimit: 2 ** 30,
    secondsKeptS: 7 * 86_400,
    minutesKeptS: 90 * 86_400,
    hoursKeptS: 5 * 365 * 86_400,
    seriesLimit: 1_000_000,
    ...rules,
  })
}

/** Appends seconds whose counter is 1 each. */
async function fill(store: SqliteHistory, from: number, to: number): Promise<void> {
  const maker = new SecondMaker()
  for (let second = from + 1; second <= to; second++) {
    const cell = { kind: 'counter', delta: 1 } as const
    await store.append(maker.second(START_S + second, [{ identity: HITS, cell }]))
  }
}

async function total(store: SqliteHistory): Promise<number> {
  const groups = [[identityKey(HITS)]]
  const range = { fromS: START_S, toS: START_S + 7200, stepS: 7200 }
  const { columns } = await store.read({ groups, ...range })
  const [cell] = columns[0]!.cells
  return cell?.kind === 'counter' ? Number(cell.delta) : 0
}

/** A copy of the folder as it is now: what a killed process leaves behind. */
function killed(folder: string): string {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

test('a process that is killed at any second loses none that was durable', async () => {
  const folder = newFolder()
  const store = open(folder)
  for (let second = 0; second < 640; second += 40) {
    await fill(store, second, second + 40)
    const copy = killed(folder)
    const next = open(copy)
    assert.equal(await total(next), second + 40)
    await next.close()
    const again = open(copy)
    assert.equal(await total(again), second + 40, 'and is counted once')
    await again.close()
  }
  await store.close()
})

test('a head log that is cut, or has a changed bit, ends at its last whole record', async () => {
  const folder = newFolder()
  const store = open(folder)
  await fill(store, 0, 100)
  const name = readdirSync(folder).find((each) => each.startsWith('head-'))!
  const { size } = statSync(join(folder, name))
  let last = 101
  for (let cut = size - 1; cut > 0; cut -= Math.ceil(size / 37)) {
    const copy = killed(folder)
    truncateSync(join(copy, name), cut)
    const next = open(copy)
    const found = await total(next)
    assert.ok(found < last, `${found} seconds of a log of ${cut} bytes`)
    last = found
    await next.close()
  }
  let damaged = 0
  for (let at = 20; at < size; at += Math.ceil(size / 37)) {
    const copy = killed(folder)
    const bytes = readFileSync(join(copy, name))
    bytes[at]! ^= 4
    writeFileSync(join(copy, name), bytes)
    const next = open(copy)
    const found = await total(next)
    assert.ok(found < 100)
    const health = await next.health()
    const kept = readdirSync(copy).find((each) => each.endsWith('.damaged'))
    assert.deepEqual(health.damaged, kept === undefined ? {} : { head_log: 1 })
    const words = kept === undefined ? 'torn' : `kept in ${kept}`
    assert.ok(health.notes.some((note) => note.includes(words)))
    if (kept !== undefined) {
      const rest = readFileSync(join(copy, kept))
      assert.deepEqual(rest, bytes.subarray(size - rest.length))
      damaged++
    }
    await next.close()
  }
  assert.ok(damaged > 20, 'records follow nearly each of them')
  const zeros = killed(folder)
  appendFileSync(join(zeros, name), new Uint8Array(64))
  const next = open(zeros)
  assert.equal(await total(next), 100, 'as a file system leaves it that lost its last pages')
  assert.ok((await next.health()).notes.some((note) => note.includes('torn')))
  await next.close()
  await store.close()
})

test('a database that is cut, empty or foreign is refused and left as it is', async () => {
  const folder = newFolder()
  const store = open(folder)
  await fill(store, 0, 1300)
  await store.close()
  const path = (copy: string): string => join(copy, 'history.db')
  const { size } = statSync(path(folder))
  const cuts = Array.from({ length: size / 4096 }, (_, i) => i * 4096)
  for (const cut of [...cuts, 1, 50, size - 1]) {
    const copy = killed(folder)
    truncateSync(path(copy), cut)
    const before = readFileSync(path(copy))
    assert.throws(
      () => open(copy),
      (error) => error instanceof HistoryError && error.code === 'damaged',
    )
    assert.deepEqual(readFileSync(path(copy)), before)
  }
  const foreign = newFolder()
  const db = new DatabaseSync(path(foreign))
  db.exec('CREATE TABLE theirs(a)')
  db.close()
  const before = readFileSync(path(foreign))
  assert.throws(() => open(foreign), { code: 'foreign' })
  assert.deepEqual(readFileSync(path(foreign)), before)
  const text = newFolder()
  writeFileSync(path(text), 'a text of more than a hundred bytes '.repeat(4))
  assert.throws(() => open(text), { code: 'foreign' })
  const newer = killed(folder)
  const later = new DatabaseSync(path(newer))
  later.exec('PRAGMA user_version = 99')
  later.close()
  assert.throws(() => open(newer), { code: 'newer' })
})

/** All files of a folder but the lock, which is no part of the history. */
function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('lock.db'))
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]))
}

test('a database that is refused stays as it is, and so do the logs beside it', async () => {
  const folder = newFolder()
  const store = open(folder)
  await fill(store, 0, 700)
  const path = (copy: string): string => join(copy, 'history.db')
  const torn = killed(folder)
  truncateSync(path(torn), 4096 * 3)
  const newer = killed(folder)
  const later = new DatabaseSync(path(newer))
  later.exec('PRAGMA user_version = 99')
  const foreign = newFolder()
  const theirs = new DatabaseSync(path(foreign))
  theirs.exec('PRAGMA journal_mode = WAL; CREATE TABLE theirs(a)')
  for (const [from, code] of [
    [torn, 'damaged'],
    [newer, 'newer'],
    [foreign, 'foreign'],
  ] as const) {
    for (const isIndexed of [true, false]) {
      const copy = killed(from)
      if (!isIndexed) rmSync(`${path(copy)}-shm`, { force: true })
      const before = filesIn(copy)
      assert.ok(before.get('history.db-wal')!.length > 0)
      assert.throws(() => open(copy), { code })
      assert.deepEqual(filesIn(copy), before)
      assert.throws(
        () => openSnapshot(copy),
        (error) => error instanceof HistoryError,
      )
      if (code !== 'damaged') assert.deepEqual(filesIn(copy), before)
    }
  }
  later.close()
  theirs.close()
  await store.close()
})

test('what is sealed is in the database itself, and a seal that is lost is told', async () => {
  const folder = newFolder()
  const store = open(folder)
  await fill(store, 0, 200)
  const early = killed(folder)
  await fill(store, 200, 700)
  await store.remove([]) // all of it is sealed then
  const late = killed(folder)
  await fill(store, 700, 720)
  const last = killed(folder)
  await store.close()
  rmSync(join(late, 'history.db-wal'))
  const whole = open(late)
  assert.equal(await total(whole), 700)
  assert.deepEqual((await whole.health()).damaged, {})
  await whole.close()
  for (const name of ['history.db', 'history.db-wal', 'history.db-shm']) {
    cpSync(join(early, name), join(last, name))
  }
  const older = open(last)
  const { damaged, notes } = await older.health()
  assert.deepEqual(damaged, { sealed: 1 })
  assert.match(notes.join(), /\d head logs were sealed, and their seconds are not in the database/)
  await older.close()
})

test('a bundle that is found at another time is told, and none of its cells', async () => {
  const folder = newFolder()
  const store = open(folder)
  await fill(store, 0, 600)
  await store.close()
  const db = new DatabaseSync(join(folder, 'history.db'))
  const { changes } = db
    .prepare('UPDATE second5 SET id = id + 4 * 2097152 WHERE rowid = (SELECT max(id) FROM second5)')
    .run()
  db.close()
  assert.equal(changes, 1)
  const next = open(folder)
  const range = { fromS: START_S, toS: START_S + 3600, stepS: 150 } // no minutes fit it
  const { columns } = await next.read({ groups: [[identityKey(HITS)]], ...range })
  const counts = columns[0]!.cells.map((cell) => (cell?.kind === 'counter' ? cell.delta : 0))
  assert.deepEqual(counts, [150, 150, 0, 0, ...Array.from({ length: 20 }, () => 0)])
  assert.deepEqual((await next.health()).damaged, { checksum: 1 })
  await next.close()
})

test('above the limit of bytes the oldest windows go, and the newest hour stays', async () => {
  const folder = newFolder()
  const store = open(folder, { bytesLimit: 1 })
  await fill(store, 0, 7200)
  await store.retain()
  await store.retain()
  const { resolutions } = await store.health()
  assert.ok(resolutions[0]!.fromS! >= START_S + 3600, 'the first hour of seconds has gone')
  const groups = [[identityKey(HITS)]]
  const range = { fromS: START_S + 3600, toS: START_S + 7200, stepS: 1 }
  const { columns } = await store.read({ groups, ...range })
  assert.equal(columns[0]!.cells.filter((cell) => cell !== undefined).length, 3600)
  await store.close()
})
