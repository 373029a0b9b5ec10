/** Damaged databases: each page of one in turn can't be read, and what is left is as it was. */
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { SecondMaker, START_S } from '../../../../test/support/history.ts'
import { type Identity, identityKey } from '../../../model/index.ts'
import { HistoryError } from '../../store.ts'
import { databasePath } from '../database.ts'
import { SqliteHistory } from '../sqlite-history.ts'
import { recover } from './recovering.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const PAGE = 4096
const SECONDS = 4000
const STEP_S = 10

const folders: string[] = []
after(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true })
})

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-recover-'))
  folders.push(path)
  return path
}

function open(folder: string): SqliteHistory {
  return new SqliteHistory({
    folder,
    nowMs: () => (START_S + 7200) * 1000,
    ...{ bytesLimit: 2 ** 30, seriesLimit: 1_000_000 },
    ...{ secondsKeptS: 2 ** 31, minutesKeptS: 2 ** 31, hoursKeptS: 2 ** 31 },
  })
}

const ALL: readonly Identity[] = Array.from({ length: 140 }, (_, i) => {
  return { name: `hits.${i}`, kind: 'counter', labels: [] }
})

/** Counts the cells of all series; each has to be as it was. */
async function cellsIn(folder: string): Promise<{ cells: number; isTold: boolean }> {
  const store = open(folder)
  try {
    const groups = ALL.map((identity) => [identityKey(identity)])
    const range = { fromS: START_S, toS: START_S + SECONDS, stepS: STEP_S }
    const { columns, stepS } = await store.read({ groups, ...range })
    let cells = 0
    for (const { cells: column } of columns) {
      for (const [i, cell] of column.entries()) {
        if (cell === undefined) continue
        cells++
        const endS = Math.min((i + 1) * stepS, SECONDS)
        assert.equal(cell.kind === 'counter' && cell.delta, (endS - i * stepS) / STEP_S)
      }
    }
    const { totals } = await store.living({ limit: 1000, after: 0 })
    assert.ok(totals.every((total) => total === SECONDS / STEP_S))
    const { damaged, notes } = await store.health()
    return { cells, isTold: Object.keys(damaged).length > 0 || notes.length > 0 }
  } finally {
    await store.close()
  }
}

suite('a damaged history', () => {
  let folder = ''
  before(async () => {
    folder = newFolder()
    const store = open(folder)
    const maker = new SecondMaker()
    for (let second = STEP_S; second <= SECONDS; second += STEP_S) {
      const cells = ALL.map((identity) => {
        return { identity, cell: { kind: 'counter', delta: 1 } as const }
      })
      await store.append({ ...maker.second(START_S + second, cells), seconds: STEP_S })
      await new Promise(setImmediate)
    }
    await store.close()
  })

  function damaged(change: (path: string) => void): string {
    const copy = newFolder()
    cpSync(folder, copy, { recursive: true })
    change(databasePath(copy))
    return copy
  }

  test('opens without what a page had, and says so, or is refused and recovered', async () => {
    const wanted = ALL.length * (SECONDS / STEP_S)
    const pages = readFileSync(databasePath(folder)).length / PAGE
    let [opened, recovered] = [0, 0]
    for (let page = 1; page < pages; page++) {
      const copy = damaged((path) => {
        const bytes = readFileSync(path)
        bytes.fill(0xa5, page * PAGE, (page + 1) * PAGE)
        writeFileSync(path, bytes)
      })
      const before = readFileSync(databasePath(copy))
      try {
        const { cells, isTold } = await cellsIn(copy)
        assert.ok(cells === wanted || isTold, `page ${page}`)
        opened++
      } catch (error) {
        assert.ok(error instanceof HistoryError && error.code === 'damaged', `page ${page}`)
        assert.match(error.message, /`pentameter history recover FOLDER` saves what it can$/)
        assert.deepEqual(readFileSync(databasePath(copy)), before)
        const to = join(newFolder(), 'saved')
        const { lost } = recover({ from: copy, to })
        assert.deepEqual(readFileSync(databasePath(copy)), before)
        const { cells } = await cellsIn(to)
        const losses = lost.stretches + lost.rows + lost.chunks
        assert.ok(cells === wanted || losses > 0, `page ${page}`)
        recovered++
      }
    }
    assert.ok(opened > 10 && recovered > 3, `${opened} opened, ${recovered} recovered`)
  })

  test('is recovered where its header has changed, or its end is cut off', async () => {
    const wanted = ALL.length * (SECONDS / STEP_S)
    for (const at of [0, 15, 16, 18, 21, 28, 47, 59, 68, 80]) {
      const copy = damaged((path) => {
        const bytes = readFileSync(path)
        bytes[at]! ^= 0x10
        writeFileSync(path, bytes)
      })
      const to = join(newFolder(), 'saved')
      assert.deepEqual(recover({ from: copy, to }).lost, { stretches: 0, rows: 0, chunks: 0 })
      assert.deepEqual(readdirSync(to), ['history.db'])
      assert.equal((await cellsIn(to)).cells, wanted, `byte ${at}`)
    }
    for (const size of [1, 100, PAGE]) {
      const copy = damaged((path) => {
        const bytes = readFileSync(path)
        bytes.fill(size === 1 ? 0xff : 0, size === 1 ? 3700 : 0, size === 1 ? 3701 : size)
        writeFileSync(path, bytes)
      })
      const to = join(newFolder(), 'saved')
      assert.deepEqual(recover({ from: copy, to }).lost, { stretches: 0, rows: 0, chunks: 0 })
      assert.equal((await cellsIn(to)).cells, wanted, `${size} bytes`)
    }
    for (const pages of [30, 20, 4]) {
      const cut = damaged((path) => {
        truncateSync(path, PAGE * pages + 5)
        // as one that was killed leaves it
        writeFileSync(`${path}-wal`, '')
      })
      const to = join(newFolder(), 'saved')
      assert.ok(recover({ from: cut, to }).lost.stretches > 0)
      const { cells } = await cellsIn(to)
      assert.ok(cells < wanted && cells > 0 === pages > 4, `${cells} cells of ${pages} pages`)
    }
  })

  test('of another program is refused, and so is one that a hub has open', async () => {
    const text = newFolder()
    writeFileSync(databasePath(text), 'a text of more than a hundred bytes '.repeat(4))
    const to = join(newFolder(), 'saved')
    assert.throws(() => recover({ from: text, to }), { code: 'foreign' })
    assert.throws(() => recover({ from: newFolder(), to }), { code: 'missing' })
    const copy = damaged(() => {})
    assert.throws(() => recover({ from: copy, to: join(copy, 'saved') }), { code: 'in_use' })
    const store = open(copy)
    assert.throws(() => recover({ from: copy, to }), { code: 'in_use' })
    await store.close()
  })
})
