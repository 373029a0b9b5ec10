/**
 * Columns of readings: a row for each series of one kind. Rows rise by series id, as the store
 * numbers them; columns follow the store's list when it changed.
 */
import type { SeriesRecord } from '../../series/record.ts'
import type { Task } from '../../tasks/task.ts'

const ROWS_FIRST = 64
/** Rows between two looks at the clock: some tenths of a millisecond. */
const ROWS_PER_STEP = 4096

export type IsKept = (id: number) => boolean

/** Notes the end of an interval in which something arrived for a series. */
export type Heard = (id: number, atMs: number) => void

/** Computes the length of arrays by row that have no room for another one. */
function grownLength(length: number): number {
  return Math.max(ROWS_FIRST, 2 * length)
}

export function grown<T extends Uint32Array | Float64Array | BigUint64Array>(
  column: T,
  size = 1,
): T {
  const Column = column.constructor as new (length: number) => T
  const larger = new Column(size * grownLength(column.length / size))
  larger.set(column as never)
  return larger
}

/** Finds the last place of so many for which something holds that holds for none behind it. */
export function lastBelow(count: number, holds: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Ids and metrics of the series of a column. */
export class SeriesRows {
  count = 0
  ids = new Uint32Array(0)
  metrics = new Uint32Array(0)

  /** Adds a row. @returns its number */
  add({ id, metric }: Pick<SeriesRecord, 'id' | 'metric'>): number {
    const row = this.count++
    if (row === this.ids.length) {
      this.ids = grown(this.ids)
      this.metrics = grown(this.metrics)
    }
    this.ids[row] = id
    this.metrics[row] = metric
    return row
  }

  /** Moves in steps the rows that are kept together, and tells from where to where. */
  *retain(isKept: IsKept, move: (from: number, to: number) => void): Task {
    let kept = 0
    for (let row = 0; row < this.count; row++) {
      if (row % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield
      const id = this.ids[row]!
      if (!isKept(id)) continue
      if (row !== kept) {
        this.ids[kept] = id
        this.metrics[kept] = this.metrics[row]!
        move(row, kept)
      }
      kept++
    }
    this.count = kept
  }
}

/** Rows whose last reading is an object of its own; undefined before the first one. */
export class LastReadings<T> {
  readonly rows = new SeriesRows()
  readonly last: (T | undefined)[] = []

  add(record: SeriesRecord): void {
    this.rows.add(record)
    this.last.push(undefined)
  }

  *retain(isKept: IsKept): Task {
    yield* this.rows.retain(isKept, (from, to) => {
      this.last[to] = this.last[from]
    })
    this.last.length = this.rows.count
  }
}
