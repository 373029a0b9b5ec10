/**
 * The suite that every history passes. What is read is compared with cells that the suite merges by
 * itself, second by second.
 */
import assert from 'node:assert/strict'
import { type TestOptions, test } from 'node:test'
import { HistoryError, type HistoryReader, type HistoryStore } from '../../src/history/store.ts'
import { type Identity, identityKey, identityOf } from '../../src/model/index.ts'
import { type NamedCell, SecondMaker, START_S } from '../support/history.ts'
import {
  ALL,
  cellsAt,
  expected,
  HITS,
  type Kept,
  LOAD,
  MORE,
  range,
  SIZES,
  seen,
  TIMES,
} from './history-cells.ts'
import { historySeriesSuite } from './history-series.ts'

const WHOLE: Kept = { cellOf: (cell) => cell, seen }

async function compare(
  store: HistoryReader,
  seconds: readonly number[],
  fromS: number,
  toS: number,
  stepS: number,
  kept = WHOLE,
  all: readonly Identity[] = ALL,
): Promise<void> {
  const groups = all.map((identity) => [identityKey(identity)])
  const answer = await store.read({ groups, fromS, toS, stepS })
  assert.equal(answer.stepS, stepS)
  assert.equal(answer.fromS, Math.floor(fromS / stepS) * stepS)
  const inside = seconds.filter((endS) => {
    return endS > answer.fromS && endS <= answer.fromS + answer.length * stepS
  })
  for (const [i, identity] of all.entries()) {
    const wanted = expected(inside, identity, answer.fromS, stepS, kept.cellOf)
    const { cells, kind } = answer.columns[i]!
    assert.equal(kind, identity.kind)
    for (const [step, cell] of cells.entries()) {
      const title = `${identity.name}, step ${step} of ${stepS} s`
      assert.deepEqual(kept.seen(cell), kept.seen(wanted.get(step)), title)
    }
  }
}

/** A history that others write, and its writer. */
export interface WrittenHistory {
  readonly reader: HistoryReader
  /** Time at which writing begins, whole hours. */
  readonly startS: number
  /** What is written of a cell, and what is not known when it is read. */
  readonly kept: Kept
  /** Whether its histograms are native ones, of which a list of series says nothing. */
  readonly isNative: boolean
  second(endS: number, cells: readonly NamedCell[]): void
  /** Ends the hub that writes; the next one begins at nothing. */
  restart(): void
  send(): Promise<void>
}

/** Series whose increments are doubles without rounding. */
const IN_DOUBLES = ALL.filter((identity) => identity !== MORE)
/** End of what is written: longer than a history of this kind reads every sample of. */
const WRITTEN_S = 9000

/**
 * The part of the suite that reads, for histories that others write.
 * @param open begins one of which nothing is written yet
 */
export function historyReadingSuite(
  open: () => Promise<WrittenHistory>,
  options: TestOptions = {},
): void {
  test('what others wrote is read merged at any step, over their restarts', options, async () => {
    const { reader, startS, kept, ...writer } = await open()
    const seconds = range(startS + 400, startS + WRITTEN_S)
    const restarts = new Set([100, 3900, 3907, 7201].map((after) => startS + after))
    for (const endS of seconds) {
      const cells = cellsAt(endS).filter(({ identity }) => identity !== MORE)
      writer.second(endS, cells)
      if (restarts.has(endS)) writer.restart()
      if (endS % 1000 === 0) await writer.send()
    }
    await writer.send()
    const last = seconds.at(-1)!
    const check = (fromS: number, toS: number, stepS: number) =>
      compare(reader, seconds, fromS, toS, stepS, kept, IN_DOUBLES)
    await check(startS, startS + 600, 1)
    await check(startS + 3500, startS + 4100, 7)
    await check(last - 300, last, 1)
    for (const step of [10, 60, 300, 3600]) await check(startS, last, step)
    for (const step of [30, 60, 3600]) await check(startS, startS + 7200, step)
    await reader.close()
  })

  test('what several hubs wrote, and several series, is one column', options, async () => {
    const { reader, startS, ...writer } = await open()
    for (const endS of [...range(startS, startS + 60), ...range(startS + 120, startS + 180)]) {
      const cells = [HITS, MORE].map((identity) => {
        return { identity, cell: { kind: 'counter', delta: 2 } as const }
      })
      writer.second(endS, cells)
    }
    await writer.send()
    const hits = [identityKey(HITS), identityKey(MORE)]
    const groups = [hits, [identityKey(LOAD)]]
    const answer = await reader.read({ groups, fromS: startS, toS: startS + 240, stepS: 60 })
    assert.deepEqual([...answer.covered], [1, 0, 1, 0])
    const delta = { kind: 'counter', delta: 240 }
    assert.deepEqual(answer.columns[0], {
      kind: 'counter',
      cells: [delta, undefined, delta, undefined],
    })
    assert.equal(answer.columns[1]!.kind, undefined)
    await reader.close()
  })

  test('series of a time are found by words, and read by what is told', options, async () => {
    const { reader, startS, isNative, ...writer } = await open()
    const seconds = range(startS, startS + 120)
    for (const endS of seconds) writer.second(endS, cellsAt(endS))
    await writer.send()
    const find = async (words: object, fromS = startS, toS = startS + 120) => {
      const query = { filter: '', limit: 10, fromS, toS, ...words }
      const { series, total } = await reader.find(query)
      assert.equal(series.length, total)
      return series.map(({ key }) => identityOf(key)!)
    }
    assert.deepEqual(await find({ filter: 'HOST=a hit' }), [HITS])
    for (const filter of ['st=A', '=a', 'host=']) {
      assert.ok(
        (await find({ filter })).some((each) => each.name === HITS.name),
        filter,
      )
    }
    assert.deepEqual(await find({ filter: 'host=b' }), [MORE])
    assert.deepEqual(await find({ filter: 'host=c' }), [])
    assert.deepEqual(await find({ filter: 'hits_total' }), [])
    assert.deepEqual(await find({ filter: 'kind=hist' }), isNative ? [] : [TIMES])
    assert.deepEqual(await find({ kind: 'summary' }), [SIZES])
    assert.deepEqual(await find({ kind: 'gauge', filter: 'loa' }), [LOAD])
    assert.deepEqual(await find({ filter: 'hits' }, startS - 900_000, startS - 800_000), [])
    const [hits] = await find({ filter: 'host=a' })
    const groups = [[identityKey(hits!)]]
    const answer = await reader.read({ groups, fromS: startS, toS: startS + 120, stepS: 60 })
    const wanted = expected(seconds, HITS, startS, 60)
    assert.deepEqual(answer.columns[0]!.cells, [wanted.get(0), wanted.get(1)])
    await reader.close()
  })

  test('a read of too much of it is refused, and the limit told', options, async () => {
    const { reader, startS } = await open()
    await refusesTooMuch(reader, startS)
    await reader.close()
  })
}

async function refusesTooMuch(reader: HistoryReader, toS: number): Promise<void> {
  const read = reader.read({ groups: [[]], fromS: 0, toS, stepS: 1 })
  await assert.rejects(read, (error) => {
    return (
      error instanceof HistoryError && error.code === 'too_large' && /limit/.test(error.message)
    )
  })
}

/** Range of whole seconds. */
export function historySuite(open: () => Promise<HistoryStore>): void {
  test('what was appended is read merged at any step, over a restart too', async () => {
    const maker = new SecondMaker()
    let store = await open()
    const seconds = range(START_S + 100, START_S + 5200)
    for (const endS of seconds) {
      await store.append(maker.second(endS, cellsAt(endS)))
      if (endS === START_S + 3900) {
        await store.close()
        maker.restart()
        store = await open()
      }
    }
    const last = seconds.at(-1)!
    await compare(store, seconds, START_S, START_S + 400, 1)
    await compare(store, seconds, START_S + 3500, START_S + 4100, 7)
    await compare(store, seconds, last - 300, last, 1)
    for (const step of [10, 60, 300, 3600, 7200]) await compare(store, seconds, START_S, last, step)
    await store.close()
    store = await open()
    for (const step of [10, 60, 3600]) await compare(store, seconds, START_S, last, step)
    await store.close()
  })

  test('many series of one kind make one column, and steps say where a hub ran', async () => {
    const maker = new SecondMaker()
    const store = await open()
    for (const endS of [...range(START_S, START_S + 60), ...range(START_S + 120, START_S + 180)]) {
      const cells = [HITS, MORE].map((identity) => {
        return { identity, cell: { kind: 'counter', delta: 2 } as const }
      })
      await store.append(maker.second(endS, cells))
    }
    const answer = await store.read({
      groups: [[identityKey(HITS), identityKey(MORE)], [identityKey(LOAD)]],
      ...{ fromS: START_S, toS: START_S + 240, stepS: 60 },
    })
    assert.deepEqual([...answer.covered], [1, 0, 1, 0])
    const delta = { kind: 'counter', delta: 240 }
    assert.deepEqual(answer.columns[0], {
      kind: 'counter',
      cells: [delta, undefined, delta, undefined],
    })
    assert.equal(answer.columns[1]!.kind, undefined)
    await store.close()
  })

  test('a second that comes again, or late, is added where it belongs', async () => {
    const maker = new SecondMaker()
    const store = await open()
    const one: NamedCell = { identity: HITS, cell: { kind: 'counter', delta: 1 } }
    for (const endS of range(START_S, START_S + 3700)) {
      await store.append(maker.second(endS, [one]))
    }
    for (const late of [7, 7, 299, 300, 301, 3650, 3600]) {
      await store.append({ ...maker.second(START_S + late, [one]), seconds: 0 })
    }
    const read = async (stepS: number, toS: number): Promise<(number | undefined)[]> => {
      const groups = [[identityKey(HITS)]]
      const { columns } = await store.read({ groups, fromS: START_S, toS, stepS })
      return columns[0]!.cells.map((cell) =>
        cell?.kind === 'counter' ? Number(cell.delta) : undefined,
      )
    }
    const check = async (): Promise<void> => {
      assert.deepEqual((await read(1, START_S + 8)).slice(5), [1, 3, 1])
      assert.deepEqual(await read(300, START_S + 600), [304, 301])
      assert.deepEqual(await read(3600, START_S + 7200), [3606, 101])
    }
    await check()
    await store.append(maker.second(START_S + 3 * 3600, [one]))
    await check()
    await store.close()
  })

  historySeriesSuite(open)

  test('a series that is taken away leaves nothing, and its neighbours all', async () => {
    const maker = new SecondMaker()
    let store = await open()
    const seconds = range(START_S, START_S + 4000)
    for (const endS of seconds) await store.append(maker.second(endS, cellsAt(endS)))
    assert.equal(await store.remove([identityKey(HITS), identityKey({ ...HITS, name: 'no' })]), 1)
    await store.close()
    store = await open()
    const groups = [[identityKey(HITS)], [identityKey(MORE)]]
    const { columns } = await store.read({ groups, fromS: START_S, toS: START_S + 4000, stepS: 10 })
    assert.equal(columns[0]!.kind, undefined)
    assert.ok(columns[0]!.cells.every((cell) => cell === undefined))
    const wanted = expected(seconds, MORE, START_S, 10)
    columns[1]!.cells.forEach((cell, step) => {
      assert.deepEqual(cell, wanted.get(step))
    })
    await store.close()
  })

  test('a read of too much is refused, and the limit told', async () => {
    const store = await open()
    await refusesTooMuch(store, START_S)
    await store.close()
  })

  test('what is said of its health is what it did', async () => {
    const maker = new SecondMaker()
    const store = await open()
    for (const endS of range(START_S, START_S + 20)) {
      await store.append(maker.second(endS, cellsAt(endS)))
    }
    const { state, taken, durableS, lost, resolutions, series } = await store.health()
    assert.deepEqual([state, taken, durableS, lost], ['running', 20, START_S + 20, {}])
    assert.equal(series, ALL.length)
    assert.ok(resolutions.every(({ fromS }) => fromS !== undefined && fromS <= START_S))
    await store.close()
  })
}
