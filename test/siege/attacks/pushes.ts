/** Attacks by requests that push metrics, of OTLP and of remote write. */
import { gzipSync } from 'node:zlib'
import { encodeOpenTelemetry } from '../../../src/dialects/opentelemetry/codec.ts'
import { packSnappy, unpackSnappy } from '../../../src/dialects/remotewrite/codec/snappy.ts'
import { encodeRemoteWrite } from '../../../src/dialects/remotewrite/codec.ts'
import { type Attack, Crowd, request } from '../crowd.ts'

const PROTOBUF = 'Content-Type: application/x-protobuf'
const OTLP = '/v1/metrics'
const WRITE = '/api/v1/write'
const POINTS = 2000
/** A field of 16 MiB that no message has. */
const LONG = new Uint8Array(16_777_216)
LONG.set([0x7a, 0xfb, 0xff, 0xff, 0x07])

function pushOf(path: string, body: Uint8Array, ...headers: readonly string[]): Buffer {
  const isTyped = headers.some((header) => header.startsWith('Content-Type'))
  const all = [...(isTyped ? [] : [PROTOBUF]), ...headers, `Content-Length: ${body.length}`]
  return Buffer.concat([Buffer.from(request('POST', path, all)), body])
}

const texts = (pairs: Readonly<Record<string, string>>) =>
  Object.entries(pairs).map(([key, value]) => ({ key, value: { stringValue: value } }))

function otlpOf(name: string, dataPoints: readonly object[]): Uint8Array {
  return encodeOpenTelemetry([
    { scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints } }] }] },
  ])[0]!
}

/** Pours requests through some connections at once, each made anew by its number. */
function pushing(
  name: string,
  address: string,
  next: (number: number) => Uint8Array,
  connections = 4,
): Attack {
  return {
    name,
    async run({ listeners: { http } }, signal) {
      let number = 0
      const crowds = Array.from({ length: connections }, () => new Crowd(address))
      await Promise.all(crowds.map((crowd) => crowd.pour(http.port, signal, () => next(number++))))
    },
  }
}

const gzipBomb = pushOf(OTLP, gzipSync(LONG), 'Content-Encoding: gzip')
/** A gauge of eight million points, two bytes each. */
const empties = Buffer.alloc(16_000_000, Uint8Array.of(0x0a, 0))
const nested = [5, 2, 2, 1].reduce<Uint8Array>((inner, number) => {
  const size = [0, 7, 14, 21].map((bits) => ((inner.length >> bits) & 0x7f) | 0x80)
  size[3]! &= 0x7f
  return Buffer.concat([Uint8Array.of(number * 8 + 2, ...size), inner])
}, empties)
const emptyPoints = pushOf(OTLP, gzipSync(nested), 'Content-Encoding: gzip')
const emptySeries = pushOf(WRITE, packSnappy(empties), 'Content-Encoding: snappy')
/** A block that says it is 16 MiB and holds a byte, copied over and over. */
const copies = Array<number[]>(262_000).fill([0xfe, 1, 0]).flat()
const snappyBomb = Uint8Array.from([0x80, 0x80, 0x80, 0x08, 0, 0x7a, ...copies])
/** Half a million series of 2.0, each of which refers to the same 16 KiB of labels. */
const symbols = ['', '__name__', 'again', 'k', 'v'.repeat(16_000)]
const [referring] = encodeRemoteWrite([
  { symbols, timeseries: [{ labelsRefs: [1, 2, 3, 4], samples: [{}] }] },
])
const unpacked = unpackSnappy(referring!, LONG.length) as { readonly bytes: Uint8Array }
const seriesAt = unpacked.bytes.length - 10
const again = Buffer.alloc(5_000_000, unpacked.bytes.subarray(seriesAt))
const manyReferring = pushOf(
  WRITE,
  packSnappy(Buffer.concat([unpacked.bytes.subarray(0, seriesAt), again])),
  `${PROTOBUF};proto=io.prometheus.write.v2.Request`,
  'Content-Encoding: snappy',
)
const crowded = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, 'v'.repeat(50)]))

export const PUSH_ATTACKS: readonly Attack[] = [
  pushing('otlp: ever new series', '127.0.0.60', (n) => {
    const points = Array.from({ length: POINTS }, (_, i) => ({
      asInt: 1,
      attributes: texts({ n: `${n * POINTS + i}` }),
    }))
    return pushOf(OTLP, otlpOf('flood', points))
  }),
  pushing('otlp: too many attributes', '127.0.0.61', () => {
    return pushOf(
      OTLP,
      otlpOf('crowded', Array(100).fill({ asInt: 1, attributes: texts(crowded) })),
    )
  }),
  pushing('otlp: gzip of 16 MiB', '127.0.0.62', () => gzipBomb, 64),
  pushing('otlp: gzip of eight million points', '127.0.0.67', () => emptyPoints),
  pushing('otlp: lengths that lead out', '127.0.0.63', (n) => {
    const body = otlpOf('cut', [{ asInt: n, attributes: texts({ a: 'b' }) }])
    body[(n % (body.length - 1)) + 1] = 0xff
    return pushOf(OTLP, body)
  }),
  pushing('remote write: ever new series', '127.0.0.64', (n) => {
    const timeseries = Array.from({ length: POINTS }, (_, i) => ({
      labels: [
        { name: '__name__', value: 'flood' },
        { name: 'n', value: `${n * POINTS + i}` },
      ],
      samples: [{ value: 1, timestamp: `${Date.now()}` }],
    }))
    return pushOf(WRITE, encodeRemoteWrite([{ timeseries }])[0]!, 'Content-Encoding: snappy')
  }),
  pushing('remote write: snappy that unpacks to 16 MiB', '127.0.0.65', () => {
    return pushOf(WRITE, snappyBomb, 'Content-Encoding: snappy')
  }),
  pushing('remote write: eight million series', '127.0.0.68', () => emptySeries),
  pushing('remote write 2.0: long labels, referred to again and again', '127.0.0.69', () => {
    return manyReferring
  }),
  pushing('remote write: what is no protobuf', '127.0.0.66', (n) => {
    const body = packSnappy(Uint8Array.of(0x0a, n & 0xff, 0xff, n & 0x7f))
    return pushOf(WRITE, body, 'Content-Encoding: snappy')
  }),
]
