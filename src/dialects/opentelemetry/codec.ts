/**
 * Requests of OTLP metrics, read and written whole. Messages are ResourceMetrics in the words of
 * OTLP/JSON, whatever they came as: requests in a row are one request of all their resources, as
 * protobuf has it, so that bytes of many of them can be read as a stream.
 */
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import { decodeMessage } from '../../wire/protobuf/decode.ts'
import { BadField } from '../../wire/protobuf/encode.ts'
import { LENGTH_DELIMITED, ProtobufReader } from '../../wire/protobuf/reader.ts'
import type { JsonMessage } from '../../wire/protobuf/schema.ts'
import type { CodecOptions, Decoded, Decoder } from '../decoder.ts'
import { decodeWhole } from '../decoder.ts'
import { parseJson, RESOURCE_METRICS_FIELD, writeRequest } from './codec/request.ts'
import { RESOURCE_METRICS } from './codec/schema.ts'
import { type ErrorCode, NAME, UNPACKED_BYTES_LIMIT } from './spec.ts'

/** One resource with its metrics, as OTLP/JSON has it; integers of 64 bits are decimal texts. */
export type ResourceMetrics = JsonMessage

const BRACE = 0x7b
const FIRST_BYTES = 4096
/** Longest tag and length. */
const HEAD_BYTES = 20
const utf8 = new TextDecoder()

/** Makes a decoder of requests in protobuf or, where the first byte is a brace, of one in JSON. */
export function createDecoder(options: CodecOptions = {}): Decoder {
  return new RequestDecoder(options.unpackedBytesLimit ?? UNPACKED_BYTES_LIMIT)
}

class RequestDecoder implements Decoder {
  readonly messages: ResourceMetrics[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #limit: number
  readonly #reader = new ProtobufReader()
  #held = new Uint8Array(FIRST_BYTES)
  #size = 0
  #form: 'unknown' | 'protobuf' | 'json' | 'ended' = 'unknown'

  constructor(limit: number) {
    this.#limit = limit
  }

  push(bytes: Uint8Array): void {
    if (this.#form === 'ended' || bytes.length === 0) return
    if (this.#form === 'unknown') {
      this.#form = bytes[0] === BRACE ? 'json' : 'protobuf'
      if (this.#form === 'json') this.notes.push('json')
    }
    let at = 0
    while (at < bytes.length && !this.#isEnded) {
      const part = bytes.subarray(at, at + this.#limit)
      this.#hold(part)
      at += part.length
      if (this.#form === 'protobuf') this.#readWhole()
      else if (this.#size > this.#limit) this.#fail('too_large')
    }
  }

  end(): void {
    if (this.#form === 'json') this.#readJson()
    else if (this.#form === 'protobuf' && this.#size > 0) this.#fail('bad_protobuf')
    this.#form = 'unknown'
    this.#size = 0
  }

  get #isEnded(): boolean {
    return this.#form === 'ended'
  }

  #hold(bytes: Uint8Array): void {
    const end = this.#size + bytes.length
    if (end > this.#held.length) {
      const larger = new Uint8Array(2 * end)
      larger.set(this.#held.subarray(0, this.#size))
      this.#held = larger
    }
    this.#held.set(bytes, this.#size)
    this.#size = end
  }

  /** Reads what is whole of the fields held, and keeps the rest. */
  #readWhole(): void {
    let at = 0
    while (at < this.#size) {
      const next = this.#readField(at)
      if (next === undefined) return
      if (next === at) break
      at = next
    }
    this.#held.copyWithin(0, at, this.#size)
    this.#size -= at
  }

  /** @returns where the next one begins, `at` for one that is not whole, undefined at the end */
  #readField(at: number): number | undefined {
    const reader = this.#reader
    const end = Math.min(this.#size, at + HEAD_BYTES)
    const tagEnd = varintEnd(this.#held, at, end)
    if (tagEnd === undefined) return this.#wait(at, end)
    reader.open(this.#held, at, tagEnd)
    const tag = reader.varint()
    if (tag % 8 !== LENGTH_DELIMITED) return this.#fail('bad_protobuf')
    const lengthEnd = varintEnd(this.#held, tagEnd, end)
    if (lengthEnd === undefined) return this.#wait(at, end)
    reader.open(this.#held, tagEnd, lengthEnd)
    const length = reader.varint()
    if (length > this.#limit) return this.#fail('too_large')
    if (this.#size - lengthEnd < length) return at
    if (Math.floor(tag / 8) === RESOURCE_METRICS_FIELD) this.#take(lengthEnd, lengthEnd + length)
    return lengthEnd + length
  }

  /** Waits for more of a number, which has ten bytes at most. */
  #wait(at: number, end: number): number | undefined {
    return end - at < HEAD_BYTES ? at : this.#fail('bad_protobuf')
  }

  #take(from: number, to: number): void {
    const message = decodeMessage(RESOURCE_METRICS, this.#held, from, to)
    if (typeof message !== 'string') this.messages.push(message)
    else this.errors.push({ dialect: NAME, code: message, offset: 0, resync: true })
  }

  #readJson(): void {
    const parsed = parseJson(utf8.decode(this.#held.subarray(0, this.#size)))
    if ('code' in parsed) {
      this.#fail(parsed.code)
      return
    }
    for (let i = 0; i < parsed.badPoints; i++) {
      this.errors.push({ dialect: NAME, code: 'bad_value', offset: 0, resync: true })
    }
    this.#size = 0
    this.#hold(parsed.bytes)
    this.#readWhole()
  }

  #fail(code: ErrorCode): undefined {
    this.errors.push({ dialect: NAME, code, offset: 0, resync: false })
    this.#form = 'ended'
    this.#size = 0
    this.#held = new Uint8Array(FIRST_BYTES)
  }
}

function varintEnd(bytes: Uint8Array, at: number, end: number): number | undefined {
  for (let i = at; i < end; i++) if (bytes[i]! < 0x80) return i + 1
  return undefined
}

/**
 * Reads a whole request of OTLP metrics, in protobuf or JSON.
 *
 * @example
 * import { decodeOpenTelemetry, encodeOpenTelemetry } from 'pentameter/opentelemetry'
 *
 * const gauge = { dataPoints: [{ timeUnixNano: '1', asInt: '9007199254740993' }] }
 * const scopeMetrics = [{ metrics: [{ name: 'depth', gauge }] }]
 * const [request] = encodeOpenTelemetry([{ scopeMetrics }])
 * console.log(decodeOpenTelemetry(request!).messages) // [ { scopeMetrics: … } ]
 */
export function decodeOpenTelemetry(
  bytes: Uint8Array,
  options: CodecOptions = {},
): Decoded<ResourceMetrics> {
  return decodeWhole<ResourceMetrics>(createDecoder(options), bytes)
}

/**
 * Writes resources with their metrics as one request in protobuf: the body of a POST to
 * `/v1/metrics`.
 * @throws {EncodeError} for what the format cannot say
 *
 * @example
 * import { encodeOpenTelemetry } from 'pentameter/opentelemetry'
 *
 * const sum = { isMonotonic: true, aggregationTemporality: 1, dataPoints: [{ asInt: 3 }] }
 * const [body] = encodeOpenTelemetry([{ scopeMetrics: [{ metrics: [{ name: 'hits', sum }] }] }])
 * console.log(body!.length)
 */
export function encodeOpenTelemetry(messages: readonly unknown[]): Uint8Array[] {
  for (const message of messages) {
    const { scopeMetrics } = (message ?? {}) as { scopeMetrics?: unknown }
    if (Array.isArray(scopeMetrics)) continue
    throw new EncodeError({ dialect: NAME, code: 'bad_message' }, 'no list scopeMetrics')
  }
  try {
    return messages.length === 0 ? [] : [writeRequest(messages)]
  } catch (error) {
    if (!(error instanceof BadField)) throw error
    const code = error.code === 'bad_value' ? 'bad_value' : 'bad_message'
    throw new EncodeError({ dialect: NAME, code }, error.message)
  }
}
