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
