/**
 * Dialect scope, both directions, each a target: whatever arrives, every reading of it ends, knows
 * only its own errors, holds no more than its cap, is the same however the bytes are cut and
 * whether or not a snapshot is read along the last one; what the grammar meant is what is read, and
 * what was read can be written and read again.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { Transcript } from '../../../../test/fuzz/engine/transcript.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { DecodeError } from '../../../wire/decode-error.ts'
import type { CodecOptions } from '../../decoder.ts'
import { frame } from '../codec/framing.ts'
import { toPlain } from '../codec/messages.ts'
import { PacketDecoder } from '../codec/packet.ts'
import { PacketStream } from '../codec/packet-stream.ts'
import { SettingsStream } from '../codec/settings-stream.ts'
import { createDecoder, encodeScope } from '../codec.ts'
import { CLIENT_DEFAULTS } from '../options.ts'
import { ERROR_CODES, type Packet } from '../spec.ts'
import { ScopeStream } from './fuzz/grammar.ts'
import { hex, VECTORS } from './golden.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
/** Messages are written and read again for one input in so many. */
const WRITING_ONCE_IN = 8
/** Cap of the settings stream under test: small enough to be met. */
const SETTINGS_CAP = 256

interface Found {
  readonly messages: readonly unknown[]
  readonly codes: readonly string[]
  readonly notes: readonly string[]
}

const stream = new ScopeStream()
const [found, wanted] = [new Transcript(), new Transcript()]

function read(bytes: Uint8Array, options: CodecOptions, random?: Random): Found {
  const decoder = createDecoder(options)
  if (random === undefined) decoder.push(bytes)
  else forEachPiece(random, bytes, (piece) => decoder.push(piece))
  decoder.end()
  const codes = decoder.errors.map(({ code }) => code)
  for (const code of codes) assert.ok(CODES.has(code), code)
  return { messages: decoder.messages, codes, notes: decoder.notes }
}

function checkSame(a: Found, b: Found, what: string): void {
  found.reset().data(a)
  wanted.reset().data(b)
  found.mustEqual(wanted, what)
}

function checkMeaning(bytes: Uint8Array, options: CodecOptions): void {
  const { messages, codes } = read(bytes, options)
  const plain = stream.meant.flatMap((each) => ('plain' in each ? [each.plain] : []))
  const refused = stream.meant.flatMap((each) => ('code' in each ? [each.code] : []))
  assert.deepEqual({ codes, messages }, { codes: refused, messages: plain })
}

function checkCuts(bytes: Uint8Array, options: CodecOptions, random: Random): Found {
  const whole = read(bytes, options)
  if (options.transport === undefined) {
    checkSame(read(bytes, options, random), whole, 'read in pieces and in whole')
  }
  return whole
}

type Write = (messages: readonly unknown[]) => Uint8Array[]

function checkWriting({ messages }: Found, write: Write): void {
  const bare = (list: readonly unknown[]) =>
    list.map((message) => ({ ...(message as object), dropped: undefined }))
  const again = write(messages).flatMap((each) => read(each, {}).messages)
  assert.deepEqual(bare(again), bare(messages))
}

/** Reads as a client does: snapshots along the last one, in pieces, within its cap. */
function checkClient(bytes: Uint8Array, isStrict: boolean, whole: Found, random: Random): void {
  const hasVersion = whole.notes.includes('version 1')
  if (!hasVersion && whole.codes.includes('version')) return
  const said = found.reset()
  const codes: string[] = []
  const decoder = new PacketDecoder({ strict: isStrict })
  const { frameCapBytes } = CLIENT_DEFAULTS
  const packets = new PacketStream<Packet>(
    { framing: 'auto', frameCapBytes },
    (payload) => decoder.decodeInParts(payload),
    {
      packet: (packet) => void said.data(toPlain(packet)),
      bad: ({ code }) => codes.push(code),
    },
  )
  let taken = 0
  forEachPiece(random, hasVersion ? bytes.subarray(2) : bytes, (piece) => {
    packets.push(piece)
    taken += piece.length
    assert.ok(packets.pendingBytes <= Math.min(taken, frameCapBytes + 4), 'bytes held')
  })
  packets.end()
  wanted.reset()
  for (const message of whole.messages) wanted.data(message)
  said.mustEqual(wanted, 'read along the last snapshot and alone')
  if (hasVersion) assert.deepEqual(codes, whole.codes)
}

const packetSeeds = () => [
  ...VECTORS.streams.map((each) => hex(each.server_stream_hex)),
  ...VECTORS.accepted_variants.flatMap((each) => [
    hex(each.payload_hex),
    frame(hex(each.payload_hex)),
  ]),
  ...VECTORS.rejected.map((each) => hex(each.payload_hex)),
]

const packets: FuzzTarget = {
  name: 'scope',
  seeds: packetSeeds,

  generate(random) {
    const strict = random.isOnceIn(3)
    const isMeant = stream.makePackets(random, strict)
    const { bytes } = stream
    return isMeant
      ? { bytes, check: () => checkMeaning(bytes, { role: 'client', strict }) }
      : { bytes }
  },

  run(bytes, random) {
    const strict = random.isOnceIn(3)
    const whole = checkCuts(bytes, { role: 'client', strict }, random)
    checkClient(bytes, strict, whole, random)
    if (random.isOnceIn(4)) checkCuts(bytes, {}, random)
    if (random.isOnceIn(8)) checkCuts(bytes, { transport: 'udp' }, random)
    if (random.isOnceIn(WRITING_ONCE_IN)) checkWriting(whole, encodeScope)
  },

  canary: {
    fault: 'the low 32 bits of t get lost above 2^32',
    run: (bytes) =>
      checkWriting(read(bytes, { role: 'client' }), (messages) =>
        encodeScope(messages.map(forgetLow)),
      ),
  },
}

/** Feeds a stream of its own cap, which must not be passed by more than one piece. */
function checkSettingsCap(bytes: Uint8Array, random: Random): void {
  const settings = new SettingsStream('auto', SETTINGS_CAP)
  let isOver = false
  try {
    forEachPiece(random, bytes, (piece) => {
      if (isOver) return
      isOver = settings.push(piece) !== undefined
      const held = settings.bytes.length - piece.length
      assert.ok(isOver || held <= SETTINGS_CAP + 4, `${held} bytes held`)
    })
    if (!isOver) settings.end()
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    assert.ok(CODES.has(error.code), error.code)
  }
}

const settings: FuzzTarget = {
  name: 'scope-settings',

  seeds: () => [
    ...VECTORS.streams.map((each) => hex(each.client_stream_hex)),
    ...VECTORS.rejected.map((each) => hex(each.payload_hex)),
    ...encodeScope([{ kind: 'settings', sampling_interval: { $u64: '0' } }]),
  ],

  generate(random) {
    const isMeant = stream.makeSettings(random)
    const { bytes } = stream
    return isMeant ? { bytes, check: () => checkMeaning(bytes, { role: 'server' }) } : { bytes }
  },

  run(bytes, random) {
    const whole = checkCuts(bytes, { role: 'server' }, random)
    assert.ok(whole.messages.length + whole.codes.length <= 1, 'one handshake or one refusal')
    checkSettingsCap(bytes, random)
    if (random.isOnceIn(WRITING_ONCE_IN)) checkWriting(whole, encodeScope)
  },

  canary: {
    fault: 'an interval of 0 is thought to be taken',
    run(bytes) {
      assert.ok(!read(bytes, { role: 'server' }).codes.includes('settings_range'))
    },
  },
}

export const targets: readonly FuzzTarget[] = [packets, settings]

function forgetLow(message: unknown): unknown {
  const { t } = message as { t?: { $u64: string } }
  if (t === undefined) return message
  const value = BigInt(t.$u64)
  if (value < 2n ** 32n) return message
  return { ...(message as object), t: { $u64: ((value >> 32n) << 32n).toString() } }
}
