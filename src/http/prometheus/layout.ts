/**
 * What an exposition looks like without its values: families in order of their names, their rows,
 * and every constant piece of text. It changes only when the list of series does; a scrape walks it
 * once. Collisions are settled here, never by merging or dropping (statshero.md §7.3). A large hub
 * has hundreds of thousands of rows, so a layout is made in turns.
 */

import type { PrometheusNaming, WindowPart } from '../../dialects/eventcounters/families.ts'
import { type DistributionText, distributionText } from '../../exposition/histogram-text.ts'
import { type NameStyle, sortLabelPairs } from '../../exposition/names.ts'
import { familyHead, labelText, sampleText } from '../../exposition/text.ts'
import type { SeriesRecord } from '../../hub/series/series.ts'
import { sorted, type Task } from '../../hub/tasks/task.ts'
import { compareUtf8, type Kind, type Labels } from '../../model/index.ts'
import { ROWS_PER_STEP } from '../pieces.ts'
import { type FilterNames, nativeFamily, type PrometheusName, prometheusNames } from './names.ts'

export type RateField = 'm1' | 'm5' | 'm15'
/** `native`: the native form of a distribution whose classic one is in another unit. */
export type RowPart = RateField | WindowPart | 'native'

export interface LayoutOptions {
  readonly style: NameStyle
  /** Adds gauges `n_m1_rate`, `n_m5_rate` and `n_m15_rate` for counters. */
  readonly exportRates: boolean
  /** Distributions as classic histograms, or as summaries with quantiles. */
  readonly observer: 'histogram' | 'summary'
  readonly filterNames: FilterNames
  readonly counterNames: PrometheusNaming
  /** Adds a family in the sender's unit where the classic histogram is in seconds. */
  readonly nativeHistograms: boolean
}

export interface Layout {
  readonly families: readonly Family[]
  /** Series whose name or labels had to be changed because of another one, by rule. */
  readonly conflicts: ReadonlyMap<number, 'label' | 'family'>
}

export interface Family {
  readonly type: Kind
  /** Of a counter with `_total`. */
  readonly name: string
  readonly help: string
  readonly unit: string | undefined
  readonly textHead: string
  readonly openMetricsHead: string
  readonly rows: readonly Row[]
}

export interface Row {
  readonly record: SeriesRecord
  readonly shift: number
  /** Which moving average of a counter, or what of the last window; else the series' own value. */
  readonly part: RowPart | undefined
  readonly labels: Labels
  /** `name{labels}` of the one sample of counters and gauges. */
  readonly sample: string
  /** Lines of histograms and summaries. */
  readonly distribution: DistributionText | undefined
}

interface Entry {
  readonly record: SeriesRecord
  readonly part: RowPart | undefined
  readonly shift: number
  readonly unit: string | undefined
  labels: Labels
}

interface Group {
  readonly type: Kind
  name: string
  readonly entries: Entry[]
}

const RATE_FIELDS: readonly RateField[] = ['m1', 'm5', 'm15']
const SUFFIXES: Record<Kind, string> = {
  counter: '_counter',
  gauge: '_gauge',
  histogram: '_hist',
  summary: '_summary',
}
/** Sample names that a family may have in OpenMetrics, `_created` included though not written. */
const RESERVED: Record<Kind, readonly string[]> = {
  counter: ['', '_total', '_created'],
  gauge: [''],
  histogram: ['', '_bucket', '_sum', '_count', '_created'],
  summary: ['', '_sum', '_count', '_created'],
}

export function* layoutSteps(
  records: Iterable<SeriesRecord>,
  options: LayoutOptions,
): Task<Layout> {
  const groups = yield* groupByFamily(records, options)
  const renamed = yield* separateFamilies(groups)
  const conflicts = yield* separateLabels(groups, renamed)
  const families: Family[] = []
  for (const group of yield* sorted(groups, (a, b) => compareUtf8(a.name, b.name))) {
    families.push(toFamily(group, yield* toRows(group)))
    // a family of few rows has no pause of its own
    if (families.length % ROWS_PER_STEP === 0) yield
  }
  return { families, conflicts }
}

/** @returns the series whose names or labels changed */
function* separateLabels(
  groups: readonly Group[],
  renamed: ReadonlySet<Group>,
): Task<Layout['conflicts']> {
  const conflicts = new Map<number, 'label' | 'family'>()
  let count = 0
  for (const { entries } of renamed) {
    for (const { record } of entries) {
      conflicts.set(record.id, 'family')
      if (++count % ROWS_PER_STEP === 0) yield
    }
  }
  for (const { entries } of groups) {
    if (++count % ROWS_PER_STEP === 0) yield
    if (entries.length < 2) continue
    for (const { record } of yield* separateRows(entries)) {
      conflicts.set(record.id, 'label')
      if (++count % ROWS_PER_STEP === 0) yield
    }
  }
  return conflicts
}

function* groupByFamily(
  records: Iterable<SeriesRecord>,
  options: LayoutOptions,
): Task<readonly Group[]> {
  const groups = new Map<string, Group>()
  const add = (type: Kind, name: string, entry: Entry): void => {
    const key = `${type} ${name}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { type, name, entries: [entry] })
    else group.entries.push(entry)
  }
  let count = 0
  for (const record of records) {
    if (++count % ROWS_PER_STEP === 0) yield
    for (const named of prometheusNames(record.identity, record.metadata, options)) {
      const { shift, unit, labels, part } = named
      add(typeOf(named, options), named.family, { record, part, shift, unit, labels })
      if (options.nativeHistograms && typeOf(named, options) === 'histogram') {
        const native = nativeFamily(named)
        const entry = { record, part: 'native', shift: 0, unit: native?.unit, labels } as const
        if (native !== undefined) add('histogram', native.family, entry)
      }
      if (!options.exportRates || named.type !== 'counter' || record.isDown) continue
      for (const rate of RATE_FIELDS) {
        const entry = { record, part: rate, shift, unit: undefined, labels }
        add('gauge', `${named.family}_${rate}_rate`, entry)
      }
    }
  }
  return [...groups.values()]
}

function typeOf(named: PrometheusName, options: LayoutOptions): Kind {
  return named.type === 'histogram' ? options.observer : named.type
}

/**
 * Makes the names of all families differ, with every suffix their samples may have: beside another
 * kind a gauge gets `_gauge`, a histogram `_hist`, a summary `_summary`; a counter keeps its name.
 * The outcome does not depend on the order in which series appeared.
 * @returns the groups that were renamed
 */
function* separateFamilies(groups: readonly Group[]): Task<Set<Group>> {
  const { owners, contested } = yield* findContested(groups)
  const renamed = new Set<Group>()
  let count = 0
  for (const group of contested) {
    if (++count % ROWS_PER_STEP === 0) yield
    for (const suffix of RESERVED[group.type]) owners.delete(group.name + suffix)
    if (group.type === 'counter') continue
    group.name += SUFFIXES[group.type]
    renamed.add(group)
  }
  const order = yield* sorted(
    [...contested],
    (a, b) =>
      Number(renamed.has(a)) - Number(renamed.has(b)) ||
      Number(b.type === 'counter') - Number(a.type === 'counter') ||
      compareUtf8(a.name, b.name),
  )
  for (const group of order) {
    if (++count % ROWS_PER_STEP === 0) yield
    const suffixes = RESERVED[group.type]
    while (suffixes.some((suffix) => owners.has(group.name + suffix))) {
      group.name += SUFFIXES[group.type]
      renamed.add(group)
    }
    for (const suffix of suffixes) owners.set(group.name + suffix, group)
  }
  return renamed
}

/** Groups that want a name that another one wants too, and who wants which. */
function* findContested(
  groups: readonly Group[],
): Task<{ owners: Map<string, Group>; contested: Set<Group> }> {
  const owners = new Map<string, Group>()
  const contested = new Set<Group>()
  let count = 0
  for (const group of groups) {
    if (++count % ROWS_PER_STEP === 0) yield
    for (const suffix of RESERVED[group.type]) {
      const owner = owners.get(group.name + suffix)
      if (owner === undefined) owners.set(group.name + suffix, group)
      else contested.add(owner).add(group)
    }
  }
  return { owners, contested }
}

/**
 * Makes the label sets within a family differ: equal ones get `metric` with the raw name, and where
 * that is equal too, `series` with the number of the series.
 * @returns the entries that got a label
 */
function* separateRows(entries: readonly Entry[]): Task<Set<Entry>> {
  const changed = new Set<Entry>()
  let clashing = yield* findClashing(entries)
  let count = 0
  for (const entry of clashing) {
    if (++count % ROWS_PER_STEP === 0) yield
    addLabel(entry, 'metric', entry.record.identity.name)
  }
  for (; clashing.length > 0; clashing = yield* findClashing(entries)) {
    for (const entry of clashing) {
      if (++count % ROWS_PER_STEP === 0) yield
      if (changed.has(entry)) addLabel(entry, 'series', String(entry.record.id))
      changed.add(entry)
    }
  }
  return changed
}

function* findClashing(entries: readonly Entry[]): Task<Entry[]> {
  const first = new Map<string, Entry>()
  const clashing = new Set<Entry>()
  let count = 0
  for (const entry of entries) {
    if (++count % ROWS_PER_STEP === 0) yield
    const text = labelText(entry.labels)
    const other = first.get(text)
    if (other === undefined) first.set(text, entry)
    else clashing.add(other).add(entry)
  }
  return [...clashing]
}

/** Adds a label beside those the series has; one of that key stays and moves the new one. */
function addLabel(entry: Entry, key: string, value: string): void {
  let free = key
  while (entry.labels.some(([taken]) => taken === free)) free += '_'
  const pair = [free, value.toWellFormed()] as const
  if (value !== '') entry.labels = sortLabelPairs([...entry.labels, pair])
}

function* toRows({ type, name, entries }: Group): Task<readonly Row[]> {
  const rows: Row[] = []
  for (const entry of entries) {
    rows.push(toRow(type, name, entry))
    if (rows.length % ROWS_PER_STEP === 0) yield
  }
  return rows
}

function toFamily({ type, name, entries }: Group, rows: readonly Row[]): Family {
  const first = entries[0]!
  const { identity, metadata } = first.record
  const help = (metadata.description ?? `${identity.name} (${metadata.dialect})`).toWellFormed()
  const sampleName = type === 'counter' ? `${name}_total` : name
  const hasUnit = first.unit !== undefined && name.endsWith(`_${first.unit}`)
  const unit = hasUnit ? first.unit : undefined
  const head = familyHead(name, type, help, unit)
  return {
    type,
    name: sampleName,
    help,
    unit,
    textHead: head.text,
    openMetricsHead: head.openMetrics,
    rows,
  }
}

function toRow(type: Kind, name: string, { record, part, shift, labels }: Entry): Row {
  const text = labelText(labels)
  return {
    record,
    part,
    shift,
    labels,
    sample: sampleText(type === 'counter' ? `${name}_total` : name, text),
    distribution: distributionText(type, name, text),
  }
}
