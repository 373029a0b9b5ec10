/**
 * Stats Hero under generated and mutated packets, as datagrams and as streams (statshero.md §3):
 * whatever arrives, the scanners say of it what the document's grammar says (reference.ts), a
 * stream wherever it is cut; nothing throws, nothing is held beyond a frame, and no NaN or Infinity
 * and no negative total gets into the model. By both paths, it comes to the same (fuzz/paths.ts).
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { latin1, Transcript } from '../../../../test/fuzz/engine/transcript.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import type { Exact } from '../../../model/index.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import { hashKey } from '../codec/key-hash.ts'
import type { FrameRules, PacketVisitor } from '../codec/line-visitor.ts'
import { decodeDatagram } from '../codec/packet.ts'
import { frameRules } from '../codec.ts'
import { LineMapper } from '../map.ts'
import { RECEIVE_DEFAULTS } from '../options.ts'
import { ERROR_CODES } from '../spec.ts'
import { PacketStream } from './fuzz/grammar.ts'
import { pathsTarget } from './fuzz/paths.ts'
import { readDatagram, readStream } from './fuzz/reference.ts'
import { fromBase64, loadVectors } from './golden.ts'

type Decode = (bytes: Uint8Array, rules: FrameRules, visitor: PacketVisitor) => void

const LENIENT = frameRules({ maxFrameBytes: 4096, maxInflatedBytes: 65_536 })
const STRICT = frameRules({ profile: 'document', maxFrameBytes: 4096 })
const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
/** The model takes lines in for one input in so many: exact sums of its own cost the most. */
const MODEL_ONCE_IN = 8

const stream = new PacketStream()
const [found, wanted] = [new Transcript(), new Transcript()]

const target: FuzzTarget = {
  name: 'statshero',

  seeds() {
    const { decode, tcp } = loadVectors()
    const streams = tcp.map(({ chunks_b64 }) => Buffer.concat(chunks_b64.map(fromBase64)))
    return [...decode.map(({ bytes_b64 }) => fromBase64(bytes_b64)), ...streams].filter(
      ({ length }) => length > 0 && length < 4096,
    )
  },

  generate: (random) => ({ bytes: stream.make(random) }),

  run(bytes, random) {
    const rules = random.isOnceIn(4) ? STRICT : LENIENT
    checkDatagram(bytes, rules, decodeDatagram)
    checkStream(bytes, rules, random)
    if (random.isOnceIn(MODEL_ONCE_IN)) checkModel(bytes)
  },

  canary: {
    fault: 'length check off by one',
    run: (bytes) => checkDatagram(bytes, LENIENT, decodeOffByOne),
  },
}

export const targets: readonly FuzzTarget[] = [target, pathsTarget(target)]

/** Writes down what is visited. */
class Recorder implements PacketVisitor {
  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    value: number,
    rate: number,
  ): void {
    assert.equal(hash, hashKey(bytes, keyStart, keyEnd))
    found.add('line').bytes(bytes, keyStart, keyEnd).add(type).add(value).add(rate)
  }

  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void {
    const value = BigInt(latin1(bytes, valueStart, valueEnd).replace('+', ''))
    assert.equal(hash, hashKey(bytes, keyStart, keyEnd))
    found.add('line').bytes(bytes, keyStart, keyEnd).add(type).add(value).add(rate)
  }

  badLine(code: string): void {
    assert.ok(CODES.has(code), code)
    found.add('bad').add(code)
  }

  packetEnd(): void {
    found.add('end')
  }

  badPacket(
    code: string,
    _detail: string,
    _bytes: Uint8Array,
    _start: number,
    _end: number,
    _offset: number,
    isResync: boolean,
  ): void {
    assert.ok(CODES.has(code), code)
    found.add('packet').add(code).add(isResync)
  }
}

const recorder = new Recorder()

function checkDatagram(bytes: Uint8Array, rules: FrameRules, decode: Decode): void {
  found.reset()
  decode(bytes, rules, recorder)
  readDatagram(bytes, rules, wanted.reset())
  found.mustEqual(wanted, 'a datagram, read and by the grammar')
}

/** The planted bug: a datagram that lost its last byte is taken for whole. */
function decodeOffByOne(bytes: Uint8Array, rules: FrameRules, visitor: PacketVisitor): void {
  const completed = Buffer.concat([bytes, Buffer.from('\n')])
  const header = /^1\|([0-9]{1,15})\n/.exec(latin1(bytes))
  const isTaken = header !== null && Number(header[1]) === bytes.length - header[0].length + 1
  decodeDatagram(isTaken ? completed : bytes, rules, visitor)
}

function checkStream(bytes: Uint8Array, rules: FrameRules, random: Random): void {
  found.reset()
  const scanner = new FrameScanner(rules, recorder)
  forEachPiece(random, bytes, (piece) => {
    scanner.push(piece)
    assert.ok(scanner.bytesHeld <= rules.maxFrameBytes + 64, `${scanner.bytesHeld} bytes held`)
  })
  scanner.end()
  readStream(bytes, rules, wanted.reset())
  found.mustEqual(wanted, 'a stream, read in pieces and by the grammar')
}

class Feeder extends LineMapper implements PacketVisitor {
  packetEnd(): void {}
  badLine(): void {}
  badPacket(): void {}
}

/** Feeds datagram and stream into the model and looks at every number in it. */
function checkModel(bytes: Uint8Array): void {
  const ingest = new ModelIngest()
  const feeder = new Feeder(ingest, RECEIVE_DEFAULTS)
  decodeDatagram(bytes, LENIENT, feeder)
  const scanner = new FrameScanner(LENIENT, feeder)
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
