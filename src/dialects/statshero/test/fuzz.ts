/**
 * Stats Hero under mutated packets, as a datagram and as a stream (statshero.md §3): nothing
 * throws, no NaN or Infinity and no negative total gets in, a datagram counts only if its header
 * has the right length, and a stream says the same wherever it is cut.
 */
import assert from 'node:assert/strict'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { type Exact, hashBytes } from '../../../model/index.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { FrameRules, PacketVisitor } from '../codec/line-visitor.ts'
import { decodeDatagram } from '../codec/packet.ts'
import { frameRules } from '../codec.ts'
import { LineMapper } from '../map.ts'
import { RECEIVE_DEFAULTS } from '../options.ts'
import { ERROR_CODES } from '../spec.ts'
import { fromBase64, loadVectors, PacketCollector } from './golden.ts'

type Decode = (bytes: Uint8Array, rules: FrameRules, visitor: PacketVisitor) => void

const RULES = frameRules({ maxFrameBytes: 4096, maxInflatedBytes: 65_536 })
const STRICT = frameRules({ profile: 'document' })

export const target: FuzzTarget = {
  name: 'statshero',

  seeds() {
    const { decode, tcp } = loadVectors()
    const streams = tcp.map(({ chunks_b64 }) => Buffer.concat(chunks_b64.map(fromBase64)))
    return [...decode.map(({ bytes_b64 }) => fromBase64(bytes_b64)), ...streams].filter(
      ({ length }) => length > 0 && length < 4096,
    )
  },

  run(bytes) {
    checkDatagram(bytes, decodeDatagram)
    decodeDatagram(bytes, STRICT, new PacketCollector())
    checkStream(bytes)
    checkMeaning(bytes)
  },

  canary: {
    fault: 'length check off by one',
    run(bytes) {
      checkDatagram(bytes, decodeOffByOne)
    },
  },
}

/** A datagram counts exactly if its header says how many bytes follow, and is one packet then. */
function checkDatagram(bytes: Uint8Array, decode: Decode): void {
  const collector = new PacketCollector()
  decode(bytes, RULES, collector)
  assert.equal(collector.packets.length, 1)
  const text = Buffer.from(bytes).toString('latin1')
  const header = /^1\|([0-9]+)\n/.exec(text)
  const isSound = header !== null && BigInt(header[1]!) === BigInt(text.length - header[0].length)
  const { packetError = 'none' } = collector.packets[0]!
  if (isSound) assert.ok(['none', 'bad_gzip'].includes(packetError), packetError)
  else
    assert.ok(['bad_version', 'bad_length', 'length_mismatch'].includes(packetError), packetError)
}

/** The planted bug: a datagram that lost its last byte is taken for whole. */
function decodeOffByOne(bytes: Uint8Array, rules: FrameRules, visitor: PacketVisitor): void {
  const collector = new PacketCollector()
  const completed = Buffer.concat([bytes, Buffer.from('\n')])
  decodeDatagram(completed, rules, collector)
  const isTaken = collector.packets[0]?.packetError === undefined
  decodeDatagram(isTaken ? completed : bytes, rules, visitor)
}

/** Cuts at two places, drawn from the bytes themselves so that a failure repeats. */
function checkStream(bytes: Uint8Array): void {
  const whole = readStream([bytes])
  const draw = hashBytes(bytes, 0, bytes.length) >>> 0
  const [a, b] = [draw % (bytes.length + 1), (draw >>> 8) % (bytes.length + 1)]
  const [low, high] = [Math.min(a, b), Math.max(a, b)]
  const parts = [bytes.subarray(0, low), bytes.subarray(low, high), bytes.subarray(high)]
  assert.deepEqual(readStream(parts), whole, `cut at ${low} and ${high}`)
}

function readStream(chunks: readonly Uint8Array[]): unknown {
  const collector = new PacketCollector()
  const scanner = new FrameScanner(RULES, collector)
  for (const chunk of chunks) {
    scanner.push(chunk)
    assert.ok(scanner.bytesHeld <= RULES.maxFrameBytes + 64)
  }
  scanner.end()
  return collector.packets
}

/** Feeds datagram and stream into the model and looks at every number in it. */
function checkMeaning(bytes: Uint8Array): void {
  const ingest = new ModelIngest()
  class Feeder extends LineMapper implements PacketVisitor {
    packetEnd(): void {}
    badLine(code: string): void {
      assert.ok((ERROR_CODES as readonly string[]).includes(code))
    }
    badPacket(code: string): void {
      assert.ok((ERROR_CODES as readonly string[]).includes(code))
    }
  }
  const feeder = new Feeder(ingest, RECEIVE_DEFAULTS)
  decodeDatagram(bytes, RULES, feeder)
  const scanner = new FrameScanner(RULES, feeder)
  scanner.push(bytes)
  scanner.end()
  for (const { total, down, resets, value, last, histogram } of ingest.series) {
    for (const part of [total, down, resets, last ?? 0]) assert.ok(isWhole(part) && part >= 0)
    assert.ok(value === undefined || isWhole(value))
    const { count, sum, min, max, zeroCount, positive, negative } = histogram
    assert.equal(positive.total() + negative.total() + zeroCount, count)
    assert.ok(count === 0n || [sum!, min, max].every(isWhole))
  }
}

function isWhole(value: Exact): boolean {
  return typeof value === 'bigint' || Number.isInteger(value)
}
