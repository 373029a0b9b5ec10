/** Single numbers between the columns of a chunk: whole ones, doubles, and integers of any size. */
import { bitLength, fold, unfold } from '../coder/bit-length.ts'
import type { Decoder, Encoder } from '../coder/coder.ts'
import { faultOf } from '../fault.ts'

/** Bytes of the largest integer: sums of 2^64 observations of the largest double fit in it. */
const INTEGER_BYTES_MAX = 160

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)

/** Says a whole number below 2^52 in size: [length:6][bits]. */
export function encodeSingle(encoder: Encoder, value: number): void {
  const folded = fold(value)
  const length = bitLength(folded)
  encoder.bits(length, 6)
  encoder.bits(folded, length)
}

/** @param length that was read already */
export function decodeSingle(decoder: Decoder, length = decoder.bits(6)): number {
  if (length > 53) throw faultOf('chunk_value', decoder.offset, `a number of ${length} bits`)
  return unfold(decoder.bits(length))
}

/** Says any double. */
export function encodeDouble(encoder: Encoder, value: number): void {
  float[0] = value
  encoder.bits(words[0]!, 32)
  encoder.bits(words[1]!, 32)
}

export function decodeDouble(decoder: Decoder): number {
  words[0] = decoder.bits(32)
  words[1] = decoder.bits(32)
  return float[0]!
}

/**
 * Says an integer: [sign:1][size:8][bytes, the lowest first].
 * @throws {RangeError} for one of more than 160 bytes
 */
export function encodeInteger(encoder: Encoder, value: bigint): void {
  let left = value < 0n ? -value : value
  const size = (left.toString(16).length + 1) >> 1
  if (size > INTEGER_BYTES_MAX) {
    throw new RangeError(`integer of ${size} bytes, limit ${INTEGER_BYTES_MAX}`)
  }
  encoder.bits(value < 0n ? 1 : 0, 1)
  encoder.bits(size, 8)
  for (let i = 0; i < size; i++, left >>= 8n) encoder.bits(Number(left & 0xffn), 8)
}

export function decodeInteger(decoder: Decoder): bigint {
  const isNegative = decoder.bits(1) === 1
  const size = decoder.bits(8)
  if (size > INTEGER_BYTES_MAX) {
    throw faultOf('chunk_value', decoder.offset, `integer of ${size} bytes`)
  }
  let value = 0n
  for (let i = 0; i < size; i++) value |= BigInt(decoder.bits(8)) << BigInt(8 * i)
  return isNegative ? -value : value
}
