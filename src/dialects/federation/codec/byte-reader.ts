/**
 * Reader of a message's body. It never reads behind the end: what is asked for there is 0, and
 * `isWhole` says that something was missing.
 */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class ByteReader {
  readonly bytes: Uint8Array
  readonly #view: DataView
  #at = 0
  #isShort = false

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get left(): number {
    return this.bytes.length - this.#at
  }

  /** Whether all that was asked for was there. */
  get isWhole(): boolean {
    return !this.#isShort
  }

  /** Whether all was there, and nothing is left. */
  get isDone(): boolean {
    return !this.#isShort && this.left === 0
  }

  #take(count: number): number {
    if (count > this.left) {
      this.#isShort = true
      this.#at = this.bytes.length
      return -1
    }
    const at = this.#at
    this.#at += count
    return at
  }

  byte(): number {
    const at = this.#take(1)
    return at < 0 ? 0 : this.bytes[at]!
  }

  u32(): number {
    const at = this.#take(4)
    return at < 0 ? 0 : this.#view.getUint32(at, true)
  }

  u64(): bigint {
    const at = this.#take(8)
    return at < 0 ? 0n : this.#view.getBigUint64(at, true)
  }

  f64(): number {
    const at = this.#take(8)
    return at < 0 ? 0 : this.#view.getFloat64(at, true)
  }

  /** Views `[size:u32][bytes]`; what it gives is valid as long as the body. */
  sized(): Uint8Array {
    const size = this.u32()
    const at = this.#take(size)
    return at < 0 ? this.bytes.subarray(0, 0) : this.bytes.subarray(at, at + size)
  }
}

/** Reads UTF-8; undefined for bytes that are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
