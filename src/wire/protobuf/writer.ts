/** A buffer that protobuf messages are written into; the lengths of messages are filled in. */
import { LENGTH_DELIMITED } from './reader.ts'

const FIRST_BYTES = 1024
const encoder = new TextEncoder()

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
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
      this.#bytes[this.#size++] = (rest % 128) | 0x80
    }
    this.#bytes[this.#size++] = rest
  }

  /** Writes a varint of any 64 bits; negative ones have ten bytes. */
  varint64(value: bigint): void {
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

  text(field: number, text: string): void {
    this.bytes(field, encoder.encode(text))
  }

  /** Writes a field with a length around what `write` writes. */
  message(field: number, write: () => void): void {
    this.tag(field, LENGTH_DELIMITED)
    const from = this.#size
    write()
    const length = this.#size - from
    this.varint(length) // to learn how many bytes it takes
    const lengthBytes = this.#size - from - length
    this.#bytes.copyWithin(from + lengthBytes, from, from + length)
    this.#size = from
    this.varint(length)
    this.#size = from + lengthBytes + length
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#bytes.length) return
    const larger = new Uint8Array(2 * (this.#size + size))
    larger.set(this.#bytes)
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }
}
