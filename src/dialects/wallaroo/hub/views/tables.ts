/** Tables of a view: what its key consists of, and what lies beside it (wallaroo.md §8). */

import type { Task } from '../../../../hub/tasks/task.ts'
import type { RowJson, TableJson, ViewKey } from '../../http/api.ts'
import { type Group, groupsOf, type KeyLabel } from './groups.ts'
import { readWindows, type SeriesReading } from './readings.ts'
import { rowJson } from './rows.ts'
import { type Columns, Span, type SpanRange } from './span.ts'

export interface TablePlan {
  readonly name: TableJson['name']
  readonly label: TableJson['label']
  readonly key: ViewKey
  /** Labels that a row adds to the key. */
  readonly by: readonly KeyLabel[]
}

/**
 * Lists V5 to V10 of the document's views, and the crossings of a category that it does not know.
 */
export function tablesOf(key: ViewKey): readonly TablePlan[] {
  const { category, pipeline, worker } = key
  const place = {
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(worker === undefined ? {} : { worker }),
  }
  const isWhole = category === 'start-to-end' || category === 'node-ingress-egress'
  const tables: TablePlan[] = []
  if (worker === undefined) tables.push({ name: 'by_worker', label: 'worker', key, by: ['worker'] })
  if (pipeline === undefined) {
    const name = category === 'node-ingress-egress' ? 'pipelines' : 'by_pipeline'
    tables.push({ name, label: 'pipeline', key, by: ['pipeline'] })
  }
  if (!isWhole) return tables
  const computations = { ...place, category: 'computation' }
  tables.push({ name: 'computations', label: 'name', key: computations, by: ['pipeline', 'name'] })
  const sources = { ...place, category: 'pipeline-ingestion' }
  tables.push({ name: 'sources', label: 'name', key: sources, by: ['pipeline', 'name'] })
  return tables
}

/** Sum of the rows of a table, with the columns of its chart. */
interface Whole {
  readonly span: Span
  readonly columns?: Columns
}

/** Makes one row for each group; the same windows go into the whole. */
export function* rowsOf(
  groups: readonly Group[],
  range: SpanRange,
  whole?: Whole,
): Task<RowJson[]> {
  const span = new Span(range)
  const rows: RowJson[] = []
  for (const { key, readings } of groups) {
    span.clear()
    yield* addAll(readings, span, whole?.columns)
    rows.push(rowJson(key, span))
    whole?.span.merge(span)
  }
  return rows
}

export function* addAll(readings: readonly SeriesReading[], span: Span, columns?: Columns): Task {
  for (const reading of readings) {
    yield* readWindows(reading, span, columns)
    span.enter(reading)
  }
}

/** Makes rows by some labels, sorted by them. */
export function* rowsBy(
  readings: readonly SeriesReading[],
  key: ViewKey,
  by: readonly KeyLabel[],
  range: SpanRange,
): Task<RowJson[]> {
  return yield* rowsOf(yield* groupsOf(readings, key, by), range)
}
