/**
 * Series of a history as OpenMetrics text 1.0 with a time behind each sample. Counters and
 * distributions are totals that begin at nothing where the export begins; that text has no other.
 */
import { exportedSum, forEachBound } from '../../exposition/distribution.ts'
import {
  cleanLabels,
  cleanName,
  KIND_SUFFIXES,
  SAMPLE_SUFFIXES,
  withLabel,
} from '../../exposition/names.ts'
import {
  familyHead,
  labelText,
  numberText,
  sampleOpenText,
  sampleText,
} from '../../exposition/text.ts'
import type { KeptCell } from '../../history/sqlite/offline/snapshot.ts'
import type { StoredSeries } from '../../history/store.ts'
import {
  addExact,
  EMPTY_SUMMARY,
  type Exact,
  Histogram,
  type Identity,
  identityOf,
  type Kind,
  mergeSummaries,
} from '../../model/index.ts'

/** A series under the names that the format has for it. */
export interface NamedSeries {
  readonly stored: StoredSeries
  readonly family: string
  readonly kind: Kind
  readonly labels: string
}

/** Names series, and orders them by family: all samples of one stand together. */
export function namedSeries(list: Iterable<StoredSeries>): NamedSeries[] {
  const families = new Map<string, Kind>()
  const samples = new Map<string, string>()
  const seen = new Set<string>()
  const named: NamedSeries[] = []
  for (const stored of list) {
    const identity = identityOf(stored.key)
    if (identity === undefined) continue
    const { kind } = identity
    const family = familyOf(identity, families, samples)
    let labels = labelsOf(identity)
    if (seen.has(`${family}{${labelText(labels)}`))
      labels = withLabel(labels, 'name', identity.name)
    const text = labelText(labels)
    seen.add(`${family}{${text}`)
    named.push({ stored, family, kind, labels: text })
  }
  return named.sort((a, b) => (a.family < b.family ? -1 : Number(a.family > b.family)))
}

function labelsOf({ labels, qualifier, kind }: Identity) {
  return cleanLabels(qualifier === undefined ? labels : [...labels, qualifier], kind, 'legacy')
}

/** Finds a family for a name: none of another kind, none that shares the names of samples. */
function familyOf(
  { name, kind }: Identity,
  families: Map<string, Kind>,
  samples: Map<string, string>,
): string {
  let family = cleanName(kind === 'counter' ? name.replace(/_total$/, '') : name, {})
  for (;;) {
    const mine = SAMPLE_SUFFIXES[kind].map((suffix) => family + suffix)
    const isFree = mine.every((each) => (samples.get(each) ?? family) === family)
    if (isFree && (families.get(family) ?? kind) === kind) {
      families.set(family, kind)
      for (const each of mine) samples.set(each, family)
      return family
    }
    family += KIND_SUFFIXES[kind]
  }
}

/** Writes what stands before a family's samples. */
export function familyText({ family, kind, stored }: NamedSeries): string {
  return familyHead(family, kind, stored.metadata.description ?? '', undefined).openMetrics
}

/** Writes the samples of a series, a piece a cell. */
export function* samplesText(series: NamedSeries, cells: Iterable<KeptCell>): Generator<string> {
  const { family, labels } = series
  let total: Exact = 0
  let histogram = new Histogram()
  let summary = EMPTY_SUMMARY
  for (const { cell, endS } of cells) {
    switch (cell.kind) {
      case 'counter':
        total = addExact(total, cell.delta)
        yield `${sampleText(`${family}_total`, labels)} ${numberText(total)} ${endS}\n`
        break
      case 'gauge':
        yield `${sampleText(family, labels)} ${numberText(cell.value)} ${endS}\n`
        break
      case 'histogram':
        if (histogram.isEmpty) histogram = cell.histogram.clone()
        else histogram.mergeFrom(cell.histogram)
        yield histogramText(series, histogram, endS)
        break
      case 'summary': {
        summary = mergeSummaries(summary, cell.summary)
        const { count, mean } = summary
        yield `${sampleText(`${family}_count`, labels)} ${count} ${endS}\n` +
          `${sampleText(`${family}_sum`, labels)} ${numberText(mean * count)} ${endS}\n`
      }
    }
  }
}

function histogramText(
  { family, labels }: NamedSeries,
  histogram: Histogram,
  endS: number,
): string {
  const open = sampleOpenText(`${family}_bucket`, labels, 'le')
  let text = ''
  const all = forEachBound(histogram, false, (bound, seen) => {
    if (bound !== Number.POSITIVE_INFINITY) {
      text += `${open}${boundText(bound)}"} ${seen} ${endS}\n`
    }
  })
  text += `${open}+Inf"} ${all} ${endS}\n`
  text += `${sampleText(`${family}_count`, labels)} ${all} ${endS}\n`
  const sum = numberText(exportedSum(histogram))
  return `${text}${sampleText(`${family}_sum`, labels)} ${sum} ${endS}\n`
}

/** Writes a bound as OpenMetrics wants it: a whole one with `.0`. */
function boundText(bound: Exact): string {
  const text = numberText(bound)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
