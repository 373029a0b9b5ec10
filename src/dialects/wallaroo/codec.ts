/**
 * Frames to messages in the shapes of the golden vectors and back, for tools, tests and fuzzing.
 * 64-bit values are decimal texts, bins are sparse.
 */
import type { Exact } from '../../model/index.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import type { EncodeError } from '../../wire/encode-error.ts'
import {
  type CodecOptions,
  type Decoded,
  type Decoder,
  decodeWhole,
  type Profile,
  type Transport,
} from '../decoder.ts'
import {
  encodeConnect,
  encodeError,
  encodeJoin,
  encodeMetrics,
  extremesOnWire,
  type Metrics,
} from './codec/encode.ts'
import { FrameScanner } from './codec/frame-scan.ts'
import type { FrameVisitor } from './codec/frame-visitor.ts'
import type { MetricsFrame } from './codec/metrics-frame.ts'
import { textOf } from './codec/text.ts'
import { RECEIVE_DEFAULTS, REPORT_DEFAULTS, sizesProblem } from './options.ts'
import { BINS, type ErrorCode, LENGTH_BYTES, NAME, type Note, notesOf } from './spec.ts'

/** A worker's first word. */
export interface ConnectMessage {
  readonly type: 'connect'
  readonly notes: readonly Note[]
}

/** A worker says which application it belongs to. */
export interface JoinMessage {
  readonly type: 'join'
  readonly application: string
  readonly worker: string | null
  readonly notes: readonly Note[]
}

/** One window of one series; 64-bit integers are decimal texts, bins without counts are absent. */
export interface MetricsMessage {
  readonly type: 'metrics'
  readonly application: string
  readonly category: string
  readonly name: string
  readonly worker: string
  readonly pipeline: string
  readonly id: number
  readonly bins: Readonly<Record<string, string>>
  readonly total: string
  readonly order: 'peer' | 'document' | 'same' | 'empty' | 'unknown'
  readonly min_ns: string | null
  readonly max_ns: string | null
  readonly period_ns: string
  readonly end_ns: string
  readonly payload_size: number
  readonly payload_header: number
  readonly notes: readonly Note[]
}

/** Message of a worker. */
export type Message = ConnectMessage | JoinMessage | MetricsMessage

/**
 * Guesses the transport: what is one frame exactly is of no known connection; everything else is a
 * stream.
 */
export function guessTransport(bytes: Uint8Array): Transport {
  const { buffer, byteOffset, length } = bytes
  if (length < LENGTH_BYTES) return 'tcp'
  const frameLength = new DataView(buffer, byteOffset, length).getUint32(0)
  return frameLength === length - LENGTH_BYTES ? 'udp' : 'tcp'
}

/** Makes a decoder; with `transport: 'udp'` each push is frames of which no connection is known. */
export function createDecoder(
  options: CodecOptions & Partial<typeof RECEIVE_DEFAULTS> = {},
): Decoder {
  return new WallarooDecoder(options)
}

class WallarooDecoder implements Decoder, FrameVisitor {
  readonly messages: Message[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: Note[] = []
  readonly #isDatagram: boolean
  readonly #maxFrameBytes: number
  #scanner: FrameScanner

  constructor(options: CodecOptions & Partial<typeof RECEIVE_DEFAULTS>) {
    this.#isDatagram = options.transport === 'udp'
    this.#maxFrameBytes = options.maxFrameBytes ?? RECEIVE_DEFAULTS.maxFrameBytes
    this.#scanner = this.#createScanner()
  }

  #createScanner(): FrameScanner {
    const rules = { maxFrameBytes: this.#maxFrameBytes, isConversation: !this.#isDatagram }
    return new FrameScanner(rules, this)
  }

  push(bytes: Uint8Array): void {
    this.#scanner.push(bytes)
    if (!this.#isDatagram) return
    this.#scanner.end()
    this.#scanner = this.#createScanner()
  }

  end(): void {
    this.#scanner.end()
  }

  connect(notes: number): void {
    this.messages.push({ type: 'connect', notes: this.#noted(notes) })
  }

  join(
    bytes: Uint8Array,
    applicationStart: number,
    applicationEnd: number,
    workerStart: number,
    workerEnd: number,
    notes: number,
  ): void {
    const application = textOf(bytes, applicationStart, applicationEnd)
    const worker = workerStart < 0 ? null : textOf(bytes, workerStart, workerEnd)
    this.messages.push({ type: 'join', application, worker, notes: this.#noted(notes) })
  }

  metrics(frame: MetricsFrame): void {
    this.messages.push(metricsMessage(frame, this.#noted(frame.notes)))
  }

  reject(code: ErrorCode, _text: string, _b: Uint8Array, _s: number, _e: number, offset: number) {
    this.errors.push({ dialect: NAME, code, offset, resync: code !== 'frame_too_large' })
  }

  note(note: Note): void {
    this.notes.push(note)
  }

  #noted(mask: number): Note[] {
    const notes = notesOf(mask)
    this.notes.push(...notes)
    return notes
  }
}

/** Makes a message of a window; the frame is not kept. */
export function metricsMessage(frame: MetricsFrame, notes: readonly Note[]): MetricsMessage {
  const { application, category, name, worker, pipeline, id, order } = frame
  return {
    ...{ type: 'metrics', application, category, name, worker, pipeline, id },
    bins: sparseBins(frame),
    total: `${frame.total()}`,
    order,
    min_ns: frame.isMinKnown ? `${frame.min()}` : null,
    max_ns: frame.isMaxKnown ? `${frame.max()}` : null,
    period_ns: `${frame.periodNs()}`,
    end_ns: `${frame.endNs()}`,
    payload_size: frame.payloadSize,
    payload_header: frame.payloadHeader,
    notes,
  }
}

function sparseBins(frame: MetricsFrame): Record<string, string> {
  const filled = [...frame.filled.subarray(0, frame.filledCount)]
  return Object.fromEntries(filled.map((bin) => [`${bin}`, `${frame.count(bin)}`]))
}

/**
 * Reads what a worker has sent. Unless `transport` says so, the bytes themselves tell whether they
 * are one frame (`udp`) or a connection from its beginning (`tcp`).
 *
 * @example
 * import { decodeWallaroo, encodeWallaroo } from 'pentameter/wallaroo'
 *
 * const [frame] = encodeWallaroo([{ type: 'join', application: 'shop', worker: 'w1' }])
 * console.log(decodeWallaroo(frame).messages) // [ { type: 'join', … } ]
 */
export function decodeWallaroo(bytes: Uint8Array, options: CodecOptions = {}): Decoded<Message> {
  const { transport = guessTransport(bytes) } = options
  return decodeWhole(createDecoder({ ...options, transport }), bytes)
}

/** Options of encoding. */
export interface EncodeOptions extends CodecOptions {
  /** True where the 65 bins are to have their number in front, under profile `document` only. */
  readonly arraySizes?: boolean
}

/**
 * Encodes messages as frames, one each, in the order of min and max of the profile (`peer` unless
 * given).
 * @throws {RangeError} for sizes of arrays under another profile than the document's
 * @throws {EncodeError} `bad_message`, `out_of_range` or `name_too_long`
 *
 * @example
 * import { encodeWallaroo } from 'pentameter/wallaroo'
 *
 * const [connect] = encodeWallaroo([{ type: 'connect' }])
 * console.log([...connect]) // [ 0, 0, 0, 1, 1 ]
 */
export function encodeWallaroo(
  messages: readonly unknown[],
  { profile = REPORT_DEFAULTS.profile, arraySizes = false }: EncodeOptions = {},
): Uint8Array[] {
  const problem = sizesProblem({ profile, arraySizes })
  if (problem !== undefined) throw new RangeError(`${problem.option}: ${problem.wanted}`)
  return messages.map((message) => frameOf(message, profile, arraySizes))
}

/**
 * Encodes the frame of a message; of one that was decoded, what is known of it.
 * @throws {EncodeError} with a code for what the protocol cannot say
 */
function frameOf(message: unknown, profile: Profile, hasArraySizes: boolean): Uint8Array {
  if (typeof message !== 'object' || message === null) throw badMessage('message is no object')
  const fields = message as Record<string, unknown>
  if (fields.type === 'connect') return encodeConnect()
  if (fields.type === 'metrics') return encodeMetrics(metricsOf(fields), profile, hasArraySizes)
  if (fields.type !== 'join') throw badMessage('type is none of connect, join, metrics')
  return encodeJoin(textField(fields, 'application'), textField(fields, 'worker'))
}

function metricsOf(fields: Record<string, unknown>): Metrics {
  const bins = binsField(fields.bins)
  const [min, max] = [extremeOf('min_ns', fields.min_ns), extremeOf('max_ns', fields.max_ns)]
  return {
    application: textField(fields, 'application'),
    category: textField(fields, 'category'),
    name: textField(fields, 'name'),
    worker: textField(fields, 'worker'),
    pipeline: textField(fields, 'pipeline'),
    id: fields.id as number,
    bins,
    ...extremesOnWire(min, max, bins),
    periodNs: integerOf('period_ns', fields.period_ns),
    endNs: integerOf('end_ns', fields.end_ns),
  }
}

/** Reads an extreme; absent or null is not known. */
function extremeOf(name: string, value: unknown): Exact {
  return value === null || value === undefined ? Number.NaN : integerOf(name, value)
}

function binsField(value: unknown): bigint[] {
  if (typeof value !== 'object' || value === null) throw badMessage('bins is no object')
  const bins = new Array<bigint>(BINS).fill(0n)
  for (const [key, count] of Object.entries(value)) {
    const bin = Number(key)
    if (!/^\d+$/.test(key) || bin >= BINS) throw badMessage(`there is no bin ${key}`)
    bins[bin] = integerOf(`bin ${key}`, count)
  }
  return bins
}

function integerOf(name: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,40}$/.test(value)) return BigInt(value)
  throw badMessage(`${name} is no integer`)
}

function textField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw badMessage(`${name} is no text`)
  return value
}

function badMessage(detail: string): EncodeError {
  return encodeError('bad_message', detail)
}
