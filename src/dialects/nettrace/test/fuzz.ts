/**
 * NetTrace, both directions, each a target: whatever arrives, the reading ends, knows only its own
 * errors, holds no more than a block and what came of it, and is the same however the bytes are
 * cut; what the grammar meant is what is read, and what was read is written and read again.
 */
import assert from 'node:assert/strict'
import { ByteBuilder, forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { Transcript } from '../../../../test/fuzz/engine/transcript.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { EncodeError } from '../../../wire/encode-error.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import { readCommand } from '../codec/ipc/read.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import type { EventMessage } from '../codec/message.ts'
import { createDecoder, encodeNetTrace, type NetTraceMessage } from '../codec.ts'
import { ERROR_CODES } from '../spec.ts'
import { client } from './fuzz/client.ts'
import { makeCommand, makeEvents } from './fuzz/grammar.ts'
import { socket } from './fuzz/socket.ts'
import { RECORDINGS } from './recordings.ts'
import { STREAMS } from './vectors/streams.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
/** Messages are written and read again for one input in so many. */
const WRITING_ONCE_IN = 8

const out = new ByteBuilder()
const [found, wanted] = [new Transcript(), new Transcript()]

interface Found {
  readonly messages: readonly NetTraceMessage[]
  readonly codes: readonly string[]
}

function read(bytes: Uint8Array, random?: Random): Found {
  const decoder = createDecoder()
  if (random === undefined) decoder.push(bytes)
  else forEachPiece(random, bytes, (piece) => decoder.push(piece))
  decoder.end()
  const codes = decoder.errors.map(({ code, offset }) => {
    assert.ok(CODES.has(code) && offset >= 0 && offset <= bytes.length, `${code} at ${offset}`)
    return code
  })
  return { messages: decoder.messages as readonly NetTraceMessage[], codes }
}

function checkSame(a: Found, b: Found, what: string): void {
  found.reset().data(a)
  wanted.reset().data(b)
  found.mustEqual(wanted, what)
}

const stream: FuzzTarget = {
  name: 'nettrace',

  seeds: () => [...STREAMS.values(), RECORDINGS.get('idle')!, RECORDINGS.get('id-filter')!],

  generate(random) {
    const meant = makeEvents(random)
    const [whole] = encodeNetTrace(meant)
    const bytes = out.reset(random.below(4)).raw(whole!).bytes
    return { bytes, check: () => assert.deepEqual(read(bytes), { messages: meant, codes: [] }) }
  },

  run(bytes, random) {
    const whole = read(bytes)
    checkSame(read(bytes, random), whole, 'read in pieces and in whole')
    if (random.isOnceIn(WRITING_ONCE_IN)) checkWriting(whole.messages)
  },

  canary: {
    fault: 'a sequence of bytes begins one too late',
    run(bytes) {
      checkSame(read(bytes.subarray(1)), read(bytes), 'with and without the first byte')
    },
  },
}

/** Writes what can be said, and reads it again, but for times that another clock would need. */
function checkWriting(messages: readonly NetTraceMessage[]): void {
  const said = messages.filter((message) => isSayable(message))
  const again = read(Buffer.concat(encodeNetTrace(said)))
  assert.deepEqual(again.codes, [])
  assert.deepEqual(contents(again.messages), contents(said))
}

function isSayable(message: NetTraceMessage): boolean {
  try {
    encodeNetTrace([message])
    return true
  } catch (error) {
    if (error instanceof EncodeError) return false
    throw error
  }
}

/** Messages first, as they are written, then what events say, in any order of times. */
function contents(messages: readonly NetTraceMessage[]): string[] {
  const texts = messages.map((message) => {
    const { time: _, relMs: __, ...rest } = message as EventMessage
    return JSON.stringify(sorted(rest))
  })
  return texts.sort()
}

/** Names in one order: a stream has them as its layouts do. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.entries(value)
    .map(([name, each]) => [name, sorted(each)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const command: FuzzTarget = {
  name: 'nettrace-ipc',

  seeds: () => [
    writeIpc({ message: 'ProcessInfo3' }),
    ...[2, 5].map((number) => {
      const providers = [{ keywords: 0, level: 4, name: 'System.Runtime', arguments: 'a=1' }]
      return writeIpc({
        message: `CollectTracing${number as 2}`,
        bufferMB: 1,
        format: 1,
        providers,
      })
    }),
  ],

  generate(random) {
    const meant = makeCommand(random)
    const bytes = out.reset(random.below(4)).raw(writeIpc(meant)).bytes
    return { bytes, check: () => assert.deepEqual(readCommand(bytes), { command: meant }) }
  },

  run(bytes, random) {
    const { command: taken, error } = readCommand(bytes)
    if (taken === undefined) assert.match(error, /^[0-9a-f]{8}$/)
    else assert.deepEqual(readCommand(writeIpc(taken)), { command: taken })
    checkSame(read(bytes, random), read(bytes), 'read in pieces and in whole')
  },

  canary: {
    fault: 'a size read with its bytes swapped',
    run(bytes) {
      const reader = new ByteReader().open(bytes)
      if (bytes.length < 20) return
      const [size, swapped] = [reader.u16(), bytes[0]! * 256 + bytes[1]!]
      assert.equal(swapped, size)
    },
  },
}

export const targets: readonly FuzzTarget[] = [stream, command, socket, client]
