/**
 * Columns of values that may be integers beyond the safe ones, and may be unknown:
 *
 *   [unknown?:1] flags of those that are, where some are
 *   [wide?:1]    flags of the integers beyond 2^53 - 1, where some are; then [words:1]:
 *                1 = their parts above and below 2^32 as two columns, 0 = each by itself
 *   the others as a column of doubles
 */
import type { Exact } from '../../../model/index.ts'
import { type Decoder, type Encoder, WHOLE_MAX } from '../coder/coder.ts'
import { decodeNumbers, encodeNumbers } from './numbers.ts'
import { decodeInteger, encodeInteger } from './singles.ts'

const WORD = 4_294_967_296n

/** Says which rows are set; nothing but a bit where none is. */
export function encodeRows(encoder: Encoder, count: number, isSet: (row: number) => boolean): void {
  const flags = new Uint8Array(count)
  let some = 0
  for (let i = 0; i < count; i++) if (isSet(i)) some = flags[i] = 1
  encoder.bits(some, 1)
  if (some === 1) encoder.flags(flags, count)
}

export function decodeRows(decoder: Decoder, count: number): number[] {
  if (decoder.bits(1) === 0) return []
  const flags = new Uint8Array(count)
  decoder.flags(flags, count)
  return Array.from(flags.keys()).filter((row) => flags[row] === 1)
}

/**
 * Says a column of doubles of which some rows are integers beyond the safe ones.
 * @returns the doubles as they will be read
 */
export function encodeWide(
  encoder: Encoder,
  values: Float64Array,
  wide: ReadonlyMap<number, bigint>,
  digits = 0,
): Float64Array {
  const count = values.length
  encodeRows(encoder, count, (row) => wide.has(row))
  if (wide.size === 0) return encodeNumbers(encoder, values, count, digits)
  const integers = [...wide].sort(([a], [b]) => a - b).map(([, integer]) => integer)
  encodeIntegers(encoder, integers)
  const others = values.filter((_, row) => !wide.has(row))
  if (others.length === 0) return values
  const read = encodeNumbers(encoder, others, others.length, digits)
  let i = 0
  return values.map((value, row) => (wide.has(row) ? value : read[i++]!))
}

function encodeIntegers(encoder: Encoder, integers: readonly bigint[]): void {
  const high = Float64Array.from(integers, (integer) => Number(integer >> 32n))
  const areWords = high.every((word) => Math.abs(word) <= WHOLE_MAX)
  encoder.bits(areWords ? 1 : 0, 1)
  if (!areWords) {
    for (const integer of integers) encodeInteger(encoder, integer)
    return
  }
  encoder.whole(high, high.length)
  const low = Float64Array.from(integers, (integer) => Number(BigInt.asUintN(32, integer)))
  encoder.whole(low, low.length)
}

function decodeIntegers(decoder: Decoder, count: number): bigint[] {
  if (decoder.bits(1) === 0) return Array.from({ length: count }, () => decodeInteger(decoder))
  const high = new Float64Array(count)
  const low = new Float64Array(count)
  decoder.whole(high, count)
  decoder.whole(low, count)
  return Array.from(high, (word, i) => BigInt(word) * WORD + BigInt(low[i]!))
}

export interface WideColumn {
  readonly values: Float64Array
  readonly wide: ReadonlyMap<number, bigint>
}

const NONE: ReadonlyMap<number, bigint> = new Map()

export function decodeWide(decoder: Decoder, count: number): WideColumn {
  const rows = decodeRows(decoder, count)
  const values = new Float64Array(count)
  if (rows.length === 0) {
    decodeNumbers(decoder, values, count)
    return { values, wide: NONE }
  }
  const integers = decodeIntegers(decoder, rows.length)
  const wide = new Map(rows.map((row, i) => [row, integers[i]!]))
  const others = new Float64Array(count - rows.length)
  if (others.length > 0) decodeNumbers(decoder, others, others.length)
  for (let row = 0, i = 0; row < count; row++) {
    const integer = wide.get(row)
    values[row] = integer === undefined ? others[i++]! : Number(integer)
  }
  return { values, wide }
}

/** Says a column of values of which some may be unknown. */
export function encodeExacts(encoder: Encoder, column: readonly (Exact | undefined)[]): void {
  encodeRows(encoder, column.length, (row) => column[row] === undefined)
  const known = column.filter((value) => value !== undefined)
  const wide = new Map<number, bigint>()
  for (const [row, value] of known.entries()) if (typeof value === 'bigint') wide.set(row, value)
  if (known.length > 0) encodeWide(encoder, Float64Array.from(known, Number), wide)
}

export function decodeExacts(decoder: Decoder, count: number): (Exact | undefined)[] {
  const unknown = new Set(decodeRows(decoder, count))
  const known = count - unknown.size
  if (known === 0) return new Array(count).fill(undefined)
  const { values, wide } = decodeWide(decoder, known)
  let i = 0
  return Array.from({ length: count }, (_, row) => {
    if (unknown.has(row)) return undefined
    const value = wide.get(i) ?? values[i]!
    i++
    return value
  })
}
