/** Samples of Stats Hero for the shared suite: the streams and packets of its vectors, and more. */
import { readFileSync } from 'node:fs'
import type { DialectSamples, Sample } from '../../../../test/suites/dialect.ts'

interface Vectors {
  readonly decode: readonly { readonly id: string; readonly bytes_b64: string }[]
  readonly tcp: readonly { readonly id: string; readonly chunks_b64: readonly string[] }[]
}

const file = new URL('../vectors/statshero.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors

const UDP = { transport: 'udp' } as const
const TCP = { transport: 'tcp' } as const
const GOOD = Buffer.from('1|6\na:1|m\n')

/** Streams of the other dialect on the port begin differently, long ones only repeat digits. */
const streams: readonly Sample[] = vectors.tcp
  .map(({ id, chunks_b64 }) => {
    const bytes = Buffer.concat(chunks_b64.map((chunk) => Buffer.from(chunk, 'base64')))
    return { name: id, bytes, options: TCP }
  })
  .filter(({ bytes }) => bytes.toString('latin1', 0, 2) === '1|' && bytes.length <= 300)

const datagrams: readonly Sample[] = vectors.decode
  .map(({ id, bytes_b64 }) => ({ name: id, bytes: Buffer.from(bytes_b64, 'base64'), options: UDP }))
  .filter(({ bytes }) => bytes.toString('latin1', 0, 2) === '1|')

const MESSAGES = [
  { key: 'myWebservice.requests', value: 1, type: 'm' },
  { key: 'someHost.cpuJiffies', value: '18446744073709551616', type: 'mr' },
  { key: 'queue-depth', value: -5, type: 'g' },
  { key: 'café', value: 85, type: 'h', sampleRate: 0.43 },
  { key_b64: '/4A=', value: 0, type: 'h' },
] as const

/** Faults by name: a frame, or for a datagram a packet, that a good one follows. */
const FAULTS: Readonly<Record<string, string>> = {
  'a line without a colon': '1|4\nbad\n',
  'a value that is no integer': '1|8\na:1.5|m\n',
  'an unknown type': '1|7\na:1|zz\n',
  'an empty key': '1|5\n:1|m\n',
  'a sample rate without a point': '1|9\na:1|m|@1\n',
  'a length that is no number': '1|x\na:1|m\n',
  'a length with a sign': '1|+6\na:1|m\n',
  'another version': '12|6\na:1|m\n',
  'a body that pretends to be gzip': '1|4\n\u001f\u008b\u0008\n',
}

export const samples: DialectSamples = {
  streams,
  datagrams,
  spoken: [
    { name: 'five lines in datagrams', messages: MESSAGES, decodeOptions: UDP },
    { name: 'five lines in a stream', messages: MESSAGES, decodeOptions: TCP },
    {
      name: 'the document’s grammar',
      messages: [MESSAGES[0]],
      encodeOptions: { profile: 'document' },
      decodeOptions: { ...UDP, profile: 'document' },
    },
  ],
  faulty: Object.entries(FAULTS).flatMap(([name, text]) => {
    const bytes = Buffer.from(text, 'latin1')
    return [
      { name: `${name}, in a datagram`, bytes, options: UDP, next: GOOD },
      { name: `${name}, in a stream`, bytes, options: TCP, next: GOOD },
    ]
  }),
  huge: [
    {
      name: 'a length of 999999999',
      bytes: ascii('1|999999999\n'),
      options: TCP,
      code: 'too_long',
    },
    {
      name: 'a header without end',
      bytes: ascii('9'.repeat(33)),
      options: TCP,
      code: 'bad_length',
    },
  ],
  exceptions: [],
}

function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}
