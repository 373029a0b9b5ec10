/**
 * What an exposition looks like without its values: families in order of their names, their rows,
 * and every constant piece of text. It changes only when the list of series does; a scrape walks it
 * once. Collisions are settled here, never by merging or dropping (statshero.md §7.3).
 */

import type { SeriesRecord } from '../../hub/series.ts'
import { compareUtf8, type Kind, type Labels } from '../../model/index.ts'
import type { PrometheusNaming, WindowPart } from './event-counters.ts'
import type { DistributionText } from './histogram-text.ts'
import {
  type FilterNames,
  type NameStyle,
  type PrometheusName,
  prometheusNames,
  sortLabelPairs,
} from './names.ts'
import { escapeHelp, labelText, metadataName, sampleOpenText, sampleText } from './text.ts'

export type RateField = 'm1' | 'm5' | 'm15'
export type RowPart = RateField | WindowPart

export interface LayoutOptions {
  readonly style: NameStyle
  /** Adds gauges `n_m1_rate`, `n_m5_rate` and `n_m15_rate` for counters. */
  readonly exportRates: boolean
  /** Distributions as classic histograms, or as summaries with quantiles. */
  readonly observer: 'histogram' | 'summary'
  readonly filterNames: FilterNames
  readonly counterNames: PrometheusNaming
}

export interface Layout {
  readonly families: readonly Family[]
  /** Series whose name or labels had to be changed because of another one, by rule. */
  readonly conflicts: ReadonlyMap<number, 'label' | 'family'>
}

export interface Family {
  readonly type: Kind
  readonly textHead: string
  readonly openMetricsHead: string
  readonly rows: readonly Row[]
}

export interface Row {
  readonly record: SeriesRecord
  readonly shift: number
  /** Which moving average of a counter, or what of the last window; else the series' own value. */
  readonly part: RowPart | undefined
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

export function buildLayout(records: Iterable<SeriesRecord>, options: LayoutOptions): Layout {
  const groups = groupByFamily(records, options)
  const conflicts = new Map<number, 'label' | 'family'>()
  for (const group of separateFamilies(groups)) {
    for (const { record } of group.entries) conflicts.set(record.id, 'family')
  }
  for (const group of groups) {
    for (const { record } of separateRows(group.entries)) conflicts.set(record.id, 'label')
  }
  groups.sort((a, b) => compareUtf8(a.name, b.name))
  return { families: groups.map(toFamily), conflicts }
}

function groupByFamily(records: Iterable<SeriesRecord>, options: LayoutOptions): Group[] {
  const groups = new Map<string, Group>()
  const add = (type: Kind, name: string, entry: Entry): void => {
    const key = `${type} ${name}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { type, name, entries: [entry] })
    else group.entries.push(entry)
  }
  for (const record of records) {
    for (const named of prometheusNames(record.identity, record.metadata, options)) {
      const { shift, unit, labels, part } = named
      add(typeOf(named, options), named.family, { record, part, shift, unit, labels })
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
function separateFamilies(groups: readonly Group[]): Set<Group> {
  const renamed = findContested(groups)
  for (const group of renamed) group.name += SUFFIXES[group.type]
  const claimed = new Set<string>()
  const order = [...groups].sort(
    (a, b) =>
      Number(renamed.has(a)) - Number(renamed.has(b)) ||
      Number(b.type === 'counter') - Number(a.type === 'counter') ||
      compareUtf8(a.name, b.name),
  )
  for (const group of order) {
    const suffixes = RESERVED[group.type]
    while (suffixes.some((suffix) => claimed.has(group.name + suffix))) {
      group.name += SUFFIXES[group.type]
      renamed.add(group)
    }
    for (const suffix of suffixes) claimed.add(group.name + suffix)
  }
  return renamed
}

function findContested(groups: readonly Group[]): Set<Group> {
  const owners = new Map<string, Group>()
  const contested = new Set<Group>()
  for (const group of groups) {
    for (const suffix of RESERVED[group.type]) {
      const owner = owners.get(group.name + suffix)
      if (owner === undefined) {
        owners.set(group.name + suffix, group)
        continue
      }
      if (owner.type !== 'counter') contested.add(owner)
      if (group.type !== 'counter') contested.add(group)
    }
  }
  return contested
}

/**
 * Makes the label sets within a family differ: equal ones get `metric` with the raw name, and where
 * that is equal too, `series` with the number of the series.
 * @returns the entries that got a label
 */
function separateRows(entries: readonly Entry[]): Set<Entry> {
  const changed = new Set<Entry>()
  let clashing = findClashing(entries)
  for (const entry of clashing) addLabel(entry, 'metric', entry.record.identity.name)
  for (; clashing.length > 0; clashing = findClashing(entries)) {
    for (const entry of clashing) {
      if (changed.has(entry)) addLabel(entry, 'series', String(entry.record.id))
      changed.add(entry)
    }
  }
  return changed
}

function findClashing(entries: readonly Entry[]): Entry[] {
  if (entries.length < 2) return []
  const first = new Map<string, Entry>()
  const clashing = new Set<Entry>()
  for (const entry of entries) {
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

function toFamily(group: Group): Family {
  const { type, name, entries } = group
  const first = entries[0]!
  const { identity, metadata } = first.record
  const help = (metadata.description ?? `${identity.name} (${metadata.dialect})`).toWellFormed()
  const textName = metadataName(type === 'counter' ? `${name}_total` : name)
  const openName = metadataName(name)
  const hasUnit = first.unit !== undefined && name.endsWith(`_${first.unit}`)
  const unit = hasUnit ? `# UNIT ${openName} ${first.unit}\n` : ''
  return {
    type,
    textHead: `# HELP ${textName} ${escapeHelp(help, false)}\n# TYPE ${textName} ${type}\n`,
    openMetricsHead:
      `# TYPE ${openName} ${type}\n${unit}` + `# HELP ${openName} ${escapeHelp(help, true)}\n`,
    rows: entries.map((entry) => toRow(group, entry)),
  }
}

function toRow({ type, name }: Group, { record, part, shift, labels }: Entry): Row {
  const text = labelText(labels)
  return {
    record,
    part,
    shift,
    sample: sampleText(type === 'counter' ? `${name}_total` : name, text),
    distribution: distributionText(type, name, text),
  }
}

function distributionText(type: Kind, name: string, labels: string): DistributionText | undefined {
  if (type === 'counter' || type === 'gauge') return undefined
  return {
    open:
      type === 'histogram'
        ? sampleOpenText(`${name}_bucket`, labels, 'le')
        : sampleOpenText(name, labels, 'quantile'),
    sum: sampleText(`${name}_sum`, labels),
    count: sampleText(`${name}_count`, labels),
  }
}
