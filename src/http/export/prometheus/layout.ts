/**
 * What an exposition looks like without its values: families in order of their names, their rows,
 * and every constant piece of text. It changes only when the list of series does; a scrape walks it
 * once. A large hub has hundreds of thousands of rows, so a layout is made in slices of the event
 * loop, and a few new series are put in their places in the one there is.
 */

import type { ExportRules } from '../../../dialects/export-rules.ts'
import { type DistributionText, distributionText } from '../../../exposition/histogram-text.ts'
import { type NameStyle, SAMPLE_SUFFIXES } from '../../../exposition/names.ts'
import { familyHead, labelText, sampleText } from '../../../exposition/text.ts'
import { isDecrements, type SeriesRecord } from '../../../hub/series/record.ts'
import { forEachItem, sorted, type Task } from '../../../hub/tasks/task.ts'
import { compareUtf8, KINDS, type Kind, type Labels } from '../../../model/index.ts'
import { ROWS_PER_STEP } from '../../pieces.ts'
import {
  type Entry,
  type Group,
  type RateField,
  type RowPart,
  separateFamilies,
  separateLabels,
} from './collisions.ts'
import { nativeFamily, type PrometheusName, prometheusNames } from './names.ts'

export interface LayoutOptions {
  readonly style: NameStyle
  /** Option that adds gauges `n_m1_rate`, `n_m5_rate` and `n_m15_rate` for counters. */
  readonly exportRates: boolean
  /** Distributions as classic histograms, or as summaries with quantiles. */
  readonly observer: 'histogram' | 'summary'
  rulesOf(dialect: string): ExportRules
  /** Option that adds a family in the sender's unit where the classic histogram is in seconds. */
  readonly nativeHistograms: boolean
  /** Option that has OpenMetrics say when a total began. */
  readonly createdSamples: boolean
}

export interface Layout {
  readonly families: readonly Family[]
  /** Series whose name or labels had to be changed because of another one, by rule. */
  readonly conflicts: ReadonlyMap<number, 'label' | 'family'>
  /** Families that have the names they want, by {@link keyOf}. */
  readonly byKey: Map<string, Family>
  /** Sample names that families with another name wanted or got. */
  readonly taken: ReadonlySet<string>
  /** Number of the newest series in it. */
  readonly lastId: number
}

export interface Family {
  readonly type: Kind
  /** Name, of a counter with `_total`. */
  readonly name: string
  /** Name, of a counter without `_total`; families are in the order of these. */
  readonly base: string
  readonly help: string
  readonly unit: string | undefined
  readonly textHead: string
  readonly openMetricsHead: string
  /** Rows; the list grows at its end. */
  readonly rows: Row[]
  /** Label sets of the rows; made when a row is to be added. */
  labelTexts?: Set<string>
}

export interface Row {
  readonly record: SeriesRecord
  readonly shift: number
  /** Whether its samples have the time of the series' last data. */
  readonly isTimed: boolean
  /** Moving average of a counter, or part of the last window; else the series' own value. */
  readonly part: RowPart | undefined
  readonly labels: Labels
  /** `name{labels}` of the one sample of counters and gauges. */
  readonly sample: string
  /** Lines of histograms and summaries. */
  readonly distribution: DistributionText | undefined
  /** `name_created{labels}` of a total whose beginning OpenMetrics says. */
  readonly created: string | undefined
}

const RATE_FIELDS: readonly RateField[] = ['m1', 'm5', 'm15']
type Groups = Map<string, Group>

export function* layoutTask(records: Iterable<SeriesRecord>, options: LayoutOptions): Task<Layout> {
  const wanted: Groups = new Map()
  let lastId = -1
  const add = (record: SeriesRecord): void => {
    addEntries(wanted, record, options)
    lastId = record.id
  }
  yield* forEachItem(records, add, ROWS_PER_STEP)
  const groups = [...wanted.values()]
  const taken = new Set<string>()
  const renamed = yield* separateFamilies(groups, taken)
  const conflicts = yield* separateLabels(groups, renamed)
  const families: Family[] = []
  const byKey = new Map<string, Family>()
  for (const group of yield* sorted(groups, (a, b) => compareUtf8(a.name, b.name))) {
    const family = toFamily(group, yield* toRows(group, options))
    families.push(family)
    if (!renamed.has(group)) byKey.set(keyOf(group.type, group.name), family)
    // a family of few rows has no pause of its own
    if (families.length % ROWS_PER_STEP === 0) yield
  }
  return { families, conflicts, byKey, taken, lastId }
}

/**
 * Puts new series into their places; families under way to a scraper grow at most at their ends.
 * @param records newer than all in the layout; few, as this is one step
 * @returns undefined, with the layout as it was, where a name or a label set is wanted twice
 */
export function extendLayout(
  layout: Layout,
  records: readonly SeriesRecord[],
  options: LayoutOptions,
): Layout | undefined {
  const wanted: Groups = new Map()
  for (const record of records) addEntries(wanted, record, options)
  const known = new Set<string>()
  for (const [key, group] of wanted) {
    const family = layout.byKey.get(key)
    if (family === undefined && isTaken(group, layout, known)) return undefined
    if (family !== undefined && isRelabelled(family, layout)) return undefined
    if (!areLabelsFree(group, family && labelTextsOf(family))) return undefined
  }
  const added: Family[] = []
  for (const [key, group] of wanted) {
    const rows = group.entries.map((entry) => toRow(group, entry, options))
    const family = layout.byKey.get(key)
    if (family === undefined) {
      const own = toFamily(group, rows)
      layout.byKey.set(key, own)
      added.push(own)
    } else {
      family.rows.push(...rows)
      const texts = labelTextsOf(family)
      for (const { labels } of rows) texts.add(labelText(labels))
    }
  }
  const families = added.length === 0 ? layout.families : merged(layout.families, added)
  return { ...layout, families, lastId: records.at(-1)?.id ?? layout.lastId }
}

function keyOf(type: Kind, name: string): string {
  return `${type} ${name}`
}

/**
 * Tells whether samples of a new family would have names of another one; remembers its own as
 * known.
 */
function isTaken({ type, name }: Group, { byKey, taken }: Layout, known: Set<string>): boolean {
  for (const suffix of SAMPLE_SUFFIXES[type]) {
    const sample = name + suffix
    if (taken.has(sample) || known.has(sample)) return true
    for (const other of KINDS) {
      const isOther = (end: string): boolean =>
        sample.endsWith(end) && byKey.has(keyOf(other, sample.slice(0, sample.length - end.length)))
      if (SAMPLE_SUFFIXES[other].some(isOther)) return true
    }
    known.add(sample)
  }
  return false
}

/** Tells whether rows of a family got labels because their sets were equal. */
function isRelabelled({ rows }: Family, { conflicts }: Layout): boolean {
  return conflicts.size > 0 && rows.some(({ record }) => conflicts.get(record.id) === 'label')
}

function labelTextsOf(family: Family): Set<string> {
  family.labelTexts ??= new Set(family.rows.map(({ labels }) => labelText(labels)))
  return family.labelTexts
}

/** Tells whether no row has the labels of another one. */
function areLabelsFree({ entries }: Group, held: ReadonlySet<string> | undefined): boolean {
  const own = new Set(entries.map(({ labels }) => labelText(labels)))
  return own.size === entries.length && !entries.some(({ labels }) => held?.has(labelText(labels)))
}

function merged(families: readonly Family[], added: Family[]): readonly Family[] {
  added.sort((a, b) => compareUtf8(a.base, b.base))
  const all: Family[] = []
  let next = 0
  for (const family of families) {
    while (next < added.length && compareUtf8(added[next]!.base, family.base) < 0) {
      all.push(added[next++]!)
    }
    all.push(family)
  }
  return [...all, ...added.slice(next)]
}

function addEntries(groups: Groups, record: SeriesRecord, options: LayoutOptions): void {
  const add = (type: Kind, name: string, entry: Entry): void => {
    const key = keyOf(type, name)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { type, name, entries: [entry] })
    else group.entries.push(entry)
  }
  const { identity, metadata } = record
  const rules = options.rulesOf(metadata.dialect)
  const isTimed = rules.prometheus?.isTimed ?? false
  for (const named of prometheusNames(identity, metadata, rules, options.style)) {
    const { shift, unit, labels, part } = named
    add(typeOf(named, options), named.family, { record, part, shift, isTimed, unit, labels })
    if (options.nativeHistograms && typeOf(named, options) === 'histogram') {
      const native = nativeFamily(named)
      const parts = { part: 'native', shift: 0, isTimed, unit: native?.unit } as const
      if (native !== undefined) add('histogram', native.family, { record, labels, ...parts })
    }
    if (!options.exportRates || named.type !== 'counter' || isDecrements(record)) continue
    for (const rate of RATE_FIELDS) {
      const entry = { record, part: rate, shift, isTimed, unit: undefined, labels }
      add('gauge', `${named.family}_${rate}_rate`, entry)
    }
  }
}

function typeOf(named: PrometheusName, options: LayoutOptions): Kind {
  return named.type === 'histogram' ? options.observer : named.type
}

function* toRows(group: Group, options: LayoutOptions): Task<Row[]> {
  const rows: Row[] = []
  for (const entry of group.entries) {
    rows.push(toRow(group, entry, options))
    if (rows.length % ROWS_PER_STEP === 0) yield
  }
  return rows
}

function toFamily({ type, name, entries }: Group, rows: Row[]): Family {
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
    base: name,
    help,
    unit,
    textHead: head.text,
    openMetricsHead: head.openMetrics,
    rows,
  }
}

function toRow({ type, name }: Group, entry: Entry, { createdSamples }: LayoutOptions): Row {
  const { record, part, shift, isTimed, labels } = entry
  const text = labelText(labels)
  const hasCreated = createdSamples && type !== 'gauge' && part === undefined
  return {
    record,
    part,
    shift,
    isTimed,
    labels,
    sample: sampleText(type === 'counter' ? `${name}_total` : name, text),
    distribution: distributionText(type, name, text),
    created: hasCreated ? sampleText(`${name}_created`, text) : undefined,
  }
}
