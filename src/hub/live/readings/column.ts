/**
 * Columns of readings: a row for each series of one kind. Rows rise by series id, as the store
 * numbers them; columns follow the store's list when it changed.
 */
import type { SeriesRecord } from '../../series/record.ts'

const ROWS_FIRST = 64

export type IsKept = (series: Pick<SeriesRecord, 'id'>) => boolean

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

/** Moves the rows that are kept together, and tells from where to where. */
export function compact<R extends SeriesRecord>(
  records: R[],
  isKept: IsKept,
  move: (from: number, to: number) => void,
): void {
  let kept = 0
  for (let row = 0; row < records.length; row++) {
    const record = records[row]!
    if (!isKept(record)) continue
    if (row !== kept) {
      records[kept] = record
      move(row, kept)
    }
    kept++
  }
  records.length = kept
}

/** Rows whose last reading is an object of its own; undefined before the first one. */
export class LastReadings<R extends SeriesRecord, T> {
  readonly records: R[] = []
  readonly last: (T | undefined)[] = []

  add(record: R): void {
    this.records.push(record)
    this.last.push(undefined)
  }

  retain(isKept: IsKept): void {
    compact(this.records, isKept, (from, to) => {
      this.last[to] = this.last[from]
    })
    this.last.length = this.records.length
  }
}
