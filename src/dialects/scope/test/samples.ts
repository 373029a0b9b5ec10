/** Samples of scope for the shared suite: streams of both sides and packets from its vectors. */
import { readFileSync } from 'node:fs'
import type { DialectSamples, Sample } from '../../../../test/suites/dialect.ts'
import { respell } from '../../../../test/support/codes.ts'
import { fromHex } from '../../../model/index.ts'

interface Named {
  readonly name: string
  readonly for?: string
  readonly payload_hex?: string
}

interface Vectors {
  readonly streams: readonly (Named & {
    readonly client_stream_hex: string
    readonly server_stream_hex: string
  })[]
  readonly client_settings: readonly (Named & { readonly frame_hex: string })[]
  readonly accepted_variants: readonly Named[]
  readonly rejected: readonly Named[]
}

const file = new URL('../vectors/scope.json', import.meta.url)
const vectors = respell(JSON.parse(readFileSync(file, 'utf8')) as Vectors)

/** What a client's side decodes: the version, then packets. */
const CLIENT = { role: 'client', transport: 'tcp' } as const
/** What a server's side decodes: one settings message. */
const SERVER = { role: 'server', transport: 'tcp' } as const

const VERSION = fromHex('0100')
const INFO = fromHex('0a00000081a76d65747269637380')

const SIZE_LIMIT = 600

const serverStreams: readonly Sample[] = vectors.streams
  .map(({ name, server_stream_hex }) => {
    return { name, bytes: fromHex(server_stream_hex), options: CLIENT }
  })
  .filter(({ bytes }) => bytes.length <= SIZE_LIMIT)

const clientStreams: readonly Sample[] = [
  ...vectors.streams.map(({ name, client_stream_hex }) => {
    return { name, bytes: fromHex(client_stream_hex), options: SERVER }
  }),
  ...vectors.client_settings
    .filter(({ name }) => name !== 'ns_0')
    .map(({ name, frame_hex }) => ({ name, bytes: fromHex(frame_hex), options: SERVER })),
]

/** Two good packets around each one that the real parser refuses. */
const faultyPackets = vectors.rejected
  .filter((each) => each.for === 'packet')
  .map(({ name, payload_hex }) => ({
    name,
    bytes: Buffer.concat([VERSION, INFO, framed(fromHex(payload_hex!))]),
    options: { ...CLIENT, strict: true },
    next: INFO,
  }))

const MESSAGES = [
  {
    kind: 'info',
    metrics: [
      ['', []],
      ['10', []],
      ['__proto__', [['plot', 'p']]],
      ['\uffff', [['color', '#9cf']]],
      ['\u{1f600}', []],
    ],
  },
  {
    kind: 'snapshot',
    t: { $u64: '18446744073709551615' },
    d: [
      ['a', 1.5],
      ['b', { $f64: 'NaN' }],
      ['c', { $f64: '-0' }],
      ['d', { $f64: '-Infinity' }],
    ],
  },
  { kind: 'info', metrics: [] },
]

const SETTINGS = [{ kind: 'settings', sampling_interval: { $u64: '100000000' } }]

export const samples: DialectSamples = {
  streams: [...serverStreams, ...clientStreams],
  datagrams: vectors.accepted_variants.map((each) => ({
    name: each.name,
    bytes: fromHex(each.payload_hex!),
    options: { transport: 'udp', role: each.for === 'packet' ? 'client' : 'server' },
  })),
  spoken: [
    {
      name: 'framed packets of a server',
      messages: MESSAGES,
      decodeOptions: CLIENT,
      opening: VERSION,
    },
    {
      name: 'bare packets of a server',
      messages: MESSAGES,
      encodeOptions: { profile: 'document' },
      decodeOptions: CLIENT,
      opening: VERSION,
    },
    { name: 'framed settings of a client', messages: SETTINGS, decodeOptions: SERVER },
    {
      name: 'bare settings of a client',
      messages: SETTINGS,
      encodeOptions: { profile: 'document' },
      decodeOptions: SERVER,
    },
  ],
  faulty: [
    ...faultyPackets,
    {
      name: 'malformed bytes between bare packets',
      bytes: Buffer.concat([VERSION, fromHex('81a76d65747269637380'), fromHex('c1')]),
      options: CLIENT,
      next: fromHex('81a76d65747269637380'),
    },
  ],
  huge: [
    {
      name: 'a packet of 2 GiB',
      bytes: fromHex('010000ffff7f82'),
      options: CLIENT,
      code: 'too_large',
    },
    {
      name: 'settings of 2 GiB',
      bytes: fromHex('00ffff7f82'),
      options: SERVER,
      code: 'settings_too_large',
    },
  ],
  exceptions: [],
}

function framed(payload: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(payload.length)
  return Buffer.concat([length, payload])
}
