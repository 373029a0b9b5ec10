/**
 * A cursor over protobuf's wire format (https://protobuf.dev/programming-guides/encoding/): tags,
 * varints of seven bits a byte with the lowest first, 64-bit words, lengths. Nothing here throws or
 * allocates: what can't be read sets `isBroken`, and the cursor goes to its end.
 */

export const VARINT = 0
export const FIXED64 = 1
export const LENGTH_DELIMITED = 2
const FIXED32 = 5

const VARINT_BYTES_LIMIT = 10
const NOTHING = new Uint8Array(0)

export class ProtobufReader {
  bytes: Uint8Array = NOTHING
  view: DataView = new DataView(NOTHING.buffer)
  at = 0
  end = 0
  isBroken = false
  /** Field number and wire type of the last tag. */
  field = 0
  wire = 0
  /** Range of the last length-delimited field. */
  from = 0
  to = 0

  /** Begins anew at bytes[start, end). */
  open(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (bytes !== this.bytes) {
      this.bytes = bytes
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    this.at = start
    this.end = end
    this.isBroken = false
  }

  break(): void {
    this.isBroken = true
    this.at = this.end
  }

  /** Reads the next tag, and the range of a field that has a length. @returns false at the end */
  next(): boolean {
    if (this.at >= this.end) return false
    const tag = this.varint()
    this.field = Math.floor(tag / 8)
    this.wire = tag % 8
    if (this.isBroken || this.field === 0 || tag > 0xffff_ffff) {
      this.break()
      return false
    }
    if (this.wire !== LENGTH_DELIMITED) return true
    const length = this.varint()
    if (length > this.end - this.at || this.isBroken) {
      this.break()
      return false
    }
    this.from = this.at
    this.to = this.at + length
    this.at = this.to
    return true
  }

  /** Goes behind a field that is not wanted; one with a length is behind already. */
  skip(): void {
    switch (this.wire) {
      case LENGTH_DELIMITED:
        return
      case VARINT:
        this.varint()
        return
      case FIXED64:
        this.#go(8)
        return
      case FIXED32:
        this.#go(4)
        return
      default: // groups, which proto3 has none of
        this.break()
    }
  }

  #go(size: number): void {
    if (this.end - this.at < size) this.break()
    else this.at += size
  }

  /** Reads a varint as a double: exact below 2^53. */
  varint(): number {
    const { bytes, end } = this
    if (this.at < end && bytes[this.at]! < 0x80) return bytes[this.at++]!
    let value = 0
    let factor = 1
    const limit = Math.min(end, this.at + VARINT_BYTES_LIMIT)
    for (let at = this.at; at < limit; at++) {
      const byte = bytes[at]!
      value += (byte & 0x7f) * factor
      factor *= 128
      if (byte < 0x80) {
        this.at = at + 1
        return value
      }
    }
    this.break()
    return 0
  }

  /** Reads a varint to the last digit, as uint64. */
  varint64(): bigint {
    const from = this.at
    const value = this.varint()
    if (value < Number.MAX_SAFE_INTEGER) return BigInt(value)
    let whole = 0n
    for (let at = this.at - 1; at >= from; at--) {
      whole = (whole << 7n) | BigInt(this.bytes[at]! & 0x7f)
    }
    return BigInt.asUintN(64, whole)
  }

  /** Reads a varint of 32 bits: more of them are cut off, as in protobuf's own readers. */
  varint32(): number {
    const value = this.varint()
    return value <= 0xffff_ffff ? value : Number(BigInt.asUintN(32, BigInt(value)))
  }

  /** Reads sint32: 0, 1, 2, 3 … are 0, -1, 1, -2 …. */
  sint32(): number {
    const value = this.varint32()
    return (value >>> 1) ^ -(value & 1)
  }

  /** Reads sint64, by the same order. */
  sint64(): bigint {
    const value = this.varint64()
    return (value >> 1n) ^ -(value & 1n)
  }

  double(): number {
    if (this.end - this.at < 8) {
      this.break()
      return 0
    }
    this.at += 8
    return this.view.getFloat64(this.at - 8, true)
  }

  /** Goes behind eight bytes. @returns where they begin; 0 with `isBroken` where they are not */
  word(): number {
    this.#go(8)
    return this.isBroken ? 0 : this.at - 8
  }
}
