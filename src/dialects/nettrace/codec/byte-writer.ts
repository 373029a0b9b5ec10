/** Writer of packed little-endian values into one buffer that grows; the reader's counterpart. */

const FIRST_CAPACITY = 256

export class ByteWriter {
  size = 0
  #bytes = new Uint8Array(FIRST_CAPACITY)
  #view = new DataView(this.#bytes.buffer)

  /** Views what was written; valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.size)
  }

  /** Copies what was written, and forgets it. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.size)
    this.size = 0
    return taken
  }

  #grow(count: number): number {
    const at = this.size
    if (at + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, at + count))
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    this.size = at + count
    return at
  }

  u8(value: number): this {
    const at = this.#grow(1)
    this.#bytes[at] = value
    return this
  }

  u16(value: number): this {
    const at = this.#grow(2)
    this.#view.setUint16(at, value, true)
    return this
  }

  u32(value: number): this {
    const at = this.#grow(4)
    this.#view.setUint32(at, value, true)
    return this
  }

  u64(value: bigint): this {
    const at = this.#grow(8)
    this.#view.setBigUint64(at, BigInt.asUintN(64, value), true)
    return this
  }

  f32(value: number): this {
    const at = this.#grow(4)
    this.#view.setFloat32(at, value, true)
    return this
  }

  f64(value: number): this {
    const at = this.#grow(8)
    this.#view.setFloat64(at, value, true)
    return this
  }

  varuint(value: bigint): this {
    let left = BigInt.asUintN(64, value)
    for (; left >= 0x80n; left >>= 7n) this.u8(Number(left & 0x7fn) | 0x80)
    return this.u8(Number(left))
  }

  raw(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length)
    this.#bytes.set(bytes, at)
    return this
  }

  zeros(count: number): this {
    const at = this.#grow(count)
    this.#bytes.fill(0, at, at + count)
    return this
  }

  ascii(text: string): this {
    for (let i = 0; i < text.length; i++) this.u8(text.charCodeAt(i))
    return this
  }

  utf16(text: string): this {
    for (let i = 0; i < text.length; i++) this.u16(text.charCodeAt(i))
    return this
  }

  /** Writes a text and its NUL. */
  utf16z(text: string): this {
    return this.utf16(text).u16(0)
  }

  /** Writes over a size that was left open. */
  setU16(at: number, value: number): void {
    this.#view.setUint16(at, value, true)
  }
}
