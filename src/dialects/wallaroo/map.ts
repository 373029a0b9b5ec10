/**
 * What a Wallaroo series means in the model, and back (§7): the border of the two vocabularies. A
 * window is messages (a counter), latencies (a histogram of base 2, in ns) and messages whose
 * clocks disagreed (a counter).
 */
import {
  type Cell,
  type Exact,
  Histogram,
  type Identity,
  type Metadata,
  sortLabels,
} from '../../model/index.ts'
import type { MetricsFrame } from './codec/metrics-frame.ts'
import type { LatencyTotals } from './rollup/latency-totals.ts'
import { BINS, NAME, NAME_PREFIX, SKEW_BIN } from './spec.ts'

/** The identity of a series; `id` is none of it. */
export interface SeriesNames {
  readonly application: string
  readonly category: string
  readonly pipeline: string
  readonly worker: string
  readonly name: string
}

interface Family {
  readonly latency?: string
  readonly messages: string
}

/** One name per category, so that a sum over all labels of a name makes sense. */
const FAMILIES: Readonly<Record<string, Family>> = {
  computation: { latency: 'computation_latency', messages: 'computation_messages_total' },
  'start-to-end': { latency: 'pipeline_latency', messages: 'pipeline_messages_total' },
  'node-ingress-egress': { latency: 'worker_latency', messages: 'worker_messages_total' },
  // every latency of it is 0: a counter in the form of a histogram
  'pipeline-ingestion': { messages: 'pipeline_ingested_messages_total' },
}
const OTHER: Family = { latency: 'latency', messages: 'messages_total' }
const LATENCY_HELP = 'Latencies by powers of two; the sum is estimated from them.'
const SKEW = 'clock_skew_samples_total'
const ID = 'computation_id'

/** One series of the model. */
export interface Descriptor {
  readonly identity: Identity
  readonly metadata: Metadata
}

/** The series of the model that one series of the wire becomes. */
export interface SeriesMapping {
  readonly messages: Descriptor
  /** Descriptor of the latencies; absent where the category has none. */
  readonly latency?: Descriptor
  /**
   * Descriptor of skewed messages, with one name for all categories; told apart by the label
   * `category`.
   */
  readonly skew: Descriptor
  /** Descriptor of a computation's id; absent for others. */
  readonly id?: Descriptor
}

export function namesOf(frame: MetricsFrame): SeriesNames {
  const { application, category, pipeline, worker, name } = frame
  return { application, category, pipeline, worker, name }
}

export function mappingOf(names: SeriesNames, prefix = NAME_PREFIX): SeriesMapping {
  const family = Object.hasOwn(FAMILIES, names.category) ? FAMILIES[names.category]! : OTHER
  // one list for all of them: a hub keeps it for as long as the series
  const labels = sortLabels(labelsOf(names))
  const type = names.category
  const describe = (
    name: string,
    kind: Identity['kind'],
    unit: string,
    more = labels,
  ): Descriptor => {
    const identity = { name: prefix + name, kind, labels: more }
    return { identity, metadata: { dialect: NAME, type, ...(unit === '' ? {} : { unit }) } }
  }
  const skewLabels = sortLabels([...labels, ['category', names.category]])
  return {
    messages: describe(family.messages, 'counter', '{message}'),
    ...(family.latency === undefined ? {} : { latency: latencyOf(family.latency) }),
    skew: describe(SKEW, 'counter', '{message}', skewLabels),
    ...(names.category === 'computation' ? { id: describe(ID, 'gauge', '') } : {}),
  }

  function latencyOf(name: string): Descriptor {
    const { identity, metadata } = describe(name, 'histogram', 'ns')
    return { identity, metadata: { ...metadata, lacksSum: true, description: LATENCY_HELP } }
  }
}

/** Label of the series that takes what the limit of series refuses (§6). */
const OVERFLOW_LABEL = ['otel_metric_overflow', 'true'] as const

/** Maps the one series of a category for all that have no place of their own. */
export function overflowMappingOf(category: string, prefix = NAME_PREFIX): SeriesMapping {
  const names = { application: '', category, pipeline: '', worker: '', name: '' }
  const { id: _, ...mapping } = mappingOf(names, prefix)
  const isKnown = Object.hasOwn(FAMILIES, category)
  const own = isKnown ? [] : [['category', category] as const]
  const relabel = (
    { identity, metadata }: Descriptor,
    more: readonly (readonly [string, string])[],
  ): Descriptor => {
    return { identity: { ...identity, labels: sortLabels([OVERFLOW_LABEL, ...more]) }, metadata }
  }
  return {
    messages: relabel(mapping.messages, own),
    ...(mapping.latency === undefined ? {} : { latency: relabel(mapping.latency, own) }),
    skew: relabel(mapping.skew, [['category', category]]),
  }
}

/**
 * Makes the labels; what the category implies of the name is another label, and is not repeated.
 */
function labelsOf({ application, category, pipeline, worker, name }: SeriesNames) {
  const labels: (readonly [string, string])[] = [
    ['application', application],
    ['pipeline', pipeline],
    ['worker', worker],
  ]
  if (category === 'computation') labels.push(['computation', name])
  else if (category === 'pipeline-ingestion') labels.push(['source', name])
  else if (category === 'start-to-end' || category === 'node-ingress-egress') {
    if (name !== (category === 'start-to-end' ? pipeline : worker)) labels.push(['name', name])
  } else labels.push(['category', category], ['name', name])
  return labels
}

/**
 * Makes a histogram: bucket i of scale 0 is (2^i, 2^(i+1)], which is bin i + 1; bin 0 lies within
 * the threshold 1.
 */
export function histogramOf({ counts, minNs, maxNs }: LatencyTotals, hasSkew = false): Histogram {
  const histogram = new Histogram(0)
  histogram.zeroThreshold = 1
  histogram.zeroCount = counts.count(0)
  histogram.count = histogram.zeroCount
  const last = hasSkew ? SKEW_BIN : SKEW_BIN - 1
  const [lowest, highest] = counts.span(1, last)
  // room for all of them at once
  if (lowest <= highest) histogram.positive.cover(lowest - 1, highest)
  for (let bin = lowest; bin <= highest; bin++) {
    if (counts.isFilled(bin)) histogram.addBucket(bin - 1, counts.count(bin))
  }
  histogram.sum = undefined
  histogram.min = minNs
  histogram.max = maxNs
  return histogram
}

/**
 * Reason why a histogram can't be expressed in Wallaroo's bins without making its buckets coarser
 * unseen.
 */
type BinRefusal = 'coarse_scale' | 'negative_values' | 'wide_zero' | 'too_large'

/**
 * Makes bins of a histogram of nanoseconds: bucket j of scale s lies inside of bin (j >> s) + 1,
 * and what is at most 1 in bin 0.
 */
function binsOf(histogram: Histogram): bigint[] | BinRefusal {
  const { scale, positive, negative, zeroCount, zeroThreshold, overflow } = histogram
  if (scale < 0) return 'coarse_scale'
  if (negative.total() > 0n) return 'negative_values'
  if (zeroCount > 0n && zeroThreshold > 1) return 'wide_zero'
  if (overflow > 0n) return 'too_large'
  const bins = new Array<bigint>(BINS).fill(0n)
  bins[0] = zeroCount
  let isTooLarge = false
  positive.forEach((index, count) => {
    const bin = Math.max((index >> scale) + 1, 0)
    if (bin >= BINS) isTooLarge = true
    else bins[bin] = bins[bin]! + count
  })
  return isTooLarge ? 'too_large' : bins
}

/** Cell of the model as Wallaroo has it: the names of its series, and its bins. */
export interface WindowMessage {
  readonly names: SeriesNames
  readonly bins: readonly bigint[]
  readonly minNs: Exact
  readonly maxNs: Exact
}

/**
 * Makes the window of a closed cell: latencies as they are, ingested messages in bin 0, skewed ones
 * in bin 64. What else counts messages is said by the latencies already.
 * @returns why there is none
 */
export function windowOf(
  identity: Identity,
  cell: Cell,
  prefix = NAME_PREFIX,
): WindowMessage | BinRefusal | 'not_a_window' | 'said_by_latencies' {
  if (!identity.name.startsWith(prefix)) return 'not_a_window'
  const name = identity.name.slice(prefix.length)
  const labels = new Map(identity.labels)
  if (cell.kind === 'histogram') {
    const category = CATEGORY_OF_LATENCY.get(name)
    if (category === undefined) return 'not_a_window'
    const bins = binsOf(cell.histogram)
    if (typeof bins === 'string') return bins
    // they have a counter of their own, whether the histogram includes them or not
    bins[SKEW_BIN] = 0n
    const { min, max } = cell.histogram
    return { names: namesFrom(labels, category), bins, minNs: min, maxNs: max }
  }
  if (cell.kind !== 'counter') return 'said_by_latencies'
  if (name === FAMILIES['pipeline-ingestion']!.messages) {
    return counted(namesFrom(labels, 'pipeline-ingestion'), 0, cell.delta, 0)
  }
  if (name !== SKEW) return 'said_by_latencies'
  return counted(namesFrom(labels, labels.get('category') ?? ''), SKEW_BIN, cell.delta, Number.NaN)
}

/** Id of a computation, as its own series says it. */
export interface ComputationId {
  readonly names: SeriesNames
  readonly id: number
}

/** Reads the id that a closed cell says of a computation; undefined for any other cell. */
export function computationIdOf(
  identity: Identity,
  cell: Cell,
  prefix = NAME_PREFIX,
): ComputationId | undefined {
  if (cell.kind !== 'gauge' || identity.name !== prefix + ID) return undefined
  const id = Number(cell.value)
  if (!Number.isInteger(id) || id < 0 || id > 0xffff) return undefined
  return { names: namesFrom(new Map(identity.labels), 'computation'), id }
}

/** Names a series as frames have it: its category, and the labels that tell it; else undefined. */
export function wireNamesOf(identity: Identity, prefix = NAME_PREFIX): SeriesNames | undefined {
  const { kind } = identity
  const cell = kind === 'histogram' ? { kind, histogram: new Histogram() } : { kind, delta: 0 }
  if (kind === 'gauge' || kind === 'summary') return undefined
  const window = windowOf(identity, cell as Cell, prefix)
  return typeof window === 'string' ? undefined : window.names
}

function counted(names: SeriesNames, bin: number, delta: Exact, extreme: number): WindowMessage {
  const bins = new Array<bigint>(BINS).fill(0n)
  bins[bin] = typeof delta === 'bigint' ? delta : BigInt(Math.floor(delta))
  return { names, bins, minNs: extreme, maxNs: extreme }
}

/** Reads names from labels, the inverse of those that `mappingOf` gives. */
function namesFrom(labels: ReadonlyMap<string, string>, category: string): SeriesNames {
  const of = (label: string): string => labels.get(label) ?? ''
  const [application, pipeline, worker] = [of('application'), of('pipeline'), of('worker')]
  const implied: Readonly<Record<string, string>> = {
    computation: of('computation'),
    'pipeline-ingestion': of('source'),
    'start-to-end': labels.get('name') ?? pipeline,
    'node-ingress-egress': labels.get('name') ?? worker,
  }
  const isKnown = Object.hasOwn(implied, category)
  const own = category === '' ? of('category') : category
  const name = isKnown ? implied[category]! : of('name')
  return { application, category: own, pipeline, worker, name }
}

/** The empty one stands for other categories, whose label says which. */
const CATEGORY_OF_LATENCY: ReadonlyMap<string, string> = new Map([
  ...Object.entries(FAMILIES).flatMap(([category, { latency }]) =>
    latency === undefined ? [] : [[latency, category] as const],
  ),
  [OTHER.latency!, ''],
])
