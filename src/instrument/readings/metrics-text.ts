/**
 * Readings of a registry's counters in Prometheus' text formats, under the names that the hub gives
 * them (eventcounters.md §7.3). Families that would share a name, and series that would be one, are
 * told apart by suffixes and labels, never merged or left out.
 */
import { counterFamilies } from '../../dialects/eventcounters/export-rules.ts'
import { identityOf, metadataOf } from '../../dialects/eventcounters/map.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import { type ExportFamilies, type WindowPart, windowValue } from '../../dialects/export-rules.ts'
import { EXPORT_RULES } from '../../dialects/opentelemetry/export-rules.ts'
import { bucketLines, distributionText } from '../../exposition/histogram-text.ts'
import {
  cleanLabels,
  cleanName,
  KIND_SUFFIXES,
  SAMPLE_SUFFIXES,
  withLabel,
} from '../../exposition/names.ts'
import type { TextFormat } from '../../exposition/negotiation.ts'
import {
  exemplarText,
  familyHead,
  labelText,
  numberText,
  sampleText,
} from '../../exposition/text.ts'
import { compareUtf8, type Exact, type Kind, type Labels } from '../../model/index.ts'
import type { Reading } from './reading.ts'

/** One reading in a family. */
export interface Row {
  readonly reading: Reading
  readonly part: WindowPart | undefined
  /** Values are divided by 10^shift. */
  readonly shift: number
  labels: Labels
}

/** All that is exported under one name. */
export interface Family {
  /** Name; of a counter without `_total`. */
  name: string
  readonly type: Kind
  readonly unit: string | undefined
  readonly help: string
  readonly rows: Row[]
  /** True for the native form of another family, which has no classic buckets. */
  readonly isNative?: boolean
}

/** Writes an exposition, families by their names. */
export function readingsText(readings: Iterable<Reading>, format: TextFormat): string {
  const text = namedFamilies(readings)
    .map((family) => familyText(family, format === 'openmetrics'))
    .join('')
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}

/** Groups readings into families, each with a name and rows that no other one has; by names. */
export function namedFamilies(readings: Iterable<Reading>): Family[] {
  const families = familiesOf(readings)
  separateFamilies(families)
  families.sort((a, b) => compareUtf8(a.name, b.name))
  for (const { rows } of families) separateRows(rows)
  return families
}

function familiesOf(readings: Iterable<Reading>): Family[] {
  const families = new Map<string, Family>()
  for (const reading of readings) {
    const { kind, labels: metaData = reading.description.metaData } = reading
    const description = { ...reading.description, metaData }
    const identity = identityOf(description, kind)
    const metadata = metadataOf(description, kind === 'counter' ? 'sum' : 'mean')
    const {
      families: named,
      shift,
      unit,
    } = description.provider === ''
      ? plainFamily(description, kind)
      : counterFamilies(identity, metadata, 'standard')
    for (const { family: name, type, part } of named) {
      const labels = cleanLabels(identity.labels, type, 'legacy')
      const row = { reading, part, shift, labels }
      const key = `${type} ${name}`
      const ownUnit = unit !== undefined && name.endsWith(`_${unit}`) ? unit : undefined
      const known = families.get(key)
      const help = helpOf(description)
      if (known === undefined) families.set(key, { name, type, unit: ownUnit, help, rows: [row] })
      else known.rows.push(row)
    }
  }
  return [...families.values()]
}

function helpOf({ provider, name, displayName }: CounterDescription): string {
  const source = provider === '' ? '' : ` of ${provider}`
  return (displayName === '' ? name + source : displayName).toWellFormed()
}

/** Words for units of UCUM, as the specification of OpenTelemetry has them for Prometheus. */
const UNIT_WORDS = EXPORT_RULES.prometheus?.units ?? {}
const TOTAL = '_total'

/** Names the family of another library's metric: the name stays, its unit ends it. */
function plainFamily({ name, units }: CounterDescription, type: Kind): ExportFamilies {
  const base = cleanName(name.toWellFormed(), { keepsColons: true })
  const stem = type === 'counter' && base.endsWith(TOTAL) ? base.slice(0, -TOTAL.length) : base
  const unit = UNIT_WORDS[units]
  const isSaid = unit === undefined || stem.endsWith(`_${unit}`)
  return { families: [{ family: isSaid ? stem : `${stem}_${unit}`, type }], shift: 0, unit }
}

/** Gives every family a name that no other one takes; counters choose first. */
function separateFamilies(families: readonly Family[]): void {
  const taken = new Set<string>()
  const order = [...families].sort(
    (a, b) =>
      Number(b.type === 'counter') - Number(a.type === 'counter') ||
      compareUtf8(a.name, b.name) ||
      compareUtf8(a.type, b.type),
  )
  for (const family of order) {
    const names = () => SAMPLE_SUFFIXES[family.type].map((ending) => family.name + ending)
    while (names().some((name) => taken.has(name))) family.name += KIND_SUFFIXES[family.type]
    for (const name of names()) taken.add(name)
  }
}

/** Gives rows of equal labels their raw name, and a number where that is equal too. */
function separateRows(rows: readonly Row[]): void {
  for (const row of clashing(rows)) {
    row.labels = withLabel(row.labels, 'metric', row.reading.description.name)
  }
  for (let left = clashing(rows); left.length > 0; left = clashing(rows)) {
    for (const [i, row] of left.entries()) {
      row.labels = withLabel(row.labels, 'series', String(i + 1))
    }
  }
}

function clashing(rows: readonly Row[]): readonly Row[] {
  const byLabels = Map.groupBy(rows, ({ labels }) => labelText(labels))
  return [...byLabels.values()].filter(({ length }) => length > 1).flat()
}

/** Writes a family; nothing at all for one without samples: its rows may have no value yet. */
function familyText({ name, type, unit, help, rows }: Family, isOpenMetrics: boolean): string {
  const samples = rows.map((row) => rowText(name, type, row, isOpenMetrics)).join('')
  if (samples === '') return ''
  const head = familyHead(name, type, help, unit)
  return (isOpenMetrics ? head.openMetrics : head.text) + samples
}

function rowText(name: string, type: Kind, row: Row, isOpenMetrics: boolean): string {
  const { reading, shift, labels } = row
  const text = labelText(labels)
  const lines = distributionText(type, name, text)
  if (lines === undefined) {
    const value = sampleOf(row)
    if (Number.isNaN(value)) return ''
    const sample = sampleText(type === 'counter' ? `${name}_total` : name, text)
    const exemplar = type === 'counter' && isOpenMetrics ? reading.exemplars?.at(-1) : undefined
    const mark = exemplar === undefined ? '' : exemplarText(exemplar, shift)
    return `${sample} ${numberText(value, shift)}${mark}\n`
  }
  if (reading.kind === 'histogram') {
    const { histogram, exemplars } = reading
    return bucketLines(histogram, lines, shift, isOpenMetrics, false, exemplars)
  }
  if (reading.kind !== 'summary') return ''
  const count = `${lines.count} ${reading.count}\n`
  const quantiles = (reading.quantiles ?? [])
    .filter(([, value]) => !isOpenMetrics || !(value < 0))
    .map(([quantile, value]) => `${lines.open}${quantile}"} ${numberText(value)}\n`)
    .join('')
  // OpenMetrics takes no negative sums.
  if (isOpenMetrics && reading.sum < 0) return quantiles + count
  return `${quantiles}${lines.sum} ${numberText(reading.sum, shift)}\n${count}`
}

/** Gives the one value of a counter or gauge; NaN where there is none yet. */
export function sampleOf({ reading, part }: Row): Exact {
  switch (reading.kind) {
    case 'counter':
      return reading.total
    case 'gauge':
      return reading.value
    case 'summary':
      return part === undefined || part === 'increment'
        ? Number.NaN
        : windowValue(reading.last, part)
    case 'histogram':
      return Number.NaN
  }
}
