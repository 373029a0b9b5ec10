/** Samples of Proxy-Wasm metrics for the shared suite: documents of JSON, whole and wrong. */

import type { DialectSamples, Sample } from '../../../../test/suites/dialect.ts'
import type { CodecOptions } from '../../decoder.ts'
import type { JsonDocument } from '../spec.ts'

const STREAM: CodecOptions = { transport: 'tcp' }

const GOOD = '{"pw.f.c":{"type":"counter","value":1}}'

const DOCUMENTS: readonly JsonDocument[] = [
  {
    'pw.a_filter.a_counter': { type: 'counter', value: 3 },
    'pw.a_filter.a_gauge': { type: 'gauge', value: '18446744073709551615' },
    'pw.a_filter.a_histogram': {
      type: 'histogram',
      value: [
        { ub: 1, count: 2 },
        { ub: 2147483648, count: '9007199254740993' },
        { ub: 4294967295, count: 0 },
      ],
    },
  },
  {},
  { ['__proto__']: { type: 'counter', value: 0 }, '': { type: 'gauge', value: 0 } },
]

const OF_PEER: readonly JsonDocument[] = [
  {
    'lua:h': {
      type: 'histogram',
      value: [
        { ub: 1, count: 1 },
        { ub: 30, count: 0 },
        { ub: 4294967295, count: 5 },
      ],
      sum: '18446744073709551615',
      bounds: [1, 30],
    },
    'pw:f:{"}\\': { type: 'counter', value: 1 },
  },
]

/** Streams by name: every one of them short, since each is cut at all places. */
const STREAMS: Readonly<Record<string, string>> = {
  'one document': GOOD,
  'two documents on lines': `${GOOD}\n{}\r\n`,
  'two documents back to back': `{}${GOOD}`,
  'marks and quotes in a name': '{"a\\"}{[\\\\":{"type":"gauge","value":"5"}} {}',
  'letters beyond ASCII': '{"é":{"type":"gauge","value":5}}',
  'bins out of order, twice, and behind the end': `{"h":{"type":"histogram","value":[
    {"ub":"+Inf","count":1},{"ub":8,"count":"2"},{"ub":1,"count":3},{"ub":8,"count":4},
    {"ub":4294967296,"count":1},{"ub":0,"count":9},{"ub":2,"count":9}],"sum":7}}`,
  'a metric of no type beside a good one':
    '{"x":{"type":"summary"},"c":{"type":"counter","value":1}}',
  'no object': ' [1]{}',
  'text before a document': `${GOOD}x${GOOD}`,
  'what only looks like an object': `{"a" 1}${GOOD}`,
  'nothing but white space': ' \n\t',
  'an end in the middle': '{"a":{"type":"cou',
}

/** Faults by name, and what the next document does. */
const FAULTS: Readonly<Record<string, string>> = {
  'an unknown type': '{"x":{"type":"timer","value":1}}',
  'a metric that is a number': '{"x":1}',
  'a negative value': '{"x":{"type":"counter","value":-1}}',
  'a fraction': '{"x":{"type":"gauge","value":1.5}}',
  'a number beyond 2^53': '{"x":{"type":"gauge","value":9007199254740993}}',
  'a value of 65 bits': '{"x":{"type":"gauge","value":"18446744073709551616"}}',
  'a bound that is none': '{"x":{"type":"histogram","value":[{"ub":3,"count":1}]}}',
  'bins that are no list': '{"x":{"type":"histogram","value":{}}}',
  'bounds that fall': '{"x":{"type":"histogram","value":[],"bounds":[2,1]}}',
  'a list': '[]',
  'a broken object': '{"x":}',
  'bytes that are no UTF-8': '{"\xff":{}}',
}

export const samples: DialectSamples = {
  streams: Object.entries(STREAMS).map(([name, text]): Sample => {
    return { name, bytes: Buffer.from(text), options: STREAM }
  }),
  datagrams: [],
  spoken: [
    { name: 'documents of the document’s edition', messages: DOCUMENTS, decodeOptions: STREAM },
    {
      name: 'documents of the peer’s edition',
      messages: OF_PEER,
      encodeOptions: { profile: 'peer' },
      decodeOptions: STREAM,
    },
  ],
  faulty: Object.entries(FAULTS).map(([name, text]) => ({
    name,
    bytes: Buffer.from(text, 'latin1'),
    options: STREAM,
    next: Buffer.from(GOOD),
  })),
  huge: [],
  exceptions: [
    { law: 'claims', reason: 'a format in memory: no listener receives it' },
    { law: 'empty-message', reason: 'a document without metrics is what an empty zone shows' },
  ],
}
