/**
 * The border between Prometheus' words and the model's: which kind a series has, by what is said of
 * its metric or else by its name; and a native histogram as the model has it.
 */
import { histogramOfNative } from '../../model/histogram/native.ts'
import {
  type Histogram,
  type Identity,
  type Labels,
  type Metadata,
  sortLabels,
} from '../../model/index.ts'
import type { NativeHistogram } from './codec/native-histogram.ts'
import type { MetricMetadata } from './codec/request-scan.ts'
import {
  METRIC_TYPES,
  NAME,
  NAME_BYTES_LIMIT,
  NAME_LABEL,
  RESET_HINTS,
  type SampleErrorCode,
} from './spec.ts'

/** Label of a classic bucket. */
const BOUND_LABEL = 'le'
/** Endings of the names of a metric's series. */
const ENDINGS = ['_total', '_bucket', '_sum', '_count', '_gsum', '_gcount', '_created'] as const
type Ending = (typeof ENDINGS)[number]
/** Endings whose series only grow, by the type of their metric. */
const GROWING: Readonly<Record<string, readonly Ending[]>> = {
  COUNTER: ['_total'],
  HISTOGRAM: ['_bucket', '_sum', '_count'],
  SUMMARY: ['_sum', '_count'],
}
/** Endings whose values are in the unit of their metric. */
const IN_UNIT: ReadonlySet<Ending> = new Set(['_total', '_sum', '_gsum'])

/** Name and labels of a series. */
export interface SeriesName {
  readonly name: string
  readonly labels: Labels
}

export function seriesNameOf(
  pairs: readonly (readonly [name: string, value: string])[],
): SeriesName | SampleErrorCode {
  const name = pairs.find(([key]) => key === NAME_LABEL)?.[1] ?? ''
  if (name === '' || name.length > NAME_BYTES_LIMIT) return 'bad_name'
  // an empty value is the same as no label
  const labels = pairs.filter(([key, value]) => key !== NAME_LABEL && value !== '')
  return { name, labels: sortLabels(labels) }
}

/** SeriesMapping of a series: its kind, and what people are told of it. */
export interface SeriesMapping {
  readonly kind: 'counter' | 'gauge'
  readonly metadata: Metadata
}

/** @param find what is said of a metric, by its name */
export function meaningOf(
  { name, labels }: SeriesName,
  find: (name: string) => MetricMetadata | undefined,
): SeriesMapping {
  const ending = ENDINGS.find((each) => name.endsWith(each))
  const own = find(name)
  const stem = ending === undefined ? name : name.slice(0, -ending.length)
  const said = own ?? (ending === undefined ? undefined : find(stem))
  const type = METRIC_TYPES[said?.type ?? 0] ?? 'UNKNOWN'
  const isGrowing = type === 'UNKNOWN' ? growsByName(ending, labels) : growsByType(type, ending)
  const isOwnCounter = own !== undefined && type === 'COUNTER'
  const isCounter = isOwnCounter || isGrowing
  const hasUnit = own !== undefined || (ending !== undefined && IN_UNIT.has(ending))
  return {
    kind: isCounter ? 'counter' : 'gauge',
    metadata: {
      ...metadataOf(said, type.toLowerCase(), hasUnit),
      ...(isCounter ? { rateTimeScaleS: 1 } : {}),
    },
  }
}

/** Endings of the names of series whose metric is named without them, by its type. */
const ADDED: Readonly<Record<string, readonly Ending[]>> = {
  HISTOGRAM: ['_bucket', '_sum', '_count'],
  GAUGEHISTOGRAM: ['_bucket', '_gsum', '_gcount'],
  SUMMARY: ['_sum', '_count'],
}

/** Names the metric of a series of which a type is said. */
export function metricNameOf(name: string, type: number): string {
  const added = ADDED[METRIC_TYPES[type] ?? 'UNKNOWN'] ?? []
  const ending = added.find((each) => name.endsWith(each))
  return ending === undefined ? name : name.slice(0, -ending.length)
}

function growsByName(ending: Ending | undefined, labels: Labels): boolean {
  if (ending === '_bucket') return labels.some(([key]) => key === BOUND_LABEL)
  return ending === '_total' || ending === '_sum' || ending === '_count'
}

function growsByType(type: string, ending: Ending | undefined): boolean {
  return ending !== undefined && GROWING[type]?.includes(ending) === true
}

function metadataOf(said: MetricMetadata | undefined, type: string, hasUnit: boolean): Metadata {
  const { help = '', unit = '' } = said ?? {}
  return {
    dialect: NAME,
    type,
    ...(unit === '' || !hasUnit ? {} : { unit }),
    ...(help === '' ? {} : { description: help }),
  }
}

export function histogramIdentity({ name, labels }: SeriesName): Identity {
  return { name, kind: 'histogram', labels }
}

export function histogramMetadata(
  said: MetricMetadata | undefined,
  { bounds, sum }: Histogram,
): Metadata {
  return {
    ...metadataOf(said, 'native histogram', true),
    ...(bounds === undefined ? {} : { bounds }),
    ...(sum === undefined ? { lacksSum: true } : {}),
  }
}

/** Makes the histogram of a native one that only grows. */
export function histogramOf(native: NativeHistogram): Histogram | SampleErrorCode {
  if (RESET_HINTS[native.resetHint] === 'GAUGE') return 'gauge_histogram'
  return histogramOfNative(native)
}
