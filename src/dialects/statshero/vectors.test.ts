/** The golden vectors of Stats Hero: listing the file is the list of tests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ModelIngest } from '../../../test/support/model-ingest.ts'
import { FrameScanner } from './codec/frame-scan.ts'
import { decodeDatagram } from './codec/packet.ts'
import { frameRules } from './codec.ts'
import { dialect as statshero } from './dialect.ts'
import {
  expectedPacket,
  feedSemantics,
  fromBase64,
  loadVectors,
  modelPoint,
  PacketCollector,
  type TcpCase,
} from './test/golden.ts'

const vectors = loadVectors()

function decodeWith(bytes: Uint8Array, profile: 'peer' | 'document'): PacketCollector {
  const collector = new PacketCollector()
  decodeDatagram(bytes, frameRules({ profile }), collector)
  return collector
}

describe('vectors: decode', () => {
  for (const vector of vectors.decode) {
    it(`reads ${vector.id} as the peers' grammar says`, () => {
      const { packets } = decodeWith(fromBase64(vector.bytes_b64), 'peer')
      assert.deepEqual(packets, [expectedPacket(vector.expect)])
    })

    const verb = vector.document === 'ok' ? 'takes' : 'refuses'
    it(`${verb} ${vector.id} under the strict one`, () => {
      const { packets } = decodeWith(fromBase64(vector.bytes_b64), 'document')
      const isError = packets.some(
        ({ packetError, items }) => packetError !== undefined || items?.some((i) => 'error' in i),
      )
      // the digit limit is ours, not the grammar's
      const isAboveLimit = vector.id === 'value-101-digits'
      assert.equal(isError, vector.document === 'reject' || isAboveLimit)
    })
  }
})

function readStream(chunks: readonly Uint8Array[]): { frames: unknown[]; end: string } {
  const collector = new PacketCollector()
  const scanner = new FrameScanner(frameRules(), collector)
  for (const chunk of chunks) scanner.push(chunk)
  const isClosed = scanner.isClosed
  scanner.end()
  const frames = collector.packets.filter(({ packetError }) => packetError !== 'truncated')
  const isTruncated = frames.length < collector.packets.length
  return { frames, end: isClosed ? 'closed' : isTruncated ? 'truncated' : 'clean' }
}

function expectedStream({ expect }: TcpCase): { frames: unknown[]; end: string } {
  return { frames: expect.frames.map(expectedPacket), end: expect.end }
}

describe('vectors: tcp', () => {
  for (const vector of vectors.tcp) {
    if (vector.expect.frames.some(({ dialect }) => dialect === 'statsd')) {
      it(`leaves ${vector.id} to statsd`, () => {
        assert.equal(statshero.claims(Buffer.concat(vector.chunks_b64.map(fromBase64))), false)
      })
      continue
    }
    const chunks = vector.chunks_b64.map(fromBase64)
    const joined = new Uint8Array(Buffer.concat(chunks))
    const expected = expectedStream(vector)

    it(`reads ${vector.id} as it was cut, whole and byte by byte`, () => {
      assert.deepEqual(readStream(chunks), expected)
      assert.deepEqual(readStream([joined]), expected)
      assert.deepEqual(readStream([...joined].map((byte) => Uint8Array.of(byte))), expected)
    })

    if (joined.length > 200) continue
    it(`reads ${vector.id} alike at every single and double cut`, () => {
      for (let i = 0; i <= joined.length; i++) {
        for (let j = i; j <= joined.length; j++) {
          const parts = [joined.subarray(0, i), joined.subarray(i, j), joined.subarray(j)]
          assert.deepEqual(readStream(parts), expected, `cut at ${i} and ${j}`)
        }
      }
    })
  }
})

describe('vectors: dispatch', () => {
  for (const vector of vectors.dispatch) {
    it(`gives ${vector.id} to ${vector.dialect}`, () => {
      const bytes = fromBase64(vector.bytes_b64)
      assert.equal(statshero.claims(bytes) === true, vector.dialect === 'statshero')
      if (vector.dialect !== 'statshero') return
      assert.deepEqual(decodeWith(bytes, 'peer').packets, [expectedPacket(vector.expect)])
    })
  }
})

describe('vectors: encode', () => {
  for (const vector of vectors.encode) {
    const { expect, options } = vector
    const lines = vector.lines.map(({ key_repeat, ...line }) =>
      key_repeat === undefined ? line : { ...line, key: key_repeat[0].repeat(key_repeat[1]) },
    )
    it(`writes ${vector.id} byte for byte`, () => {
      if (expect.error !== undefined) {
        assert.throws(() => statshero.encode(lines, options), { code: expect.error })
        return
      }
      const packets = statshero.encode(lines, options).map((packet) => Buffer.from(packet))
      const expected =
        expect.packets?.map((text) => Buffer.from(text)) ??
        expect.packets_b64?.map((text) => Buffer.from(text, 'base64'))
      assert.deepEqual(packets, expected)
    })
  }
})

describe('vectors: semantics', () => {
  for (const vector of vectors.semantics) {
    it(`means by ${vector.id} what the vector says`, () => {
      const ingest = new ModelIngest(vector.options)
      const errors = feedSemantics(vector, ingest)
      assert.deepEqual(ingest.series.map(modelPoint), vector.expect.points)
      assert.deepEqual({ ...errors, ...ingest.counted }, vector.expect.counted)
    })
  }
})
