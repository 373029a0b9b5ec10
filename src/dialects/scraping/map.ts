/**
 * The border between Prometheus' words and the model's: which series a sample is of, and which part
 * of it; pure. Classic buckets with sum and count are one histogram, sum and count of a summary one
 * summary; whether a single number only grows is said by its type, or else by its name.
 */
import { type Identity, type Labels, type Metadata, sortLabels } from '../../model/index.ts'
import type { Family, Pairs, SeriesText } from './codec/sample.ts'
import { BOUND_LABEL, EXPORTED, type MetricType, NAME, NAME_LABEL, QUANTILE_LABEL } from './spec.ts'

/** Part that a sample is of its series. */
export type Part =
  | { readonly of: 'gauge' | 'counter' | 'native' }
  | { readonly of: 'classic'; readonly part: 'bucket'; readonly bound: number }
  | { readonly of: 'classic' | 'summary'; readonly part: 'sum' | 'count' }
  | { readonly of: 'classic' | 'summary' | 'counter'; readonly part: 'created' }

export interface SampleMapping {
  readonly part: Part
  readonly identity: Identity
}

/** @param labels those of the sample, and of its target */
export function mappingOf(
  name: string,
  labels: ReadonlyMap<string, string>,
  type: MetricType,
  isNative: boolean,
): SampleMapping {
  if (isNative) return mapped({ of: 'native' }, name, 'histogram', labels)
  const own =
    type === 'histogram'
      ? histogramPart(name, labels)
      : type === 'summary'
        ? summaryPart(name, labels)
        : type === 'counter'
          ? counterPart(name, labels)
          : undefined
  if (own !== undefined) return own
  const isCounter = type === 'counter' || (type === 'unknown' && growsByName(name, labels))
  const kind = isCounter ? 'counter' : 'gauge'
  return mapped({ of: kind }, name, kind, labels)
}

function mapped(
  part: Part,
  name: string,
  kind: Identity['kind'],
  labels: ReadonlyMap<string, string>,
  without = '',
): SampleMapping {
  const pairs = [...labels].filter(([key]) => key !== without)
  return { part, identity: { name, kind, labels: sortLabels(pairs) } }
}

function histogramPart(
  name: string,
  labels: ReadonlyMap<string, string>,
): SampleMapping | undefined {
  const [stem, ending] = endingOf(name, ['_bucket', '_sum', '_count', '_created'])
  if (ending === undefined) return undefined
  if (ending !== '_bucket') {
    return mapped({ of: 'classic', part: partOf(ending) }, stem, 'histogram', labels)
  }
  const text = labels.get(BOUND_LABEL)
  if (text === undefined) return undefined
  const bound = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text || 'NaN')
  return mapped({ of: 'classic', part: 'bucket', bound }, stem, 'histogram', labels, BOUND_LABEL)
}

function summaryPart(name: string, labels: ReadonlyMap<string, string>): SampleMapping | undefined {
  const [stem, ending] = endingOf(name, ['_sum', '_count', '_created'])
  if (ending !== undefined) {
    return mapped({ of: 'summary', part: partOf(ending) }, stem, 'summary', labels)
  }
  const quantile = Number(labels.get(QUANTILE_LABEL) ?? 'NaN')
  if (!(quantile >= 0 && quantile <= 1)) return undefined
  const percent = String(Number((quantile * 100).toPrecision(12)))
  return mapped({ of: 'gauge' }, `${name}.p${percent}`, 'gauge', labels, QUANTILE_LABEL)
}

function counterPart(name: string, labels: ReadonlyMap<string, string>): SampleMapping | undefined {
  const [stem, ending] = endingOf(name, ['_created'])
  if (ending === undefined) return undefined
  return mapped({ of: 'counter', part: 'created' }, `${stem}_total`, 'counter', labels)
}

function partOf(ending: string): 'sum' | 'count' | 'created' {
  return ending.slice(1) as 'sum' | 'count' | 'created'
}

function endingOf(
  name: string,
  endings: readonly string[],
): readonly [stem: string, ending: string | undefined] {
  const ending = endings.find((each) => name.endsWith(each) && name.length > each.length)
  return ending === undefined ? [name, undefined] : [name.slice(0, -ending.length), ending]
}

function growsByName(name: string, labels: ReadonlyMap<string, string>): boolean {
  if (name.endsWith('_bucket')) return labels.has(BOUND_LABEL)
  return ['_total', '_sum', '_count'].some((ending) => name.endsWith(ending))
}

export function metadataOf({ type, help, unit }: Family, { of }: Part): Metadata {
  return {
    dialect: NAME,
    type: of === 'native' ? 'native histogram' : type,
    ...(unit === '' ? {} : { unit }),
    ...(help === '' ? {} : { description: help }),
    ...(of === 'counter' ? { rateTimeScaleS: 1 } : {}),
  }
}

/**
 * Joins the labels of a sample with those of its target, and its name as `__name__`.
 * @param honorLabels whether those of the sample win; else they are renamed
 */
export function joinedLabels(
  { name, labels }: SeriesText,
  target: ReadonlyMap<string, string>,
  honorLabels: boolean,
): Map<string, string> {
  const joined = new Map([[NAME_LABEL, name]])
  if (honorLabels) for (const [key, value] of target) joined.set(key, value)
  for (const [key, value] of renamed(labels, honorLabels ? new Map() : target)) {
    joined.set(key, value)
  }
  if (!honorLabels) for (const [key, value] of target) joined.set(key, value)
  return joined
}

function renamed(labels: Pairs, target: ReadonlyMap<string, string>): Pairs {
  if (!labels.some(([key]) => target.has(key))) return labels
  const given = new Set(labels.map(([key]) => key))
  return labels.map(([key, value]) => {
    if (!target.has(key)) return [key, value] as const
    let other = EXPORTED + key
    while (given.has(other) || target.has(other)) other = EXPORTED + other
    return [other, value] as const
  })
}

/** Counts how often a sample has passed this target: labels instance, renamed or not. */
export function timesPassed(labels: Labels, instance: string): number {
  return labels.filter(([key, value]) => {
    return value === instance && /^(?:exported_)*instance$/.test(key)
  }).length
}
