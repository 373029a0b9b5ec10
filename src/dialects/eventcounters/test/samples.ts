/** Samples of EventCounters for the shared suite: lines of NDJSON in both spellings, and worse. */

import type { DialectSamples, Sample } from '../../../../test/suites/dialect.ts'
import type { CodecOptions } from '../../decoder.ts'
import { LIMITS } from '../spec.ts'

/** A client reads what a server streams. */
const CLIENT: CodecOptions = { role: 'client', transport: 'tcp' }

const SUM = '{"Name":"a","Increment":1,"IntervalSec":1,"Series":"Interval=1","CounterType":"Sum"'
const GOOD = `${SUM},"MetaData":"k=v"}\n`

const ENVELOPE = '{"event":"EventCounters","provider":"App","time":"2026-01-02T03:04:05.006Z"'
const MEAN =
  '{"Name":"m","DisplayName":"M","Mean":1.5,"StandardDeviation":0.5,"Count":2,"Min":1,"Max":2'
const PEER_MARKS = '"CounterType":"Mean","Metadata":"","DisplayUnits":"B"'
const PEER_MEAN = `${MEAN},"Series":"Interval=500",${PEER_MARKS}}`
/** Envelope of a Mean with its buckets. */
const BUCKETS = '"buckets":{"scale":3,"sum":3,"zero":1,"positive":[[-1,1],[7,"9007199254740992"]]}'
const EMPTY = '{"Name":"m","Mean":0,"StandardDeviation":0,"Count":0,"Min":null,"Max":null'

/** Streams by name: every one of them short, since each is cut at all places. */
const STREAMS: Readonly<Record<string, string>> = {
  'one payload alone': GOOD,
  'a payload in its envelope, keep-alives around': `\n${ENVELOPE},"Payload":${PEER_MEAN}}\r\n\n`,
  'both spellings in one stream': `${GOOD}${PEER_MEAN}\n${GOOD}`,
  'a payload before and after the spelling has shown': `${SUM}}\n${PEER_MEAN}\n${SUM}}\n`,
  'a distribution with its buckets': `${ENVELOPE},"Payload":${PEER_MEAN},${BUCKETS}}\n`,
  'buckets that are none': `${ENVELOPE},"Payload":${PEER_MEAN},"buckets":{"scale":1e9}}\n`,
  'an empty interval': `${EMPTY},"CounterType":"Mean","MetaData":""}\n`,
  'letters beyond ASCII': `${SUM},"DisplayName":"é😀","MetaData":"ü=ß"}\n`,
  'another event between': `{"event":"Message","text":"hello"}\n${GOOD}`,
  'a last line without its end': `${GOOD}${GOOD.trim()}`,
  'a last line that was cut': `${GOOD}${SUM}`,
  'nothing but line ends': '\n\r\n\n',
  'every class of error':
    `{"event":\n[1]\n{"event":"EventCounters"}\n{"Name":"","CounterType":"Sum"}\n` +
    `{"Name":"a","CounterType":"Rate"}\n{"Name":"a","CounterType":"Sum","Increment":"1"}\n${GOOD}`,
}

const FAULTS: Readonly<Record<string, string>> = {
  'no JSON': '{"event":"EventCounters",\n',
  'a list': '[]\n',
  'a number': '1\n',
  'bytes that are no UTF-8': '{"Name":"\xff"}\n',
  'an event without a payload': '{"event":"EventCounters","provider":"App"}\n',
  'a payload that is a list': '{"event":"EventCounters","Payload":[]}\n',
  'a name that is a number': '{"Name":5,"CounterType":"Sum","Increment":1}\n',
  'a name with U+0000': '{"Name":"a\\u0000","CounterType":"Sum","Increment":1}\n',
  'a provider that is too long': `{"provider":"${'p'.repeat(513)}","Payload":${SUM}}}\n`,
  'an unknown type': '{"Name":"a","CounterType":"sum","Increment":1}\n',
  'a sum without its increment': '{"Name":"a","CounterType":"Sum","Mean":1}\n',
  'a line that is too long': `${' '.repeat(LIMITS.lineBytes)}{}\n`,
}

const NAMES = { name: 'request-bytes', displayName: 'Request Bytes', units: 'B' } as const
const TIMES = { seriesMs: 1000, intervalSec: 1.00324 } as const
const LABELS = { labels: { key1: 'value1', ['__proto__']: 'x', ü: '' }, warnings: [] } as const
const NUMBERS = { mean: 12.32, standardDeviation: 2.45, count: 7, min: -3.4, max: 22.98 } as const

const MESSAGES = [
  { profile: 'document', kind: 'mean', ...NAMES, ...TIMES, ...NUMBERS, ...LABELS },
  { profile: 'peer', kind: 'mean', ...NAMES, ...TIMES, ...NUMBERS, ...LABELS },
  {
    ...{ profile: 'document', kind: 'sum', ...NAMES, seriesMs: null, intervalSec: null },
    ...{ increment: -0.5, rateScaleSec: 60, labels: {}, warnings: ['series', 'interval'] },
  },
  {
    ...{ profile: 'peer', kind: 'sum', ...NAMES, ...TIMES, increment: 'NaN', rateScaleSec: 0.1 },
    ...{ labels: { k: 'a,b' }, warnings: [] },
  },
  {
    ...{ profile: 'document', kind: 'mean', ...NAMES, ...TIMES, ...NUMBERS, ...LABELS },
    buckets: {
      ...{ scale: -1, sum: -0.5, zero: String(2n ** 63n) },
      ...{
        positive: [[-4, 1, 3]],
        negative: [
          [0, 2],
          [9, 1],
        ],
      },
    },
  },
  {
    ...{ profile: 'document', kind: 'mean', ...NAMES, ...TIMES, mean: 0, standardDeviation: 0 },
    ...{ count: 0, min: 'Infinity', max: '-Infinity', labels: {}, warnings: [] },
  },
]

/** Nothing in these payloads shows the spelling. */
const UNMARKED = [
  {
    ...{ profile: 'document', kind: 'sum', ...NAMES, ...TIMES, units: '', increment: 1 },
    ...{ rateScaleSec: 1, labels: {}, warnings: ['profile_assumed', 'rate_scale', 'buckets'] },
  },
]

export const samples: DialectSamples = {
  streams: Object.entries(STREAMS).map(([name, text]): Sample => {
    return { name, bytes: Buffer.from(text), options: CLIENT }
  }),
  datagrams: [],
  spoken: [
    { name: 'payloads in both spellings', messages: MESSAGES, decodeOptions: CLIENT },
    { name: 'a payload without a mark of its spelling', messages: UNMARKED, decodeOptions: CLIENT },
  ],
  faulty: Object.entries(FAULTS).map(([name, text]) => ({
    name,
    bytes: Buffer.from(text, 'latin1'),
    options: CLIENT,
    next: Buffer.from(GOOD),
  })),
  huge: [
    {
      name: 'a line without end',
      bytes: Buffer.alloc(LIMITS.lineBytes + 1, '['),
      options: CLIENT,
      code: 'line_too_long',
    },
  ],
  exceptions: [
    { law: 'claims', reason: 'served over HTTP: no listener has to tell it from others' },
  ],
}
