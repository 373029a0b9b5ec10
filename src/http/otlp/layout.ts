/**
 * Series as OTLP groups them: by scope and metric, in order of appearance. Made in turns, as a
 * large hub has many; kept as long as the list of series stays.
 */
import type { SeriesRecord } from '../../hub/series/series.ts'
import { forEachItem, sorted, type Task } from '../../hub/tasks/task.ts'
import type { Labels } from '../../model/index.ts'
import { ROWS_PER_STEP } from '../pieces.ts'
import { type HistogramForm, histogramRule } from './histogram-points.ts'
import type { MetricBody, MetricHead, OtlpScope, Temporality } from './metric.ts'
import { canonicalUnit, EVENT_COUNTERS, otlpName } from './names.ts'

/** `dialect`: as the document of each says. */
export interface FormOptions {
  readonly temporality: Temporality | 'dialect'
  readonly histogram: HistogramForm | 'dialect'
}

export interface OtlpRow {
  readonly record: SeriesRecord
  readonly attributes: Labels
}

export interface OtlpGroup {
  readonly head: MetricHead
  readonly kind: MetricBody['kind']
  readonly rows: OtlpRow[]
}

/** Series of a summary are told by two metrics, and a gauge needs a name of its own. */
const SUMMARY_SUFFIX = '.samples'
/** Named in statshero.md §7.4; the provider of an EventCounter is a scope as well. */
const DIALECT_SCOPES = ['statshero']

export function* layoutSteps(
  records: Iterable<SeriesRecord>,
  options: FormOptions,
  version: string,
): Task<readonly OtlpGroup[]> {
  const groups = new Map<string, OtlpGroup>()
  const add = (record: SeriesRecord): void => {
    for (const { head, kind, attributes } of metricsOf(record, options, version)) {
      const key = JSON.stringify([head.scope.name, head.name, kind, head.unit])
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { head, kind, rows: [{ record, attributes }] })
      else group.rows.push({ record, attributes })
    }
  }
  yield* forEachItem(records, add, ROWS_PER_STEP)
  // the metrics of a scope stand together
  return yield* sorted([...groups.values()], (a, b) =>
    compareTexts(a.head.scope.name, b.head.scope.name),
  )
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

interface NamedMetric {
  readonly head: MetricHead
  readonly kind: MetricBody['kind']
  readonly attributes: Labels
}

function metricsOf(
  { identity, metadata }: SeriesRecord,
  { histogram }: FormOptions,
  version: string,
): readonly NamedMetric[] {
  const named = otlpName(identity, metadata)
  const attributes = Object.entries(named.attributes)
  const description = metadata.description ?? ''
  const scope = scopeOf(metadata.dialect, named.scope, version)
  const unit = named.unit ?? canonicalUnit(metadata)
  const head: MetricHead = { scope, name: named.name, description, unit }
  switch (identity.kind) {
    case 'counter':
      return [{ head, kind: 'sum', attributes }]
    case 'gauge':
      return [{ head, kind: 'gauge', attributes }]
    case 'summary':
      return [
        { head, kind: 'gauge', attributes },
        { head: { ...head, name: head.name + SUMMARY_SUFFIX }, kind: 'summary', attributes },
      ]
    case 'histogram': {
      const rule = histogramRule(metadata.dialect)
      const isExplicit = (histogram === 'dialect' ? rule.form : histogram) === 'explicit'
      if (!isExplicit) return [{ head, kind: 'exponentialHistogram', attributes }]
      const explicit = { ...head, unit: rule.unit ?? unit }
      return [{ head: explicit, kind: 'histogram', attributes }]
    }
  }
}

function scopeOf(dialect: string, own: string | undefined, version: string): OtlpScope {
  if (own !== undefined) return { name: own }
  return { name: DIALECT_SCOPES.includes(dialect) ? dialect : 'pentameter', version }
}

/** Whether the points of a series are of intervals and not since its start. */
export function isDelta(
  { identity, metadata }: SeriesRecord,
  { temporality }: FormOptions,
): boolean {
  if (identity.kind !== 'counter' && identity.kind !== 'histogram') return false
  if (temporality !== 'dialect') return temporality === 'delta'
  // eventcounters.md §7.4: a Sum is an increment
  return metadata.dialect === EVENT_COUNTERS
}
