/**
 * Dialect scope, both directions: whatever arrives, every reading of it ends, knows only its own
 * errors, is the same however the bytes are cut, and what was read can be written and read again.
 */
import assert from 'node:assert/strict'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { DecodeError } from '../../../wire/decode-error.ts'
import type { CodecOptions } from '../../decoder.ts'
import { frame } from '../codec/framing.ts'
import { toPlain } from '../codec/messages.ts'
import { decodePacket, PacketDecoder } from '../codec/packet.ts'
import { createDecoder, encodeScope } from '../codec.ts'
import { ERROR_CODES } from '../spec.ts'
import { hex, VECTORS } from './golden.ts'

const READINGS: readonly CodecOptions[] = [
  {},
  { role: 'server' },
  { role: 'client' },
  { role: 'client', strict: true },
  { transport: 'udp' },
]

interface Found {
  readonly messages: readonly unknown[]
  readonly codes: readonly string[]
  readonly notes: readonly string[]
}

function read(pieces: readonly Uint8Array[], options: CodecOptions): Found {
  const decoder = createDecoder(options)
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  const codes = decoder.errors.map(({ code }) => code)
  return { messages: decoder.messages, codes, notes: decoder.notes }
}

function cut(bytes: Uint8Array): Uint8Array[] {
  // The first byte decides where: the cut must depend on the bytes alone.
  const size = 1 + ((bytes[0] ?? 0) % 7)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
  return pieces
}

function check(bytes: Uint8Array, written: (messages: readonly unknown[]) => Uint8Array[]): void {
  for (const options of READINGS) {
    const found = read([bytes], options)
    for (const code of found.codes) assert.ok(ERROR_CODES.includes(code), code)
    if (options.transport === undefined) assert.deepEqual(read(cut(bytes), options), found)
    const plain = found.messages.map((message) => ({ ...(message as object), dropped: undefined }))
    const again = written(found.messages).flatMap((each) => read([each], {}).messages)
    assert.deepEqual(
      again.map((message) => ({ ...(message as object), dropped: undefined })),
      plain,
    )
  }
  checkWalk(bytes)
}

/** Reading along an earlier packet gives what reading alone gives. */
function checkWalk(bytes: Uint8Array): void {
  const decoder = new PacketDecoder()
  for (const each of [bytes, bytes.toReversed(), bytes]) {
    assert.deepEqual(
      outcome(() => toPlain(decoder.decode(each))),
      outcome(() => toPlain(decodePacket(each))),
    )
  }
}

function outcome(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    if (error instanceof DecodeError) return error.code
    throw error
  }
}

export const target: FuzzTarget = {
  name: 'scope',

  seeds: () => [
    ...VECTORS.streams.flatMap((each) => [
      hex(each.server_stream_hex),
      hex(each.client_stream_hex),
    ]),
    ...VECTORS.accepted_variants.flatMap((each) => [
      hex(each.payload_hex),
      frame(hex(each.payload_hex)),
    ]),
    ...VECTORS.rejected.map((each) => hex(each.payload_hex)),
  ],

  run: (bytes) => check(bytes, encodeScope),

  canary: {
    fault: 'the low 32 bits of t get lost above 2^32',
    run: (bytes) => check(bytes, (messages) => encodeScope(messages.map(forgetLow))),
  },
}

function forgetLow(message: unknown): unknown {
  const { t } = message as { t?: { $u64: string } }
  if (t === undefined) return message
  const value = BigInt(t.$u64)
  if (value < 2n ** 32n) return message
  return { ...(message as object), t: { $u64: ((value >> 32n) << 32n).toString() } }
}
