/**
 * Reads of cells at a step, merged from the coarsest cells that fit it: bundles, and what is not
 * sealed yet. Each cell is counted once wherever it is kept: seconds are in `second5` until they
 * are in `second` and `hour`, minutes in `minute1` until they are in `minute`.
 */
import type { Kind } from '../../../model/index.ts'
import type { Task } from '../../../time/task.ts'
import { type CellAnswer, type CellQuery, HistoryError } from '../../store.ts'
import type { OpenWindows } from '../head/open-windows.ts'
import { ColumnSum } from './column-sum.ts'
import type { KeptFrom } from './kept-from.ts'
import {
  type BundleTable,
  blockNumber,
  frameOf,
  HOUR,
  type Level,
  MINUTE,
  SECOND,
  SECOND5,
} from './levels.ts'
import type { Tables } from './maintenance.ts'

const READ_LIMITS = { groups: 1000, steps: 20_000, series: 20_000, chunks: 500_000 }

/** Series of a read: which column its cells are added to. */
interface Wanted {
  readonly slot: number
  readonly kind: Kind
  readonly column: number
}

/** @throws {HistoryError} `too_large` */
export function* reading(
  tables: Tables,
  open: readonly OpenWindows[],
  query: CellQuery,
  kept: KeptFrom,
): Task<CellAnswer> {
  const { stepS, level } = stepOf(query, kept)
  const fromS = Math.floor(query.fromS / stepS) * stepS
  const length = Math.max(0, Math.ceil((query.toS - fromS) / stepS))
  const wanted = wantedOf(tables, query)
  checkLimits(query, length, wanted.length, level)
  const steps = { fromMs: fromS * 1000, stepMs: stepS * 1000, length }
  const columns = query.groups.map(({ length: count }) => new ColumnSum(steps, count === 1))
  const reader = new WindowReader(wanted, columns, fromS, fromS + length * stepS)
  if (level === MINUTE) {
    yield* reader.table(tables.minute)
    yield* reader.table(tables.minute1)
  } else {
    yield* reader.table(level === HOUR ? tables.hour : tables.second)
    yield* reader.table(tables.second5)
  }
  reader.open(open)
  const covered = new Uint8Array(length)
  tables.runs.cover(fromS, stepS, covered)
  const kinds = query.groups.map((_, column) => wanted.find((each) => each.column === column)?.kind)
  return {
    fromS,
    stepS,
    length,
    covered,
    columns: columns.map((column, i) => ({ kind: kinds[i], cells: column.cells() })),
  }
}

/** Chooses the coarsest cells that fit the step, and a wider step where finer ones have gone. */
function stepOf({ fromS, stepS }: CellQuery, kept: KeptFrom): { stepS: number; level: Level } {
  const asked = Math.max(1, Math.round(stepS))
  const isBefore = (a: number | undefined, b: number | undefined): boolean => {
    return a !== undefined && (b === undefined || a < b)
  }
  const lacks = (from: number | undefined): boolean => from === undefined || from > fromS
  let level = SECOND
  if (asked % HOUR.cellS === 0) level = HOUR
  else if (asked % MINUTE.cellS === 0) level = MINUTE
  if (level === SECOND && lacks(kept[1]) && isBefore(kept[60], kept[1])) level = MINUTE
  if (level === MINUTE && lacks(kept[60]) && isBefore(kept[3600], kept[60])) level = HOUR
  return { stepS: Math.ceil(asked / level.cellS) * level.cellS, level }
}

function wantedOf({ slots }: Tables, { groups }: CellQuery): Wanted[] {
  return groups.flatMap((keys, column) => {
    return keys.flatMap((key) => {
      const known = slots.find(key)
      return known === undefined ? [] : { ...known, column }
    })
  })
}

function checkLimits(
  { groups, fromS, toS }: CellQuery,
  length: number,
  series: number,
  level: Level,
): void {
  const chunks = series * Math.ceil((toS - fromS) / level.windowS)
  const found = { groups: groups.length, steps: length, series, chunks }
  for (const name of ['groups', 'steps', 'series', 'chunks'] as const) {
    const limit = READ_LIMITS[name]
    if (found[name] <= limit) continue
    throw new HistoryError('too_large', `read of ${found[name]} ${name}, limit ${limit}`)
  }
}

/** Reader of the windows that reach into a span, for the series of all columns. */
class WindowReader {
  readonly #blocks: ReadonlyMap<number, Wanted[]>
  readonly #wanted: readonly Wanted[]
  readonly #columns: readonly ColumnSum[]
  readonly #fromS: number
  readonly #toS: number

  constructor(
    wanted: readonly Wanted[],
    columns: readonly ColumnSum[],
    fromS: number,
    toS: number,
  ) {
    this.#wanted = wanted
    this.#blocks = Map.groupBy(wanted, ({ slot }) => blockNumber(slot))
    this.#columns = columns
    this.#fromS = fromS
    this.#toS = toS
  }

  /** Reads the bundles of a table. */
  *table(table: BundleTable): Task {
    const { level } = table
    const [first, end] = table.span()
    const last = Math.min(end, Math.ceil(this.#toS / level.windowS))
    const begin = Math.max(first, Math.floor(this.#fromS / level.windowS))
    for (let window = begin; window < last; window++) {
      const frame = frameOf(level, window)
      for (const [block, wanted] of this.#blocks) {
        const bundle = table.open(window, block)
        if (bundle === undefined) continue
        for (const { slot, kind, column } of wanted) {
          const found = table.read(bundle, slot, kind, window)
          if (found !== undefined) this.#columns[column]!.add(found, frame)
        }
        yield
      }
    }
  }

  /** Reads what is not sealed. */
  open(list: readonly OpenWindows[]): void {
    for (const { windows } of list) {
      for (const [window, series] of windows) {
        const startS = window * SECOND5.windowS
        if (startS >= this.#toS || startS + SECOND5.windowS <= this.#fromS) continue
        for (const { slot, column } of this.#wanted) {
          const found = series.get(slot)
          if (found !== undefined)
            this.#columns[column]!.add(found.block(), frameOf(SECOND5, window))
        }
      }
    }
  }
}
