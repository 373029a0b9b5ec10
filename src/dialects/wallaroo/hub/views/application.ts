/** What one application consists of, over the last 5 minutes (wallaroo.md §8). */

import { forEachItem, sorted, type Task } from '../../../../hub/tasks/task.ts'
import type {
  ApplicationAnswer,
  Completeness,
  PipelineRow,
  RowJson,
  WorkerRow,
} from '../../http/api.ts'
import { CATEGORIES } from '../../spec.ts'
import type { WallarooState } from '../state.ts'
import type { WallarooWorker } from '../workers.ts'
import { compareKeys, type Group, groupsOf } from './groups.ts'
import { readingsOf, type SeriesReading } from './readings.ts'
import { rowJson, throughputJson, workersJson } from './rows.ts'
import { Span, type SpanRange } from './span.ts'
import { addAll, rowsBy, rowsOf } from './tables.ts'
import { rangeOf } from './view.ts'

const SHOWN_SECONDS = 300

/** @returns undefined for an application that no worker has named */
export function* applicationPass(
  state: WallarooState,
  application: string,
): Task<ApplicationAnswer | undefined> {
  const range = rangeOf(state, SHOWN_SECONDS)
  const all = state.series()
  const readings = yield* readingsOf(all, (names) => names.application === application)
  const known = yield* knownWorkers(state, application)
  if (readings.length === 0 && known.length === 0) return undefined
  const { ofCategory, others } = yield* byCategory(readings)
  const rows = {
    pipelines: yield* pipelineRows(
      ofCategory('start-to-end'),
      ofCategory('pipeline-ingestion'),
      range,
    ),
    workers: yield* workerRows(known, ofCategory('node-ingress-egress'), range),
    ...(yield* computationRows(ofCategory('computation'), range)),
    others: yield* rowsBy(others, { category: '' }, ['category', 'pipeline', 'name'], range),
  }
  return {
    application,
    nowMs: range.nowMs,
    fromMs: range.fromS * 1000,
    toMs: range.toS * 1000,
    // at last: windows may have left meanwhile
    ...(yield* completeFrom(readings, range)),
    ...rows,
  }
}

/** Lists workers of an application, and what stands for a Join without one. */
export function* knownWorkers(
  { workers }: WallarooState,
  application: string,
): Task<WallarooWorker[]> {
  const known: WallarooWorker[] = []
  yield* forEachItem(workers, (each) => {
    if (each.application === application) known.push(each)
  })
  return known
}

interface Categorized {
  readonly ofCategory: (category: string) => readonly SeriesReading[]
  /** Readings of categories that the peer does not have. */
  readonly others: readonly SeriesReading[]
}

export function* byCategory(readings: readonly SeriesReading[]): Task<Categorized> {
  const known = new Map<string, SeriesReading[]>(CATEGORIES.map((category) => [category, []]))
  const others: SeriesReading[] = []
  yield* forEachItem(readings, (reading) => {
    const list = known.get(reading.names.category) ?? others
    list.push(reading)
  })
  return { ofCategory: (category) => known.get(category)!, others }
}

/**
 * Tells from when on answers are complete, by the whole of the last 5 minutes of all of its series.
 */
function* completeFrom(readings: readonly SeriesReading[], range: SpanRange): Task<Completeness> {
  const span = new Span(range)
  yield* forEachItem(readings, (reading) => span.enter(reading))
  return span.completeness
}

/** Makes rows of each computation, and of each on every worker: of the same windows, read once. */
function* computationRows(
  readings: readonly SeriesReading[],
  range: SpanRange,
): Task<Pick<ApplicationAnswer, 'computations' | 'computationsByWorker'>> {
  const whole = new Span(range)
  const computations: RowJson[] = []
  const byWorker: RowJson[] = []
  const groups = yield* groupsOf(readings, { category: 'computation' }, ['pipeline', 'name'])
  for (const { key, readings: ofGroup } of groups) {
    whole.clear()
    const parts = yield* groupsOf(ofGroup, key, ['worker'])
    for (const row of yield* rowsOf(parts, range, { span: whole })) byWorker.push(row)
    computations.push(rowJson(key, whole))
  }
  const sortedRows = yield* sorted(byWorker, (a, b) => compareKeys(a.key, b.key))
  return { computations, computationsByWorker: sortedRows }
}

/**
 * Makes rows of pipelines that have latencies, and of those of which only the ingestion is known.
 */
function* pipelineRows(
  through: readonly SeriesReading[],
  ingested: readonly SeriesReading[],
  range: SpanRange,
): Task<PipelineRow[]> {
  const own = yield* byLabel(through, 'pipeline')
  const sources = yield* byLabel(ingested, 'pipeline')
  const key = { category: 'start-to-end' }
  const all = yield* groupsOf([...through, ...ingested], key, ['pipeline'])
  const [span, source] = [new Span(range), new Span(range)]
  const rows: PipelineRow[] = []
  for (const { key: of } of all) {
    span.clear()
    source.clear()
    const sourcesOf = sources.get(of.pipeline!) ?? []
    yield* addAll(own.get(of.pipeline!) ?? [], span)
    yield* addAll(sourcesOf, source)
    const row = rowJson(of, span)
    const hasSources = sourcesOf.length > 0
    rows.push({ ...row, ingested: hasSources ? throughputJson(source.messages) : null })
  }
  return rows
}

function* byLabel(
  readings: readonly SeriesReading[],
  label: 'pipeline' | 'worker',
): Task<Map<string, readonly SeriesReading[]>> {
  const groups: readonly Group[] = yield* groupsOf(readings, { category: '' }, [label])
  return new Map(groups.map(({ key, readings: list }) => [key[label]!, list]))
}

/** Makes rows of every worker that joined or sent, with data or without. */
function* workerRows(
  known: readonly WallarooWorker[],
  through: readonly SeriesReading[],
  range: SpanRange,
): Task<WorkerRow[]> {
  const own = yield* byLabel(through, 'worker')
  const span = new Span(range)
  const rows: WorkerRow[] = []
  for (const worker of yield* workersJson(known, range.nowMs)) {
    span.clear()
    yield* addAll(own.get(worker.worker) ?? [], span)
    const key = { category: 'node-ingress-egress', worker: worker.worker }
    rows.push({ ...rowJson(key, span), worker })
    yield
  }
  return rows
}
