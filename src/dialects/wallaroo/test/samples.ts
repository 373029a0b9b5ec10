/** Samples of Wallaroo for the shared suite: the streams and faults of its vectors, and more. */
import { readFileSync } from 'node:fs'
import type { DialectSamples, Sample, Spoken } from '../../../../test/suites/dialect.ts'
import { respell } from '../../../../test/support/codes.ts'
import { metricsBytes } from './frames.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly hex?: string
  readonly writes?: readonly string[]
  readonly expect?: { readonly accepted?: boolean }
}

const file = new URL('../vectors/wallaroo.json', import.meta.url)
const { cases } = respell(JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[] })

const TCP = { transport: 'tcp' } as const
const GOOD = metricsBytes({ bins: { 3: '1' }, min_ns: '7', max_ns: '7' })

/** Those of a worker on the shared port: longer ones only repeat, others begin as a viewer may. */
const streams: readonly Sample[] = cases
  .filter(({ category }) => category === 'stream')
  .map(({ id, writes }) => {
    return { name: id, bytes: Buffer.from(writes!.join(''), 'hex'), options: TCP }
  })
  .filter(({ bytes }) => bytes.length < 2000 && bytes.readUInt16BE(0) === 0)

const faulty = cases
  .filter(({ category, expect }) => category === 'malformed' && expect?.accepted === false)
  .map(({ id, hex }) => {
    return { name: id, bytes: Buffer.from(hex!, 'hex'), options: TCP, next: GOOD }
  })

const WINDOW = {
  ...{ type: 'metrics', application: 'golden-app', category: 'computation', name: 'Prüfung ≤ 5' },
  ...{ worker: 'initializer', pipeline: 'Orders', id: 3 },
  bins: { 0: '1', 10: '9007199254740993' },
  total: '9007199254740994',
  order: 'peer',
  ...{ min_ns: '0', max_ns: '1000', period_ns: '2000000000', end_ns: '1700000002000000000' },
  ...{ payload_size: 616, payload_header: 764, notes: [] },
}
const JOINED = [
  { type: 'connect', notes: [] },
  { type: 'join', application: 'golden-app', worker: 'initializer', notes: [] },
]

const spoken: readonly Spoken[] = [
  {
    name: 'a conversation as the peer has it',
    messages: [...JOINED, WINDOW, WINDOW],
    decodeOptions: TCP,
  },
  {
    name: 'a window in the document’s order',
    messages: [
      ...JOINED,
      { ...WINDOW, order: 'document', payload_header: 612, notes: ['document_order'] },
    ],
    encodeOptions: { profile: 'document' },
    decodeOptions: TCP,
  },
]

export const samples: DialectSamples = {
  streams,
  datagrams: [],
  spoken,
  faulty,
  huge: [
    {
      name: 'a length above the limit',
      bytes: Buffer.from('0010000103', 'hex'),
      options: TCP,
      code: 'frame_too_large',
    },
  ],
  exceptions: [],
}
