/** Objects of protobuf's JSON into its bytes, by a table of messages; other names are left out. */

import { runNow, type Task } from '../../time/task.ts'
import { FIXED64, VARINT } from './reader.ts'
import { DEPTH_LIMIT, type Field, isDefault, type Scalar, type Schema } from './schema.ts'
import { bytesOfBase64, bytesOfHex } from './texts.ts'
import type { ProtobufWriter } from './writer.ts'

const U64 = 1n << 64n
const I64 = 1n << 63n
/** A NaN with its bits, as decoding writes those that are not the usual one. */
const NAN_BITS = /^NaN\(0x([0-9a-f]{16})\)$/

/** A value that its field does not take. */
export class BadField extends Error {
  readonly code: 'bad_message' | 'bad_value' | 'too_deep'

  constructor(code: BadField['code'], detail: string) {
    super(detail)
    this.code = code
  }
}

/** Messages, and numbers of lists, that are written in one step. */
const MESSAGES_PER_STEP = 64
const NUMBERS_PER_STEP = 1024
const TEXTS_PER_STEP = 64

/**
 * Writes the fields of a message.
 * @param onBadPoint called for each point that is left out; without it a bad one throws as well
 * @throws {BadField} for what can't be written
 */
export function encodeMessage(
  schema: Schema,
  message: unknown,
  writer: ProtobufWriter,
  onBadPoint?: (problem: BadField) => void,
): void {
  runNow(encodingMessage(schema, message, writer, onBadPoint))
}

/** Makes a task of {@link encodeMessage}. */
export function encodingMessage(
  schema: Schema,
  message: unknown,
  writer: ProtobufWriter,
  onBadPoint?: (problem: BadField) => void,
): Task {
  return new Encoder(writer, onBadPoint).message(schema, message, 0)
}

class Encoder {
  readonly #writer: ProtobufWriter
  readonly #onBadPoint: ((problem: BadField) => void) | undefined
  #messages = 0

  constructor(writer: ProtobufWriter, onBadPoint?: (problem: BadField) => void) {
    this.#writer = writer
    this.#onBadPoint = onBadPoint
  }

  *message(schema: Schema, message: unknown, depth: number): Task {
    if (depth > DEPTH_LIMIT) throw new BadField('too_deep', `more than ${DEPTH_LIMIT} levels`)
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      throw new BadField('bad_message', `${describe(message)}, want an object`)
    }
    if (++this.#messages % MESSAGES_PER_STEP === 0) yield
    for (const field of schema.fields) {
      const value = (message as Readonly<Record<string, unknown>>)[field.name]
      const { number, type } = field
      // null is absence in protobuf's JSON
      if (value === undefined || value === null) continue
      if (!field.isRepeated) {
        if (typeof type === 'string') encodeField(field, type, value, this.#writer)
        else yield* this.#inner(number, type(), value, depth)
      } else if (!Array.isArray(value)) {
        throw new BadField('bad_message', `${field.name}: ${describe(value)}, want a list`)
      } else if (type === 'string') yield* this.#texts(field, value)
      else if (typeof type === 'string') yield* this.#numbers(field, type, value)
      else yield* this.#messagesOf(number, type(), value, depth)
    }
  }

  *#inner(number: number, schema: Schema, value: unknown, depth: number): Task {
    const place = this.#writer.begin(number)
    yield* this.message(schema, value, depth + 1)
    this.#writer.end(place)
  }

  *#messagesOf(number: number, schema: Schema, list: readonly unknown[], depth: number): Task {
    for (const value of list) {
      const { size } = this.#writer
      try {
        yield* this.#inner(number, schema, value, depth)
      } catch (error) {
        const isLeftOut = schema.isPoint && this.#onBadPoint && error instanceof BadField
        if (!isLeftOut) throw error
        this.#writer.backTo(size)
        this.#onBadPoint?.(error)
      }
    }
  }

  *#texts(field: Field, list: readonly unknown[]): Task {
    for (let i = 0; i < list.length; i++) {
      if (i % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield
      writeText(field, list[i], this.#writer)
    }
  }

  *#numbers(field: Field, type: Scalar, list: readonly unknown[]): Task {
    if (list.length === 0) return
    const place = this.#writer.begin(field.number)
    for (let i = 0; i < list.length; i++) {
      if (i % NUMBERS_PER_STEP === NUMBERS_PER_STEP - 1) yield
      encodeScalar(field, type, list[i], this.#writer)
    }
    this.#writer.end(place)
  }
}

function encodeField(field: Field, type: Scalar, value: unknown, writer: ProtobufWriter): void {
  const { number, hasPresence } = field
  if (!hasPresence && isDefault(field, value)) return
  switch (type) {
    case 'string':
      writeText(field, value, writer)
      return
    case 'bytes':
    case 'hex':
      writer.bytes(number, bytesOf(field, type, value))
      return
    default:
      writer.tag(number, isWord(type) ? FIXED64 : VARINT)
      encodeScalar(field, type, value, writer)
  }
}

function writeText(field: Field, value: unknown, writer: ProtobufWriter): void {
  if (typeof value !== 'string') throw bad(field, value, 'a text')
  writer.text(field.number, value.toWellFormed())
}

function isWord(type: Scalar): boolean {
  return type === 'double' || type === 'fixed64' || type === 'sfixed64'
}

function encodeScalar(field: Field, type: Scalar, value: unknown, writer: ProtobufWriter): void {
  switch (type) {
    case 'double': {
      const bits = typeof value === 'string' ? NAN_BITS.exec(value) : null
      if (bits !== null) writer.fixed64(BigInt(`0x${bits[1]!}`))
      else writer.double(doubleOf(field, value))
      return
    }
    case 'fixed64':
      writer.fixed64(integerOf(field, value, 0n, U64))
      return
    case 'sfixed64':
      writer.fixed64(integerOf(field, value, -I64, I64))
      return
    case 'int64':
      writer.varint64(integerOf(field, value, -I64, I64))
      return
    case 'uint64':
      writer.varint64(integerOf(field, value, 0n, U64))
      return
    case 'bool':
      if (typeof value !== 'boolean') throw bad(field, value, 'true or false')
      writer.varint(value ? 1 : 0)
      return
    case 'sint32': {
      const number = Number(integerOf(field, value, -(1n << 31n), 1n << 31n))
      writer.varint(((number << 1) ^ (number >> 31)) >>> 0)
      return
    }
    case 'sint64': {
      const number = integerOf(field, value, -I64, I64)
      writer.varint64((number << 1n) ^ (number >> 63n))
      return
    }
    case 'uint32':
      writer.varint(Number(integerOf(field, value, 0n, 1n << 32n)))
      return
    case 'enum': {
      const named = field.names.indexOf(value as string)
      writer.varint(named >= 0 ? named : Number(integerOf(field, value, 0n, 1n << 32n)))
      return
    }
    default:
      throw new TypeError(`no number: ${type}`)
  }
}

function bytesOf(field: Field, type: 'bytes' | 'hex', value: unknown): Uint8Array {
  if (typeof value === 'string') {
    try {
      return type === 'hex' ? bytesOfHex(value) : bytesOfBase64(value)
    } catch (error) {
      throw new BadField('bad_value', `${field.name}: ${(error as Error).message}`)
    }
  }
  throw bad(field, value, type === 'hex' ? 'digits of hex' : 'base64')
}

/** Reads a number, or one of the texts for what JSON has no numbers for. */
function doubleOf(field: Field, value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && value.trim() !== '') {
    const number = Number(value)
    if (!Number.isNaN(number) || value === 'NaN') return number
  }
  throw bad(field, value, 'a number')
}

/** Reads an integer of from ≤ value < to, as a number or its digits. */
function integerOf(field: Field, value: unknown, from: bigint, to: bigint): bigint {
  const isDigits = typeof value === 'string' && /^-?\d{1,20}$/.test(value)
  if (isDigits || (typeof value === 'number' && Number.isInteger(value))) {
    const integer = BigInt(value)
    if (integer >= from && integer < to) return integer
  }
  throw bad(field, value, `an integer from ${from} to ${to - 1n}`)
}

function bad({ name }: Field, value: unknown, wanted: string): BadField {
  return new BadField('bad_value', `${name}: ${describe(value)}, want ${wanted}`)
}

function describe(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 60)
}
