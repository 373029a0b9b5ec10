/**
 * The border between Prometheus' words and the model's: which kind a series has, by what is said of
 * its metric or else by its name; and a native histogram as the model has it.
 */
import {
  Histogram,
  type Identity,
  type Labels,
  type Metadata,
  sortLabels,
} from '../../model/index.ts'
import type { NativeHistogram, NativeSide } from './codec/native-histogram.ts'
import type { MetricMetadata } from './codec/series-scan.ts'
import {
  CUSTOM_SCHEMA,
  METRIC_TYPES,
  NAME,
  NAME_BYTES_LIMIT,
  NAME_LABEL,
  RESET_HINTS,
  type SampleErrorCode,
  SCHEMA_MAX,
  SCHEMA_MIN,
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
/** Exponents of doubles, those below the normal ones included. */
const EXPONENT_MAX = 1024
const EXPONENT_MIN = -1075

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

/** Makes the histogram of a native one: bucket n there is n - 1 of ours. */
export function histogramOf(native: NativeHistogram): Histogram | SampleErrorCode {
  if (RESET_HINTS[native.resetHint] === 'GAUGE') return 'gauge_histogram'
  const { schema, count, sum } = native
  const made = schema === CUSTOM_SCHEMA ? boundedOf(native) : scaledOf(native, schema)
  if (typeof made === 'string') return made
  const isKnown = Number.isFinite(sum)
  // what was no number is counted, in no bucket
  if (made.count !== count && (isKnown || made.count > count)) return 'bad_buckets'
  made.sum = isKnown ? sum : undefined
  made.min = Number.NaN
  made.max = Number.NaN
  return made
}

function boundedOf({ bounds, positive, negative }: NativeHistogram): Histogram | SampleErrorCode {
  if (negative.counts.length > 0) return 'bad_buckets'
  for (let i = 0; i < bounds.length; i++) {
    if (!Number.isFinite(bounds[i]!) || (i > 0 && bounds[i - 1]! >= bounds[i]!)) {
      return 'bad_buckets'
    }
  }
  const histogram = new Histogram(0)
  histogram.bounds = bounds.slice()
  const isFit = forEachBucket(positive, (index, count) => {
    if (index < 0 || index > bounds.length) return false
    histogram.addBucket(index, count)
    return true
  })
  return isFit ? histogram : 'bad_buckets'
}

function scaledOf(native: NativeHistogram, schema: number): Histogram | SampleErrorCode {
  if (schema < SCHEMA_MIN || schema > SCHEMA_MAX) return 'bad_schema'
  const { positive, negative, zeroCount, zeroThreshold } = native
  if (!(zeroThreshold >= 0) || zeroThreshold === Number.POSITIVE_INFINITY) return 'bad_buckets'
  const histogram = new Histogram(schema)
  const first = Math.floor(EXPONENT_MIN * 2 ** schema)
  const end = Math.ceil(EXPONENT_MAX * 2 ** schema)
  for (const side of [positive, negative]) {
    const isFit = forEachBucket(side, (number, count) => {
      const index = number - 1
      if (index < first || index >= end) return count === 0n
      histogram.addBucket(index >> (schema - histogram.scale), count, side === negative)
      return true
    })
    if (!isFit) return 'bad_buckets'
  }
  histogram.zeroThreshold = zeroThreshold
  histogram.zeroCount = zeroCount
  histogram.count += zeroCount
  return histogram
}

/** Calls for the buckets of a side. @returns false as soon as a call does */
function forEachBucket(
  { spans, counts }: NativeSide,
  take: (index: number, count: bigint) => boolean,
): boolean {
  let index = 0
  let place = 0
  for (let i = 0; i < spans.length; i += 2) {
    index += spans[i]!
    for (const end = place + spans[i + 1]!; place < end; place++) {
      if (!take(index, counts[place] ?? 0n)) return false
      index++
    }
  }
  return true
}
