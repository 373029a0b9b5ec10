/** What a chart shows as rows of numbers: for the table beside it, and for CSV with all digits. */
import { type CsvCell, csvRow } from '../../model/text/unseen.ts'
import { digits, exact, NO_BREAK_SPACE, NO_VALUE, text } from '../../viewer/format/number.ts'
import { instantText } from '../../viewer/format/time.ts'

/**
 * Column by what its cells are: Unix seconds, quantities with a unit, counts, shares of 100, words.
 */
export interface Column {
  readonly name: string
  readonly form: 'second' | 'value' | 'count' | 'percent' | 'words'
  readonly unit?: string
}

export interface ChartTable {
  readonly columns: readonly Column[]
  readonly length: number
  /** Gives the cells of a row; rows of time begin with the oldest. */
  readonly row: (index: number) => readonly CsvCell[]
}

/** Writes a cell for people: as many digits as they read. */
export function cellText({ form, unit = '' }: Column, cell: CsvCell): string {
  if (cell === null || Number.isNaN(cell)) return NO_VALUE
  if (form === 'second') return instantText(Number(cell) * 1000, Date.now())
  if (form === 'count') return exact(cell)
  if (form === 'percent') return `${digits(Number(cell))}${NO_BREAK_SPACE}%`
  return form === 'value' ? text(Number(cell), unit) : String(cell)
}

/** Tells whether rows are seconds: the newest is read first. */
export function isOfTime({ columns }: ChartTable): boolean {
  return columns[0]?.form === 'second'
}

/** Writes CSV: heads with their units, instants as ISO 8601, numbers with all digits. */
export function csvOf({ columns, length, row }: ChartTable): string {
  const lines = [csvRow(columns.map(headOf))]
  for (let i = 0; i < length; i += 1) {
    lines.push(csvRow(row(i).map((cell, k) => plainCell(columns[k]!, cell))))
  }
  return lines.join('')
}

/** Writes `p99_ms`, `rate_B_per_s`, `share_percent`. */
function headOf({ name, form, unit = '' }: Column): string {
  const plain = name.replace(/\s+/g, '_')
  const of = form === 'percent' ? '%' : unit
  if (form === 'second') return 'time'
  if (of === '' || form === 'words') return plain
  return `${plain}_${of.replaceAll('/', '_per_').replaceAll('%', 'percent').replace(/\s+/g, '')}`
    .replace(/_+/g, '_')
    .replace(/_$/, '')
}

function plainCell({ form }: Column, cell: CsvCell): CsvCell {
  if (form !== 'second' || cell === null) return cell
  return new Date(Number(cell) * 1000).toISOString().replace('.000Z', 'Z')
}
