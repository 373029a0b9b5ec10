/** Writer of the numbers that messages are made of, low byte first, into memory that grows. */
import { HEADER_BYTES } from '../spec.ts'

const FIRST_CAPACITY = 4096
const encoder = new TextEncoder()

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY)
  #view = new DataView(this.#bytes.buffer)
  /** Bytes written so far. */
  size = 0

  #reserve(count: number): number {
    const at = this.size
    this.size += count
    if (this.size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.size, 2 * this.#bytes.length))
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }

  byte(value: number): void {
    const at = this.#reserve(1)
    this.#bytes[at] = value
  }

  u32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setUint32(at, value, true)
  }

  u64(value: bigint): void {
    const at = this.#reserve(8)
    this.#view.setBigUint64(at, value, true)
  }

  f64(value: number): void {
    const at = this.#reserve(8)
    this.#view.setFloat64(at, value, true)
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Writes `[size:u32][bytes]`. */
  sized(bytes: Uint8Array): void {
    this.u32(bytes.length)
    this.raw(bytes)
  }

  text(text: string): void {
    this.raw(encoder.encode(text))
  }

  /** Gives what was written as a message, `[size:u32][type:u8][body]`, and begins anew. */
  message(type: number): Uint8Array<ArrayBuffer> {
    const message = new Uint8Array(HEADER_BYTES + this.size)
    new DataView(message.buffer).setUint32(0, this.size, true)
    message[4] = type
    message.set(this.#bytes.subarray(0, this.size), HEADER_BYTES)
    this.size = 0
    return message
  }
}
