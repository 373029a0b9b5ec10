/**
 * Readings of a registry's counters in Prometheus' text formats, under the names that the hub gives
 * them (eventcounters.md §7.3). Families that would share a name, and series that would be one, are
 * told apart by suffixes and labels, never merged or left out.
 */
import { counterFamilies } from '../dialects/eventcounters/export-rules.ts'
import { identityOf, metadataOf } from '../dialects/eventcounters/map.ts'
import { type WindowPart, windowValue } from '../dialects/export-rules.ts'
import { bucketLines, distributionText } from '../exposition/histogram-text.ts'
import { cleanLabels, KIND_SUFFIXES, SAMPLE_SUFFIXES, withLabel } from '../exposition/names.ts'
import type { TextFormat } from '../exposition/negotiation.ts'
import { familyHead, labelText, numberText, sampleText } from '../exposition/text.ts'
import { compareUtf8, type Exact, type Kind, type Labels } from '../model/index.ts'
import type { Reading } from './metrics-readings.ts'

interface Row {
  readonly reading: Reading
  readonly part: WindowPart | undefined
  /** Values are divided by 10^shift. */
  readonly shift: number
  labels: Labels
}

interface Family {
  name: string
  readonly type: Kind
  readonly unit: string | undefined
  readonly rows: Row[]
}

/** Writes an exposition, families by their names. */
export function readingsText(readings: Iterable<Reading>, format: TextFormat): string {
  const families = familiesOf(readings)
  separateFamilies(families)
  families.sort((a, b) => compareUtf8(a.name, b.name))
  const text = families.map((family) => familyText(family, format === 'openmetrics')).join('')
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}

function familiesOf(readings: Iterable<Reading>): Family[] {
  const families = new Map<string, Family>()
  for (const reading of readings) {
    const { kind, labels: metaData = reading.description.metaData } = reading
    const description = { ...reading.description, metaData }
    const identity = identityOf(description, kind)
    const metadata = metadataOf(description, kind === 'counter' ? 'sum' : 'mean')
    const { families: named, shift, unit } = counterFamilies(identity, metadata, 'standard')
    for (const { family: name, type, part } of named) {
      const labels = cleanLabels(identity.labels, type, 'legacy')
      const row = { reading, part, shift, labels }
      const key = `${type} ${name}`
      const ownUnit = unit !== undefined && name.endsWith(`_${unit}`) ? unit : undefined
      const known = families.get(key)
      if (known === undefined) families.set(key, { name, type, unit: ownUnit, rows: [row] })
      else known.rows.push(row)
    }
  }
  return [...families.values()]
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
function familyText({ name, type, unit, rows }: Family, isOpenMetrics: boolean): string {
  separateRows(rows)
  const samples = rows.map((row) => rowText(name, type, row, isOpenMetrics)).join('')
  const first = rows[0]?.reading.description
  if (samples === '' || first === undefined) return ''
  const help = first.displayName === '' ? `${first.name} of ${first.provider}` : first.displayName
  const head = familyHead(name, type, help.toWellFormed(), unit)
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
    return `${sample} ${numberText(value, shift)}\n`
  }
  if (reading.kind === 'histogram') {
    return bucketLines(reading.histogram, lines, shift, isOpenMetrics)
  }
  if (reading.kind !== 'summary') return ''
  const count = `${lines.count} ${reading.count}\n`
  // OpenMetrics takes no negative sums.
  if (isOpenMetrics && reading.sum < 0) return count
  return `${lines.sum} ${numberText(reading.sum, shift)}\n${count}`
}

/** Gives the one value of a counter or gauge; NaN where there is none yet. */
function sampleOf({ reading, part }: Row): Exact {
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
