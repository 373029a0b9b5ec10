/**
 * Codec of Stats Hero: packets to messages in the shapes of the golden vectors and back, for tools,
 * tests and fuzzing. Its stages are in codec/ and pure; the zlib that they unpack gzip bodies with
 * (§3.4) comes from here.
 */
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { encodePackets, type Line } from './codec/encode.ts'
import { FrameScanner } from './codec/frame-scan.ts'
import type { FrameRules, Inflate, PacketVisitor } from './codec/line-visitor.ts'
import { decodeDatagram } from './codec/packet.ts'
import { EMIT_DEFAULTS, type EmitOptions, type LineOptions, RECEIVE_DEFAULTS } from './options.ts'
import {
  type ErrorCode,
  type LineErrorCode,
  NAME,
  type PacketErrorCode,
  TYPE_WORDS,
  type TypeWord,
} from './spec.ts'

/** One decoded line; a key that does not print as text is given as base64. */
export interface Message {
  readonly key?: string
  readonly key_b64?: string
  /** Decimal text beyond the safe integers. */
  readonly value: number | string
  readonly type: TypeWord
  readonly sampleRate?: number
}

/** Makes the codec's rules from the options of a listener. */
export function frameRules(options: Partial<LineOptions> = {}): FrameRules {
  const { profile, maxFrameBytes, maxInflatedBytes, maxValueDigits } = {
    ...RECEIVE_DEFAULTS,
    ...options,
  }
  return {
    isStrict: profile === 'document',
    maxFrameBytes,
    maxInflatedBytes,
    maxValueDigits,
    inflate: inflateGzip,
  }
}

interface Gunzipped {
  readonly buffer: Uint8Array
  /** Engine of gzip; its `bytesWritten` tells how much of the input was taken. */
  readonly engine: { readonly bytesWritten: number }
}

/**
 * Unpacks one or more members. zlib stops silently at a zero byte behind a member, so what it took
 * is compared with what there was. At most `bytesMax` of output are ever made.
 * zlib is loaded with the first packed body: a thread that never meets one starts without.
 */
const inflateGzip: Inflate = (body, bytesMax) => {
  try {
    // 0 would mean "no limit" to zlib
    const options = { info: true, maxOutputLength: Math.max(bytesMax, 1) }
    const { gunzipSync } = process.getBuiltinModule('node:zlib')
    const { buffer, engine } = gunzipSync(body, options) as unknown as Gunzipped
    return engine.bytesWritten === body.length ? buffer : 'corrupt'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? 'too_large'
      : 'corrupt'
  }
}

export function createDecoder(options: CodecOptions = {}): Decoder {
  const { profile = RECEIVE_DEFAULTS.profile, strict = false, transport = 'udp' } = options
  const { unpackedBytesLimit: maxInflatedBytes = RECEIVE_DEFAULTS.maxInflatedBytes } = options
  const rules = frameRules({ profile: strict ? 'document' : profile, maxInflatedBytes })
  const collector = new Collector()
  const { messages, errors, notes } = collector
  if (transport === 'udp') {
    const push = (bytes: Uint8Array) => decodeDatagram(bytes, rules, collector)
    return { push, end() {}, messages, errors, notes }
  }
  const scanner = new FrameScanner(rules, collector)
  return { push: (bytes) => scanner.push(bytes), end: () => scanner.end(), messages, errors, notes }
}

/**
 * Reads one datagram, or with `transport: 'tcp'` a stream from its beginning.
 *
 * @example
 * import { decodeStatsHero } from 'pentameter/statshero'
 *
 * const { messages } = decodeStatsHero(Buffer.from('1|9\nhits:1|m\n'))
 * console.log(messages) // [ { key: 'hits', value: 1, type: 'm' } ]
 */
export function decodeStatsHero(bytes: Uint8Array, options: CodecOptions = {}): Decoded<Message> {
  return decodeWhole(createDecoder(options), bytes)
}

/**
 * Encodes lines, or messages as the decoder gives them, as packets: each at most
 * `maxDatagramBytes`, unless one line alone is longer.
 * @throws {EncodeError} for a key, value, type or rate that cannot be sent
 * @throws {TypeError} for what is no message
 *
 * @example
 * import { encodeStatsHero } from 'pentameter/statshero'
 *
 * const [packet] = encodeStatsHero([{ key: 'hits', value: 1, type: 'm' }])
 * console.log(new TextDecoder().decode(packet).split('\n')) // [ '1|9', 'hits:1|m', '' ]
 */
export function encodeStatsHero(
  messages: readonly unknown[],
  options: CodecOptions & Partial<EmitOptions> = {},
): Uint8Array[] {
  return encodePackets(messages.map(messageLine), { ...EMIT_DEFAULTS, ...options })
}

/** Messages state an integer further from 0 as decimal text. */
const TEXT_BEYOND = 2n ** 53n

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

class Collector implements PacketVisitor {
  readonly messages: Message[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []

  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    _hash: number,
    type: number,
    value: number,
    rate: number,
  ): void {
    this.messages.push(lineMessage(bytes.subarray(keyStart, keyEnd), type, value, rate))
  }

  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    _hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void {
    const integer = BigInt(strictText.decode(bytes.subarray(valueStart, valueEnd)))
    this.messages.push(lineMessage(bytes.subarray(keyStart, keyEnd), type, integer, rate))
  }

  badLine(code: LineErrorCode, _b: Uint8Array, _s: number, _e: number, offset: number): void {
    this.#refuse(code, offset, true)
  }

  packetEnd(): void {}

  badPacket(
    code: PacketErrorCode,
    detail: string,
    _bytes: Uint8Array,
    _start: number,
    _end: number,
    offset: number,
    isResync: boolean,
  ): void {
    this.notes.push(`${code}: ${detail}`)
    this.#refuse(code, offset, isResync)
  }

  #refuse(code: ErrorCode, offset: number, resync: boolean): void {
    this.errors.push({ dialect: NAME, code, offset, resync })
  }
}

/** Makes a message of a line. @param rate NaN where none is stated */
export function lineMessage(
  key: Uint8Array,
  type: number,
  value: number | bigint,
  rate: number,
): Message {
  const sampleRate = Number.isNaN(rate) ? {} : { sampleRate: rate }
  const isText = typeof value === 'bigint' && (value > TEXT_BEYOND || value < -TEXT_BEYOND)
  const shown = isText ? value.toString() : Number(value)
  return { ...keyFields(key), value: shown, type: TYPE_WORDS[type]!, ...sampleRate }
}

function keyFields(key: Uint8Array): { key: string } | { key_b64: string } {
  try {
    const text = strictText.decode(key)
    if (!/\p{Cc}/u.test(text)) return { key: text }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  return { key_b64: Buffer.from(key).toString('base64') }
}

/**
 * Reads the line that a message states.
 * @throws {TypeError} for what is no message; what a line may not say is the encoder's to judge
 */
function messageLine(message: unknown): Line {
  if (typeof message !== 'object' || message === null) throw new TypeError('message is no object')
  const { key, key_b64, value, type, sampleRate } = message as Record<string, unknown>
  const isText = typeof value === 'string' && /^[+-]?\d+$/.test(value)
  const isEdge = typeof value === 'number' && Math.abs(value) === Number(TEXT_BEYOND)
  return {
    key: typeof key_b64 === 'string' ? Buffer.from(key_b64, 'base64') : String(key ?? ''),
    value: (isText || isEdge ? BigInt(value) : value) as number | bigint,
    type: type as TypeWord,
    ...(sampleRate === undefined ? {} : { sampleRate: sampleRate as number }),
  }
}
