/** A buffer that protobuf messages are written into; the lengths of messages are filled in. */
import { LENGTH_DELIMITED } from './reader.ts'

const FIRST_BYTES = 1024
const encoder = new TextEncoder()
const SAFE = BigInt(Number.MAX_SAFE_INTEGER)

export class ProtobufWriter {
  #bytes = new Uint8Array(FIRST_BYTES)
  #view = new DataView(this.#bytes.buffer)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Takes back what was written behind this size. */
  backTo(size: number): void {
    this.#size = size
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#size)
  }

  tag(field: number, wire: number): void {
    this.varint(field * 8 + wire)
  }

  /** Writes a varint of at most 2^53. */
  varint(value: number): void {
    this.#reserve(10)
    if (value < 0x80) {
      this.#bytes[this.#size++] = value
      return
    }
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
      this.#bytes[this.#size++] = (rest % 128) | 0x80
    }
    this.#bytes[this.#size++] = rest
  }

  /** Writes a varint of any 64 bits; negative ones have ten bytes. */
  varint64(value: bigint): void {
    if (value >= 0n && value <= SAFE) {
      this.varint(Number(value))
      return
    }
    this.#reserve(10)
    let rest = BigInt.asUintN(64, value)
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#size++] = Number(rest & 0x7fn) | 0x80
    this.#bytes[this.#size++] = Number(rest)
  }

  fixed64(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigUint64(this.#size, BigInt.asUintN(64, value), true)
    this.#size += 8
  }

  double(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#size, value, true)
    this.#size += 8
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.tag(field, LENGTH_DELIMITED)
    this.varint(bytes.length)
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#size)
    this.#size += bytes.length
  }

  /** Writes bytes that are fields already. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#size)
    this.#size += bytes.length
  }

  text(field: number, text: string): void {
    const { length } = text
    if (length >= 0x80) {
      this.bytes(field, encoder.encode(text))
      return
    }
    this.tag(field, LENGTH_DELIMITED)
    this.#reserve(1 + length)
    const from = this.#size
    const bytes = this.#bytes
    let at = from
    bytes[at++] = length
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit >= 0x80) break
      bytes[at++] = unit
    }
    this.#size = at
    if (at - from > length) return
    // one that is not of ASCII alone has its length in bytes
    const whole = encoder.encode(text)
    this.#size = from
    this.varint(whole.length)
    this.#reserve(whole.length)
    this.#bytes.set(whole, this.#size)
    this.#size += whole.length
  }

  /** Writes a field with a length around what `write` writes. */
  message(field: number, write: () => void): void {
    const place = this.begin(field)
    write()
    this.end(place)
  }

  /** Begins a field with a length. @returns its place, which {@link end} is to be called with */
  begin(field: number): number {
    this.tag(field, LENGTH_DELIMITED)
    this.#reserve(1)
    // most lengths have one byte: what is longer moves
    return this.#size++
  }

  /** Ends the field that begins at a place, all those within it having ended. */
  end(place: number): void {
    const length = this.#size - place - 1
    if (length < 0x80) {
      this.#bytes[place] = length
      return
    }
    const end = this.#size
    this.varint(length) // to learn how many bytes it takes
    const lengthBytes = this.#size - end
    this.#bytes.copyWithin(place + lengthBytes, place + 1, end)
    this.#size = place
    this.varint(length)
    this.#size = place + lengthBytes + length
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#bytes.length) return
    const larger = new Uint8Array(2 * (this.#size + size))
    larger.set(this.#bytes)
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }
}
