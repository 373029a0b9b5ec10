/** What leaves the page as CSV: rows, bins and seconds, in plain units and with all digits. */
import { type CsvCell, csvRow } from '../../../../model/text/unseen.ts'
import type { ApplicationAnswer, RowJson, ViewAnswer } from '../../http/api.ts'
import { firstSecond } from '../place/columns.ts'

const ROW_HEADS = [
  'application',
  'category',
  'pipeline',
  'worker',
  'name',
  'messages',
  'p50_ns',
  'p95_ns',
  'p99_ns',
  'p99.9_ns',
  'p99.99_ns',
  'min_ns',
  'max_ns',
  'mean_ns_estimated',
  'per_second_min',
  'per_second_median',
  'per_second_max',
  'clock_skew_messages',
  'messages_since_start',
  'last_window',
] as const

function rowCells(application: string, row: RowJson): readonly CsvCell[] {
  const { key, latency, throughput, messages, lastWindowMs } = row
  const { p50Ns, p95Ns, p99Ns, p999Ns, p9999Ns, meanNsEstimated } = latency
  return [
    ...[application, key.category, key.pipeline ?? null, key.worker ?? null, key.name ?? null],
    latency.count,
    ...[p50Ns, p95Ns, p99Ns, p999Ns, p9999Ns],
    ...[latency.minNs, latency.maxNs, meanNsEstimated],
    ...[throughput.min, throughput.median, throughput.max],
    ...[latency.skewed, messages, timeText(lastWindowMs)],
  ]
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

export function rowsCsv(application: string, rows: readonly RowJson[]): string {
  return csvText(
    ROW_HEADS,
    rows.map((row) => rowCells(application, row)),
  )
}

/** Lists all rows of an application, each once. */
export function applicationRows(answer: ApplicationAnswer): readonly RowJson[] {
  const { pipelines, workers, computations, computationsByWorker, others } = answer
  return [...pipelines, ...workers, ...computations, ...computationsByWorker, ...others]
}

/** Lists a view and what it consists of. */
export function viewRows({ total, tables }: ViewAnswer): readonly RowJson[] {
  return [total, ...tables.flatMap(({ rows }) => rows)]
}

export function binsCsv({ bins }: ViewAnswer): string {
  return csvText(
    ['bin', 'above_ns', 'up_to_ns', 'messages', 'percent'],
    bins.map((each) => [each.bin, each.fromNs, each.toNs, each.count, each.percent]),
  )
}

/** Writes seconds as CSV; one without any window has empty cells. */
export function secondsCsv(view: ViewAnswer): string {
  const { throughput, p50Ns, p95Ns, p99Ns } = view.charts
  const first = firstSecond(view) + 1
  return csvText(
    ['second', 'messages', 'p50_ns', 'p95_ns', 'p99_ns'],
    throughput.map((messages, i) => [
      timeText((first + i) * 1000),
      messages,
      p50Ns[i] ?? null,
      p95Ns[i] ?? null,
      p99Ns[i] ?? null,
    ]),
  )
}

function csvText(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows].map(csvRow).join('')
}
