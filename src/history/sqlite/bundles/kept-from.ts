/**
 * Starts of what is kept, by width of cells. A window may begin long before its first cell: what a
 * hub recorded begins with its run, and what was imported where the first cell of that width does,
 * which is noted then.
 */
import { readState, setState } from '../database.ts'
import type { OpenWindows } from '../head/open-windows.ts'
import { type BundleTable, HOUR, MINUTE, SECOND, SECOND5 } from './levels.ts'
import type { Tables } from './maintenance.ts'

/** Starts by width of cells in seconds; undefined where nothing is kept. */
export type KeptFrom = Readonly<Record<Width, number | undefined>>

type Width = 1 | 60 | 3600

const WIDTHS: readonly Width[] = [SECOND.cellS, MINUTE.cellS, HOUR.cellS] as Width[]

/** Finds from when on each width of cells is kept. */
export function keptFrom(tables: Tables, open: readonly OpenWindows[]): KeptFrom {
  const { second, second5, minute, minute1, hour } = tables
  const opened = open.flatMap(({ windows }) => {
    return [...windows.keys()].map((window) => window * SECOND5.windowS)
  })
  const least = (width: Width, ...kept: readonly BundleTable[]): number | undefined => {
    const windows = [...kept.flatMap(firstOf), ...opened]
    return windows.length === 0 ? undefined : startIn(tables, width, Math.min(...windows))
  }
  return {
    1: least(1, second, second5),
    60: least(60, minute, minute1),
    3600: least(3600, hour, second5),
  }
}

/** Finds where cells of a width begin, if their first window begins at an instant. */
export function startIn({ db, runs }: Pick<Tables, 'db' | 'runs'>, width: number, windowS: number) {
  return runs.firstFrom(Math.max(readState(db, stateOf(width)), windowS))
}

function firstOf(table: BundleTable): number[] {
  const [first, end] = table.span()
  return first === end ? [] : [first * table.level.windowS]
}

function stateOf(width: number): string {
  return `from ${width}`
}

/**
 * Notes where cells begin that are imported, as part of their transaction.
 * @param before starts of what was there
 * @param imported starts of what was added, by width
 */
export function noteImported(
  { db }: Tables,
  before: KeptFrom,
  imported: ReadonlyMap<number, number>,
): void {
  for (const width of WIDTHS) {
    const starts = [before[width], imported.get(width)].filter((start) => start !== undefined)
    if (starts.length > 0) setState(db, stateOf(width), Math.min(...starts))
  }
}
