/**
 * The suite that every history passes. What is read is compared with cells that the suite merges by
 * itself, second by second.
 */
import assert from 'node:assert/strict'
import { type TestOptions, test } from 'node:test'
import { HistoryError, type HistoryReader, type HistoryStore } from '../../src/history/store.ts'
import {
  addToSummary,
  type Cell,
  EMPTY_SUMMARY,
  Histogram,
  type Identity,
  identityKey,
  mergeCells,
} from '../../src/model/index.ts'
import { type NamedCell, SecondMaker, START_S } from '../support/history.ts'

const HITS: Identity = { name: 'hits', kind: 'counter', labels: [['host', 'a']] }
const MORE: Identity = { name: 'hits', kind: 'counter', labels: [['host', 'b']] }
const LOAD: Identity = { name: 'load', kind: 'gauge', labels: [] }
const TIMES: Identity = { name: 'times', kind: 'histogram', labels: [] }
const SIZES: Identity = { name: 'sizes', kind: 'summary', labels: [] }
const ALL = [HITS, MORE, LOAD, TIMES, SIZES]

/** Cells of a second, made of its number alone; some seconds lack some series. */
function cellsAt(second: number): NamedCell[] {
  const mixed = (second * 2_654_435_761) % 2 ** 32
  const cells: NamedCell[] = []
  if (second % 7 !== 3)
    cells.push({ identity: HITS, cell: { kind: 'counter', delta: mixed % 100 } })
  if (second % 90 === 5) {
    const delta = 2n ** 60n + BigInt(mixed)
    cells.push({ identity: MORE, cell: { kind: 'counter', delta } })
  } else cells.push({ identity: MORE, cell: { kind: 'counter', delta: 3 } })
  if (second % 3 === 0) {
    const value = (mixed % 1000) / 8
    const at = second * 1000
    const spread = { first: value - 1, firstAt: at, min: value - 2, max: value, count: 3 }
    const cell: Cell = { kind: 'gauge', value, at, ...(second % 2 === 0 ? { spread } : {}) }
    cells.push({ identity: LOAD, cell })
  }
  if (second % 5 !== 0) {
    const histogram = new Histogram()
    for (let i = 0; i < 1 + (second % 4); i++) histogram.record(1 + ((mixed >>> i) % 5000))
    cells.push({ identity: TIMES, cell: { kind: 'histogram', histogram } })
  }
  // one value only: its statistics merge without a rounding
  const summary = addToSummary(addToSummary(EMPTY_SUMMARY, 64), 64)
  if (second % 4 === 0) cells.push({ identity: SIZES, cell: { kind: 'summary', summary } })
  return cells
}

/** What a store keeps of a cell, and what can be seen of it. */
interface Kept {
  readonly cellOf: (cell: Cell) => Cell
  readonly seen: (cell: Cell | undefined) => unknown
}

/** Merges the cells of a series over steps, with nothing of a store. */
function expected(
  seconds: readonly number[],
  identity: Identity,
  fromS: number,
  stepS: number,
  cellOf: Kept['cellOf'] = (cell) => cell,
) {
  const cells = new Map<number, Cell>()
  for (const endS of seconds) {
    const found = cellsAt(endS).find((each) => each.identity === identity)
    if (found === undefined || (found.cell.kind === 'counter' && found.cell.delta === 0)) continue
    const step = Math.ceil((endS - fromS) / stepS) - 1
    const held = cells.get(step)
    const cell = cellOf(found.cell)
    cells.set(step, held === undefined ? cell : mergeCells(held, cell))
  }
  return cells
}

/** What can be seen of a cell. */
function seen(cell: Cell | undefined): unknown {
  if (cell?.kind !== 'histogram') return cell
  const { scale, count, sum, min, max, zeroCount, positive } = cell.histogram
  const buckets: [number, bigint][] = []
  positive.forEach((index, held) => {
    buckets.push([index, held])
  })
  return { scale, count, sum, min, max, zeroCount, buckets }
}

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
function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + 1 + i)
}

/** @param open opens the store of a test; the same place again where it was opened before */
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
    const living = await store.list({ isLiving: true })
    assert.equal(living.length, ALL.length - 1)
    const [ended] = await store.list({ keys: [identityKey(MORE)] })
    assert.equal(ended?.total, undefined)
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
    const [hits] = await store.list({ keys: [identityKey(HITS)], isLiving: true })
    assert.deepEqual(hits?.total, { kind: 'counter', delta: 5 })
    assert.deepEqual([hits?.firstS, hits?.lastS], [START_S + 1, START_S + 3])
    await store.close()
  })

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
