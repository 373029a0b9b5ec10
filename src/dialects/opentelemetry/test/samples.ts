/** Samples of OTLP metrics for the shared suite: requests in protobuf and JSON. */
import type { DialectSamples } from '../../../../test/suites/dialect.ts'
import { encodeOpenTelemetry } from '../codec.ts'
import { KINDS, resourceOf, VALUES } from './requests.ts'

const STREAM = { transport: 'tcp' } as const
const SMALL = resourceOf([KINDS[0]!])
const VALUED = {
  resource: { attributes: VALUES.map((value, i) => ({ key: `k${i}`, value })) },
  scopeMetrics: [{ schemaUrl: 'https://example.org/1' }],
}
const [one] = encodeOpenTelemetry([SMALL])
const [all] = encodeOpenTelemetry([resourceOf(KINDS, { 'service.name': 'shop' }), VALUED])
const json = new TextEncoder().encode(JSON.stringify({ resourceMetrics: [SMALL] }))

export const samples: DialectSamples = {
  streams: [
    { name: 'one gauge', bytes: one!, options: STREAM },
    { name: 'every kind', bytes: all!, options: STREAM },
    { name: 'two requests', bytes: join(one!, one!), options: STREAM },
    { name: 'an unknown field', bytes: join(Uint8Array.of(0x7a, 1, 0), one!), options: STREAM },
    { name: 'json', bytes: json, options: STREAM },
    { name: 'broken json', bytes: json.subarray(0, 40), options: STREAM },
    { name: 'nothing', bytes: new Uint8Array(0), options: STREAM },
    { name: 'an end in a resource', bytes: one!.subarray(0, 30), options: STREAM },
  ],
  datagrams: [],
  spoken: [
    { name: 'every kind', messages: [resourceOf(KINDS)], decodeOptions: STREAM },
    { name: 'every type of value', messages: [VALUED, SMALL], decodeOptions: STREAM },
  ],
  faulty: [
    { name: 'a wrong field', bytes: changed(one!, 0, 0x0d), options: STREAM, next: one! },
    { name: 'a group', bytes: changed(one!, 0, 0x0b), options: STREAM, next: one! },
    {
      name: 'a length beyond the scope',
      bytes: changed(one!, 5, 0x7f),
      options: STREAM,
      next: one!,
    },
  ],
  huge: [
    {
      name: 'a resource of 2^35 bytes',
      bytes: Uint8Array.of(0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
      options: STREAM,
      code: 'too_large',
    },
  ],
  exceptions: [{ law: 'claims', reason: 'served on the HTTP port: no listener receives it' }],
}

function changed(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const other = bytes.slice()
  other[at] = byte
  return other
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}
