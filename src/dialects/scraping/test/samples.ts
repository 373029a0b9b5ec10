/** Samples of scraping for the shared suite: answers of targets. */
import type { DialectSamples } from '../../../../test/suites/dialect.ts'
import { fromHex } from '../../../model/index.ts'
import { encodeScraping, type MetricFamily } from '../codec.ts'

const STREAM = { transport: 'tcp' } as const
const GAUGE: MetricFamily = {
  name: 'up',
  type: 'gauge',
  samples: [{ name: 'up', labels: { job: 'a' }, value: 1 }],
}
export const KINDS: readonly MetricFamily[] = [
  GAUGE,
  {
    ...{ name: 'hits', type: 'counter', help: 'Hits of "all" pages\n', unit: 'hits' },
    samples: [
      { name: 'hits_total', labels: { page: 'a"b\\' }, value: '18446744073709551615' },
      { name: 'hits_created', labels: { page: 'a"b\\' }, value: 1700000000.5 },
    ],
  },
  {
    ...{ name: 'took.ms', type: 'histogram' },
    samples: [
      {
        ...{ name: 'took.ms_bucket', labels: { le: '0.5' }, value: 2, timeMs: 1700000000123 },
        exemplar: { labels: { trace_id: 'f00' }, value: 0.25, timeMs: 1700000000001 },
      },
      { name: 'took.ms_bucket', labels: { le: '+Inf' }, value: 3 },
      { name: 'took.ms_sum', labels: {}, value: 'NaN' },
      { name: 'took.ms_count', labels: {}, value: 3 },
    ],
  },
]
/** `ok 1` as a gauge of the protobuf format. */
export const PROTOBUF = fromHex('150a026f6b12001801220b120909000000000000f03f')
const [one] = encodeScraping([GAUGE])
const [all] = encodeScraping(KINDS)
const text = new TextEncoder()

export const samples: DialectSamples = {
  streams: [
    { name: 'one sample', bytes: one!, options: STREAM },
    { name: 'every kind', bytes: all!, options: STREAM },
    {
      name: 'text 0.0.4',
      bytes: text.encode('# TYPE a gauge\na 1 5\nb{x="y"} 2\n'),
      options: STREAM,
    },
    { name: 'protobuf', bytes: PROTOBUF, options: STREAM },
    { name: 'nothing', bytes: new Uint8Array(0), options: STREAM },
    { name: 'an end in a line', bytes: all!.subarray(0, 40), options: STREAM },
    { name: 'bad lines', bytes: text.encode('a\n{ 1\nb 1\n# TYPE c d\n'), options: STREAM },
  ],
  datagrams: [],
  spoken: [
    { name: 'one sample', messages: [GAUGE], decodeOptions: STREAM },
    { name: 'every kind', messages: KINDS, decodeOptions: STREAM },
  ],
  faulty: [
    {
      name: 'nine bytes of at most eight',
      bytes: text.encode('a 1\nb 1\nc'),
      options: { ...STREAM, unpackedBytesLimit: 8 },
      next: text.encode('b 1\n'),
    },
  ],
  huge: [
    {
      name: 'more bytes than an answer may have',
      bytes: new Uint8Array(2 ** 24 + 1).fill(0x23),
      options: STREAM,
      code: 'too_large',
    },
  ],
  exceptions: [{ law: 'claims', reason: 'asked for by the hub: no listener receives it' }],
}
