/**
 * Payloads: values in the order of their fields, packed, without alignment or presence bytes
 * (nettrace.md §6). An array is [n:u16] and its elements, a text UTF-16 up to its NUL.
 */
import { EncodeError } from '../../../wire/encode-error.ts'
import {
  type EncodeErrorCode,
  type Field,
  type FieldValue,
  NAME,
  NESTING_LIMIT,
  type Payload,
  TYPE,
} from '../spec.ts'
import { type ByteReader, MALFORMED } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'

/** Milliseconds from 1601-01-01, where dates of payloads begin, to 1970-01-01. */
const EPOCH_MS = 11_644_473_600_000n
const TICKS_PER_MS = 10_000n
/** Last moment that an ISO text of four digits of year can say, ms. */
const DATE_MS_MAX = 253_402_300_799_999n

/**
 * Reads the values of all fields; bytes may be left.
 * @throws {MALFORMED} for bytes that end too early, and types that are none
 */
export function readPayload(reader: ByteReader, fields: readonly Field[]): Payload {
  const payload: Record<string, FieldValue> = {}
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]!
    const value = readValue(reader, field)
    if (field.name === '__proto__') defineOwn(payload, field.name, value)
    else payload[field.name] = value
  }
  return payload
}

/** Sets a member whose name would be taken for something else. */
export function defineOwn(payload: object, name: string, value: unknown): void {
  Object.defineProperty(payload, name, {
    ...{ value, enumerable: true, writable: true, configurable: true },
  })
}

function readValue(reader: ByteReader, field: Field): FieldValue {
  switch (field.type) {
    case TYPE.object:
      return readPayload(reader, field.fields ?? [])
    case TYPE.boolean:
      return reader.u32() !== 0
    case TYPE.char:
      return String.fromCharCode(reader.u16())
    case TYPE.i8:
      return reader.i8()
    case TYPE.u8:
      return reader.u8()
    case TYPE.i16:
      return reader.i16()
    case TYPE.u16:
      return reader.u16()
    case TYPE.i32:
      return reader.i32()
    case TYPE.u32:
      return reader.u32()
    case TYPE.i64:
      return integer(reader.i64())
    case TYPE.u64:
      return integer(reader.u64())
    case TYPE.f32:
      return reader.f32()
    case TYPE.f64:
      return reader.f64()
    case TYPE.date:
      return dateText(reader.i64())
    case TYPE.guid:
      return guidText(reader.bytes(16))
    case TYPE.text:
      return reader.utf16z()
    default:
      return readValue6(reader, field)
  }
}

/** Reads types that have an element, and those that came with version 6. */
function readValue6(reader: ByteReader, field: Field): FieldValue {
  const { type, element, count = 0 } = field
  if (type === TYPE.array && element !== undefined) return readList(reader, element, reader.u16())
  if (type === TYPE.fixedArray && element !== undefined) return readList(reader, element, count)
  if (type === TYPE.varuint) return integer(reader.varuint64())
  if (type === TYPE.varint) return integer(zigzag(reader.varuint64()))
  if (type === TYPE.utf8Unit) return reader.u8()
  if (type === TYPE.boolean8) return reader.u8() !== 0
  throw MALFORMED
}

function readList(reader: ByteReader, element: Field, count: number): FieldValue {
  const list: FieldValue[] = []
  for (let i = 0; i < count; i++) list.push(readValue(reader, element))
  if (element.type === TYPE.char || element.type === TYPE.utf8Unit) return textOf(list, element)
  return list
}

/** Makes a text of units: lists of them are texts to people. */
function textOf(list: readonly FieldValue[], { type }: Field): string {
  if (type === TYPE.char) return list.join('')
  return new TextDecoder().decode(Uint8Array.from(list as number[]))
}

function zigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n)
}

function integer(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Writes 100 ns since 1601 as ISO 8601 of UTC; as digits where a year would not have four. */
function dateText(ticks: bigint): string {
  const ms = ticks / TICKS_PER_MS - EPOCH_MS
  if (ticks < 0n || ms > DATE_MS_MAX) return String(ticks)
  return isoText(Number(ms), Number(ticks % TICKS_PER_MS))
}

/**
 * Writes a time as ISO 8601 of UTC with seven digits behind the second.
 * @param ms Unix time, whole
 * @param hundredNs part of the next millisecond, 0 to 9999
 */
export function isoText(ms: number, hundredNs: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return 'NaN'
  return date.toISOString().replace('Z', `${String(hundredNs).padStart(4, '0')}Z`)
}

/**
 * Reads such a text.
 * @returns Unix time in 100 ns; undefined for no time
 */
export function isoTicks(text: unknown): bigint | undefined {
  const match = /^(.*\.\d{3})(\d{4})Z$/.exec(typeof text === 'string' ? text : '')
  const ms = match === null ? Number.NaN : Date.parse(`${match[1]}Z`)
  return Number.isNaN(ms) ? undefined : BigInt(ms) * TICKS_PER_MS + BigInt(match![2]!)
}

function guidText(bytes: Uint8Array): string {
  const hex = (order: readonly number[]): string =>
    order.map((i) => bytes[i]!.toString(16).padStart(2, '0')).join('')
  const head = [
    [3, 2, 1, 0],
    [5, 4],
    [7, 6],
    [8, 9],
  ].map(hex)
  return [...head, hex([10, 11, 12, 13, 14, 15])].join('-')
}

/**
 * Writes the values of a payload in the order of its fields, those of version 4.
 * @throws {EncodeError} for a value that is missing or that its type cannot carry
 */
export function writePayload(
  out: ByteWriter,
  fields: readonly Field[],
  payload: Payload,
  depth = 0,
): void {
  if (depth > NESTING_LIMIT) throw failure('bad_value', `deeper than ${NESTING_LIMIT}`)
  for (const field of fields) writeValue(out, field, payload?.[field.name], depth)
}

function writeValue(out: ByteWriter, field: Field, value: unknown, depth: number): void {
  const { type, name } = field
  if (type === TYPE.object && typeof value === 'object') {
    writePayload(out, field.fields ?? [], value as Payload, depth + 1)
  } else if (type === TYPE.text && typeof value === 'string' && !value.includes('\0')) {
    out.utf16z(value)
  } else if (type === TYPE.boolean && typeof value === 'boolean') {
    out.u32(value ? 1 : 0)
  } else if (type === TYPE.date && dateTicks(value) !== undefined) {
    out.u64(dateTicks(value)!)
  } else if ((type === TYPE.f64 || type === TYPE.f32) && doubleOf(value) !== undefined) {
    if (type === TYPE.f64) out.f64(doubleOf(value)!)
    else out.f32(doubleOf(value)!)
  } else if (!writeInteger(out, type, value)) {
    throw failure('bad_value', `${name} of type ${type} is ${String(value)}`)
  }
}

function dateTicks(value: unknown): bigint | undefined {
  const ticks = isoTicks(value)
  const since1601 = ticks === undefined ? -1n : ticks + EPOCH_MS * TICKS_PER_MS
  return since1601 < 0n ? undefined : since1601
}

const NUMBER_TEXTS: ReadonlyMap<unknown, number> = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((each) => {
    return [String(each), each]
  }),
)

/** Gives the number; NaN and infinities may be texts, as JSON has them. */
function doubleOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : NUMBER_TEXTS.get(value)
}

/** Bits of the integers that are written; negative ones of those with a sign. */
const BITS: ReadonlyMap<number, number> = new Map([
  [TYPE.i8, -8],
  [TYPE.i16, -16],
  [TYPE.i32, -32],
  [TYPE.i64, -64],
  [TYPE.u8, 8],
  [TYPE.u16, 16],
  [TYPE.u32, 32],
  [TYPE.u64, 64],
])

/** Takes digits as well, as JSON has what is beyond 2^53. */
function isWhole(value: unknown): value is number | bigint | string {
  if (typeof value === 'string') return /^-?\d{1,20}$/.test(value)
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

function writeInteger(out: ByteWriter, type: number, value: unknown): boolean {
  const bits = BITS.get(type)
  if (bits === undefined || !isWhole(value)) return false
  const whole = BigInt(value)
  const wrapped = bits < 0 ? BigInt.asIntN(-bits, whole) : BigInt.asUintN(bits, whole)
  if (wrapped !== whole) return false
  const unsigned = BigInt.asUintN(64, whole)
  const low = Number(unsigned & 0xffffffffn)
  const size = Math.abs(bits)
  if (size === 8) out.u8(low & 0xff)
  else if (size === 16) out.u16(low & 0xffff)
  else if (size === 32) out.u32(low)
  else out.u64(unsigned)
  return true
}

export function failure(code: EncodeErrorCode, detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}
