/** Requests of OTLP metrics for tests, in the words of OTLP/JSON. */
import type { ResourceMetrics } from '../codec.ts'

export type Json = Readonly<Record<string, unknown>>

export function attributes(pairs: Readonly<Record<string, string>>): Json[] {
  return Object.entries(pairs).map(([key, value]) => ({ key, value: { stringValue: value } }))
}

/** Makes one resource with one scope. */
export function resourceOf(
  metrics: readonly Json[],
  resource: Readonly<Record<string, string>> = {},
  scope: Json = { name: 'lib' },
): ResourceMetrics {
  const all = attributes(resource)
  return {
    ...(all.length === 0 ? {} : { resource: { attributes: all } }),
    scopeMetrics: [{ scope, metrics }],
  }
}

const DELTA = { aggregationTemporality: 1 }
const CUMULATIVE = { aggregationTemporality: 2 }
const TIMES = { startTimeUnixNano: '1700000000000000001', timeUnixNano: '1700000060000000003' }

/** One metric of every kind. */
export const KINDS: readonly Json[] = [
  { name: 'room.temperature', unit: 'Cel', gauge: { dataPoints: [{ ...TIMES, asDouble: 21.5 }] } },
  {
    name: 'orders',
    ...{ unit: '{order}', description: 'Orders that were paid' },
    sum: {
      dataPoints: [
        { attributes: attributes({ lang: 'en' }), ...TIMES, asInt: '9007199254740993' },
        { attributes: attributes({ lang: 'ä' }), ...TIMES, asInt: '-9223372036854775808' },
      ],
      ...CUMULATIVE,
      isMonotonic: true,
    },
  },
  {
    name: 'latency',
    unit: 'ms',
    histogram: {
      dataPoints: [
        {
          ...{ ...TIMES, count: '3', sum: 12.5, bucketCounts: ['0', '2', '1'] },
          ...{ explicitBounds: [1, 5], min: 2, max: 7.5 },
        },
      ],
      ...DELTA,
    },
  },
  {
    name: 'size',
    exponentialHistogram: {
      dataPoints: [
        {
          ...{ ...TIMES, count: '18446744073709551615', sum: 0, scale: -3, zeroCount: '1' },
          positive: { offset: -2, bucketCounts: ['18446744073709551613', '0'] },
          negative: { bucketCounts: ['1'] },
          zeroThreshold: 0.25,
        },
      ],
      ...CUMULATIVE,
    },
  },
  {
    name: 'gc.pause',
    summary: {
      dataPoints: [
        {
          ...{ ...TIMES, count: '2', sum: 3 },
          quantileValues: [
            { quantile: 0.5, value: 1 },
            { quantile: 1, value: 2 },
          ],
        },
      ],
    },
  },
]

/** Values of attributes of every type. */
export const VALUES: readonly Json[] = [
  { stringValue: '' },
  { boolValue: false },
  { intValue: '-9223372036854775808' },
  { doubleValue: 0.1 },
  { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'b' }] } },
  { kvlistValue: { values: [{ key: 'k', value: { boolValue: true } }] } },
  { bytesValue: 'AQL/' },
]
