/** Commands that look into a history, copy it, and carry it out and in. */
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, suite, test } from 'node:test'
import { SecondMaker, START_S } from '../../../test/support/history.ts'
import type { PastCell } from '../../history/sqlite/bundles/insertion.ts'
import { backUp } from '../../history/sqlite/offline/backup.ts'
import { inspect } from '../../history/sqlite/offline/inspection.ts'
import { type KeptCell, openSnapshot } from '../../history/sqlite/offline/snapshot.ts'
import { SqliteHistory } from '../../history/sqlite/sqlite-history.ts'
import {
  addToSummary,
  BucketRun,
  type Cell,
  EMPTY_SUMMARY,
  Histogram,
  type Identity,
  identityKey,
} from '../../model/index.ts'
import { exportHistory } from './export.ts'
import { importHistory } from './import.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const ALL = { fromS: 0, toS: Number.MAX_SAFE_INTEGER, widthS: 1, name: '*' } as const

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-carry-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function open(folder: string): SqliteHistory {
  return new SqliteHistory({
    folder,
    nowMs: () => (START_S + 7200) * 1000,
    bytesLimit: 2 ** 30,
    secondsKeptS: 7 * 86_400,
    minutesKeptS: 90 * 86_400,
    hoursKeptS: 5 * 365 * 86_400,
    seriesLimit: 1_000_000,
  })
}

const HITS: Identity = { name: 'hits, "all"\n', kind: 'counter', labels: [['host', 'a"b']] }
const WORD: Identity = { name: 'hits', kind: 'counter', labels: [], qualifier: ['type', 'mr'] }
const LOAD: Identity = { name: 'load', kind: 'gauge', labels: [['host', 'ä']] }
const TIMES: Identity = { name: 'times', kind: 'histogram', labels: [] }
const BOUNDED: Identity = { name: 'bounded', kind: 'histogram', labels: [] }
const SIZES: Identity = { name: 'sizes', kind: 'summary', labels: [] }

const GAUGES = [0.1, -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324, 2n ** 60n, -3]

/** Cells of a second: all kinds, and what is awkward of each. */
function cellsAt(second: number): { identity: Identity; cell: Cell }[] {
  const histogram = new Histogram()
  for (let i = 0; i < 3; i++) histogram.record((second * 31 + i) % 1000)
  if (second % 4 === 0) histogram.record(-7)
  if (second % 5 === 0) histogram.record(2n ** 62n)
  const bounded = new Histogram()
  bounded.bounds = [0.5, 1, 2.5]
  bounded.record(second % 4)
  if (second % 2 === 0) bounded.sum = undefined
  const at = second * 1000
  const value = GAUGES[second % GAUGES.length]!
  const spread = { first: 1.5, firstAt: at, min: -2, max: 9, count: 4 }
  const summary = addToSummary(addToSummary(EMPTY_SUMMARY, 0.1 * (second % 7)), second % 11)
  return [
    { identity: HITS, cell: { kind: 'counter', delta: 2n ** 61n + BigInt(second) } },
    { identity: WORD, cell: { kind: 'counter', delta: 0.25 * (1 + (second % 3)) } },
    { identity: LOAD, cell: { kind: 'gauge', value, at, ...(second % 3 === 0 && { spread }) } },
    { identity: TIMES, cell: { kind: 'histogram', histogram } },
    { identity: BOUNDED, cell: { kind: 'histogram', histogram: bounded } },
    { identity: SIZES, cell: { kind: 'summary', summary } },
  ]
}

async function fill(store: SqliteHistory, from: number, to: number): Promise<void> {
  const maker = new SecondMaker()
  for (let second = from + 1; second <= to; second++) {
    await store.append(maker.second(START_S + second, cellsAt(START_S + second)))
  }
}

/** Text of a cell, all of it. */
function seen(cell: unknown): string {
  return JSON.stringify(cell, (_, value: unknown) => {
    if (typeof value === 'bigint' || Object.is(value, -0)) return `${typeof value} ${value}`
    // room that a run keeps beside its buckets is no part of the cell
    if (value instanceof BucketRun) return bucketsText(value)
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  })
}

function bucketsText(run: BucketRun): string {
  const buckets: string[] = []
  run.forEach((index, count) => {
    buckets.push(`${index}:${count}`)
  })
  return buckets.join()
}

type KeptCells = ReadonlyMap<string, readonly KeptCell[]>

/** Compares all cells, and shows the first that differs. */
function compare(found: KeptCells, wanted: KeptCells): void {
  assert.deepEqual([...found.keys()].sort(), [...wanted.keys()].sort())
  for (const [key, cells] of wanted) {
    const others = found.get(key)!
    cells.forEach((cell, i) => {
      assert.equal(seen(others[i]), seen(cell))
    })
    assert.equal(others.length, cells.length)
  }
}

/** All cells of a history, by series. */
function cellsOf(folder: string, widthS: 1 | 60 | 3600 = 1): KeptCells {
  using snapshot = openSnapshot(folder)
  const all = [...snapshot.series()].map((series) => {
    const key = Buffer.from(series.key).toString('hex')
    return [key, [...snapshot.cells(series, { ...ALL, widthS })]] as const
  })
  return new Map(all)
}

async function read(folder: string, identity: Identity, stepS: number) {
  const store = open(folder)
  const range = { fromS: START_S, toS: START_S + 7200, stepS }
  const { columns } = await store.read({ groups: [[identityKey(identity)]], ...range })
  await store.close()
  return columns[0]!.cells
}

/** A history of twenty seconds, and the file that it was exported to. */
async function exported() {
  const folder = newFolder()
  const store = open(folder)
  await fill(store, 0, 20)
  await store.close()
  const output = join(newFolder(), 'all.csv')
  await exportHistory({ ...ALL, folder, output })
  return { folder, output, text: readFileSync(output, 'utf8') }
}

suite('history on the command line', () => {
  test('a snapshot has each cell once, sealed or not, while the owner writes', async () => {
    const folder = newFolder()
    const store = open(folder)
    const maker = new SecondMaker()
    for (let second = 1; second <= 3900; second++) {
      await store.append(maker.second(START_S + second, cellsAt(START_S + second)))
      if (second % 1300 !== 0) continue
      for (const cells of cellsOf(folder).values()) {
        assert.deepEqual(
          cells.map(({ endS }) => endS - START_S),
          Array.from({ length: second }, (_, i) => i + 1),
        )
      }
      const minutes = cellsOf(folder, 60).values().next().value!
      assert.equal(minutes.length, Math.ceil(second / 60))
      assert.equal(cellsOf(folder, 3600).values().next().value!.length, Math.ceil(second / 3600))
    }
    await store.close()
  })

  for (const format of ['csv', 'parquet'] as const) {
    test(`what was exported as ${format} is imported as it was`, async () => {
      const folder = newFolder()
      const store = open(folder)
      await fill(store, 3000, 3700)
      const output = join(newFolder(), `all.${format}`)
      await exportHistory({ ...ALL, folder, output })
      await store.close()
      const other = newFolder()
      await importHistory({ folder: other, file: output, add: false })
      compare(cellsOf(other), cellsOf(folder))
      for (const identity of [HITS, LOAD, TIMES, BOUNDED]) {
        for (const step of [60, 3600]) {
          const found = await read(other, identity, step)
          const wanted = await read(folder, identity, step)
          found.forEach((cell, i) => {
            assert.equal(seen(cell), seen(wanted[i]), `${identity.name}, step ${i} of ${step} s`)
          })
        }
      }
      await assert.rejects(importHistory({ folder: other, file: output, add: false }), {
        message: /6 of 6 series have cells of that time already; --add/,
      })
      await assert.rejects(importHistory({ folder: other, file: output, add: true }), {
        message: /was imported at \d{4}-.*Z already\. Nothing was imported/,
      })
      const again = join(newFolder(), 'again.csv')
      await exportHistory({ ...ALL, folder, output: again, name: 'hits' })
      await importHistory({ folder: other, file: again, add: true })
      const twice = await read(other, WORD, 3600)
      const [once] = await read(folder, WORD, 3600)
      assert.ok(once?.kind === 'counter')
      assert.equal(twice[0]?.kind === 'counter' && twice[0].delta, 2 * Number(once.delta))
    })
  }

  test('an export has the series, the time and the width that were asked for', async () => {
    const folder = newFolder()
    const store = open(folder)
    await fill(store, 0, 400)
    await store.close()
    const output = join(newFolder(), 'some.csv')
    const range = { fromS: START_S + 60, toS: START_S + 300, widthS: 60 } as const
    await exportHistory({ ...range, folder, output, name: 'lo*' })
    const lines = readFileSync(output, 'utf8').trimEnd().split('\r\n')
    assert.match(lines[0]!, /^time,seconds,name,labels,kind,value,/)
    assert.equal(lines.length, 1 + 4)
    const first = new Date((START_S + 120) * 1000).toISOString()
    assert.ok(lines[1]!.startsWith(`${first},60,load,"{""host"":""ä""}",gauge,`))
  })

  test('OpenMetrics has totals of the export, families together, and an end', async () => {
    const folder = newFolder()
    const store = open(folder)
    await fill(store, 0, 3)
    await store.close()
    const output = join(newFolder(), 'all.om')
    await exportHistory({ ...ALL, folder, output })
    const lines = readFileSync(output, 'utf8').trimEnd().split('\n')
    assert.equal(lines.at(-1), '# EOF')
    const at = (second: number): string => String(START_S + second)
    const hits = lines.filter((line) => line.startsWith('hits_total'))
    let total = 0
    assert.deepEqual(
      hits,
      [1, 2, 3].map((second) => {
        total += 0.25 * (1 + ((START_S + second) % 3))
        return `hits_total{type="mr"} ${total} ${at(second)}`
      }),
    )
    const counts = lines.filter((line) => line.startsWith('bounded_count'))
    assert.deepEqual(
      counts,
      [1, 2, 3].map((second) => `bounded_count ${second} ${at(second)}`),
    )
    const buckets = lines.filter(
      (line) => line.startsWith('bounded_bucket') && line.endsWith(at(3)),
    )
    assert.deepEqual(
      buckets.map((line) => /le="([^"]+)"/.exec(line)?.[1]),
      ['0.5', '1.0', '2.5', '+Inf'],
    )
    const types = lines.filter((line) => line.startsWith('# TYPE'))
    assert.equal(new Set(types).size, types.length)
  })

  test('a file that ends before its end is told with its line, and imports nothing', async () => {
    const { folder, output, text } = await exported()
    const other = newFolder()
    for (const [broken, message] of [
      ['', /line 1: the file is empty/],
      ['a,b\r\n1,2\r\n', /line 1: no column time, seconds, name, kind/],
      [text.replace('""buckets""', '""buckets"'), /line \d+: a quote within field/],
      [text.replace(/\r\n(.*)\r\n$/, '\r\n1,2\r\n'), /line \d+: 2 fields, line 1 has 12/],
      [text.slice(0, text.indexOf('\r\n') + 2), /has no cells/],
    ] as const) {
      assert.notEqual(broken, text)
      writeFileSync(output, broken)
      const work = importHistory({ folder: other, file: output, add: false })
      await assert.rejects(work, (error: Error) => {
        assert.match(error.message, message)
        return error.message.endsWith('nothing was imported')
      })
      assert.ok(!existsSync(join(other, 'history.db')))
    }
    const parquet = join(newFolder(), 'all.parquet')
    await exportHistory({ ...ALL, folder, output: parquet })
    truncateSync(parquet, 2000)
    await assert.rejects(importHistory({ folder: other, file: parquet, add: false }), {
      message: /no Parquet file/,
    })
  })

  test('rows that are no cells are refused with line and reason, the rest is taken', async () => {
    const { folder, output, text } = await exported()
    const count = [...cellsOf(folder).values()].reduce((sum, { length }) => sum + length, 0)
    const long = 'x'.repeat(100_000)
    for (const [broken, message] of [
      [text.replace(',load,', ',,'), /line \d+: name: want one, got an empty text/],
      [text.replace(',load,', `,${long},`), /: name: 1000\d\d bytes with .*, limit 65535/],
      [text.replace(',gauge,', ',gouge,'), /: kind: want counter, gauge, .* got gouge/],
      [text.replace(/\d{4}-/, 'x-'), /line 2: time: want ISO 8601/],
      [text.replace(/\d{4}-/, '+012345-'), /line 2: time: want one before the year 10000/],
      [text.replace(/""buckets"":\[\[\d+/, '""buckets"":[[1e99'), /detail: bucket/],
      [text.replace(/(,times,{},histogram,,)\d+/, '$199'), /count: 99, but its buckets have \d/],
    ] as const) {
      assert.notEqual(broken, text)
      writeFileSync(output, broken)
      const other = newFolder()
      let told = ''
      const write = mock.method(process.stderr, 'write', (line: string) => {
        told += line
        return true
      })
      const refused = await importHistory({ folder: other, file: output, add: false })
      write.mock.restore()
      assert.equal(refused, 1)
      assert.match(told, message)
      assert.match(told, /1 rows are refused: 1 by their (name|kind|time|detail|count)\n/)
      const found = [...cellsOf(other).values()].reduce((sum, { length }) => sum + length, 0)
      assert.equal(found, count - 1)
    }
  })

  test('an import is there whole or not at all, wherever it ends', async () => {
    const folder = newFolder()
    const store = open(folder)
    await fill(store, 0, 20)
    const series = { key: identityKey(WORD), metadata: { dialect: 'test' } }
    const batch = (hour: number): PastCell[] => {
      return Array.from({ length: 1000 }, (_, i) => {
        const endS = START_S + hour * 3600 + 3 * i + 1
        return { series, endS, widthS: 1, cell: { kind: 'counter', delta: 1 } }
      })
    }
    const counts = async (of: SqliteHistory): Promise<number[]> => {
      const range = { fromS: START_S + 3600, toS: START_S + 4 * 3600, stepS: 3600 }
      const { columns } = await of.read({ groups: [[identityKey(WORD)]], ...range })
      return columns[0]!.cells.map((cell) => (cell?.kind === 'counter' ? Number(cell.delta) : 0))
    }
    const copies: string[] = []
    const killed = (): void => {
      const copy = newFolder()
      cpSync(folder, copy, { recursive: true })
      copies.push(copy)
    }
    await assert.rejects(
      store.insert('a', async (add) => {
        for (let hour = 1; hour < 4; hour++) {
          add(batch(hour))
          killed()
        }
        throw new Error('its end')
      }),
      { message: 'its end' },
    )
    assert.deepEqual(await counts(store), [0, 0, 0])
    assert.equal(store.insertedS('a'), 0)
    await store.insert('a', async (add) => {
      for (let hour = 1; hour < 4; hour++) add(batch(hour))
    })
    assert.deepEqual(await counts(store), [1000, 1000, 1000])
    assert.ok(store.insertedS('a') > 0)
    await store.close()
    for (const copy of copies) {
      const next = open(copy)
      assert.deepEqual(await counts(next), [0, 0, 0])
      const [held] = await next.list({ keys: [identityKey(WORD)] })
      assert.equal(held!.lastS, START_S + 20)
      await next.close()
    }
  })

  test('of imported cells it is said where those of each width begin', async () => {
    const store = open(newFolder())
    const starts = async (): Promise<(number | undefined)[]> => {
      const { resolutions } = await store.health()
      return resolutions.map(({ fromS }) => fromS && fromS - START_S)
    }
    const series = { key: identityKey(WORD), metadata: { dialect: 'test' } }
    const add = (source: string, ends: readonly number[], widthS: 1 | 60 | 3600) => {
      const cell = { kind: 'counter', delta: 1 } as const
      const cells = ends.map((end) => ({ series, endS: START_S + end, widthS, cell }))
      return store.insert(source, async (take) => take(cells))
    }
    // hours up to the hour in which minutes begin, and minutes up to the one in which seconds do
    await add('hours', [3600, 7200], 3600)
    assert.deepEqual(await starts(), [undefined, undefined, 0])
    await add('minutes', [7200 + 660, 7200 + 720], 60)
    assert.deepEqual(await starts(), [undefined, 7800, 0])
    await add('seconds', [7200 + 1501, 7200 + 1502], 1)
    assert.deepEqual(await starts(), [8700, 7800, 0])
    await add('older seconds', [61], 1)
    assert.deepEqual(await starts(), [60, 60, 0])
    await store.close()
  })

  test('a backup that is made while a hub writes is a history that can be opened', async () => {
    const folder = newFolder()
    const store = open(folder)
    const maker = new SecondMaker()
    for (let second = 1; second <= 1300; second++) {
      await store.append(maker.second(START_S + second, cellsAt(START_S + second)))
      if (second % 260 !== 0) continue
      const to = join(newFolder(), 'copy')
      assert.ok(backUp({ from: folder, to }) > 0)
      const copy = open(to)
      const groups = [[identityKey(WORD)]]
      const range = { fromS: START_S, toS: START_S + second, stepS: 1 }
      const { columns } = await copy.read({ groups, ...range })
      assert.ok(columns[0]!.cells.every((cell) => cell !== undefined))
      await copy.close()
      assert.throws(() => backUp({ from: folder, to }), { code: 'in_use' })
    }
    await store.close()
    assert.throws(() => backUp({ from: newFolder(), to: newFolder() }), { code: 'missing' })
    const link = join(newFolder(), 'link')
    symlinkSync(folder, link)
    const names = readdirSync(folder)
    for (const to of [folder, join(folder, 'copy'), join(link, 'a', 'b'), link]) {
      assert.throws(() => backUp({ from: folder, to }), { code: 'in_use', message: /is within/ })
    }
    assert.deepEqual(readdirSync(folder), names)
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    assert.throws(() => backUp({ from: folder, to: file }), { message: /is no folder/ })
    assert.throws(() => backUp({ from: folder, to: join(file, 'copy') }), {
      code: 'unwritable',
      message: /is no folder/,
    })
  })

  test('an inspection says what is kept, and which labels make most series', async () => {
    const folder = newFolder()
    const store = open(folder)
    const maker = new SecondMaker()
    for (let second = 1; second <= 320; second++) {
      const cells = Array.from({ length: 30 }, (_, i) => {
        const labels = [
          ['host', `h${i % 3}`],
          ['user', `u${i}`],
        ] as const
        const identity: Identity = { name: i < 20 ? 'logins' : 'errors', kind: 'counter', labels }
        return {
          identity,
          cell: {
            kind: 'counter',
            delta: i === 7 ? (second * 2_654_435_761) % 2 ** 32 : 1,
          } as const,
        }
      })
      await store.append(maker.second(START_S + second, cells))
      // a turn of the event loop for what is sealed in between
      await new Promise(setImmediate)
    }
    using snapshot = openSnapshot(folder)
    const found = inspect(snapshot, { top: 2 })
    assert.deepEqual([found.series, found.problem, found.wasClosed], [30, undefined, false])
    assert.deepEqual(
      found.names.map(({ name, series }) => [name, series]),
      [
        ['logins', 20],
        ['errors', 10],
      ],
    )
    assert.deepEqual(
      found.labels.map(({ name, values, series }) => [name, values, series]),
      [
        ['user', 30, 30],
        ['host', 3, 30],
      ],
    )
    assert.equal(found.largest[0]?.identity.labels[1]?.[1], 'u7')
    assert.equal(found.largest.length, 2)
    const [second5] = found.levels
    assert.deepEqual([second5?.fromS, second5?.chunks], [START_S, 60])
    assert.equal(found.openSeconds, 19)
    await store.close()
  })
})
