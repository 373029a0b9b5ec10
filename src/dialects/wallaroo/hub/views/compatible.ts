/**
 * Views in the numbers and texts of the original Metrics UI (wallaroo.md §8): rows of a table are
 * what the view says that they lead to.
 */

import { forEachItem, type Task } from '../../../../hub/tasks/task.ts'
import { exactToJson } from '../../../../model/index.ts'
import type {
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  CompatiblePipelineRow,
  CompatibleRow,
  CompatibleTable,
  ViewKey,
} from '../../http/api.ts'
import { CHART_GROUPS, compatibleChart } from '../../rollup/compatible.ts'
import type { WallarooState } from '../state.ts'
import type { WallarooSeries } from '../wire-series.ts'
import { byCategory, knownWorkers } from './application.ts'
import { addCompatible, CompatibleSum, compatibleRows, numbersOf } from './compatible-rows.ts'
import { type Group, groupsOf, type KeyLabel } from './groups.ts'
import { readingsOf, type SeriesReading } from './readings.ts'
import { type TablePlan, tablesOf } from './tables.ts'
import { isInView, type ViewRequest } from './view.ts'

function hubSecond({ clock }: WallarooState): number {
  return Math.floor(clock.wallMs() / 1000)
}

/** @returns undefined where no series is in it */
export function* compatiblePass(
  state: WallarooState,
  { application, key }: Pick<ViewRequest, 'application' | 'key'>,
): Task<CompatibleAnswer | undefined> {
  const hubS = hubSecond(state)
  const all = state.series()
  const readings = yield* readingsOf(all, isInView(application, key))
  if (readings.length === 0) return undefined
  const plans: (readonly [TablePlan, Group[]])[] = []
  // before anything is added up: what arrives meanwhile would be in the tables alone
  for (const plan of tablesOf(key)) {
    const inTable =
      plan.key === key ? readings : yield* readingsOf(all, isInView(application, plan.key))
    plans.push([plan, yield* groupsOfTable(all, application, plan, inTable)])
  }
  const sum = new CompatibleSum()
  yield* addCompatible(readings, sum, hubS)
  const { totals } = sum
  const tables: CompatibleTable[] = []
  for (const [{ name, label }, groups] of plans) {
    const rows = yield* compatibleRows(groups, hubS)
    if (rows.length > 0) tables.push({ name, label, rows })
  }
  return {
    mode: 'compatible',
    application,
    key,
    hubS,
    nowS: totals.nowS,
    ...numbersOf(totals),
    chart: compatibleChart(totals.counts),
    chartDemo: compatibleChart(totals.counts, CHART_GROUPS.demo),
    line: totals.line().map(([second, count]) => [second, exactToJson(count)] as const),
    tables,
  }
}

/**
 * Groups as the original's rows lead on: those of a computation to the one in its pipeline on a
 * worker, those of a pipeline's computations to the computation of all pipelines.
 */
function* groupsOfTable(
  all: readonly WallarooSeries[],
  application: string,
  { name, key, by }: TablePlan,
  readings: readonly SeriesReading[],
): Task<Group[]> {
  if (name === 'computations' && key.worker === undefined) {
    return yield* ofAllPipelines(all, application, key, readings)
  }
  return yield* groupsOf(readings, key, labelsOf(name, key, by))
}

function labelsOf(
  table: TablePlan['name'],
  { category, pipeline }: ViewKey,
  by: readonly KeyLabel[],
): readonly KeyLabel[] {
  const isComputation = category === 'computation' && table === 'by_worker'
  return isComputation && pipeline === undefined ? ['pipeline', ...by] : by
}

/** Lists computations of a pipeline, each with what has its name in other pipelines. */
function* ofAllPipelines(
  all: readonly WallarooSeries[],
  application: string,
  key: ViewKey,
  readings: readonly SeriesReading[],
): Task<Group[]> {
  const names = new Set<string>()
  yield* forEachItem(readings, (reading) => names.add(reading.names.name))
  const { category } = key
  const isWanted = isInView(application, { category })
  const merged = yield* readingsOf(all, (of) => isWanted(of) && names.has(of.name))
  return yield* groupsOf(merged, { category }, ['name'])
}

/** @returns undefined for an application that no worker has named */
export function* compatibleApplicationPass(
  state: WallarooState,
  application: string,
): Task<CompatibleApplicationAnswer | undefined> {
  const hubS = hubSecond(state)
  const readings = yield* readingsOf(state.series(), (of) => of.application === application)
  const known = yield* knownWorkers(state, application)
  if (readings.length === 0 && known.length === 0) return undefined
  const { ofCategory, others } = yield* byCategory(readings)
  const rows = function* (category: string, by: KeyLabel) {
    return yield* compatibleRows(yield* groupsOf(ofCategory(category), { category }, [by]), hubS)
  }
  const otherGroups = yield* groupsOf(others, { category: '' }, ['category', 'name'])
  return {
    mode: 'compatible',
    application,
    hubS,
    pipelines: withSources(
      yield* rows('start-to-end', 'pipeline'),
      yield* rows('pipeline-ingestion', 'pipeline'),
    ),
    workers: yield* rows('node-ingress-egress', 'worker'),
    computations: yield* rows('computation', 'name'),
    others: yield* compatibleRows(otherGroups, hubS),
  }
}

/** Adds sources; a pipeline of which only the ingestion is known has no row, as in the original. */
function withSources(
  pipelines: readonly CompatibleRow[],
  sources: readonly CompatibleRow[],
): CompatiblePipelineRow[] {
  const byPipeline = new Map(sources.map((row) => [row.key.pipeline, row]))
  return pipelines.map((row) => {
    const source = byPipeline.get(row.key.pipeline)
    if (source === undefined) return { ...row, ingested: null }
    const { throughput, texts } = source
    return { ...row, ingested: { throughput, texts: texts.throughput } }
  })
}
