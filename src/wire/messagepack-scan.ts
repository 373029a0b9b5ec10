/**
 * Finds the end of one MessagePack value before anything of it is read: malformed, truncated, too
 * deep and oversized values are told apart here and nowhere else. It can be fed a growing prefix
 * and goes on where it stopped, so a value that arrives byte by byte costs as much as one that is
 * whole.
 */
import { DEPTH_LIMIT, familyOf, fixedSize, lengthInByte, lengthWidth } from './messagepack.ts'

/**
 * `too_large`: the value claims more than the limit, seen from a header before its bytes arrive.
 */
export type ScanVerdict = 'complete' | 'incomplete' | 'reserved' | 'too-deep' | 'too_large'

export class MessagePackScanner {
  /**
   * Bytes scanned so far; the size of the value when complete, the place of the fault otherwise.
   */
  size = 0
  /**
   * Elements still missing per open container; a map 32 has up to 2^33. It grows with the depth
   * that has come: every packet and every quiet connection has a scanner of its own.
   */
  readonly #missing: number[] = []
  #depth = 0

  /** Forgets the value; the next scan begins a new one. */
  reset(): void {
    this.size = 0
    this.#depth = 0
  }

  /**
   * Scans on, over bytes[start, end) where `start` is always the value's first byte.
   * @param limit most bytes that the value may have
   */
  scan(bytes: Uint8Array, start: number, end: number, limit: number): ScanVerdict {
    for (;;) {
      const at = start + this.size
      if (at >= end) return this.size >= limit ? 'too_large' : 'incomplete'
      const byte = bytes[at]!
      const family = familyOf(byte)
      if (family === 'reserved') return 'reserved'
      const width = lengthWidth(byte)
      if (this.size + 1 + width > limit) return 'too_large'
      if (at + 1 + width > end) return 'incomplete'
      const length = width === 0 ? lengthInByte(byte) : readLength(bytes, at + 1, width)
      const header = 1 + width + fixedSize(byte)
      if (family === 'array' || family === 'map') {
        const count = family === 'map' ? 2 * length : length
        if (this.size + header + count > limit) return 'too_large'
        if (this.#depth === DEPTH_LIMIT) return 'too-deep'
        this.size += header
        this.#missing[this.#depth++] = count
      } else {
        if (this.size + header + length > limit) return 'too_large'
        if (at + header + length > end) return 'incomplete'
        this.size += header + length
        if (this.#depth > 0) this.#missing[this.#depth - 1]! -= 1
      }
      if (this.#close()) return 'complete'
    }
  }

  /** Leaves containers that are full; true when the outermost value is. */
  #close(): boolean {
    while (this.#depth > 0 && this.#missing[this.#depth - 1] === 0) {
      this.#depth--
      if (this.#depth > 0) this.#missing[this.#depth - 1]! -= 1
    }
    return this.#depth === 0
  }
}

function readLength(bytes: Uint8Array, at: number, width: number): number {
  let length = 0
  for (let i = 0; i < width; i++) length = length * 256 + bytes[at + i]!
  return length
}
