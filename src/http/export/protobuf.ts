/**
 * What `pbf` lacks for metrics: 64-bit integers to the last digit, which it takes as doubles.
 * Wire types are those of https://protobuf.dev/programming-guides/encoding/.
 */
import type { PbfWriter } from 'pbf'

const FIXED64 = 1
const LOW_BITS = 0x7fn
const MORE = 0x80

/** Writes the bare varint, seven bits a byte, lowest first; also of packed fields. */
export function writeU64(writer: PbfWriter, value: bigint): void {
  if (value <= 0xffff_ffffn) {
    writer.writeVarint(Number(value))
    return
  }
  let rest = value
  writer.realloc(10)
  for (; rest > LOW_BITS; rest >>= 7n) {
    writer.buf[writer.pos++] = Number(rest & LOW_BITS) | MORE
  }
  writer.buf[writer.pos++] = Number(rest)
}

/** Writes a field of fixed64 or sfixed64. */
export function writeFixed64Field(writer: PbfWriter, field: number, value: bigint): void {
  writer.writeTag(field, FIXED64)
  writeFixed64(writer, value)
}

/** Writes the bare eight bytes, lowest first; also of packed fields. */
export function writeFixed64(writer: PbfWriter, value: bigint): void {
  writer.realloc(8)
  writer.dataView.setBigUint64(writer.pos, BigInt.asUintN(64, value), true)
  writer.pos += 8
}
