/** Samples of Semaphore for the shared suite: the lines of its vectors, and more. */
import { readFileSync } from 'node:fs'
import type { DialectSamples, Sample } from '../../suites/dialect.ts'

interface Vectors {
  readonly decode: readonly { readonly id: string; readonly text: string }[]
}

const file = new URL('../vectors/semaphore.json', import.meta.url)
const { decode } = JSON.parse(readFileSync(file, 'utf8')) as Vectors

const TCP = { transport: 'tcp' } as const
const UDP = { transport: 'udp' } as const
const GOOD = ascii('!c a 1\n')
const MESSAGES = [
  { kind: 'c', name: 'levers.pulled', value: 3 },
  { kind: 'g', name: 'lamp.voltage', value: 11.9 },
]

export const samples: DialectSamples = {
  streams: decode.map(({ id, text }): Sample => ({ name: id, bytes: ascii(text), options: TCP })),
  datagrams: decode.map(({ id, text }): Sample => ({ name: id, bytes: ascii(text), options: UDP })),
  spoken: [
    { name: 'two lines in datagrams', messages: MESSAGES, decodeOptions: UDP },
    { name: 'two lines in a stream', messages: MESSAGES, decodeOptions: TCP },
  ],
  faulty: ['!x a 1\n', '!c  1\n', '!c a b\n', `!c ${'a'.repeat(201)} 1\n`].map((text) => {
    return { name: JSON.stringify(text), bytes: ascii(text), options: TCP, next: GOOD }
  }),
  huge: [
    {
      name: 'a line without end',
      bytes: ascii(`!c ${'a'.repeat(2000)}`),
      options: TCP,
      code: 'line_too_long',
    },
  ],
  exceptions: [],
}

function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}
