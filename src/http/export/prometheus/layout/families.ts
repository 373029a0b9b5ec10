/**
 * Families and rows of an exposition without its values: which of them a series wants, and all
 * their constant text.
 */

import type { ExportRules } from '../../../../dialects/export-rules.ts'
import { type DistributionText, distributionText } from '../../../../exposition/histogram-text.ts'
import { type NameStyle, nativeFamily } from '../../../../exposition/names.ts'
import { type PrometheusName, prometheusNames } from '../../../../exposition/series-names.ts'
import { familyHead, labelText, sampleText } from '../../../../exposition/text.ts'
import { isDecrements, type SeriesRecord } from '../../../../hub/series/record.ts'
import type { Kind, Labels } from '../../../../model/index.ts'
import { escapeUnseen } from '../../../../model/text/unseen.ts'
import type { Entry, RateField, RowPart } from './collisions.ts'

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

export interface Family {
  readonly type: Kind
  /** Name, of a counter with `_total`. */
  readonly name: string
  readonly help: string
  readonly unit: string | undefined
  readonly textHead: string
  readonly openMetricsHead: string
  /** Rows; the list grows at its end. */
  readonly rows: Row[]
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

/** Family that a series wants a row in. */
export interface Wanted {
  readonly type: Kind
  /** Name, of a counter without `_total`. */
  readonly name: string
  readonly entry: Entry
}

const RATE_FIELDS: readonly RateField[] = ['m1', 'm5', 'm15']

/** Lists the families that a series wants rows in. */
export function wantedFamilies(record: SeriesRecord, options: LayoutOptions): Wanted[] {
  const wanted: Wanted[] = []
  const { identity, metadata } = record
  const rules = options.rulesOf(metadata.dialect)
  const isTimed = rules.prometheus?.isTimed ?? false
  for (const named of prometheusNames(identity, metadata, rules, options.style)) {
    const { shift, unit, labels, part, family: name } = named
    const type = typeOf(named, options)
    wanted.push({ type, name, entry: { record, part, shift, isTimed, unit, labels } })
    if (options.nativeHistograms && type === 'histogram') {
      const native = nativeFamily(named)
      const parts = { part: 'native', shift: 0, isTimed, unit: native?.unit } as const
      const entry = { record, labels, ...parts }
      if (native !== undefined) wanted.push({ type, name: native.family, entry })
    }
    if (!options.exportRates || named.type !== 'counter' || isDecrements(record)) continue
    for (const rate of RATE_FIELDS) {
      const entry = { record, part: rate, shift, isTimed, unit: undefined, labels }
      wanted.push({ type: 'gauge', name: `${name}_${rate}_rate`, entry })
    }
  }
  return wanted
}

function typeOf(named: PrometheusName, options: LayoutOptions): Kind {
  return named.type === 'histogram' ? options.observer : named.type
}

/**
 * Makes a family.
 * @param name the one it got, of a counter without `_total`
 * @param first entry that gives it its unit and its HELP
 */
export function toFamily(type: Kind, name: string, first: Entry, rows: Row[]): Family {
  const { identity, metadata } = first.record
  const { description, displayName, dialect } = metadata
  // for people, unlike the values of labels: an exposition is looked at in a terminal, too
  const text = description || displayName || `${identity.name} (${dialect})`
  const help = escapeUnseen(text.toWellFormed())
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

export function toRow(
  type: Kind,
  name: string,
  entry: Entry,
  { createdSamples }: LayoutOptions,
): Row {
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

/** Makes the family of a series that is all of it, under the name it wants. */
export function plainFamily(record: SeriesRecord, options: LayoutOptions): Family {
  const { type, name, entry } = wantedFamilies(record, options)[0]!
  return toFamily(type, name, entry, [toRow(type, name, entry, options)])
}
