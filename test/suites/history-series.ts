/** The part of the suite of histories that is about series: listed, living, bound, ended, found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistoryStore, LivingSeries, PastQuery } from '../../src/history/store.ts'
import { type Cell, type Identity, identityKey, identityOf, KINDS } from '../../src/model/index.ts'
import { unpackHistogram } from '../../src/model/packed/packed-histogram.ts'
import { type NamedCell, SecondMaker, START_S } from '../support/history.ts'
import {
  ALL,
  cellsAt,
  expected,
  HITS,
  LOAD,
  latin1,
  MORE,
  nameOf,
  range,
  SIZES,
  seen,
  TIMES,
  WIDE,
} from './history-cells.ts'

/** What is told of series that go on, by their keys: totals as far as a hub needs them. */
function* toldBy(page: LivingSeries): Iterable<readonly [name: string, told: unknown]> {
  for (const row of page.numbers.keys()) {
    const key = page.keys.subarray(row === 0 ? 0 : page.keyEnds[row - 1], page.keyEnds[row])
    assert.deepEqual(page.metadata[page.metadataPlaces[row]!], { dialect: 'test' })
    assert.equal(page.origins[page.originPlaces[row]!], 'here')
    assert.ok(page.lastS[row]! > START_S && page.lastS[row]! <= START_S + 30)
    const kind = KINDS[page.kinds[row]!]!
    const bytes = page.histograms.get(row)
    const summary = page.summaries.get(row)
    let told: unknown = { kind }
    if (kind === 'counter') told = { kind, delta: page.wide.get(row) ?? page.totals[row] }
    else if (bytes !== undefined)
      told = seen({ kind: 'histogram', histogram: unpackHistogram(bytes) })
    else if (summary !== undefined) told = { kind, summary }
    yield [latin1(key), told]
  }
}

export function historySeriesSuite(open: () => Promise<HistoryStore>): void {
  test('series are listed with their labels, life spans and totals', async () => {
    const maker = new SecondMaker()
    let store = await open()
    for (const endS of range(START_S, START_S + 30)) {
      await store.append(maker.second(endS, cellsAt(endS)))
    }
    await store.append(maker.second(START_S + 31, [], [MORE]))
    await store.close()
    store = await open()
    const listed = await store.list()
    assert.deepEqual(
      listed.map(({ key }) => Buffer.from(key).toString('hex')).sort(),
      ALL.map((each) => Buffer.from(identityKey(each)).toString('hex')).sort(),
    )
    const [hits] = await store.list({ keys: [identityKey(HITS)] })
    let total = 0
    for (const endS of range(START_S, START_S + 30)) {
      const cell = cellsAt(endS).find(({ identity }) => identity === HITS)?.cell
      if (cell?.kind === 'counter') total += Number(cell.delta)
    }
    assert.deepEqual(hits?.total, { kind: 'counter', delta: total })
    assert.deepEqual(hits?.metadata, { dialect: 'test' })
    assert.equal(hits?.origin, 'here')
    assert.ok(hits!.firstS > START_S && hits!.lastS <= START_S + 30)
    const [ended] = await store.list({ keys: [identityKey(MORE)] })
    assert.equal(ended?.total, undefined)
    await store.close()
  })

  test('series that go on come in columns, page by page, with their totals', async () => {
    const maker = new SecondMaker()
    let store = await open()
    const seconds = range(START_S, START_S + 30)
    for (const endS of seconds) {
      const cells = cellsAt(endS)
      const wide = { identity: WIDE, cell: { kind: 'counter', delta: 2n ** 60n + 1n } } as const
      await store.append(maker.second(endS, endS === START_S + 3 ? [...cells, wide] : cells))
    }
    await store.append(maker.second(START_S + 31, [], [MORE]))
    await store.close()
    store = await open()
    const found = new Map<string, unknown>()
    let pages = 0
    for (let after = 0; ; pages++) {
      const page = await store.living({ after, limit: 2 })
      if (page.numbers.length === 0) break
      assert.ok(page.numbers.length <= 2)
      for (const [name, told] of toldBy(page)) found.set(name, told)
      after = page.numbers.at(-1)!
    }
    assert.equal(pages, 3)
    const totalOf = (identity: Identity): Cell => {
      return expected(seconds, identity, START_S, 30).get(0)!
    }
    const [hits, times, sizes] = [HITS, TIMES, SIZES].map(totalOf)
    assert.deepEqual(
      found,
      new Map<string, unknown>([
        [nameOf(HITS), hits],
        [nameOf(WIDE), { kind: 'counter', delta: 2n ** 60n + 1n }],
        [nameOf(LOAD), { kind: 'gauge' }],
        [nameOf(TIMES), seen(times)],
        [nameOf(SIZES), sizes],
      ]),
    )
    await store.close()
  })

  test('a series that is bound by its number goes on, and ends by its ref', async () => {
    const maker = new SecondMaker()
    let store = await open()
    const add = (delta: number): NamedCell[] => [
      { identity: HITS, cell: { kind: 'counter', delta } },
    ]
    await store.append(maker.second(START_S + 1, add(5)))
    await store.close()
    store = await open()
    const { numbers } = await store.living({ after: 0, limit: 10 })
    await store.bind({ numbers, refs: Uint32Array.of(7) })
    const { counters, ...rest } = maker.second(START_S + 2, add(6))
    const cells = { ...rest, counters: { ...counters, refs: Uint32Array.of(7) } }
    await store.append(cells)
    await store.close()
    store = await open()
    const [hits] = await store.list({ keys: [identityKey(HITS)] })
    assert.deepEqual(hits?.total, { kind: 'counter', delta: 11 })
    await store.bind({ numbers, refs: Uint32Array.of(2 ** 32 - 1) })
    const none = new SecondMaker().second(START_S + 3, [])
    await store.append({ ...none, seconds: 0, ended: [2 ** 32 - 1] })
    await store.close()
    store = await open()
    assert.equal((await store.living({ after: 0, limit: 10 })).numbers.length, 0)
    await store.close()
  })

  test('series that have ended are found by words and by when they lived', async () => {
    const maker = new SecondMaker()
    let store = await open()
    for (const endS of range(START_S, START_S + 30)) {
      await store.append(maker.second(endS, cellsAt(endS)))
    }
    await store.append(maker.second(START_S + 31, [], [HITS, LOAD, TIMES]))
    await store.close()
    store = await open()
    const find = async (words: Partial<PastQuery>) => {
      const query = { filter: '', limit: 10, fromS: START_S, toS: START_S + 60, ...words }
      const { series, total } = await store.find(query)
      return { series, total, names: series.map(({ key }) => identityOf(key)!.name) }
    }
    const all = await find({})
    assert.deepEqual([all.names.toSorted(), all.total], [['hits', 'load', 'times'], 3])
    for (const { key, metadata, origin, firstS, lastS } of all.series) {
      const has = (endS: number): boolean => {
        return cellsAt(endS).some(({ identity, cell }) => {
          return nameOf(identity) === latin1(key) && !(cell.kind === 'counter' && cell.delta === 0)
        })
      }
      const lived = range(START_S, START_S + 30).filter(has)
      assert.deepEqual([firstS, lastS], [lived[0], lived.at(-1)])
      assert.deepEqual([metadata, origin], [{ dialect: 'test' }, 'here'])
    }
    const wanted: readonly (readonly [Partial<PastQuery>, readonly string[]])[] = [
      [{ filter: 'HOST=a' }, ['hits']],
      [{ filter: 'host=b' }, []],
      [{ filter: 'kind=gau lo' }, ['load']],
      [{ kind: 'counter' }, ['hits']],
      [{ dialect: 'other' }, []],
      [{ fromS: START_S + 60, toS: START_S + 90 }, []],
      [{ fromS: START_S - 60, toS: START_S }, []],
      [{ partEnding: 'its', kind: 'counter' }, []],
    ]
    for (const [words, names] of wanted) assert.deepEqual((await find(words)).names, names)
    const newest = Math.max(...all.series.map(({ lastS }) => lastS!))
    const one = await find({ limit: 1 })
    assert.deepEqual([one.series[0]!.lastS, one.series.length, one.total], [newest, 1, 3])
    // what has ended since, and what goes on again
    maker.restart()
    await store.append(maker.second(START_S + 40, cellsAt(START_S + 40), [MORE]))
    const since = await find({ kind: 'counter' })
    assert.deepEqual(
      since.series.map(({ key }) => latin1(key)),
      [nameOf(MORE)],
    )
    await store.close()
  })

  test('a series that ended begins at nothing again, and its past stays', async () => {
    const maker = new SecondMaker()
    let store = await open()
    const five: NamedCell = { identity: HITS, cell: { kind: 'counter', delta: 5 } }
    await store.append(maker.second(START_S + 1, [five]))
    await store.append(maker.second(START_S + 2, [], [HITS]))
    maker.restart()
    await store.append(maker.second(START_S + 3, [five]))
    await store.close()
    store = await open()
    const [hits] = await store.list({ keys: [identityKey(HITS)] })
    assert.deepEqual(hits?.total, { kind: 'counter', delta: 5 })
    assert.deepEqual([hits?.firstS, hits?.lastS], [START_S + 1, START_S + 3])
    await store.close()
  })
}
