/** Samples of federation for the shared suite: a stream as a hub sends it. */
import type { DialectSamples } from '../../../../test/suites/dialect.ts'
import { Histogram, toHex } from '../../../model/index.ts'
import { packHistogram } from '../../../model/packed/packed-histogram.ts'
import { encodeFederation, type FederationMessage } from '../codec.ts'

const STREAM = { transport: 'tcp' } as const

const histogram = new Histogram()
for (const value of [0, 1.5, -3, 2n ** 70n]) histogram.record(value)

/** A greeting, and a second with a series of each kind. */
export const MESSAGES: readonly FederationMessage[] = [
  { type: 'hello', version: 1, start: 'a1', hub: '0.1.0', nowMs: 1_700_000_000_000, first: 1 },
  {
    type: 'series',
    series: (['counter', 'gauge', 'histogram', 'summary'] as const).map((kind, i) => ({
      ...{ ref: i + 1, form: 0 },
      identity: { name: kind, kind, labels: [['host', 'web-1']] },
      metadata: { dialect: 'statshero', unit: 'ms' },
    })),
  },
  { type: 'counters', refs: [1], cells: ['18446744073709551615'] },
  {
    ...{ type: 'gauges', refs: [2], cells: [-0.5] },
    spreads: [[0, { first: 1, min: -0.5, max: 2, count: 3 }]],
  },
  { type: 'histograms', refs: [3], cells: [toHex(packHistogram(histogram))] },
  {
    ...{ type: 'summaries', refs: [4] },
    cells: [{ count: 2, mean: 3, squares: 2, min: 2, max: 4 }],
  },
  { type: 'gone', refs: [9] },
  {
    ...{ type: 'end', sequence: 1, seconds: 1 },
    endMs: 1_700_000_001_000,
    nowMs: 1_700_000_001_002,
  },
]

const WHOLE = Buffer.concat(encodeFederation(MESSAGES))
const [gone] = encodeFederation([{ type: 'gone', refs: [9] }])
const BAD = Uint8Array.of(3, 0, 0, 0, 3, 1, 2, 3)

export const samples: DialectSamples = {
  streams: [
    { name: 'a second', bytes: WHOLE, options: STREAM },
    { name: 'a bad message within', bytes: Buffer.concat([gone!, BAD, gone!]), options: STREAM },
    { name: 'an unknown type', bytes: Uint8Array.of(0, 0, 0, 0, 77), options: STREAM },
    { name: 'nothing', bytes: new Uint8Array(0), options: STREAM },
    { name: 'an end in a header', bytes: gone!.subarray(0, 3), options: STREAM },
    { name: 'an end in a body', bytes: gone!.subarray(0, 7), options: STREAM },
  ],
  datagrams: [],
  spoken: [
    { name: 'a second', messages: MESSAGES, decodeOptions: STREAM },
    { name: 'one message', messages: [{ type: 'gone', refs: [1, 2] }], decodeOptions: STREAM },
  ],
  faulty: [{ name: 'a list of three bytes', bytes: BAD, options: STREAM, next: gone! }],
  huge: [
    {
      name: 'a message of 4 GiB',
      bytes: Uint8Array.of(0xff, 0xff, 0xff, 0xff, 4),
      options: STREAM,
      code: 'too_large',
    },
  ],
  exceptions: [{ law: 'claims', reason: 'served on the HTTP port: no listener receives it' }],
}
