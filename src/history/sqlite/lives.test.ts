/** Series that come, end, come again and stay silent: what a folder knows of each of them. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { type NamedCell, SecondMaker, START_S } from '../../../test/support/history.ts'
import { Histogram, type Identity, identityKey, identityOf } from '../../model/index.ts'
import { unpackHistogram } from '../../model/packed/packed-histogram.ts'
import type { ClosedSecond } from '../store.ts'
import { databasePath } from './database.ts'
import { SqliteHistory } from './sqlite-history.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const DAY_S = 86_400
const RULES = {
  ...{ bytesLimit: 2 ** 30, seriesLimit: 1000 },
  ...{ secondsKeptS: 7 * DAY_S, minutesKeptS: 90 * DAY_S, hoursKeptS: 1825 * DAY_S },
}

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-lives-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A folder's history whose clock stands at the end of the second that came last. */
class Bench {
  readonly folder = newFolder()
  maker = new SecondMaker()
  store: SqliteHistory
  #rules: Partial<typeof RULES>
  #nowS = START_S

  constructor(rules: Partial<typeof RULES> = {}) {
    this.#rules = rules
    this.store = this.#open()
  }

  #open(): SqliteHistory {
    const nowMs = (): number => this.#nowS * 1000
    return new SqliteHistory({ folder: this.folder, nowMs, ...RULES, ...this.#rules })
  }

  async append(second: number, cells: readonly NamedCell[], ended: readonly Identity[] = []) {
    await this.tell(second, this.maker.second(START_S + second, cells, ended))
  }

  async tell(second: number, told: ClosedSecond): Promise<void> {
    this.#nowS = Math.max(this.#nowS, START_S + second)
    await this.store.append(told)
  }

  async restart(change: (db: DatabaseSync) => void = () => {}): Promise<void> {
    await this.store.close()
    const db = new DatabaseSync(databasePath(this.folder))
    change(db)
    db.close()
    this.store = this.#open()
    this.maker = new SecondMaker()
  }

  /** Has all of it sealed. */
  async seal(): Promise<void> {
    await this.store.remove([])
  }

  async sum(identity: Identity): Promise<number> {
    const range = { fromS: START_S, toS: START_S + 30 * DAY_S, stepS: 3600 }
    const { columns } = await this.store.read({ groups: [[identityKey(identity)]], ...range })
    const deltas = columns[0]!.cells.map((cell) => (cell?.kind === 'counter' ? cell.delta : 0))
    return deltas.reduce<number>((all, delta) => all + Number(delta), 0)
  }

  /** Totals of the counters that a hub would go on with. */
  async living(limit = 100): Promise<Record<string, number>> {
    const found: Record<string, number> = {}
    for (let last = 0; ; ) {
      const page = await this.store.living({ after: last, limit })
      for (const row of page.numbers.keys()) {
        const key = page.keys.slice(row === 0 ? 0 : page.keyEnds[row - 1], page.keyEnds[row])
        found[identityOf(key)!.name] = page.totals[row]!
      }
      if (page.numbers.length === 0) return found
      last = page.numbers.at(-1)!
    }
  }

  /** Names, first and last seconds of those that have ended. */
  async past(more: { ended?: readonly number[]; begun?: readonly Uint8Array[] } = {}) {
    const span = { fromS: START_S, toS: START_S + 30 * DAY_S }
    const { series, total } = await this.store.find({ filter: '', limit: 100, ...span, ...more })
    assert.equal(total, series.length)
    return series.map(({ key, firstS, lastS }) => {
      return [identityOf(key)!.name, firstS! - START_S, lastS! - START_S]
    })
  }
}

function counter(name: string): Identity {
  return { name, kind: 'counter', labels: [] }
}

function grows(identity: Identity, delta = 1): NamedCell {
  return { identity, cell: { kind: 'counter', delta } }
}

const [A, B, C] = [counter('a'), counter('b'), counter('c')]

test('a series that has ended is found at once, whether its cells are sealed or not', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A), grows(B)])
  await bench.append(9, [grows(A)])
  assert.deepEqual(await bench.past(), [])
  await bench.append(10, [], [A])
  assert.deepEqual(await bench.past(), [['a', 1, 9]])
  await bench.seal()
  assert.deepEqual(await bench.past(), [['a', 1, 9]])
  // it comes again, and ends again: the first life is in the table, the second in the log
  bench.maker.restart()
  await bench.append(400, [grows(C), grows(A)])
  assert.deepEqual(await bench.past(), [])
  await bench.append(401, [], [A])
  assert.deepEqual(await bench.past(), [['a', 1, 400]])
  await bench.store.close()
})

test('what no second has told yet of series is told with the question for them', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A), grows(B)])
  await bench.append(2, [], [B])
  const refOfA = 1
  assert.deepEqual(await bench.past({ ended: [refOfA] }), [
    ['a', 1, 1],
    ['b', 1, 1],
  ])
  assert.deepEqual(await bench.past({ begun: [identityKey(B)] }), [])
  await bench.store.close()
})

test('a counter that comes again before its end is told begins anew, and is there', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A, 5)])
  const again = new SecondMaker(100)
  await bench.tell(3, again.second(START_S + 3, [grows(A, 2)]))
  await bench.append(4, [], [A])
  await bench.tell(5, again.second(START_S + 5, [grows(A, 3)]))
  assert.deepEqual(await bench.past(), [])
  for (let i = 0; i < 2; i++) {
    await bench.restart()
    assert.deepEqual(await bench.living(), { a: 5 }, 'what it counted since it came again')
    assert.equal(await bench.sum(A), 10)
  }
  await bench.store.close()
})

test('a series that comes again while its end is sealed is there', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A)])
  await bench.append(2, [], [A])
  await bench.append(301, [grows(B)]) // which begins to seal what was before
  bench.maker.restart()
  await bench.append(302, [grows(C), grows(A, 0)])
  await bench.seal()
  assert.deepEqual(Object.keys(await bench.living()).sort(), ['a', 'b', 'c'])
  await bench.append(303, [grows(A, 4)])
  await bench.restart()
  assert.deepEqual([(await bench.living()).a, await bench.sum(A)], [4, 5])
  await bench.store.close()
})

test('counters at 0 go on, and leave nothing behind when they end', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A), grows(B, 0), grows(C, 0)])
  await bench.restart()
  assert.deepEqual(await bench.living(), { a: 1, b: 0, c: 0 })
  await bench.append(2, [grows(A), grows(B, 0), grows(C, 0)])
  await bench.append(3, [], [B])
  assert.deepEqual(await bench.past(), [], 'there is nothing to be found of it')
  await bench.seal()
  assert.equal((await bench.store.health()).series, 2)
  // and if it comes after all
  bench.maker.restart()
  await bench.append(4, [grows(B, 7)])
  await bench.restart()
  assert.deepEqual(await bench.living(), { a: 2, b: 7, c: 0 })
  await bench.store.close()
})

for (const [title, rules] of [
  ['beyond the age of all cells', { hoursKeptS: 2 * DAY_S }],
  ['above the limit of series', { seriesLimit: 3 }],
] as const) {
  test(`a series that is there stays, however silent it is, ${title}`, async () => {
    const bench = new Bench(rules)
    await bench.append(1, [grows(A)])
    const seconds = { hours: 0 }
    for (let day = 1; day <= 4; day++, seconds.hours += 24) {
      const own = Array.from({ length: 3 }, (_, i) => counter(`${day}/${i}`))
      const endS = START_S + day * DAY_S
      // seconds that make the clock believed
      const long = bench.maker.second(
        endS,
        own.map((each) => grows(each)),
      )
      await bench.tell(day * DAY_S, { ...long, seconds: 7200 })
      await bench.append(day * DAY_S + 1, [], own)
    }
    await bench.seal()
    await bench.store.retain()
    const { series } = await bench.store.health()
    assert.ok(series <= 10, 'others have been let go of')
    await bench.append(5 * DAY_S, [grows(A, 3)])
    await bench.restart()
    assert.equal((await bench.store.list({ keys: [identityKey(A)] })).length, 1)
    const range = { fromS: START_S + 5 * DAY_S - 60, toS: START_S + 5 * DAY_S, stepS: 60 }
    const { columns } = await bench.store.read({ groups: [[identityKey(A)]], ...range })
    assert.deepEqual(columns[0]!.cells, [{ kind: 'counter', delta: 3 }])
    await bench.store.close()
  })
}

test('a new series has no cells of one that was let go of', async () => {
  const bench = new Bench({ seriesLimit: 1 })
  await bench.append(1, [grows(A)])
  await bench.restart()
  await bench.append(2, [grows(A), grows(B, 1000)])
  await bench.append(3, [], [B])
  await bench.append(7300, [grows(A)])
  await bench.seal()
  await bench.store.retain()
  assert.equal((await bench.store.health()).series, 1)
  await bench.restart()
  await bench.append(7301, [grows(C)])
  assert.equal(await bench.sum(C), 1)
  await bench.seal()
  assert.equal(await bench.sum(C), 1)
  await bench.store.close()
})

test('of a row with a changed bit the series ends, its past stays, and it is counted', async () => {
  for (const change of [
    "total = x'ff00ff'",
    "total = substr(total, 1, length(total) - 1) || x'00'",
    "metadata = '{torn'",
    'metadata = replace(metadata, \'"test"\', \'"tesu"\')',
    "origin = 'hero'",
    'origin = NULL',
    'kind = 1 - kind',
    'firstS = firstS + 64',
    'lastS = lastS + 65536',
  ]) {
    const bench = new Bench()
    await bench.append(1, [grows(A), grows(B, 2), grows(C, 3)])
    await bench.restart((db) => {
      const { changes } = db.prepare(`UPDATE series SET ${change} WHERE slot % 128 = 0`).run()
      assert.equal(changes, 1)
    })
    assert.deepEqual(await bench.living(1), { b: 2, c: 3 }, change)
    assert.deepEqual((await bench.store.health()).damaged, { series: 1 }, change)
    if (change.startsWith('total')) assert.deepEqual(await bench.past(), [['a', 1, 1]])
    await bench.append(2, [grows(A, 9)])
    await bench.restart()
    if (!change.startsWith('kind')) {
      assert.deepEqual([(await bench.living()).a, await bench.sum(A)], [9, 10], change)
    }
    await bench.store.close()
  }
})

test('a row with a changed name is told under no name, and its series begins anew', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A), grows(B, 2)])
  await bench.restart((db) => {
    db.exec("UPDATE series SET key = CAST(replace(key, 'a', 'z') AS BLOB) WHERE slot % 128 = 0")
  })
  assert.deepEqual(await bench.living(), { b: 2 })
  assert.deepEqual(
    (await bench.store.list()).map(({ key }) => identityOf(key)?.name),
    ['b'],
  )
  assert.deepEqual(await bench.past(), [])
  assert.ok((await bench.store.health()).damaged.series! >= 1)
  await bench.append(2, [grows(A, 9)])
  await bench.restart()
  assert.deepEqual([(await bench.living()).a, await bench.sum(A)], [9, 9])
  await bench.store.close()
})

test('a row with a changed bit is in the way of no seal', async () => {
  const bench = new Bench()
  await bench.append(1, [grows(A), grows(B, 2)])
  await bench.seal()
  const db = new DatabaseSync(databasePath(bench.folder))
  db.exec("UPDATE series SET total = x'ff00ff' WHERE slot % 128 = 0")
  db.close()
  await bench.append(2, [grows(A, 4), grows(B)])
  await bench.seal()
  assert.deepEqual((await bench.store.health()).damaged, { series: 1 })
  assert.deepEqual(await bench.living(), { a: 4, b: 3 })
  await bench.store.close()
})

test('a total of fractions is the one that was told, whatever its cells add up to', async () => {
  const bench = new Bench()
  const [told, off] = [0.3, 0.1 + 0.2]
  const append = async (second: number, cells: readonly NamedCell[], sums: readonly number[]) => {
    const made = bench.maker.second(START_S + second, cells)
    const refs = [...made.counters.refs]
    await bench.tell(second, { ...made, sums: new Map(sums.map((sum, i) => [refs[i]!, sum])) })
  }
  await append(1, [grows(A, 0.1), grows(B, 0.1)], [0.1, 0.1])
  await append(2, [grows(A, 0.2), grows(B, 0.2)], [told])
  await bench.restart()
  assert.deepEqual(await bench.living(), { a: told, b: 0.1 })
  await append(3, [grows(A, 0.1), grows(B, off)], [])
  await bench.restart()
  assert.deepEqual(await bench.living(), { a: told + 0.1, b: 0.1 + off })
  // of one that begins anew what was told before says nothing
  await append(4, [grows(A, 0.1)], [9.5])
  await bench.append(5, [], [A])
  bench.maker = new SecondMaker(10)
  await bench.append(6, [grows(A, 0.25)])
  await bench.restart()
  assert.deepEqual(await bench.living(), { a: 0.25, b: 0.1 + off })
})

test('sums of distributions are those that were told', async () => {
  const bench = new Bench()
  const summary = { count: 3, mean: 0.1, squares: 0, min: 0, max: 1 }
  const histogram = new Histogram()
  for (const value of [0.1, 0.2]) histogram.record(value)
  const sum = histogram.sum as number
  const made = bench.maker.second(START_S + 1, [
    { identity: { name: 's', kind: 'summary', labels: [] }, cell: { kind: 'summary', summary } },
    {
      identity: { name: 'h', kind: 'histogram', labels: [] },
      cell: { kind: 'histogram', histogram },
    },
  ])
  const sums = new Map([
    [made.summaries.refs[0]!, 1.1],
    [made.histograms.refs[0]!, sum + 1e-15],
  ])
  await bench.tell(1, { ...made, sums })
  await bench.restart()
  const { summaries, histograms } = await bench.store.living({ after: 0, limit: 10 })
  const [held] = summaries.values()
  assert.ok(held!.mean * held!.count >= 1.1 && held!.mean * held!.count < 1.1 + 1e-15)
  assert.equal(unpackHistogram([...histograms.values()][0]!).sum, sum + 1e-15)
})

test('whole increments of several seconds are spread over them; the sum stays', async () => {
  const bench = new Bench()
  const cells = [grows(A, 7), grows(B, 2.5), grows(C)]
  // over the end of a window of five minutes
  await bench.tell(301, { ...bench.maker.second(START_S + 301, cells), seconds: 3 })
  const huge = { identity: A, cell: { kind: 'counter', delta: 2n ** 53n + 1n } } as const
  await bench.tell(303, { ...bench.maker.second(START_S + 303, [huge]), seconds: 2 })
  const read = async (identity: Identity, stepS: number) => {
    const range = { fromS: START_S + 297, toS: START_S + 303, stepS }
    const { columns } = await bench.store.read({ groups: [[identityKey(identity)]], ...range })
    return columns[0]!.cells.map((cell) => (cell?.kind === 'counter' ? cell.delta : undefined))
  }
  for (const isSealed of [false, true]) {
    if (isSealed) await bench.seal()
    const [half, rest] = [2 ** 52, 2 ** 52 + 1]
    assert.deepEqual(await read(A, 1), [undefined, 2, 2, 3, half, rest], `sealed: ${isSealed}`)
    assert.deepEqual(await read(B, 1), [...new Array(3), 2.5, undefined, undefined])
    assert.deepEqual((await read(C, 1)).indexOf(1), 3)
  }
  await bench.restart()
  assert.deepEqual(await bench.living(), { a: 2 ** 53 + 8, b: 2.5, c: 1 })
})
