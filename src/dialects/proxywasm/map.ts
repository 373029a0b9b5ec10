/**
 * What the document's metrics are in the model (§7; the only file that knows both): a filter's name
 * becomes name and labels, its 33 bins an exponential histogram of scale 0 whose zero bucket
 * reaches to 1.
 *
 *   bin 0          (… 1]                zero bucket, threshold 1
 *   bin k = 1…31   (2^(k-1), 2^k]       bucket k - 1
 *   bin 32         2^31 and above       overflow: in no bucket
 */
import { type Identity, type Metadata, sortLabels } from '../../model/index.ts'
import type { LabelPatterns } from './label-patterns.ts'
import { filterPrefix, joined, type MetricName, readName } from './names.ts'
import { type FilterMetricType, NAME } from './spec.ts'

export interface DescribeOptions {
  /** Label patterns by filter; a name that no filter has has none. */
  readonly labelPatterns?: LabelPatterns
  /** Edition by which the filter stands in front of the name, instead of in a label. */
  readonly prefixOf?: 'document' | 'peer'
  /** Filters have no units; the configuration may know one. */
  readonly unit?: string
  /** Bounds of a histogram that has its own. */
  readonly bounds?: readonly number[]
}

export interface DescribedMetric {
  readonly identity: Identity
  readonly metadata: Metadata
}

/** Makes identity and metadata of a metric; label patterns are for names that are text. */
export function describeMetric(
  { origin, filter, name, isAssumed }: MetricName,
  type: FilterMetricType,
  { labelPatterns, prefixOf, unit, bounds }: DescribeOptions = {},
): DescribedMetric {
  const raw = decoder.decode(name)
  const isUtf8 = isUtf8Of(name, raw)
  const split = isUtf8 ? labelPatterns?.split(raw) : undefined
  const { name: plain, labels } = split ?? { name: raw, labels: [] }
  const own: [string, string][] = labels.map(([key, value]) => [key, value])
  const prefix = origin === 'pw' && prefixOf !== undefined ? filterPrefix(filter, prefixOf) : ''
  if (origin === 'pw' && prefix === '') own.push(['filter', filter])
  else if (origin !== 'library' && origin !== 'pw') own.push(['origin', origin])
  return {
    identity: {
      name: `${prefix}${plain}`,
      kind: type,
      labels: sortLabels(own),
      ...(isUtf8 ? {} : { nameBytes: joined(prefix, name) }),
    },
    metadata: {
      dialect: NAME,
      type,
      ...(unit === undefined ? {} : { unit }),
      ...(bounds === undefined ? {} : { bounds }),
      ...(isAssumed ? { description: `filter name assumed: ${filter}` } : {}),
    },
  }
}

/** Describes a metric as {@link describeMetric}, from the prefixed name. */
export function describePrefixed(
  prefixed: Uint8Array,
  type: FilterMetricType,
  options: DescribeOptions & { readonly filters?: Iterable<string> } = {},
): DescribedMetric {
  return describeMetric(readName(prefixed, options.filters), type, options)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

function isUtf8Of(bytes: Uint8Array, text: string): boolean {
  if (!text.includes('\ufffd')) return true
  const again = encoder.encode(text)
  return again.length === bytes.length && again.every((byte, i) => byte === bytes[i])
}

/** A bin of a peer's histogram counts in 32 bits and begins again after 2^32 - 1. */
const PEER_BIN_WRAP = 4_294_967_296n
const PEER_BIN_HALF = 2_147_483_648n

/**
 * Counts what happened between two readings of a 32-bit bin of the original program.
 * @returns undefined for a reset: a decrease too small for a wrap
 */
export function peerBinDelta(before: bigint, after: bigint): bigint | undefined {
  if (after >= before) return after - before
  return before - after >= PEER_BIN_HALF ? after + PEER_BIN_WRAP - before : undefined
}
