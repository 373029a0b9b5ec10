/**
 * Series as OTLP groups them: by scope and metric, in order of appearance. Made in
 * slices, as a large hub has many; kept as long as the list of series stays.
 */
import type {
  ExportRules,
  HistogramForm,
  OtlpRules,
  Temporality,
} from '../../../dialects/export-rules.ts'
import type { SeriesRecord } from '../../../hub/series/record.ts'
import { forEachItem, sorted, type Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Identity, Labels, Metadata } from '../../../model/index.ts'
import { ROWS_PER_STEP } from '../../pieces.ts'
import type { MetricBody, MetricHead, OtlpScope } from './metric.ts'

/** `dialect`: as the document of each says. */
export interface FormOptions {
  readonly temporality: Temporality | 'dialect'
  readonly histogram: HistogramForm | 'dialect'
}

/** Part of a hub that a layout needs. */
type LayoutView = Pick<HubView, 'version' | 'exportRules'>

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
/** The instrumentation scope of whatever has none of its own. */
const OWN_SCOPE = 'pentameter'
const NO_RULES: OtlpRules = {}

export function* layoutTask(
  records: Iterable<SeriesRecord>,
  options: FormOptions,
  view: LayoutView,
): Task<readonly OtlpGroup[]> {
  const groups = new Map<string, OtlpGroup>()
  const add = (record: SeriesRecord): void => {
    for (const { head, kind, attributes } of metricsOf(record, options, view)) {
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

/** Metric that a series is told by, with its attributes. */
export interface NamedMetric {
  readonly head: MetricHead
  readonly kind: MetricBody['kind']
  readonly attributes: Labels
}

/** Lists the metrics that a series is told by. */
export function metricsOf(
  { identity, metadata }: SeriesRecord,
  { histogram }: FormOptions,
  view: LayoutView,
): readonly NamedMetric[] {
  const rules = view.exportRules(metadata.dialect)
  const named = otlpName(identity, metadata, rules)
  const { name, unit } = named
  const attributes = Object.entries(named.attributes)
  const description = metadata.description || metadata.displayName || ''
  const head: MetricHead = { scope: scopeOf(named, rules, view), name, description, unit }
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
      const rule = rules.otlp?.histogram
      const form = histogram === 'dialect' ? rule?.form : histogram
      // bounds of its own are no powers: there is one form for them
      const isExplicit = form === 'explicit' || metadata.bounds !== undefined
      if (!isExplicit) return [{ head, kind: 'exponentialHistogram', attributes }]
      const explicit = { ...head, unit: rule?.unit ?? unit }
      return [{ head: explicit, kind: 'histogram', attributes }]
    }
  }
}

function scopeOf({ namespace }: OtlpName, { otlp }: ExportRules, view: LayoutView): OtlpScope {
  if (namespace !== undefined) return { name: namespace }
  return { name: otlp?.scope ?? OWN_SCOPE, version: view.version }
}

interface OtlpName {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Unit in UCUM, where the dialect's units are known words. */
  readonly unit: string
  /** Instrumentation scope that the series names. */
  readonly namespace: string | undefined
}

/**
 * Names a series as it was sent, with its labels as attributes but the one that is its namespace; a
 * repeated label key keeps the qualifier's value.
 */
function otlpName(identity: Identity, metadata: Metadata, rules: ExportRules): OtlpName {
  const { name, labels, qualifier } = identity
  const { exportSuffix, unit = '' } = metadata
  const { namespaceLabel, otlp: { units = {} } = NO_RULES } = rules
  const attributes = Object.fromEntries(qualifier === undefined ? labels : [...labels, qualifier])
  const namespace = namespaceLabel === undefined ? undefined : attributes[namespaceLabel]
  if (namespaceLabel !== undefined) delete attributes[namespaceLabel]
  const word = unit.toLowerCase()
  return {
    name: exportSuffix === undefined ? name : `${name}.${exportSuffix}`,
    attributes,
    unit: Object.hasOwn(units, word) ? units[word]! : unit,
    namespace,
  }
}

/** Tells whether the points of a series are of intervals and not since its start. */
export function isDelta(
  { identity, metadata }: SeriesRecord,
  { temporality }: FormOptions,
  view: LayoutView,
): boolean {
  if (identity.kind !== 'counter' && identity.kind !== 'histogram') return false
  if (temporality !== 'dialect') return temporality === 'delta'
  return view.exportRules(metadata.dialect).otlp?.temporality === 'delta'
}
