/**
 * Lines to packets (§5, column "we send"): `1|<length>` LF, then lines of
 * `[key][":"][value]["|"][type]` optional `["|@"][rate]`, `[LF]`. A rate has no exponent; it is
 * left out where it is 1, and on gauges and meter readers, to which none applies.
 */

import { EncodeError } from '../../../wire/encode-error.ts'
import type { EmitOptions } from '../options.ts'
import type { TypeWord } from '../spec.ts'
import { DATAGRAM_BYTES_LIMIT, type EncodeErrorCode, LF, NAME, TYPE_WORDS } from '../spec.ts'
import { rateText } from './rate.ts'

/** One measurement as a caller states it. */
export interface Line {
  /** Text, or the bytes where they are no UTF-8. */
  readonly key: string | Uint8Array
  /** An integer; a number only up to 2^53 - 1. */
  readonly value: number | bigint
  readonly type: TypeWord
  /** Sample rate in (0, 1]: each sent line stands for 1 / rate. */
  readonly sampleRate?: number
}

/** Makes an error of the caller's; the codes are a closed set. */
function encodeError(code: EncodeErrorCode, detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}

/** Frame that all lines of one series at one rate share: `[key][":"]` and `["|"][type]…[LF]`. */
export interface LineFrame {
  readonly type: TypeWord
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

type Wording = Pick<EmitOptions, 'profile' | 'lenient'>

const encoder = new TextEncoder()
/** Decoder that keeps a byte order mark: it is part of the key. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Ends of lines without a rate, by type; never written to. */
const PLAIN_TAILS = TYPE_WORDS.map((type) => encoder.encode(`|${type}\n`))

/**
 * Encodes these lines in order as packets, each at most `maxDatagramBytes` unless one line alone is
 * longer; none for no lines.
 * @throws {EncodeError}
 */
export function encodePackets(lines: readonly Line[], options: EmitOptions): Uint8Array[] {
  const packets: Uint8Array[] = []
  const batch = new PacketBatch(options.maxDatagramBytes)
  for (const line of lines) {
    const frame = lineFrame(line, options)
    const value = valueText(line.value, frame.type, options)
    checkSize(frame, value)
    if (!batch.fits(frame, value)) packets.push(batch.take())
    batch.add(frame, value)
  }
  if (batch.lines > 0) packets.push(batch.take())
  return packets
}

/** @throws {EncodeError} for a key, type or rate that cannot be sent */
export function lineFrame(line: Omit<Line, 'value'>, options: Wording): LineFrame {
  const key = keyBytes(line.key, options)
  if (!TYPE_WORDS.includes(line.type)) throw encodeError('bad_type', `type ${line.type}`)
  const rate = line.sampleRate ?? 1
  if (!(rate > 0 && rate <= 1)) throw encodeError('bad_sample_rate', `rate ${rate} not in (0, 1]`)
  const isSampled = rate < 1 && (line.type === 'm' || line.type === 'h')
  const head = new Uint8Array(key.length + 1)
  head.set(key)
  head[key.length] = 0x3a
  const tail = isSampled
    ? encoder.encode(`|${line.type}|@${rateText(rate)}\n`)
    : PLAIN_TAILS[TYPE_WORDS.indexOf(line.type)]!
  return { type: line.type, head, tail }
}

/**
 * Writes the digits of a value.
 * @throws {EncodeError} `bad_value`
 */
export function valueText(value: number | bigint, type: TypeWord, options: Wording): string {
  let integer = value
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    if (!options.lenient || !Number.isFinite(value)) {
      throw encodeError('bad_value', `${value} is no safe integer`)
    }
    integer = BigInt(roundHalfAway(value))
  } else if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw encodeError('bad_value', `value of type ${typeof value}`)
  }
  if (integer < 0 && (type === 'm' || type === 'mr' || options.profile === 'document')) {
    throw encodeError('bad_value', `${value} is negative`)
  }
  return integer.toString()
}

/** Rounds to the nearest integer; of two to the one further from zero. */
export function roundHalfAway(value: number): number {
  const size = Math.abs(value)
  const floor = Math.floor(size)
  const rounded = size - floor >= 0.5 ? floor + 1 : floor
  return value < 0 ? 0 - rounded : rounded
}

/** @throws {EncodeError} `line_too_long` where the line alone would not fit any datagram */
export function checkSize(frame: LineFrame, value: string): void {
  const size = packetSize(frame.head.length + value.length + frame.tail.length)
  if (size <= DATAGRAM_BYTES_LIMIT) return
  throw encodeError('line_too_long', `packet of ${size} bytes, limit ${DATAGRAM_BYTES_LIMIT}`)
}

function keyBytes(key: string | Uint8Array, options: Wording): Uint8Array {
  const text = typeof key === 'string' ? key : decoder.decode(key)
  if (key.length === 0 && !options.lenient) throw encodeError('empty_key', 'a line needs a key')
  const isDocument = options.profile === 'document'
  const isGood = text.isWellFormed() && (isDocument ? DOCUMENT_KEY : PEER_KEY).test(text)
  if (isGood) return typeof key === 'string' ? encoder.encode(key) : key
  if (!options.lenient) throw encodeError('bad_key', `key ${JSON.stringify(text)}`)
  return encoder.encode(isDocument ? cleanDocumentKey(text) : cleanPeerKey(text))
}

/** §3.3: components of letters and digits with single dots between them. */
const DOCUMENT_KEY = /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/
/** Keys of the peer: any character but `:`, `|` and control characters. */
const PEER_KEY = /^[^:|\p{Cc}]+$/u

function cleanPeerKey(text: string): string {
  return text.toWellFormed().replace(/[:|\p{Cc}]/gu, '_') || '_'
}

/**
 * Cleans a key. The document has no `_`: what it does not allow is left out, a component of nothing
 * is `x`.
 */
function cleanDocumentKey(text: string): string {
  const parts = text.split('.').map((part) => part.replace(/[^A-Za-z0-9]/g, '') || 'x')
  return parts.join('.')
}

/** Counts the bytes of a packet with a body of this size: `1|`, the digits, LF, the body. */
function packetSize(bodySize: number): number {
  return 3 + String(bodySize).length + bodySize
}

/** Room before the body for `1|`, a length of up to ten digits, and LF. */
const HEADER_ROOM = 13

/** Lines that will leave together. */
export class PacketBatch {
  lines = 0
  readonly #bytesMax: number
  #buffer: Uint8Array
  #end = HEADER_ROOM

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#buffer = new Uint8Array(HEADER_ROOM + bytesMax)
  }

  /**
   * Tells whether one more line keeps the packet within its size; into an empty batch any line
   * goes.
   */
  fits(frame: LineFrame, value: string): boolean {
    const size = this.#end - HEADER_ROOM + frame.head.length + value.length + frame.tail.length
    return this.lines === 0 || packetSize(size) <= this.#bytesMax
  }

  /** @param value ASCII digits, a sign where negative */
  add(frame: LineFrame, value: string): void {
    const { head, tail } = frame
    this.#cover(this.#end + head.length + value.length + tail.length)
    const buffer = this.#buffer
    buffer.set(head, this.#end)
    let at = this.#end + head.length
    for (let i = 0; i < value.length; i++) buffer[at++] = value.charCodeAt(i)
    buffer.set(tail, at)
    this.#end = at + tail.length
    this.lines++
  }

  /** Takes the packet so far, as a copy; the batch is empty afterwards. */
  take(): Uint8Array {
    const header = `1|${this.#end - HEADER_ROOM}`
    const start = HEADER_ROOM - header.length - 1
    for (let i = 0; i < header.length; i++) this.#buffer[start + i] = header.charCodeAt(i)
    this.#buffer[HEADER_ROOM - 1] = LF
    const packet = this.#buffer.slice(start, this.#end)
    this.#end = HEADER_ROOM
    this.lines = 0
    return packet
  }

  #cover(size: number): void {
    if (size <= this.#buffer.length) return
    const larger = new Uint8Array(size)
    larger.set(this.#buffer)
    this.#buffer = larger
  }
}
