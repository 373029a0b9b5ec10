/**
 * A view of pipelines (wallaroo.md §8): series of one category added up over the labels that a key
 * leaves out, with charts and tables. Whatever is made of the same series is made of the same
 * windows.
 */

import { forEachItem, type Task } from '../../../../hub/tasks/task.ts'
import type { TableJson, ViewAnswer, ViewKey, WorkerJson } from '../../http/api.ts'
import type { SeriesNames } from '../../map.ts'
import type { WallarooState } from '../state.ts'
import type { WallarooWorker } from '../workers.ts'
import { groupsOf } from './groups.ts'
import { readingsOf, type SeriesReading } from './readings.ts'
import { binsJson, chartsJson, rowJson, workersJson } from './rows.ts'
import { Columns, Span, type SpanRange } from './span.ts'
import { addAll, rowsOf, type TablePlan, tablesOf } from './tables.ts'

export interface ViewRequest {
  readonly application: string
  readonly key: ViewKey
  /** 10 to 3600. */
  readonly seconds: number
  /** End in Unix ms; the present where it is not given. */
  readonly toMs?: number
}

/** Makes a test of which series are in a view. */
export function isInView(application: string, key: ViewKey): (names: SeriesNames) => boolean {
  const { category, pipeline, worker, name } = key
  return (names) => {
    if (names.category !== category || names.application !== application) return false
    if (pipeline !== undefined && names.pipeline !== pipeline) return false
    if (worker !== undefined && names.worker !== worker) return false
    return name === undefined || names.name === name
  }
}

export function rangeOf(state: WallarooState, seconds: number, toMs?: number): SpanRange {
  const nowMs = state.clock.wallMs()
  const toS = Math.floor((toMs ?? nowMs) / 1000)
  const { hasSkew, options } = state
  return { fromS: toS - seconds, toS, retentionMs: options.retentionMs, nowMs, hasSkew }
}

/** @returns undefined where no series is in it */
export function* viewPass(
  state: WallarooState,
  request: ViewRequest,
): Task<ViewAnswer | undefined> {
  const { application, key, seconds } = request
  const range = rangeOf(state, seconds, request.toMs)
  const all = state.series()
  const readings = yield* readingsOf(all, isInView(application, key))
  if (readings.length === 0) return undefined
  // before anything is added up: all of it is of one time
  const plans: (readonly [TablePlan, readonly SeriesReading[]])[] = []
  for (const plan of tablesOf(key)) {
    const isOwn = plan.key === key
    plans.push([plan, isOwn ? readings : yield* readingsOf(all, isInView(application, plan.key))])
  }
  const whole = { span: new Span(range), columns: new Columns(range) }
  const tables: TableJson[] = []
  let isAdded = false
  for (const [{ name, label, key: of, by }, inTable] of plans) {
    const isOwn = of === key
    const groups = yield* groupsOf(inTable, of, by)
    // the first table of the view's own series has all of them: the whole is added up with it
    const rows = yield* rowsOf(groups, range, isOwn && !isAdded ? whole : undefined)
    isAdded ||= isOwn
    if (rows.length > 0) tables.push({ name, label, rows })
  }
  const { span, columns } = whole
  if (!isAdded) yield* addAll(readings, span, columns)
  const charts = yield* chartsJson(span.messages, columns, range.hasSkew)
  // at last: windows may have left meanwhile, also those of tables
  for (const [, inTable] of plans) yield* forEachItem(inTable, (reading) => span.miss(reading))
  yield* forEachItem(readings, (reading) => span.miss(reading))
  return {
    mode: 'own',
    application,
    key,
    nowMs: range.nowMs,
    fromMs: range.fromS * 1000,
    toMs: range.toS * 1000,
    stepMs: 1000,
    ...span.completeness,
    series: readings.length,
    ids: yield* idsOf(readings),
    total: rowJson(key, span),
    charts,
    bins: binsJson(span.totals, range.hasSkew),
    tables,
    workers: yield* workersOf(readings, range.nowMs),
  }
}

/** Lists all ids ever stated of computations; for other categories they have no meaning. */
function* idsOf(readings: readonly SeriesReading[]): Task<number[]> {
  if (readings[0]!.names.category !== 'computation') return []
  const ids = new Set<number>()
  yield* forEachItem(readings, ({ series }) => {
    for (const id of series.ids) ids.add(id)
  })
  return [...ids].sort((a, b) => a - b)
}

function* workersOf(readings: readonly SeriesReading[], nowMs: number): Task<WorkerJson[]> {
  const workers = new Set<WallarooWorker>()
  yield* forEachItem(readings, ({ series }) => workers.add(series.worker))
  return yield* workersJson(workers, nowMs)
}
