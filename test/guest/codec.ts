/**
 * Codec of Semaphore: `!c name value⏎` and back (README.md). The scanner walks the bytes once and
 * holds no more than one line; pure.
 */
import { type Decoded, type Decoder, decodeWhole } from '../../src/dialects/decoder.ts'
import type { DecodeErrorFields } from '../../src/wire/decode-error.ts'
import { EncodeError } from '../../src/wire/encode-error.ts'
import { OPTIONS } from './options.ts'
import {
  COUNTER,
  type EncodeErrorCode,
  type ErrorCode,
  LETTERS,
  type Letter,
  LF,
  MARK,
  NAME,
  NAME_BYTES_LIMIT,
  SPACE,
} from './spec.ts'

export interface Message {
  readonly kind: Letter
  readonly name: string
  /** Finite; of a counter 0 or more. */
  readonly value: number
}

/** A line where it lies in the bytes that arrived; `type` is an index in LETTERS. */
export type Line = [
  bytes: Uint8Array,
  nameStart: number,
  nameEnd: number,
  type: number,
  value: number,
]

/** Told of every line in its order; bytes are valid during the call. */
interface LineVisitor {
  line(...line: Line): void
  /** @param offset of the line's first byte in the stream */
  reject(code: ErrorCode, line: Uint8Array, offset: number): void
}

/** Exact in a double, and written by JavaScript without an exponent. */
const NUMBER = /^-?\d{1,9}(\.\d{1,6})?$/
const text = new TextDecoder('latin1')

/** Lines out of a stream, however it is cut. */
export class LineScanner {
  /** Whole lines so far. */
  lines = 0
  readonly #limit: number
  readonly #visitor: LineVisitor
  /** The line that is not complete yet; never longer than the limit. */
  readonly #held: Uint8Array
  #length = 0
  /** True while the rest of a line that was too long goes by. */
  #isSkipping = false
  /** Offset of the first byte of the line at hand. */
  #offset = 0
  #taken = 0

  constructor(maxLineBytes: number, visitor: LineVisitor) {
    this.#limit = maxLineBytes
    this.#visitor = visitor
    this.#held = new Uint8Array(maxLineBytes)
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#take(byte)
  }

  /** Ends the stream: what is left of a line is one without its end. */
  end(): void {
    if (this.#length > 0) this.#visitor.reject('bad_line', this.#line, this.#offset)
    this.#length = 0
  }

  /** Bytes of the line that is not complete. */
  get bytesHeld(): number {
    return this.#length
  }

  /** A line has begun and is not complete. */
  get isInsideLine(): boolean {
    return this.#length > 0 || this.#isSkipping
  }

  get #line(): Uint8Array {
    return this.#held.subarray(0, this.#length)
  }

  #take(byte: number): void {
    this.#taken++
    if (byte === LF) {
      this.lines++
      if (!this.#isSkipping) readLine(this.#line, this.#offset, this.#visitor)
      this.#isSkipping = false
      this.#length = 0
      this.#offset = this.#taken
    } else if (this.#length < this.#limit) {
      this.#held[this.#length++] = byte
    } else if (!this.#isSkipping) {
      this.#isSkipping = true
      this.#visitor.reject('line_too_long', this.#line, this.#offset)
      this.#length = 0
    }
  }
}

function readLine(line: Uint8Array, offset: number, visitor: LineVisitor): void {
  const type = LETTERS.findIndex((letter) => letter.charCodeAt(0) === line[1])
  if (line[0] !== MARK || type < 0 || line[2] !== SPACE) {
    visitor.reject('bad_line', line, offset)
    return
  }
  const space = line.indexOf(SPACE, 3)
  const nameEnd = space < 0 ? line.length : space
  if (!isName(line, 3, nameEnd)) {
    visitor.reject('bad_name', line, offset)
    return
  }
  const value = numberOf(text.decode(line.subarray(nameEnd + 1)), type)
  if (value === undefined) visitor.reject('bad_value', line, offset)
  else visitor.line(line, 3, nameEnd, type, value)
}

/** Printable ASCII without a space. */
function isName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > NAME_BYTES_LIMIT) return false
  return bytes.subarray(start, end).every((byte) => byte > SPACE && byte < 0x7f)
}

function numberOf(digits: string, type: number): number | undefined {
  if (!NUMBER.test(digits)) return undefined
  const value = Number(digits)
  return type === COUNTER && value < 0 ? undefined : value
}

/** Reads the message that a line states. */
export function messageAt(...[bytes, start, end, type, value]: Line): Message {
  return { kind: LETTERS[type]!, name: text.decode(bytes.subarray(start, end)), value }
}

export function createDecoder(): Decoder {
  const messages: Message[] = []
  const errors: DecodeErrorFields[] = []
  const scanner = new LineScanner(OPTIONS.maxLineBytes.default, {
    line: (...line) => messages.push(messageAt(...line)),
    reject: (code, _line, offset) => errors.push({ dialect: NAME, code, offset, resync: true }),
  })
  return {
    push: (bytes) => scanner.push(bytes),
    end: () => scanner.end(),
    ...{ messages, errors, notes: [] },
  }
}

/**
 * Reads a datagram, or a stream from its beginning.
 *
 * @example
 * import { decodeSemaphore } from 'pentameter/semaphore'
 *
 * const { messages } = decodeSemaphore(Buffer.from('!g lamp.voltage 11.9\n'))
 * console.log(messages) // [ { kind: 'g', name: 'lamp.voltage', value: 11.9 } ]
 */
export function decodeSemaphore(bytes: Uint8Array): Decoded<Message> {
  return decodeWhole(createDecoder(), bytes)
}

/**
 * Writes messages, a line each.
 * @throws {EncodeError} for what is no message, or has a name or value that no line can carry
 *
 * @example
 * import { encodeSemaphore } from 'pentameter/semaphore'
 *
 * const [line] = encodeSemaphore([{ kind: 'c', name: 'levers.pulled', value: 3 }])
 * console.log(new TextDecoder().decode(line)) // !c levers.pulled 3
 */
export function encodeSemaphore(messages: readonly unknown[]): Uint8Array[] {
  return messages.map((message) => new TextEncoder().encode(lineOf(message as Message)))
}

/** @throws {EncodeError} */
export function lineOf(message: Message): string {
  const { kind, name, value } = message ?? {}
  const type = LETTERS.indexOf(kind)
  const bytes = new TextEncoder().encode(typeof name === 'string' ? name : '')
  const digits = String(value)
  if (type < 0 || !isName(bytes, 0, bytes.length) || numberOf(digits, type) === undefined) {
    const code: EncodeErrorCode = 'bad_message'
    throw new EncodeError({ dialect: NAME, code }, JSON.stringify(message))
  }
  return `!${kind} ${name} ${digits}\n`
}
