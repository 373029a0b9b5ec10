/** Bytes of generated inputs: one buffer that is filled again for each, and ways to cut them. */
import type { Random } from './random.ts'

const FIRST_CAPACITY = 65_536
const utf8 = new TextEncoder()

/** Buffer that fields are appended to; what it holds is valid until it is reset. */
export class ByteBuilder {
  #buffer = new Uint8Array(FIRST_CAPACITY)
  #view = new DataView(this.#buffer.buffer)
  #start = 0
  size = 0

  /**
   * Forgets everything.
   * @param start place in the buffer, so that views begin anywhere and not only at 0
   */
  reset(start = 0): this {
    this.#start = start
    this.size = 0
    return this
  }

  /** Views what was appended. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(this.#start, this.#start + this.size)
  }

  #reserve(count: number): number {
    const at = this.#start + this.size
    if (at + count > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(2 * this.#buffer.length, at + count))
      grown.set(this.#buffer)
      this.#buffer = grown
      this.#view = new DataView(grown.buffer)
    }
    this.size += count
    return at
  }

  u8(value: number): this {
    const at = this.#reserve(1)
    this.#view.setUint8(at, value)
    return this
  }

  u16(value: number, isLittle = false): this {
    const at = this.#reserve(2)
    this.#view.setUint16(at, value, isLittle)
    return this
  }

  u32(value: number, isLittle = false): this {
    const at = this.#reserve(4)
    this.#view.setUint32(at, value, isLittle)
    return this
  }

  u64(value: bigint): this {
    const at = this.#reserve(8)
    this.#view.setBigUint64(at, value)
    return this
  }

  f64(value: number): this {
    const at = this.#reserve(8)
    this.#view.setFloat64(at, value)
    return this
  }

  f32(value: number): this {
    const at = this.#reserve(4)
    this.#view.setFloat32(at, value)
    return this
  }

  raw(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length)
    this.#buffer.set(bytes, at)
    return this
  }

  /** Appends UTF-8; lone surrogates become U+FFFD. */
  text(value: string): this {
    let isAscii = value.length < 64
    for (let i = 0; isAscii && i < value.length; i++) isAscii = value.charCodeAt(i) < 0x80
    if (!isAscii) return this.raw(utf8.encode(value))
    const at = this.#reserve(value.length)
    for (let i = 0; i < value.length; i++) this.#buffer[at + i] = value.charCodeAt(i)
    return this
  }

  zeros(count: number): this {
    const at = this.#reserve(count)
    this.#buffer.fill(0, at, at + count)
    return this
  }

  /** Writes over a length that was appended before what it counts. */
  setU32(place: number, value: number, isLittle = false): void {
    this.#view.setUint32(this.#start + place, value, isLittle)
  }

  /** Cuts the end off. */
  truncate(size: number): void {
    this.size = Math.min(this.size, size)
  }
}

/** Inputs up to this size are now and then cut at every byte. */
const SINGLE_BYTES_MAX = 512

/**
 * Hands over the bytes in pieces, as reads of a socket would: single bytes, equal pieces, random
 * pieces, or two; sometimes with an empty one. Each piece is a copy that is overwritten afterwards,
 * so that who keeps a view of it is found out.
 */
export function forEachPiece(
  random: Random,
  bytes: Uint8Array,
  take: (piece: Uint8Array) => void,
): void {
  const way = random.below(16)
  const isSingle = way === 15 && bytes.length <= SINGLE_BYTES_MAX
  const size = isSingle ? 1 : 1 + random.below(way === 14 ? 16 : 700)
  if (way === 13) take(NOTHING)
  for (let at = 0; at < bytes.length; ) {
    let count = size
    if (way < 6) count = at === 0 ? random.below(bytes.length + 1) : bytes.length
    else if (way < 12) count = 1 + random.below(size)
    const end = Math.min(bytes.length, at + Math.max(1, count))
    const piece = bytes.slice(at, end)
    take(piece)
    piece.fill(0x55)
    at = end
  }
}

const NOTHING = new Uint8Array(0)
