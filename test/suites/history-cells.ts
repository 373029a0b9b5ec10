/** Cells that suites of histories write, and what they are merged to with nothing of a store. */
import {
  addToSummary,
  type Cell,
  EMPTY_SUMMARY,
  Histogram,
  type Identity,
  identityKey,
  mergeCells,
} from '../../src/model/index.ts'
import type { NamedCell } from '../support/history.ts'

export const HITS: Identity = { name: 'hits', kind: 'counter', labels: [['host', 'a']] }
export const MORE: Identity = { name: 'hits', kind: 'counter', labels: [['host', 'b']] }
export const WIDE: Identity = { name: 'wide', kind: 'counter', labels: [] }
export const LOAD: Identity = { name: 'load', kind: 'gauge', labels: [] }
export const TIMES: Identity = { name: 'times', kind: 'histogram', labels: [] }
export const SIZES: Identity = { name: 'sizes', kind: 'summary', labels: [] }
export const ALL = [HITS, MORE, LOAD, TIMES, SIZES]

/** Cells of a second, made of its number alone; some seconds lack some series. */
export function cellsAt(second: number): NamedCell[] {
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

export function nameOf(identity: Identity): string {
  return latin1(identityKey(identity))
}

export function latin1(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}

/** What a store keeps of a cell, and what can be seen of it. */
export interface Kept {
  readonly cellOf: (cell: Cell) => Cell
  readonly seen: (cell: Cell | undefined) => unknown
}

/** Merges the cells of a series over steps, with nothing of a store. */
export function expected(
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
export function seen(cell: Cell | undefined): unknown {
  if (cell?.kind !== 'histogram') return cell
  const { scale, count, sum, min, max, zeroCount, positive } = cell.histogram
  const buckets: [number, bigint][] = []
  positive.forEach((index, held) => {
    buckets.push([index, held])
  })
  return { scale, count, sum, min, max, zeroCount, buckets }
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + 1 + i)
}

/** @param open opens the store of a test; the same place again where it was opened before */
