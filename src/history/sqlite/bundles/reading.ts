/**
 * Reads of cells at a step, merged from the coarsest cells that fit it: bundles, and what is not
 * sealed yet. Each cell is counted once wherever it is kept: seconds are in `second5` until they
 * are in `second` and `hour`, minutes are complete but for the open windows.
 */
import type { Cell, Kind } from '../../../model/index.ts'
import type { Task } from '../../../time/task.ts'
import { type CellAnswer, type CellQuery, HistoryError } from '../../store.ts'
import type { OpenWindows } from '../head/open-windows.ts'
import { CellSum, type Entry, rolledUp } from './entries.ts'
import {
  type BundleTable,
  blockNumber,
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

/** Starts of what each width of cells is kept of, Unix seconds; undefined where nothing is. */
export interface KeptFrom {
  readonly second: number | undefined
  readonly minute: number | undefined
  readonly hour: number | undefined
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
  const columns = query.groups.map(() => Array.from({ length }, () => new CellSum()))
  const reader = new LevelReader(wanted, { fromS, toS: fromS + length * stepS }, (at) => {
    const { column, endS, cell } = at
    columns[column]![Math.ceil((endS - fromS) / stepS) - 1]?.add(cell)
  })
  if (level === MINUTE) {
    yield* reader.table(tables.minute)
    reader.open(open, MINUTE.cellS)
  } else {
    if (level === HOUR) yield* reader.table(tables.hour)
    else yield* reader.table(tables.second)
    yield* reader.table(tables.second5, level.cellS)
    reader.open(open, level.cellS)
  }
  const covered = new Uint8Array(length)
  tables.runs.cover(fromS, stepS, covered)
  const kinds = query.groups.map((_, column) => wanted.find((each) => each.column === column)?.kind)
  return {
    fromS,
    stepS,
    length,
    covered,
    columns: columns.map((cells, i) => ({ kind: kinds[i], cells: cells.map(cellOf) })),
  }
}

function cellOf({ cell }: CellSum): Cell | undefined {
  return cell
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
  if (level === SECOND && lacks(kept.second) && isBefore(kept.minute, kept.second)) level = MINUTE
  if (level === MINUTE && lacks(kept.minute) && isBefore(kept.hour, kept.minute)) level = HOUR
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

interface FoundCell {
  readonly column: number
  readonly endS: number
  readonly cell: Cell
}

class LevelReader {
  readonly #wanted: readonly Wanted[]
  readonly #blocks: ReadonlyMap<number, Wanted[]>
  readonly #fromS: number
  readonly #toS: number
  readonly #visit: (found: FoundCell) => void

  constructor(
    wanted: readonly Wanted[],
    { fromS, toS }: { readonly fromS: number; readonly toS: number },
    visit: (found: FoundCell) => void,
  ) {
    this.#wanted = wanted
    this.#blocks = Map.groupBy(wanted, ({ slot }) => blockNumber(slot))
    this.#fromS = fromS
    this.#toS = toS
    this.#visit = visit
  }

  /** Reads the bundles of a table, its cells added up to a width where that is wider. */
  *table(table: BundleTable, widthS = table.level.cellS as number): Task {
    const { windowS } = table.level
    const last = Math.ceil(this.#toS / windowS)
    for (let window = Math.floor(this.#fromS / windowS); window < last; window++) {
      for (const [block, wanted] of this.#blocks) {
        const bundle = table.open(window, block)
        if (bundle === undefined) continue
        for (const each of wanted) {
          const entries = table.entries(bundle, each.slot, each.kind, window)
          if (entries !== undefined)
            this.#show(each, entries, window * windowS, table.level, widthS)
        }
        yield
      }
    }
  }

  /** Reads what is not sealed, its cells added up to a width. */
  open(list: readonly OpenWindows[], widthS: number): void {
    for (const { windows } of list) {
      for (const [window, series] of windows) {
        const startS = window * SECOND5.windowS
        if (startS >= this.#toS || startS + SECOND5.windowS <= this.#fromS) continue
        for (const each of this.#wanted) {
          const entries = series.get(each.slot)?.entries()
          if (entries !== undefined) this.#show(each, entries, startS, SECOND5, widthS)
        }
      }
    }
  }

  #show(
    { column }: Wanted,
    entries: readonly Entry[],
    startS: number,
    { cellS }: Level,
    widthS: number,
  ): void {
    if (widthS === cellS) {
      for (const { place, cell } of entries) {
        this.#offer(column, startS + (place + 1) * cellS, cell)
      }
      return
    }
    const shift = (startS % widthS) / cellS
    const fromS = startS - (startS % widthS)
    for (const { place, cell } of rolledUp(entries, widthS / cellS, shift)) {
      this.#offer(column, fromS + (place + 1) * widthS, cell)
    }
  }

  #offer(column: number, endS: number, cell: Cell): void {
    if (endS > this.#fromS && endS <= this.#toS) this.#visit({ column, endS, cell })
  }
}
