/**
 * The border between the document's words and the model's: a Sum is a counter that grows by its
 * Increment; a Mean is a summary, or a gauge as long as every window of it held one sample
 * (eventcounters.md §7.1), or a histogram where it comes with buckets.
 */
import {
  type Identity,
  type Kind,
  type Metadata,
  type Summary,
  sortLabels,
} from '../../model/index.ts'
import { NAME } from './spec.ts'
import { toSummary } from './summary.ts'
import type { CounterDescription, MeanStatistics, MetaData, Statistics } from './window.ts'

export type ReceivedKind = 'counter' | 'gauge' | 'summary' | 'histogram'

/** Labels that a receiver adds; a pair of the sender under such a key is renamed. */
export const PROVIDER_LABEL = 'provider'
/** `host:port` of the endpoint: counters of equal names in different processes stay apart. */
export const ENDPOINT_LABEL = 'endpoint'
/** Prefix for the sender's own key, once more as long as it is taken: as Prometheus does it. */
const EXPORTED = 'exported_'

/**
 * Makes the identity of a series: endpoint, provider, counter and sorted pairs; nothing else of it.
 * @param endpoint undefined in the process that the counter lives in
 */
export function identityOf(counter: CounterDescription, kind: Kind, endpoint?: string): Identity {
  const { provider, name, metaData } = counter
  const labels = receivedLabels(metaData)
  // A payload without an envelope comes from no source that anyone named.
  if (provider !== '') labels.push([PROVIDER_LABEL, provider])
  if (endpoint !== undefined) labels.push([ENDPOINT_LABEL, endpoint])
  return { name, kind, labels: sortLabels(labels) }
}

/**
 * Counts how often a counter has come by this endpoint before: each hub that it passes adds its
 * endpoint and renames the one that is there. More than once says that hubs read each other.
 */
export function timesPassed(metaData: MetaData, endpoint: string): number {
  return metaData.filter(([key, value]) => value === endpoint && PASSED.test(key)).length
}

const PASSED = new RegExp(`^(?:${EXPORTED})*${ENDPOINT_LABEL}$`)

/** Makes labels of pairs, those that would hide one of ours under a name that no pair has. */
function receivedLabels(metaData: MetaData): (readonly [string, string])[] {
  const keys = new Set(metaData.map(([key]) => key))
  return metaData.map(([key, value]) => {
    if (key !== PROVIDER_LABEL && key !== ENDPOINT_LABEL) return [key, value] as const
    let renamed = EXPORTED + key
    while (keys.has(renamed)) renamed = EXPORTED + renamed
    keys.add(renamed)
    return [renamed, value] as const
  })
}

/** Makes the metadata of a series: all that is known besides its identity. */
export function metadataOf(counter: CounterDescription, kind: Statistics['kind']): Metadata {
  const { displayName, name, units, rateScaleSec } = counter
  return {
    dialect: NAME,
    type: kind === 'sum' ? 'Sum' : 'Mean',
    ...(displayName === '' || displayName === name ? {} : { displayName }),
    ...(units === '' ? {} : { unit: units }),
    ...(kind === 'sum' && rateScaleSec > 0 ? { rateTimeScaleS: rateScaleSec } : {}),
  }
}

/** Part that a window lacks, for the note that counts it. */
type SummaryGap = 'no_mean' | 'no_deviation' | 'no_range'

interface MappedSummary {
  /** Summary; undefined where the window has no value that could be merged. */
  readonly summary: Summary | undefined
  readonly gap?: SummaryGap
}

/**
 * Makes a summary of a window's statistics. What .NET sends as NaN is no value: a window without a
 * mean says nothing; a deviation that is not known counts as 0, a range as the mean alone.
 */
export function summaryOf(statistics: MeanStatistics): MappedSummary {
  const { count, mean, deviation, min, max } = statistics
  const summary = toSummary(statistics)
  if (count === 0) return { summary }
  if (!Number.isFinite(mean)) return { summary: undefined, gap: 'no_mean' }
  if (!Number.isFinite(min) || !Number.isFinite(max)) {
    return { summary: { ...summary, min: mean, max: mean }, gap: 'no_range' }
  }
  return Number.isFinite(deviation) ? { summary } : { summary, gap: 'no_deviation' }
}
