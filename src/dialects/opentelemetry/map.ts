/**
 * The border between OTLP's words and the model's: which series a point belongs to, and its
 * distribution as the model has it. A sum that only grows is a counter, another one a gauge; both
 * kinds of histogram are one, with their bounds or their scale; what a resource says besides the
 * service is metadata of its sender.
 */
import { areSameBounds, type Bounds } from '../../model/histogram/explicit-bounds.ts'
import {
  Histogram,
  type Identity,
  type Kind,
  type Labels,
  type Metadata,
  SCALE_MAX,
  SCALE_MIN,
  sortLabels,
} from '../../model/index.ts'
import type { Attributes } from './codec/attributes.ts'
import type { BucketCounts, Point } from './codec/point.ts'
import { type DataKind, NAME, type PointErrorCode } from './spec.ts'

/** Attributes of a resource that are labels; all others are told of the sender. */
const SERVICE = 'service.name'
const INSTANCE = 'service.instance.id'
/** Labels for the scope, by the OpenTelemetry specification for formats without scopes. */
const SCOPE_LABEL = 'otel.scope.name'
const SCOPE_PREFIX = 'otel.scope.'
/** Prefix for an attribute that would hide one of these, once more as long as it is taken. */
const EXPORTED = 'exported_'
/** Finest scale of the specification. */
const OTLP_SCALE_MAX = 20
/** Exponents of doubles, those below the normal ones included. */
const EXPONENT_MAX = 1024
const EXPONENT_MIN = -1075

/** Resource and scope of metrics, as far as the model has places for them. */
export interface Origin {
  /** Name of the service for people; empty for none. */
  readonly service: string
  readonly instance: string
  /** Labels of every series. */
  readonly labels: Labels
  /** All else that the resource says. */
  readonly facts: Attributes
}

export function originOf(
  resource: Attributes,
  scope: { readonly name: string; readonly attributes: Attributes },
): Origin {
  const of = (key: string): string => resource.find((pair) => pair[0] === key)?.[1] ?? ''
  const service = of(SERVICE)
  const instance = of(INSTANCE)
  const labels: [string, string][] = []
  if (service !== '') labels.push([SERVICE, service])
  if (instance !== '') labels.push([INSTANCE, instance])
  if (scope.name !== '') labels.push([SCOPE_LABEL, scope.name])
  for (const [key, value] of scope.attributes) {
    if (key !== 'name') labels.push([SCOPE_PREFIX + key, value])
  }
  const facts = resource.filter(([key]) => key !== SERVICE && key !== INSTANCE)
  return { service, instance, labels: sortLabels(labels), facts }
}

/** Facts of a metric, the same for all its points. */
export interface MetricFacts {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly kind: DataKind
  readonly isMonotonic: boolean
}

export function kindOf({ kind, isMonotonic }: Pick<MetricFacts, 'kind' | 'isMonotonic'>): Kind {
  if (kind === 'sum') return isMonotonic ? 'counter' : 'gauge'
  return kind === 'exponentialHistogram' ? 'histogram' : kind
}

/** Joins attributes with the labels of the origin, which keep their names. */
export function labelsOf(attributes: Attributes, { labels }: Pick<Origin, 'labels'>): Labels {
  if (attributes.length === 0) return labels
  const own = new Set(labels.map(([key]) => key))
  const given = new Set(attributes.map(([key]) => key))
  const renamed = attributes.map(([key, value]) => {
    if (!own.has(key)) return [key, value] as const
    let other = EXPORTED + key
    while (own.has(other) || given.has(other)) other = EXPORTED + other
    return [other, value] as const
  })
  return sortLabels([...renamed, ...labels])
}

export function identityOf(metric: MetricFacts, labels: Labels): Identity {
  return { name: metric.name, kind: kindOf(metric), labels }
}

/** @param histogram of a series of distributions, whose bounds and sum are told */
export function metadataOf(metric: MetricFacts, histogram?: Histogram): Metadata {
  const { unit, description, kind, isMonotonic } = metric
  return {
    dialect: NAME,
    type: TYPES[kind],
    ...(unit === '' ? {} : { unit }),
    ...(description === '' ? {} : { description }),
    ...(kind === 'sum' && isMonotonic ? { rateTimeScaleS: 1 } : {}),
    ...(histogram?.bounds === undefined ? {} : { bounds: histogram.bounds }),
    ...(histogram !== undefined && histogram.sum === undefined ? { lacksSum: true } : {}),
  }
}

const TYPES: Readonly<Record<DataKind, string>> = {
  ...{ gauge: 'gauge', sum: 'sum', histogram: 'histogram', summary: 'summary' },
  exponentialHistogram: 'exponential histogram',
}

/** Histograms that a new one may be made of. */
interface Parts {
  /** Reading of the same stream, whose list of bounds serves the next, too. */
  readonly earlier?: Histogram | undefined
  /** One that this function has made and of which nothing is wanted any more: it is filled anew. */
  readonly spare?: Histogram | undefined
}

/**
 * Makes the histogram of a point.
 * @param hasExtremes whether min and max are those of what is counted, and not of all since a start
 */
export function histogramOf(
  point: Point,
  kind: 'histogram' | 'exponentialHistogram',
  hasExtremes: boolean,
  { earlier, spare }: Parts = {},
): Histogram | PointErrorCode {
  const made = kind === 'histogram' ? boundedOf(point, earlier, spare) : scaledOf(point)
  if (typeof made === 'string') return made
  const { sum, min, max } = point
  if (sum === Number.POSITIVE_INFINITY || sum === Number.NEGATIVE_INFINITY) return 'bad_value'
  made.sum = Number.isNaN(sum) ? undefined : sum
  if (made.isEmpty) {
    made.sum &&= 0
    return made
  }
  const isKnown = hasExtremes && Number.isFinite(min) && Number.isFinite(max) && min <= max
  made.min = isKnown ? min : Number.NaN
  made.max = isKnown ? max : Number.NaN
  return made
}

function boundedOf(
  point: Point,
  earlier: Histogram | undefined,
  spare: Histogram | undefined,
): Histogram | PointErrorCode {
  const bounds = boundsOf(point, earlier?.bounds)
  if (bounds === undefined) return 'bad_buckets'
  const { bucketCount, bucketCounts, count } = point
  const hasBuckets = bucketCount > 0 || bounds.length > 0
  const length = bounds.length + 1
  if (hasBuckets && bucketCount !== length) return 'bad_buckets'
  const isOfUse = spare?.bounds !== undefined && spare.positive.counts.length === length
  const histogram = isOfUse ? spare : new Histogram(0)
  if (!isOfUse) histogram.positive.counts = new BigUint64Array(length)
  const { counts } = histogram.positive
  // a point without buckets says count and sum: one bucket of everything
  if (!hasBuckets) counts[0] = count
  else for (let i = 0; i < length; i++) counts[i] = bucketCounts[i]!
  histogram.bounds = bounds
  histogram.count = histogram.positive.total()
  return histogram.count === count ? histogram : 'bad_buckets'
}

/** Gives the bounds of a point: `known` where they are the same, undefined where they are none. */
function boundsOf({ bounds, boundCount }: Point, known: Bounds | undefined): Bounds | undefined {
  if (known !== undefined && areSameBounds(known, bounds, boundCount)) return known
  for (let i = 0; i < boundCount; i++) {
    if (!Number.isFinite(bounds[i]!) || (i > 0 && bounds[i - 1]! >= bounds[i]!)) return undefined
  }
  return Array.from(bounds.subarray(0, boundCount))
}

function scaledOf(point: Point): Histogram | PointErrorCode {
  const { scale, positive, negative, zeroCount, zeroThreshold, count } = point
  if (scale < SCALE_MIN || scale > OTLP_SCALE_MAX) return 'bad_buckets'
  if (!(zeroThreshold >= 0) || zeroThreshold === Number.POSITIVE_INFINITY) return 'bad_buckets'
  if (!isWithin(positive, scale) || !isWithin(negative, scale)) return 'bad_buckets'
  const histogram = new Histogram(Math.min(scale, SCALE_MAX))
  const steps = Math.max(0, scale - SCALE_MAX)
  addSide(histogram, positive, steps, false)
  addSide(histogram, negative, steps, true)
  histogram.zeroThreshold = zeroThreshold
  histogram.zeroCount = zeroCount
  histogram.count += zeroCount
  return histogram.count === count ? histogram : 'bad_buckets'
}

/** Adds buckets, of which 2^steps neighbours are one; the scale may fall while they are added. */
function addSide(
  histogram: Histogram,
  { offset, counts }: BucketCounts,
  steps: number,
  isNegative: boolean,
): void {
  const first = histogram.scale
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] === 0n) continue
    const shift = steps + first - histogram.scale
    histogram.addBucket(floorShift(offset + i, shift), counts[i]!, isNegative)
  }
}

/** Divides by 2^shift, rounding down, for any shift. */
function floorShift(index: number, shift: number): number {
  return shift > 31 ? Math.floor(index / 2 ** shift) : index >> shift
}

/** Tells whether buckets are those of finite doubles. */
function isWithin({ offset, counts }: BucketCounts, scale: number): boolean {
  if (counts.length === 0) return true
  const factor = 2 ** scale
  const last = offset + counts.length - 1
  return offset >= Math.floor(EXPONENT_MIN * factor) && last < Math.ceil(EXPONENT_MAX * factor)
}
