/**
 * Columns of doubles, which come back bit for bit, by the first way that can do it:
 *
 *   [way:5] 0 to 22  whole numbers / 10^way   [step?:1] then [step][offset] where all are on steps,
 *                                             such as pages of memory
 *           23       few different ones       [count:11] x [bits:64], then their places; in chunks
 *                                             of version 1 alone
 *           24       whole numbers x 2^unit   [unit]
 *           25       words                    [zeros:6], the high words as whole numbers; the low
 *                                             ones as bits, without the zeros at their end
 *           26       fractions                fractions.ts
 *           27       few different ones       [count:11], these, rising, by a way of their own,
 *                                             then the place of each among them
 *
 * Before it stands [odd:1]: whether some are -0, NaN or infinite. These come first, as flags and
 * two bits each, and the column has the number before in their place.
 */
import { POWERS } from '../coder/bit-length.ts'
import { type Decoder, type Encoder, WHOLE_MAX } from '../coder/coder.ts'
import { faultOf } from '../fault.ts'
import { decodeFractions, encodeFractions } from './fractions.ts'
import { decodeSingle, encodeSingle } from './singles.ts'

/** Powers of ten up to here are exact doubles. */
const DECIMALS_MAX = 22
const TABLE = 23
const BINARY = 24
const WORDS = 25
const FRACTIONS = 26
const FEW = 27
/** Decimals that are tried before a table of few numbers. */
const DECIMALS_USUAL = 3
const TABLE_MAX = 1024
/** Exponents of two that a binary step may have. */
const UNIT_MAX = 300
const ODD = [-0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const
const TENS = Float64Array.from({ length: DECIMALS_MAX + 1 }, (_, i) => Number(`1e${i}`))

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0
const LOW = 1 - HIGH

/** Whole numbers that stand for a column of doubles; reused by each call. */
let scaled = new Float64Array(4096)

/**
 * Says a column.
 * @param digits significant digits to which numbers that have no exact decimal form are rounded; 0
 *   = they stay as they are
 * @returns the column as it will be read
 */
export function encodeNumbers(
  encoder: Encoder,
  values: Float64Array,
  count: number,
  digits = 0,
): Float64Array {
  if (scaled.length < count) scaled = new Float64Array(count)
  const plain = encodeOdd(encoder, values, count)
  const read = encodePlain(encoder, plain, count, digits)
  if (plain === values || read === plain) return read === plain ? values : read
  return values.map((value, i) => (isOdd(value) ? value : read[i]!))
}

/** Says numbers of which none is odd. */
function encodePlain(
  encoder: Encoder,
  plain: Float64Array,
  count: number,
  digits: number,
): Float64Array {
  if (isDecimal(encoder, plain, count, 0, DECIMALS_USUAL)) return plain
  if (isFew(encoder, plain, count)) return plain
  if (isDecimal(encoder, plain, count, DECIMALS_USUAL + 1, DECIMALS_MAX)) return plain
  if (encodeFractions(encoder, plain, count, () => encoder.bits(FRACTIONS, 5))) return plain
  if (digits === 0) {
    encodeBits(encoder, plain, count)
    return plain
  }
  const rounded = plain.slice(0, count)
  for (let i = 0; i < count; i++) rounded[i] = Number(rounded[i]!.toPrecision(digits))
  if (!isDecimal(encoder, rounded, count, 0, DECIMALS_MAX)) encodeBits(encoder, rounded, count)
  return rounded
}

/** Says the column by the bits of its doubles. */
function encodeBits(encoder: Encoder, values: Float64Array, count: number): void {
  if (!isBinary(encoder, values, count)) encodeWords(encoder, values, count)
}

/** Says which numbers are -0, NaN or infinite, and gives the column without them. */
function encodeOdd(encoder: Encoder, values: Float64Array, count: number): Float64Array {
  let odd = 0
  for (let i = 0; i < count; i++) if (isOdd(values[i]!)) odd++
  encoder.bits(odd === 0 ? 0 : 1, 1)
  if (odd === 0) return values
  const plain = values.slice(0, count)
  const flags = new Uint8Array(count)
  const kinds = new Float64Array(odd)
  for (let i = 0, k = 0; i < count; i++) {
    const value = values[i]!
    if (!isOdd(value)) continue
    flags[i] = 1
    kinds[k++] = ODD.findIndex((each) => Object.is(each, value))
    plain[i] = i === 0 ? 0 : plain[i - 1]!
  }
  encoder.flags(flags, count)
  for (const kind of kinds) encoder.bits(kind, 2)
  return plain
}

function isOdd(value: number): boolean {
  return value - value !== 0 || (value === 0 && 1 / value < 0)
}

/** Says the column as decimals, if it is one of at least and at most so many. */
function isDecimal(
  encoder: Encoder,
  values: Float64Array,
  count: number,
  least: number,
  most: number,
): boolean {
  for (let decimals = least; decimals <= most; decimals++) {
    if (!scale(values, count, decimals, scaled)) continue
    encoder.bits(decimals, 5)
    encodeSteps(encoder, count)
    return true
  }
  return false
}

/**
 * Fills `whole` with the numbers times a power of ten.
 * @returns false where one of them does not come back from it
 */
export function scale(
  values: Float64Array,
  count: number,
  decimals: number,
  whole: Float64Array,
): boolean {
  const factor = TENS[decimals]!
  for (let i = 0; i < count; i++) {
    const value = values[i]!
    const number = Math.floor(value * factor + 0.5)
    if (number / factor !== value || number > WHOLE_MAX || number < -WHOLE_MAX) return false
    whole[i] = number
  }
  return true
}

/** Gives the number that a whole one stands for. */
export function unscale(whole: number, decimals: number): number {
  return decimals === 0 ? whole : whole / TENS[decimals]!
}

/** Says the whole numbers, by what step they differ, and how often. */
function encodeSteps(encoder: Encoder, count: number): void {
  const first = scaled[0]!
  let step = 0
  for (let i = 1; i < count && step !== 1; i++) {
    step = greatestDivisor(Math.abs(scaled[i]! - first), step)
  }
  encoder.bits(step > 1 ? 1 : 0, 1)
  if (step > 1) {
    const offset = ((first % step) + step) % step
    encodeSingle(encoder, step)
    encodeSingle(encoder, offset)
    for (let i = 0; i < count; i++) scaled[i] = (scaled[i]! - offset) / step
  }
  encoder.whole(scaled, count)
}

function greatestDivisor(a: number, b: number): number {
  let [large, small] = [a, b]
  while (small !== 0) [large, small] = [small, large % small]
  return large
}

function isFew(encoder: Encoder, values: Float64Array, count: number): boolean {
  const most = Math.min(TABLE_MAX, count >> 2)
  const places = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    places.set(values[i]!, 0)
    if (places.size > most) return false
  }
  const table = Float64Array.from(places.keys()).sort()
  encoder.bits(FEW, 5)
  encoder.bits(table.length, 11)
  encodeTable(encoder, table)
  for (const [place, value] of table.entries()) places.set(value, place)
  for (let i = 0; i < count; i++) scaled[i] = places.get(values[i]!)!
  encoder.whole(scaled, count)
  return true
}

/** Says the different numbers of a column, which are no decimals of few places. */
function encodeTable(encoder: Encoder, table: Float64Array): void {
  const count = table.length
  if (isDecimal(encoder, table, count, DECIMALS_USUAL + 1, DECIMALS_MAX)) return
  if (encodeFractions(encoder, table, count, () => encoder.bits(FRACTIONS, 5))) return
  encodeBits(encoder, table, count)
}

/** Says the column as whole numbers of one binary step, if they are that. */
function isBinary(encoder: Encoder, values: Float64Array, count: number): boolean {
  let unit = Number.POSITIVE_INFINITY
  let top = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) {
    float[0] = values[i]!
    if (float[0] === 0) continue
    const high = words[HIGH]!
    const exponent = ((high >>> 20) & 2047) - 1023
    top = Math.max(top, exponent + 1)
    unit = Math.min(unit, exponent - 52 + trailingZeros())
  }
  if (top - unit > 50 || Math.abs(unit) > UNIT_MAX || Math.abs(top) > UNIT_MAX) return false
  const factor = 2 ** -unit
  for (let i = 0; i < count; i++) scaled[i] = values[i]! * factor
  encoder.bits(BINARY, 5)
  encodeSingle(encoder, unit)
  encoder.whole(scaled, count)
  return true
}

/** Counts the zeros at the end of the 52 bits of the number in `float`. */
function trailingZeros(): number {
  const low = words[LOW]!
  if (low !== 0) return zerosOf(low)
  const high = words[HIGH]! & 0xf_ffff
  return high === 0 ? 52 : 32 + zerosOf(high)
}

function zerosOf(word: number): number {
  return word === 0 ? 32 : 31 - Math.clz32(word & -word)
}

function encodeWords(encoder: Encoder, values: Float64Array, count: number): void {
  const low = new Float64Array(count)
  let zeros = 32
  for (let i = 0; i < count; i++) {
    float[0] = values[i]!
    scaled[i] = words[HIGH]!
    low[i] = words[LOW]!
    zeros = Math.min(zeros, zerosOf(words[LOW]!))
  }
  encoder.bits(WORDS, 5)
  encoder.bits(zeros, 6)
  encoder.whole(scaled, count)
  for (let i = 0; i < count; i++) low[i] = low[i]! / POWERS[zeros]!
  encoder.pieces(low, new Uint8Array(count).fill(32 - zeros), count)
}

/** Reads a column that {@link encodeNumbers} has said. */
export function decodeNumbers(decoder: Decoder, values: Float64Array, count: number): void {
  const odd = decoder.bits(1) === 1 ? new Uint8Array(count) : undefined
  const kinds: number[] = []
  if (odd !== undefined) {
    decoder.flags(odd, count)
    for (const flag of odd) if (flag === 1) kinds.push(decoder.bits(2))
  }
  const way = decoder.bits(5)
  if (way === FEW) decodeFew(decoder, values, count)
  else decodeBy(decoder, way, values, count)
  if (odd === undefined) return
  for (let i = 0, k = 0; i < count; i++) if (odd[i] === 1) values[i] = ODD[kinds[k++]!]!
}

/** Reads a column by a way that no other column stands in. */
function decodeBy(decoder: Decoder, way: number, values: Float64Array, count: number): void {
  if (way <= DECIMALS_MAX) decodeSteps(decoder, values, count, way)
  else if (way === TABLE) decodeTable(decoder, values, count)
  else if (way === BINARY) decodeBinary(decoder, values, count)
  else if (way === WORDS) decodeWords(decoder, values, count)
  else if (way === FRACTIONS) decodeFractions(decoder, values, count)
  else throw faultOf('chunk_layout', decoder.offset, `column of doubles by way ${way}`)
}

function decodeSteps(
  decoder: Decoder,
  values: Float64Array,
  count: number,
  decimals: number,
): void {
  const hasStep = decoder.bits(1) === 1
  const step = hasStep ? decodeSingle(decoder) : 1
  const offset = hasStep ? decodeSingle(decoder) : 0
  decoder.whole(values, count)
  const factor = TENS[decimals]!
  if (hasStep) for (let i = 0; i < count; i++) values[i] = values[i]! * step + offset
  if (decimals > 0) for (let i = 0; i < count; i++) values[i] = values[i]! / factor
}

function decodeTable(decoder: Decoder, values: Float64Array, count: number): void {
  const table = new Float64Array(decoder.bits(11))
  for (let i = 0; i < table.length; i++) {
    words[HIGH] = decoder.bits(32)
    words[LOW] = decoder.bits(32)
    table[i] = plainDouble(decoder)
  }
  decodePlacesIn(decoder, table, values, count)
}

function decodeFew(decoder: Decoder, values: Float64Array, count: number): void {
  const table = new Float64Array(decoder.bits(11))
  decodeBy(decoder, decoder.bits(5), table, table.length)
  decodePlacesIn(decoder, table, values, count)
}

/** Reads a column of places in a table, and takes what stands there. */
function decodePlacesIn(
  decoder: Decoder,
  table: Float64Array,
  values: Float64Array,
  count: number,
): void {
  decoder.whole(values, count)
  for (let i = 0; i < count; i++) {
    const value = table[values[i]!]
    if (value === undefined) {
      throw faultOf('chunk_value', decoder.offset, `place ${values[i]} of ${table.length} numbers`)
    }
    values[i] = value
  }
}

function decodeBinary(decoder: Decoder, values: Float64Array, count: number): void {
  const unit = decodeSingle(decoder)
  if (Math.abs(unit) > UNIT_MAX) {
    throw faultOf('chunk_layout', decoder.offset, `step of 2^${unit}`)
  }
  decoder.whole(values, count)
  const factor = 2 ** unit
  for (let i = 0; i < count; i++) values[i] = values[i]! * factor
}

function decodeWords(decoder: Decoder, values: Float64Array, count: number): void {
  const zeros = decoder.bits(6)
  if (zeros > 32) throw faultOf('chunk_layout', decoder.offset, `${zeros} zeros of 32 bits`)
  decoder.whole(values, count)
  const low = new Float64Array(count)
  decoder.pieces(low, new Uint8Array(count).fill(32 - zeros), count)
  for (let i = 0; i < count; i++) {
    words[HIGH] = values[i]!
    words[LOW] = low[i]! * POWERS[zeros]!
    values[i] = plainDouble(decoder)
  }
}

/** Takes the double in `float`; an odd one stands elsewhere, and a NaN of other bits nowhere. */
function plainDouble(decoder: Decoder): number {
  const value = float[0]!
  if (isOdd(value)) throw faultOf('chunk_value', decoder.offset, `${value} among doubles`)
  return value
}
