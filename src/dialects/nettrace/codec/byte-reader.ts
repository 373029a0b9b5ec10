/**
 * Reader of packed little-endian values within a range of bytes. What ends beyond the range is
 * thrown as {@link MALFORMED} by every method, so that no decoder reads its neighbour's bytes.
 */

/** A value that its bytes do not hold; caught where the next whole part can be found. */
class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** One for all: to make an error for each of millions of bad events would cost more than they. */
export const MALFORMED = new Malformed('bytes that hold no such value')

const TWO_32 = 4_294_967_296
/** Texts that come again are found by their bytes; a power of two. */
const KNOWN_TEXTS = 2048
const KNOWN_TEXT_UNITS_MAX = 64
const PIECE_UNITS = 1024

const utf8 = new TextDecoder('utf-8')

export class ByteReader {
  /** Place of the next byte. */
  at = 0
  end = 0
  #bytes: Uint8Array = new Uint8Array(0)
  #view = new DataView(this.#bytes.buffer)
  readonly #known: (string | undefined)[] = new Array(KNOWN_TEXTS).fill(undefined)
  readonly #units = new Uint16Array(PIECE_UNITS)

  /** Reads from these bytes on; they are not kept beyond the next call. */
  open(bytes: Uint8Array, at = 0, end = bytes.length): this {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
    this.end = end
    return this
  }

  get left(): number {
    return this.end - this.at
  }

  /** Steps over bytes, and gives the place of the first. */
  skip(count: number): number {
    const at = this.at
    if (count > this.end - at) throw MALFORMED
    this.at = at + count
    return at
  }

  /** Copies bytes. */
  bytes(count: number): Uint8Array {
    const at = this.skip(count)
    return this.#bytes.slice(at, at + count)
  }

  u8(): number {
    return this.#bytes[this.skip(1)]!
  }

  i8(): number {
    return this.#view.getInt8(this.skip(1))
  }

  u16(): number {
    return this.#view.getUint16(this.skip(2), true)
  }

  i16(): number {
    return this.#view.getInt16(this.skip(2), true)
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4), true)
  }

  i32(): number {
    return this.#view.getInt32(this.skip(4), true)
  }

  f32(): number {
    return this.#view.getFloat32(this.skip(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.skip(8), true)
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.skip(8), true)
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.skip(8), true)
  }

  /** Reads a 64 bit number as a double: exact below 2^53. */
  count64(): number {
    const at = this.skip(8)
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * TWO_32
  }

  /** Reads a LEB128 of up to 64 bits as a double: exact below 2^53. */
  varuint(): number {
    let byte = this.u8()
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let weight = 128
    for (let count = 1; count < 10; count++) {
      byte = this.u8()
      value += (byte & 0x7f) * weight
      if (byte < 0x80) return value
      weight *= 128
    }
    throw MALFORMED
  }

  /** Reads a LEB128 of 64 bits. */
  varuint64(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw MALFORMED
  }

  /**
   * Reads a difference that is written modulo 2^64: a negative one as its complement. Exact within
   * 2^53.
   */
  varDifference(): number {
    const start = this.at
    const value = this.varuint()
    if (value < Number.MAX_SAFE_INTEGER) return value
    this.at = start
    return Number(BigInt.asIntN(64, this.varuint64()))
  }

  /** Reads UTF-16 up to its NUL, which has to be within the range. */
  utf16z(): string {
    const bytes = this.#bytes
    const start = this.at
    const last = this.end - 1
    let hash = 17
    let at = start
    for (; at < last; at += 2) {
      const unit = bytes[at]! | (bytes[at + 1]! << 8)
      if (unit === 0) {
        this.at = at + 2
        return this.#text(start, (at - start) >> 1, hash)
      }
      hash = (Math.imul(hash, 31) + unit) | 0
    }
    throw MALFORMED
  }

  /** Reads so many units of UTF-16, whatever they are. */
  utf16(count: number): string {
    return this.#unitsAt(this.skip(2 * count), count)
  }

  /** Reads UTF-8; what is none becomes U+FFFD. */
  utf8(count: number): string {
    const at = this.skip(count)
    return utf8.decode(this.#bytes.subarray(at, at + count))
  }

  /** Gives a text that has come before, or makes it. */
  #text(start: number, count: number, hash: number): string {
    if (count === 0) return ''
    if (count > KNOWN_TEXT_UNITS_MAX) return this.#unitsAt(start, count)
    const place = (hash ^ (hash >>> 15)) & (KNOWN_TEXTS - 1)
    const known = this.#known[place]
    if (known !== undefined && known.length === count && this.#isAt(known, start)) return known
    const text = this.#unitsAt(start, count)
    this.#known[place] = text
    return text
  }

  #isAt(text: string, start: number): boolean {
    const bytes = this.#bytes
    for (let i = 0, at = start; i < text.length; i++, at += 2) {
      if (text.charCodeAt(i) !== (bytes[at]! | (bytes[at + 1]! << 8))) return false
    }
    return true
  }

  /** Makes a text of any units, lone surrogates as well, which decoders of text would replace. */
  #unitsAt(start: number, count: number): string {
    const bytes = this.#bytes
    const units = this.#units
    let text = ''
    for (let done = 0; done < count; ) {
      const piece = Math.min(PIECE_UNITS, count - done)
      for (let i = 0, at = start + 2 * done; i < piece; i++, at += 2) {
        units[i] = bytes[at]! | (bytes[at + 1]! << 8)
      }
      text += String.fromCharCode.apply(null, units.subarray(0, piece) as unknown as number[])
      done += piece
    }
    return text
  }
}
