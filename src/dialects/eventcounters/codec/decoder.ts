/** Bytes of NDJSON to messages, for tools and tests (eventcounters.md §3.1, §4.9); pure. */
import { DecodeError, type DecodeErrorFields } from '../../../wire/decode-error.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../../decoder.ts'
import { type ErrorCode, NAME } from '../spec.ts'
import { LineReader } from './line.ts'
import { type CounterMessage, toMessage } from './message.ts'
import type { IgnoredReason, ReadWindow } from './read.ts'

/** `profile` says how payloads are read that do not show their spelling. */
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

/** Which line it was, and provider and time, which are not part of a payload, is told in notes. */
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

  /** A last line may lack its end: one that was cut is no JSON. */
  end(): void {
    this.#reader.finish()
  }

  /** Of the line that has just been read. */
  get #lineNumber(): number {
    return Object.values(this.#reader.counts).reduce((sum, count) => sum + count, 0)
  }

  #keep(window: ReadWindow): void {
    this.messages.push(toMessage(window))
    const facts: string[] = []
    if (window.provider !== '') facts.push(`provider ${window.provider}`)
    if (window.timeMs !== undefined) facts.push(`time ${new Date(window.timeMs).toISOString()}`)
    if (window.malformed > 0) facts.push(`${window.malformed} malformed metadata pairs dropped`)
    if (window.repeated > 0) facts.push(`${window.repeated} metadata keys repeated`)
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
