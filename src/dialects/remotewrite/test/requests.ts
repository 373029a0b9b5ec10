/** Requests of remote write for tests, in the words of prompb. */
import type { WriteRequest } from '../codec.ts'

export type Json = Readonly<Record<string, unknown>>

/** Time of the first sample, Unix ms. */
export const TIME_MS = 1_700_000_060_123

/** Value that ends a series. */
export const STALE = 'NaN(0x7ff0000000000002)'

/** Makes the labels of a series. */
export function labels(name: string, rest: Readonly<Record<string, string>> = {}): Json[] {
  return Object.entries({ __name__: name, ...rest }).map(([key, value]) => ({ name: key, value }))
}

/** Makes a series with one sample. */
export function series(
  name: string,
  value: number | string,
  timestamp = TIME_MS,
  rest: Readonly<Record<string, string>> = {},
): Json {
  return { labels: labels(name, rest), samples: [{ value, timestamp: String(timestamp) }] }
}

export function requestOf(
  timeseries: readonly Json[],
  metadata: readonly Json[] = [],
): WriteRequest {
  return {
    ...(timeseries.length === 0 ? {} : { timeseries }),
    ...(metadata.length === 0 ? {} : { metadata }),
  }
}

/** Native histogram of 1 at zero, 2 in (-0.25, -1/16] and 1 and 2 in two buckets above 1. */
export const NATIVE: Json = {
  ...{ countInt: '6', sum: 12.5, schema: -1, zeroThreshold: 0.0625, zeroCountInt: '1' },
  negativeSpans: [{ offset: -1, length: 1 }],
  negativeDeltas: ['2'],
  positiveSpans: [{ offset: 1, length: 2 }],
  positiveDeltas: ['1', '1'],
  timestamp: String(TIME_MS),
}

/** Series of every kind. */
export const KINDS: readonly Json[] = [
  series('room_temperature', 21.5, TIME_MS, { room: 'ä' }),
  series('orders_total', 9_007_199_254_740_992),
  series('gone', STALE),
  { labels: labels('latency'), histograms: [NATIVE] },
  {
    labels: labels('sizes'),
    samples: [{ value: 'NaN' }, { value: '-Infinity', timestamp: '-1' }],
    exemplars: [{ labels: [{ name: 'trace_id', value: '7f' }], value: 0.5 }],
  },
]

export const METADATA: readonly Json[] = [
  { type: 1, metricFamilyName: 'orders_total', help: 'Paid', unit: 'orders' },
  { metricFamilyName: 'of_no_type' },
]

/** Metadata of a series of 2.0, with the words that are referred to. */
interface Words {
  readonly type?: number | string
  readonly help?: string
  readonly unit?: string
}

/**
 * Makes a request of 2.0 of series as 1.0 has them; beside their labels may stand `metadata`, and
 * start timestamps in samples and histograms.
 */
export function request2Of(timeseries: readonly Json[]): WriteRequest {
  const symbols = ['']
  const referenceOf = (text = ''): number => {
    const known = symbols.indexOf(text)
    return known < 0 ? symbols.push(text) - 1 : known
  }
  const referencesOf = (list: unknown): number[] => {
    return (list as readonly Label[]).flatMap(({ name, value }) => {
      return [referenceOf(name), referenceOf(value)]
    })
  }
  const referring = timeseries.map(({ labels: own = [], exemplars = [], metadata, ...rest }) => {
    const { type, help, unit } = (metadata ?? {}) as Words
    return {
      labelsRefs: referencesOf(own),
      ...rest,
      exemplars: (exemplars as readonly Json[]).map(({ labels: each = [], ...fields }) => {
        return { labelsRefs: referencesOf(each), ...fields }
      }),
      ...(metadata === undefined
        ? {}
        : { metadata: { type, helpRef: referenceOf(help), unitRef: referenceOf(unit) } }),
    }
  })
  return { symbols, timeseries: referring }
}

interface Label {
  readonly name?: string
  readonly value?: string
}

/** Lists the series of a request of either version as 1.0 has them, with `metadata` beside. */
export function spelledOut({ symbols, timeseries = [] }: WriteRequest): Json[] {
  if (symbols === undefined) return [...(timeseries as readonly Json[])]
  const text = (reference = 0): string => (symbols as readonly string[])[reference]!
  return (timeseries as readonly Json[]).map(({ labelsRefs, metadata, ...rest }) => {
    const all = (labelsRefs ?? []) as readonly number[]
    const own = Array.from({ length: all.length / 2 }, (_, i) => {
      return { name: text(all[2 * i]), value: text(all[2 * i + 1]) }
    })
    const { type = 0, helpRef, unitRef } = (metadata ?? {}) as Record<string, number | undefined>
    const words = { type, help: text(helpRef), unit: text(unitRef) }
    return { labels: own, ...rest, ...(metadata === undefined ? {} : { metadata: words }) }
  })
}
