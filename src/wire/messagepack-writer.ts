/**
 * Writes MessagePack in the shortest form of every header: what rmp-serde writes for structs as
 * maps. Integers are unsigned only, numbers are float 64 always, NaN is 7ff8000000000000 always.
 */
const encoder = new TextEncoder()
const FIRST_CAPACITY = 256

export class MessagePackWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY)
  #view = new DataView(this.#bytes.buffer)
  /** Bytes written so far. */
  size = 0

  #reserve(count: number): number {
    const at = this.size
    this.size = at + count
    if (this.size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.size, 2 * this.#bytes.length))
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }

  /** Copies what was written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.size)
  }

  byte(value: number): void {
    const at = this.#reserve(1)
    this.#bytes[at] = value
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** @param value 0 to 2^64 - 1 */
  uint(value: bigint): void {
    if (value <= 0x7fn) this.byte(Number(value))
    else if (value <= 0xffn) this.#sized(0xcc, Number(value), 1)
    else if (value <= 0xffffn) this.#sized(0xcd, Number(value), 2)
    else if (value <= 0xffff_ffffn) this.#sized(0xce, Number(value), 4)
    else {
      this.byte(0xcf)
      const at = this.#reserve(8)
      this.#view.setBigUint64(at, value)
    }
  }

  /** Writes a text; lone surrogates become U+FFFD. */
  text(value: string): void {
    if (value.length <= 31 && this.#shortAscii(value)) return
    const utf8 = encoder.encode(value)
    const size = utf8.length
    if (size <= 31) this.byte(0xa0 | size)
    else if (size <= 0xff) this.#sized(0xd9, size, 1)
    else this.#sized(size <= 0xffff ? 0xda : 0xdb, size, size <= 0xffff ? 2 : 4)
    this.raw(utf8)
  }

  /** Writes most names without an encoder call. False, and nothing written, if not ASCII. */
  #shortAscii(value: string): boolean {
    const start = this.#reserve(1 + value.length)
    const bytes = this.#bytes
    bytes[start] = 0xa0 | value.length
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      if (unit > 0x7f) {
        this.size = start
        return false
      }
      bytes[start + 1 + i] = unit
    }
    return true
  }

  /** Writes the header of a map with this many pairs, which follow. */
  map(count: number): void {
    if (count <= 15) this.byte(0x80 | count)
    else this.#sized(count <= 0xffff ? 0xde : 0xdf, count, count <= 0xffff ? 2 : 4)
  }

  /** Writes [cb][value:f64be]. */
  float(value: number): void {
    this.byte(0xcb)
    const at = this.#reserve(8)
    writeFloat64(this.#view, at, value)
  }

  #sized(format: number, value: number, width: 1 | 2 | 4): void {
    this.byte(format)
    const at = this.#reserve(width)
    if (width === 1) this.#view.setUint8(at, value)
    else if (width === 2) this.#view.setUint16(at, value)
    else this.#view.setUint32(at, value)
  }
}

/**
 * Writes a big-endian double with one NaN: an engine may keep or drop a NaN's payload bits as it
 * likes.
 */
export function writeFloat64(view: DataView, at: number, value: number): void {
  if (!Number.isNaN(value)) view.setFloat64(at, value)
  else {
    view.setUint32(at, 0x7ff80000)
    view.setUint32(at + 4, 0)
  }
}
