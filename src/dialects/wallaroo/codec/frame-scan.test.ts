import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Budget } from '../../../time/budget.ts'
import { createDecoder } from '../codec.ts'
import { JOINED_BYTES_LIMIT, notesOf } from '../spec.ts'
import { metricsBytes, SILENT } from '../test/frames.ts'
import { encodeConnect, encodeJoin } from './encode.ts'
import { FrameScanner } from './frame-scan.ts'
import type { FrameVisitor } from './frame-visitor.ts'

const LIMIT = 1_048_576

/** What became of bytes that arrive in pieces of a size: types, codes and notes in their order. */
function read(
  bytes: Uint8Array,
  size = bytes.length,
  maxFrameBytes = LIMIT,
  budget?: Budget,
): string[] {
  const seen: string[] = []
  const visitor: FrameVisitor = {
    connect: (notes) => seen.push('connect', ...notesOf(notes)),
    join: (_b, _s, _e, _ws, _we, notes) => seen.push('join', ...notesOf(notes)),
    metrics: (frame) => seen.push('metrics', ...notesOf(frame.notes)),
    reject: (code) => seen.push(code),
    note: (note) => seen.push(note),
  }
  const scanner = new FrameScanner({ maxFrameBytes }, visitor, budget)
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
  while (scanner.hasRest) scanner.push(scanner.takeRest())
  scanner.end()
  return seen
}

/** The same bytes in every cutting give the same. */
function readAll(bytes: Uint8Array, maxFrameBytes = LIMIT): string[] {
  const whole = read(bytes, bytes.length, maxFrameBytes)
  for (let size = 1; size <= Math.min(bytes.length, 16); size++) {
    assert.deepEqual(read(bytes, size, maxFrameBytes), whole, `pieces of ${size}`)
  }
  return whole
}

/** The frame with a length that counts itself. */
function inclusive(frame: Uint8Array): Uint8Array {
  const copy = Buffer.from(frame)
  copy.writeUInt32BE(copy.readUInt32BE(0) + 4, 0)
  return copy
}

const CONNECT = encodeConnect()
const JOIN = encodeJoin('golden-app', 'w')
const METRICS = metricsBytes({ bins: { 3: '1' }, min_ns: '7', max_ns: '7' })
const FRAMES = [CONNECT, JOIN, METRICS]

describe('a length that counts itself', () => {
  it('is recognised at the first frame, whatever its type, and noted once', () => {
    const all = Buffer.concat(FRAMES.map(inclusive))
    assert.deepEqual(readAll(all), ['length_includes_header', 'connect', 'join', 'metrics'])
    for (const first of [JOIN, METRICS]) {
      const [note, , ...rest] = readAll(Buffer.concat([first, JOIN, METRICS].map(inclusive)))
      assert.equal(note, 'length_includes_header')
      assert.ok(rest.includes('metrics'))
    }
  })

  it('is not looked for after the first frame that has a type', () => {
    const late = Buffer.concat([CONNECT, inclusive(JOIN), Buffer.from('00000001', 'hex')])
    assert.deepEqual(readAll(late), ['connect', 'malformed_join'])
    const unknown = Buffer.concat([Buffer.from('0000000209ff', 'hex'), JOIN])
    assert.deepEqual(readAll(unknown), ['unknown_type', 'join', 'before_connect'])
  })

  it('may follow empty frames, of which no reading can be told', () => {
    const bytes = Buffer.concat([Buffer.alloc(8), ...FRAMES.map(inclusive)])
    assert.deepEqual(readAll(bytes).slice(0, 4), [
      ...['empty_frame', 'empty_frame', 'length_includes_header', 'connect'],
    ])
  })

  it('makes lengths up to 4 empty frames', () => {
    const empty = ['00000000', '00000003', '00000004'].map((text) => Buffer.from(text, 'hex'))
    const bytes = Buffer.concat([inclusive(CONNECT), inclusive(JOIN), ...empty])
    assert.deepEqual(readAll(bytes), [
      ...['length_includes_header', 'connect', 'join', 'empty_frame', 'empty_frame', 'empty_frame'],
    ])
  })

  it('is not believed of a Connect that no frame follows', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['00000005010000000602', ['length_includes_header', 'connect', 'truncated_at_close']],
      ['00000005010000000609', ['malformed_connect', 'truncated_at_close']],
      ['00000005010000000402', ['malformed_connect', 'truncated_at_close']],
      ['00000005010010000102', ['malformed_connect', 'truncated_at_close']],
      ['000000050100000006', ['malformed_connect']],
      ['0000000501000000', ['truncated_at_close']],
      ['0000000501', ['truncated_at_close']],
    ]
    for (const [hex, seen] of cases) assert.deepEqual(readAll(Buffer.from(hex, 'hex')), seen, hex)
  })
})

describe('a limit', () => {
  it('takes a length equal to it and closes at once above it', () => {
    const header = (length: number) => {
      const bytes = Buffer.alloc(5)
      bytes.writeUInt32BE(length)
      bytes[4] = 9
      return bytes
    }
    const full = Buffer.concat([header(64), Buffer.alloc(63), CONNECT])
    assert.deepEqual(readAll(full, 64), ['unknown_type', 'connect'])
    assert.deepEqual(readAll(Buffer.concat([CONNECT, header(65), CONNECT]), 64), [
      ...['connect', 'frame_too_large'],
    ])
  })

  it('bounds what is held, which follows what has come and not what is announced', () => {
    const scanner = new FrameScanner({ maxFrameBytes: LIMIT }, { ...SILENT, reject() {} })
    const header = Buffer.from('0010000003', 'hex')
    scanner.push(header)
    assert.ok(scanner.bytesHeld <= 1024)
    const piece = Buffer.alloc(10_000)
    for (let sent = 1; sent < LIMIT; sent += piece.length) {
      scanner.push(piece.subarray(0, Math.min(piece.length, LIMIT - sent)))
      assert.ok(scanner.bytesHeld <= LIMIT + 4)
    }
    assert.equal(scanner.frames, 1)
    assert.equal(scanner.bytesHeld, 0, 'a large buffer is given back')
  })

  it('bounds the topics that joins are remembered by', () => {
    const count = Math.ceil(JOINED_BYTES_LIMIT / 64) + 100
    const joins = Array.from({ length: count }, (_, i) => encodeJoin(`app ${i}`, 'w'))
    const last = metricsBytes({ application: `app ${count - 1}` })
    const first = metricsBytes({ application: 'app 0' })
    const seen = read(Buffer.concat([CONNECT, ...joins, first, last]))
    assert.equal(seen.filter((word) => word === 'join').length, count)
    assert.equal(seen.filter((word) => word === 'topic_not_joined').length, 1)
  })
})

describe('errors', () => {
  it('say where in the frame something is wrong, and whether the stream goes on', () => {
    const cases: readonly (readonly [string, string, number, boolean])[] = [
      ['00000000', 'empty_frame', 0, true],
      ['0000000107', 'unknown_type', 4, true],
      ['000000020107', 'malformed_connect', 5, true],
      ['0000000a02000000056c6f626279', 'bad_topic', 9, true],
      ['0000000c03ffffffff6d657472696373', 'malformed_metrics', 5, true],
      ['ffffffff', 'frame_too_large', 0, false],
    ]
    for (const [hex, code, offset, resync] of cases) {
      const decoder = createDecoder()
      decoder.push(Buffer.from(hex, 'hex'))
      decoder.end()
      assert.deepEqual(decoder.errors, [{ dialect: 'wallaroo', code, offset, resync }])
    }
  })

  it('of one frame leave its neighbours alone, wherever its bytes are changed', () => {
    for (let at = 4; at < METRICS.length; at += 7) {
      const broken = Buffer.from(METRICS)
      broken[at]! ^= 0xff
      const decoder = createDecoder()
      decoder.push(Buffer.concat([CONNECT, JOIN, METRICS, broken, METRICS]))
      decoder.end()
      const count = decoder.messages.length + decoder.errors.length
      assert.equal(count, 5, `byte ${at}`)
      assert.ok(decoder.messages.length >= 4)
    }
  })
})

describe('names in a Join', () => {
  it('that are no UTF-8 are noted', () => {
    const join = Buffer.from(JOIN)
    join[join.length - 1] = 0xff
    assert.deepEqual(readAll(Buffer.concat([CONNECT, join])), ['connect', 'join', 'invalid_utf8'])
  })
})

describe('a turn that is over', () => {
  it('leaves whole frames for the next one, of which none is lost or taken twice', () => {
    const frames = Array.from({ length: 200 }, (_, i) => (i % 7 === 0 ? JOIN : METRICS))
    const bytes = Buffer.concat([CONNECT, ...frames])
    const whole = read(bytes)
    for (const size of [bytes.length, 10_000, 777]) {
      assert.deepEqual(read(bytes, size, LIMIT, { isSpent: true }), whole, `pieces of ${size}`)
    }
  })

  it('comes after some dozen frames, and what waits is counted as held', () => {
    let visited = 0
    const visitor = { connect() {}, join() {}, reject() {}, note() {}, metrics: () => visited++ }
    const scanner = new FrameScanner({ maxFrameBytes: LIMIT }, visitor, { isSpent: true })
    const bytes = Buffer.concat(new Array(100).fill(METRICS))
    scanner.push(bytes)
    assert.ok(visited > 0 && visited < 100)
    assert.equal(scanner.bytesHeld, bytes.length - visited * METRICS.length)
    scanner.push(METRICS)
    assert.equal(scanner.takeRest().length, bytes.length - (visited - 1) * METRICS.length)
    assert.equal(scanner.hasRest, false)
  })
})
