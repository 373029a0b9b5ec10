/** Samples of remote write for the shared suite: requests as they are sent. */
import type { DialectSamples } from '../../../../test/suites/dialect.ts'
import { encodeRemoteWrite } from '../codec.ts'
import { KINDS, METADATA, request2Of, requestOf, series } from './requests.ts'

const STREAM = { transport: 'tcp' } as const
const SMALL = requestOf([series('up', 1)])
const ALL = requestOf(KINDS, METADATA)
const OF_2 = request2Of([{ ...KINDS[0], metadata: { type: 2, help: 'In a room' } }])
const [one] = encodeRemoteWrite([SMALL])
const [all] = encodeRemoteWrite([ALL])
const [two] = encodeRemoteWrite([OF_2])

export const samples: DialectSamples = {
  streams: [
    { name: 'one sample', bytes: one!, options: STREAM },
    { name: 'every kind', bytes: all!, options: STREAM },
    { name: 'a request of 2.0', bytes: two!, options: STREAM },
    { name: 'two requests', bytes: Buffer.concat([one!, one!]), options: STREAM },
    { name: 'nothing', bytes: new Uint8Array(0), options: STREAM },
    { name: 'an end in a literal', bytes: one!.subarray(0, 20), options: STREAM },
    { name: 'an end in the size', bytes: Uint8Array.of(0xff), options: STREAM },
  ],
  datagrams: [],
  spoken: [
    { name: 'one sample', messages: [SMALL], decodeOptions: STREAM },
    { name: 'every kind', messages: [ALL, SMALL], decodeOptions: STREAM },
    { name: 'metadata alone', messages: [requestOf([], METADATA)], decodeOptions: STREAM },
  ],
  faulty: [
    {
      name: 'a size of six bytes',
      bytes: new Uint8Array(6).fill(0xff),
      options: STREAM,
      next: one!,
    },
  ],
  huge: [
    {
      name: 'a block of 2^32 - 1 bytes',
      bytes: Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
      options: STREAM,
      code: 'too_large',
    },
  ],
  exceptions: [{ law: 'claims', reason: 'served on the HTTP port: no listener receives it' }],
}
