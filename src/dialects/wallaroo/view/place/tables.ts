/** What the charts of a place show, as rows of numbers. */
import type { ChartTable, Column } from '../../../../web/chart-file/table.ts'
import type { BinJson, ViewAnswer } from '../../http/api.ts'
import { boundsText } from '../words.ts'
import { type ChartLine, firstSecond, valueAt } from './columns.ts'

const BIN_COLUMNS: readonly Column[] = [
  { name: 'latency', form: 'words' },
  { name: 'messages', form: 'count' },
  { name: 'share', form: 'percent' },
]

export function binsTable(bins: readonly BinJson[]): ChartTable {
  return {
    columns: BIN_COLUMNS,
    length: bins.length,
    row: (i) => [boundsText(bins[i]!), bins[i]!.count, bins[i]!.percent],
  }
}

const FILE_COLUMNS: readonly Column[] = [
  { name: 'bin', form: 'count' },
  { name: 'above', form: 'count', unit: 'ns' },
  { name: 'up to', form: 'count', unit: 'ns' },
  ...BIN_COLUMNS.slice(1),
]

/** Makes the same for a file: bounds as numbers. */
export function binsFile(bins: readonly BinJson[]): ChartTable {
  return {
    columns: FILE_COLUMNS,
    length: bins.length,
    row: (at) => {
      const { bin, fromNs, toNs, count, percent } = bins[at]!
      return [bin, fromNs, toNs, count, percent]
    },
  }
}

type NamedLine = readonly [line: ChartLine, name: string, unit: string]

/** Makes a row for each second, a column for each line. */
export function secondsTable(view: ViewAnswer, lines: readonly NamedLine[]): ChartTable {
  const first = firstSecond(view) + 1
  return {
    columns: [
      { name: 'Second', form: 'second' },
      ...lines.map(([, name, unit]): Column => ({ name, form: 'value', unit })),
    ],
    length: view.charts.throughput.length,
    row: (i) => [first + i, ...lines.map(([line]) => valueAt(view, line, first + i))],
  }
}
