/**
 * A check of bytes that another program calls a packed histogram (packed-histogram.ts), before they
 * are read by code that trusts them: every length within the bytes, every number one that a
 * histogram can have.
 */
import { SCALE_MAX, SCALE_MIN } from '../histogram/buckets.ts'

const BOUNDED = -128
const BOUNDS_AHEAD = -127
/** Buckets of one side, bounds, and digits of a sum: more than any program has. */
const BUCKETS_LIMIT = 4096
const DIGITS_LIMIT = 400
/** Powers of two that doubles have, on either side of 1. */
const POWERS = 1100
const U64_LIMIT = 2 ** 64
/** Share by which a sum of thousands of rounded counts may be off. */
const ROUNDING = 2 ** -40

/** Tells whether bytes are a histogram as `packHistogram` writes it, and nothing else. */
export function isPackedHistogram(bytes: Uint8Array): boolean {
  return new PackedCheck(bytes).isHistogram()
}

class PackedCheck {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0
  #isGood = true

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  isHistogram(): boolean {
    let bounds: number | undefined
    if (this.#scale(0) === BOUNDS_AHEAD) {
      this.#at = 1
      bounds = this.#bounds()
    }
    const scale = this.#scale(this.#at++)
    if (bounds === undefined) this.#need(scale >= SCALE_MIN && scale <= SCALE_MAX)
    else this.#need(scale === BOUNDED && this.#count() === 0)
    const count = this.#count()
    this.#need(count > 0)
    let counted = this.#count()
    this.#need(this.#double() >= 0)
    this.#number(Number.POSITIVE_INFINITY) // a sum of doubles may have left them
    for (let i = 0; i < 2; i++) this.#number(Number.MAX_VALUE)
    counted += this.#run(scale, bounds)
    counted += this.#run(scale, bounds === undefined ? undefined : -1)
    const overflow = this.#count()
    if (overflow > 0) this.#need(this.#double() > 0)
    this.#need(isSame(counted + overflow, count))
    return this.#isGood && this.#at === this.#bytes.length
  }

  #need(holds: boolean): void {
    if (!holds) this.#isGood = false
  }

  #scale(at: number): number {
    return at < this.#bytes.length ? this.#view.getInt8(at) : Number.NaN
  }

  /** Reads bounds, ascending and finite. @returns how many */
  #bounds(): number {
    const length = this.#at + 4 <= this.#bytes.length ? this.#view.getUint32(this.#at, true) : -1
    this.#at += 4
    this.#need(length > 0 && length <= BUCKETS_LIMIT)
    let last = Number.NEGATIVE_INFINITY
    for (let left = this.#isGood ? length : 0; left > 0; left--) {
      const bound = this.#double()
      this.#need(bound > last && bound < Number.POSITIVE_INFINITY)
      last = bound
    }
    return length
  }

  #double(): number {
    const at = this.#at
    this.#at += 8
    if (this.#at <= this.#bytes.length) return this.#view.getFloat64(at, true)
    this.#need(false)
    return 0
  }

  /** Reads an integer below 2^64, as the double that is nearest. */
  #count(): number {
    let value = 0
    for (let unit = 1; unit < U64_LIMIT; unit *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) break
      value += (byte & 0x7f) * unit
      if (byte >= 0x80) continue
      this.#need(value < U64_LIMIT)
      return value
    }
    this.#need(false)
    return 0
  }

  /** @param largest size that the number may have */
  #number(largest: number): void {
    const tag = this.#bytes[this.#at++]
    if (tag === 0) return
    if (tag === 1) {
      this.#need(Math.abs(this.#double()) <= largest)
      return
    }
    this.#need(tag === 2)
    const length = this.#count()
    this.#need(length > 0 && length <= DIGITS_LIMIT)
    const isNegative = this.#bytes[this.#at] === 0x2d
    const end = this.#at + (this.#isGood ? length : 0)
    for (let at = this.#at + (isNegative ? 1 : 0); at < end; at++) {
      const digit = this.#bytes[at] ?? 0
      this.#need(digit >= 0x30 && digit <= 0x39)
    }
    this.#need(length > (isNegative ? 1 : 0))
    this.#at = end
  }

  /**
   * Reads one side.
   * @param bounds of a histogram with some: how many, -1 for a side that must be empty
   * @returns its observations
   */
  #run(scale: number, bounds: number | undefined): number {
    const length = this.#count()
    if (length === 0) return 0
    this.#need(length <= BUCKETS_LIMIT)
    const zigzag = this.#count()
    const offset = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    const last = offset + length - 1
    if (bounds !== undefined) this.#need(offset >= 0 && last <= bounds)
    else this.#need(Math.max(-offset, last) <= Math.ceil(POWERS * 2 ** scale))
    let counted = 0
    for (let left = length; left > 0 && this.#isGood; left--) counted += this.#count()
    return counted
  }
}

/** Tells whether counts are the same; beyond 2^53 they are sums of the nearest doubles. */
function isSame(sum: number, count: number): boolean {
  const off = Math.abs(sum - count)
  return off === 0 || (count > Number.MAX_SAFE_INTEGER && off / count < ROUNDING)
}
