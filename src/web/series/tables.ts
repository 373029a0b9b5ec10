/** What the charts of a series show, as rows of numbers. */
import type { CsvCell } from '../../model/text/unseen.ts'
import type { Shown } from '../../viewer/format/rate.ts'
import { spanText } from '../../viewer/format/time.ts'
import { bucketEnds, mergeSeconds } from '../../viewer/store/buckets.ts'
import type { Lane, SeriesData } from '../../viewer/store/series-data.ts'
import type { ChartTable, Column } from '../chart-file/table.ts'

interface Span {
  /** Unix seconds; a table has those after `from` up to `to`. */
  readonly from: number
  readonly to: number
}

interface LaneColumn {
  readonly lane: Lane
  readonly unit: string
  /** Factor of what is shown; 1 where it is not given. */
  readonly factor?: number
  readonly name?: string
}

/** Steps of a span as rows: how they are headed, how many are whole, and where each ends. */
export function stepRows({ step }: SeriesData, { from, to }: Span) {
  const before = Math.floor(from / step)
  const name = step === 1 ? 'Second' : `${spanText(step)} to`
  return {
    column: { name, form: 'second' } satisfies Column,
    length: Math.max(0, Math.floor(to / step) - before),
    endOf: (row: number): number => (before + 1 + row) * step,
  }
}

/** Makes a row for each second or step, a column for each lane. */
export function lanesTable(data: SeriesData, span: Span, lanes: readonly LaneColumn[]): ChartTable {
  const columns = lanes.map(({ lane, unit, name = lane }): Column => {
    return { name, form: 'value', unit }
  })
  const { column, length, endOf } = stepRows(data, span)
  return {
    columns: [column, ...columns],
    length,
    row: (i) => {
      const second = endOf(i)
      const values = lanes.map(({ lane, factor = 1 }) => factor * data.at(lane, second))
      return [second, ...values]
    },
  }
}

const BUCKET_COLUMNS = (unit: string): readonly Column[] => [
  { name: 'above', form: 'value', unit },
  { name: 'up to', form: 'value', unit },
  { name: 'count', form: 'count' },
  { name: 'share', form: 'percent' },
]

/** Makes a row for each bucket that has something of what is shown. */
export function bucketsTable(data: SeriesData, { from, to }: Span, unit: string): ChartTable {
  const merged = mergeSeconds(data, from, to)
  const { counts, count, zero, negative, overflow, overflowFrom } = merged
  const share = (part: number): number => (part / count) * 100
  const rows: (readonly CsvCell[])[] = []
  if (negative > 0) rows.push([null, 0, negative, share(negative)])
  if (zero > 0) rows.push([data.zeroTo > 0 ? -data.zeroTo : 0, data.zeroTo, zero, share(zero)])
  counts.forEach((each, i) => {
    if (each > 0) rows.push([...bucketEnds(merged, i), each, share(each)])
  })
  if (overflow > 0) rows.push([overflowFrom, null, overflow, share(overflow)])
  return { columns: BUCKET_COLUMNS(unit), length: rows.length, row: (i) => rows[i]! }
}

/** Makes a row for each step and bucket that has something: what a heat map is painted of. */
export function heatTable(data: SeriesData, span: Span, unit: string): ChartTable {
  const rows: (readonly CsvCell[])[] = []
  const { column, length, endOf } = stepRows(data, span)
  for (let step = 0; step < length; step += 1) {
    const second = endOf(step)
    const each = bucketsTable(data, { from: second - data.step, to: second }, unit)
    for (let i = 0; i < each.length; i += 1) rows.push([second, ...each.row(i)])
  }
  const columns = [column, ...BUCKET_COLUMNS(unit)]
  return { columns, length: rows.length, row: (i) => rows[i]! }
}

/** Makes all that is known of each second: what the pictures of an overview are drawn of. */
export function seriesTable(data: SeriesData, span: Span, { unit, factor }: Shown): ChartTable {
  const of = (...lanes: Lane[]): LaneColumn[] => lanes.map((lane) => ({ lane, unit }))
  const perSecond: LaneColumn = { lane: 'count', unit: '/s', name: 'observations' }
  if (data.kind === 'counter') return lanesTable(data, span, [{ lane: 'rate', unit, factor }])
  if (data.kind === 'gauge') return lanesTable(data, span, of('value', 'min', 'max'))
  const lanes =
    data.kind === 'histogram' ? of('p50', 'p90', 'p99') : of('mean', 'deviation', 'min', 'max')
  return lanesTable(data, span, [...lanes, perSecond])
}
