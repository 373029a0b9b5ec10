/**
 * Codec of EventCounters: lines of NDJSON to messages and back, in both spellings of payloads
 * (eventcounters.md §3.1, §4.9); pure.
 */
import { DecodeError, type DecodeErrorFields } from '../../wire/decode-error.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import {
  type CodecOptions,
  type Decoded,
  type Decoder,
  decodeWhole,
  type Profile,
} from '../decoder.ts'
import { LineReader } from './codec/line.ts'
import { type CounterMessage, toMessage } from './codec/message.ts'
import { toPayload } from './codec/payload.ts'
import { type IgnoredReason, type ReadWindow, readLine, type Warning } from './codec/read.ts'
import { type EncodeErrorCode, type ErrorCode, EVENT_NAME, LIMITS, NAME } from './spec.ts'
import type { CounterWindow, Statistics } from './window.ts'

/** Makes a decoder; `profile` says how payloads are read that do not show their spelling. */
export function createDecoder(options: CodecOptions = {}): Decoder {
  return new LineDecoder(options)
}

/**
 * Reads lines of NDJSON, as an endpoint sends them; what a line says besides its window (provider,
 * time) is in the notes.
 *
 * @example
 * import { decodeEventCounters } from 'pentameter/eventcounters'
 *
 * const line = '{"Name":"hits","Increment":2,"IntervalSec":1,"CounterType":"Sum"}\n'
 * console.log(decodeEventCounters(Buffer.from(line)).messages[0]?.name) // hits
 */
export function decodeEventCounters(
  bytes: Uint8Array,
  options: CodecOptions = {},
): Decoded<CounterMessage> {
  return decodeWhole(createDecoder({ transport: 'tcp', ...options }), bytes)
}

/**
 * Decoder of lines; which line it was, and provider and time, which are not part of a payload, are
 * in notes.
 */
class LineDecoder implements Decoder {
  readonly messages: CounterMessage[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #reader: LineReader
  readonly #transport: CodecOptions['transport']

  constructor({ profile, transport }: CodecOptions) {
    this.#transport = transport
    this.#reader = new LineReader(
      {
        onWindow: (window) => this.#keep(window),
        onIgnored: (reason) => this.notes.push(`line ${this.#lineNumber}: ${IGNORED[reason]}`),
        onError: (code, line) => this.#refuse(code, line.length),
      },
      profile === undefined ? {} : { profile },
    )
  }

  push(bytes: Uint8Array): void {
    this.#reader.push(bytes)
    if (this.#transport === 'udp') this.#reader.finish()
  }

  /** Ends the stream; a last line may lack its end: one that was cut is no JSON. */
  end(): void {
    this.#reader.finish()
  }

  /** Number of the line that has just been read. */
  get #lineNumber(): number {
    return Object.values(this.#reader.counts).reduce((sum, count) => sum + count, 0)
  }

  #keep(window: ReadWindow): void {
    this.messages.push(toMessage(window))
    const facts: string[] = []
    if (window.provider !== '') facts.push(`provider ${window.provider}`)
    if (window.timeMs !== undefined) facts.push(`time ${new Date(window.timeMs).toISOString()}`)
    if (window.malformed > 0) facts.push(`${window.malformed} malformed metadata pairs`)
    if (facts.length > 0) this.notes.push(`line ${this.#lineNumber}: ${facts.join(', ')}`)
  }

  #refuse(code: ErrorCode, size: number): void {
    const offset = code === 'line_too_long' ? size : 0
    const detail = `line ${this.#lineNumber} dropped`
    this.notes.push(`${detail}: ${code}`)
    this.errors.push(new DecodeError({ dialect: NAME, code, offset, resync: true }, detail))
  }
}

const IGNORED: Readonly<Record<IgnoredReason, string>> = {
  keep_alive: 'empty, a keep-alive',
  other_event: 'an event of another name',
}

function encodeError(code: EncodeErrorCode, detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}

const encoder = new TextEncoder()

/**
 * Writes one line per message, which may also name its `provider` and `time` (RFC 3339): with
 * one of them, or with `buckets`, the line has an envelope. Numbers are written as they are, also
 * where a producer of that spelling would round them; what a message leaves out, the payload
 * leaves out.
 * @param options `profile` is that of all lines; without it each message's own counts, and
 *   `document` for one that names none
 * @throws {EncodeError} `not_sayable`, or why its line would be dropped
 *
 * @example
 * import { encodeEventCounters } from 'pentameter/eventcounters'
 *
 * const [line] = encodeEventCounters([{ kind: 'sum', name: 'orders', increment: 3 }])
 * console.log(new TextDecoder().decode(line)) // {"DisplayName":"",…}
 */
export function encodeEventCounters(
  messages: readonly unknown[],
  options: CodecOptions = {},
): Uint8Array[] {
  /** Spelling as the decoder of these lines will know it. */
  let fixed: Profile | undefined
  return messages.map((message) => {
    const fields = fieldsOf(message, options.profile)
    const text = lineOf(fields)
    const read = readLine(text, fixed)
    if (read.kind === 'error') throw encodeError(read.code, `no line: ${text}`)
    if (read.kind === 'ignored') throw encodeError('not_sayable', `no payload: ${text}`)
    checkSame(fields, read.window.provider, toMessage(read.window))
    if (!read.window.warnings.includes('profile_assumed')) fixed ??= read.window.profile
    const bytes = encoder.encode(`${text}\n`)
    if (bytes.length - 1 <= LIMITS.lineBytes) return bytes
    throw encodeError('line_too_long', `${bytes.length - 1} bytes, limit ${LIMITS.lineBytes}`)
  })
}

type Fields = Readonly<Record<string, unknown>> & { readonly profile: Profile }

/** Reads a message; what it was read in, and assumed to be in, gives way to the profile wanted. */
function fieldsOf(message: unknown, wanted: Profile | undefined): Fields {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw encodeError('not_an_object', 'a message is an object')
  }
  const fields = message as Readonly<Record<string, unknown>>
  if (fields.kind !== 'mean' && fields.kind !== 'sum') {
    throw encodeError('unknown_counter_type', `kind ${fields.kind} is neither mean nor sum`)
  }
  const stated = fields.profile ?? wanted ?? 'document'
  if (stated !== 'document' && stated !== 'peer') {
    throw encodeError('not_sayable', `profile ${stated} is neither document nor peer`)
  }
  if (wanted === undefined || !Array.isArray(fields.warnings)) {
    return { ...fields, profile: wanted ?? stated }
  }
  const warnings = fields.warnings.filter((warning) => warning !== 'profile_assumed')
  return { ...fields, profile: wanted, warnings }
}

function lineOf(fields: Fields): string {
  const payload = payloadOf(fields)
  const { provider, time } = fields
  // those that were none are written as what is none
  const buckets = hasWarning(fields, 'buckets') ? null : fields.buckets
  const around = { provider, time, buckets }
  if (Object.values(around).every((each) => each === undefined)) return JSON.stringify(payload)
  return JSON.stringify({ event: EVENT_NAME, provider, time, Payload: payload, buckets })
}

/** Makes the producer's payload in its order, with this message's own numbers. */
function payloadOf(fields: Fields): Record<string, unknown> {
  const { profile, kind } = fields
  const spelled: Record<string, unknown> = toPayload(windowOf(fields), profile)
  spelled.IntervalSec = numberOf(fields.intervalSec) ?? undefined
  if (typeof fields.seriesMs !== 'number') spelled.Series = undefined
  if (kind === 'mean') spelled.Count = numberOf(fields.count)
  if (hasWarning(fields, 'count')) spelled.Count = undefined
  if (hasWarning(fields, 'profile_assumed')) {
    for (const mark of ['MetaData', 'Metadata', 'DisplayUnits', 'DisplayRateTimeScale']) {
      delete spelled[mark]
    }
  }
  // A text that is neither spelling's.
  if (hasWarning(fields, 'rate_scale')) spelled.DisplayRateTimeScale = 'unknown'
  return spelled
}

function hasWarning({ warnings }: Fields, warning: Warning): boolean {
  return Array.isArray(warnings) && warnings.includes(warning)
}

function windowOf(fields: Fields): CounterWindow {
  const labels = fields.labels ?? {}
  if (typeof labels !== 'object' || Object.values(labels).some((v) => typeof v !== 'string')) {
    throw encodeError('not_sayable', 'labels are an object of texts')
  }
  const scale = fields.rateScaleSec ?? 0
  if (typeof scale !== 'number' || !(scale >= 0)) {
    throw encodeError('not_sayable', `rate scale ${scale} is no positive number`)
  }
  return {
    counter: {
      provider: '',
      name: textOf(fields.name),
      displayName: textOf(fields.displayName),
      units: textOf(fields.units),
      rateScaleSec: scale,
      metaData: Object.entries(labels) as [string, string][],
    },
    seriesMs: typeof fields.seriesMs === 'number' ? fields.seriesMs : 0,
    intervalSec: 0,
    statistics: statisticsOf(fields),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function statisticsOf(fields: Fields): Statistics {
  if (fields.kind === 'sum') return { kind: 'sum', increment: stated('increment', fields) }
  return {
    kind: 'mean',
    mean: stated('mean', fields),
    deviation: numberOf(fields.standardDeviation) ?? Number.NaN,
    count: 0,
    min: numberOf(fields.min) ?? Number.NaN,
    max: numberOf(fields.max) ?? Number.NaN,
  }
}

function stated(field: 'mean' | 'increment', fields: Fields): number {
  const value = numberOf(fields[field])
  if (value === undefined) throw encodeError('missing_value', `${field} is no number`)
  return value
}

/** Reads a number, or one of the texts for those that JSON does not have. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity'
    ? Number(value)
    : undefined
}

/** Checks that everything in the message comes back as it is. */
function checkSame(fields: Fields, provider: string, read: object): void {
  const found: Readonly<Record<string, unknown>> = { ...read, provider }
  for (const [field, value] of Object.entries(fields)) {
    if (field === 'time' || value === undefined) continue
    if (Object.hasOwn(found, field) && isSame(value, found[field])) continue
    const message = `${field} ${JSON.stringify(value)} would be read as `
    throw encodeError('not_sayable', message + JSON.stringify(found[field]))
  }
}

/** Levels below a message: `buckets` are lists of lists. */
const DEPTH_LIMIT = 4

/** Compares plain values, and lists and objects of such. */
function isSame(a: unknown, b: unknown, depth = DEPTH_LIMIT): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b) || depth === 0) return false
  const entries = Object.entries(a)
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([key, value]) => {
      return Object.hasOwn(b, key) && isSame(value, (b as Record<string, unknown>)[key], depth - 1)
    })
  )
}
