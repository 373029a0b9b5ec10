/**
 * Snappy's block format: `[size:varint][element]…`, where an element begins with a tag byte whose
 * lowest two bits say what it is.
 *
 *   00  literal: size - 1 in the upper six bits; 60 to 63 there = it follows in 1 to 4 bytes (le)
 *   01  copy: size - 4 in 3 bits, offset in the upper 3 and a byte behind
 *   10  copy: size - 1 in the upper six bits, offset in 2 bytes (le)
 *   11  copy: the same, offset in 4 bytes (le)
 *
 * A copy repeats what was written `offset` bytes before, and may reach into itself.
 */

import { runNow, type Task } from '../../../time/task.ts'

/** Bytes that one byte of a block can stand for at most: a copy of 64 in three. */
const RATIO_LIMIT = 22
const SIZE_BYTES_LIMIT = 5
const SIZE_MAX = 0xffff_ffff
/** Literals without further bytes for their size. */
const SHORT_LITERAL = 60
/** Bytes that are packed by themselves: offsets in them have two bytes. */
const PART_BYTES = 65_536
/** Sizes of a copy that are written. */
const COPY_MIN = 4
const COPY_MAX = 64
/** Bytes that are unpacked in one step. */
const STEP_BYTES = 65_536
/** Hash of four bytes: the multiplier of the reference, and so many of the upper bits. */
const HASH_FACTOR = 0x1e35a7bd
const HASH_BITS = 14

/** Size that a block says of itself, and where its elements begin. */
interface BlockHead {
  readonly size: number
  readonly at: number
}

/** Reads the head of a block. @returns undefined while it is not whole */
export function blockHead(bytes: Uint8Array, start = 0): BlockHead | 'bad_snappy' | undefined {
  let size = 0
  for (let i = 0; i < SIZE_BYTES_LIMIT; i++) {
    const byte = bytes[start + i]
    if (byte === undefined) return undefined
    size += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return size > SIZE_MAX ? 'bad_snappy' : { size, at: start + i + 1 }
  }
  return 'bad_snappy'
}

/** Block once unpacked, and where in the bytes it has ended. */
interface Unpacked {
  readonly bytes: Uint8Array
  readonly end: number
}

/**
 * Unpacks the block that begins at `start`; it ends where it has the size that it says.
 * @param limit bytes that it may have then; memory is taken for no more than the block can hold
 */
export function unpackSnappy(bytes: Uint8Array, limit: number, start = 0): Unpacked | Problem {
  return runNow(unpackingSnappy(bytes, limit, start))
}

type Problem = 'bad_snappy' | 'too_large'

/** Makes a task of {@link unpackSnappy}. */
export function* unpackingSnappy(
  bytes: Uint8Array,
  limit: number,
  start = 0,
): Task<Unpacked | Problem> {
  const head = blockHead(bytes, start)
  if (head === undefined || head === 'bad_snappy') return 'bad_snappy'
  if (head.size > limit) return 'too_large'
  if (head.size > (bytes.length - head.at) * RATIO_LIMIT) return 'bad_snappy'
  const unpacked = new Uint8Array(head.size)
  let { at } = head
  let size = 0
  let pauseAt = STEP_BYTES
  while (size < head.size) {
    if (size >= pauseAt) {
      pauseAt = size + STEP_BYTES
      yield
    }
    const tag = bytes[at++]
    if (tag === undefined) return 'bad_snappy'
    const form = tag & 3
    let length = (tag >> 2) + 1
    if (form === 0) {
      if (length > SHORT_LITERAL) {
        const width = length - SHORT_LITERAL
        length = littleEndian(bytes, at, width) + 1
        at += width
      }
      if (length > bytes.length - at || length > head.size - size) return 'bad_snappy'
      copyBytes(bytes, at, unpacked, size, length)
      at += length
    } else {
      let offset: number
      if (form === 1) {
        length = ((tag >> 2) & 7) + 4
        offset = (tag >> 5) * 256 + (bytes[at] ?? 0)
        at++
      } else {
        const width = form === 2 ? 2 : 4
        offset = littleEndian(bytes, at, width)
        at += width
      }
      if (at > bytes.length || offset === 0 || offset > size) return 'bad_snappy'
      if (length > head.size - size) return 'bad_snappy'
      copyBytes(unpacked, size - offset, unpacked, size, length)
    }
    size += length
  }
  return { bytes: unpacked, end: at }
}

/** Copies byte by byte: a source that reaches into its target repeats itself. */
function copyBytes(
  source: Uint8Array,
  from: number,
  target: Uint8Array,
  to: number,
  length: number,
): void {
  if (source !== target && length > 64) {
    target.set(source.subarray(from, from + length), to)
    return
  }
  for (let i = 0; i < length; i++) target[to + i] = source[from + i]!
}

function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = 0; i < width; i++) value += (bytes[at + i] ?? 0) * 2 ** (8 * i)
  return value
}

/** Packs bytes as a block: what stands twice within 64 KiB is a copy. */
export function packSnappy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const packer = new Packer(bytes)
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    packer.pack(from, Math.min(bytes.length, from + PART_BYTES))
  }
  return packer.packed()
}

class Packer {
  readonly #bytes: Uint8Array
  readonly #out: Uint8Array<ArrayBuffer>
  /** Places in the part by the hash of the four bytes there; the last one of each. */
  readonly #places = new Uint16Array(1 << HASH_BITS)
  #at = 0

  constructor(bytes: Uint8Array) {
    const { length } = bytes
    this.#bytes = bytes
    this.#out = new Uint8Array(SIZE_BYTES_LIMIT + length + Math.ceil(length / 6) + SHORT_LITERAL)
    let rest = length
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.#out[this.#at++] = (rest % 128) | 0x80
    this.#out[this.#at++] = rest
  }

  packed(): Uint8Array<ArrayBuffer> {
    return this.#out.slice(0, this.#at)
  }

  pack(from: number, end: number): void {
    const bytes = this.#bytes
    const places = this.#places.fill(0)
    let literalFrom = from
    let misses = 0
    for (let at = from + 1; at + COPY_MIN <= end; ) {
      const word = wordAt(bytes, at)
      const hash = Math.imul(word, HASH_FACTOR) >>> (32 - HASH_BITS)
      const place = from + places[hash]!
      places[hash] = at - from
      if (wordAt(bytes, place) !== word) {
        // bytes that do not repeat are skipped ever faster, as in the reference
        at += 1 + (misses++ >> 5)
        continue
      }
      misses = 0
      let length = COPY_MIN
      while (at + length < end && bytes[place + length] === bytes[at + length]) length++
      this.#literal(literalFrom, at)
      this.#copy(at - place, length)
      at += length
      literalFrom = at
    }
    this.#literal(literalFrom, end)
  }

  #literal(from: number, end: number): void {
    const out = this.#out
    const last = end - from - 1
    if (last < 0) return
    if (last < SHORT_LITERAL) {
      out[this.#at++] = last << 2
    } else {
      const isShort = last < 0x100
      out[this.#at++] = (isShort ? SHORT_LITERAL : SHORT_LITERAL + 1) << 2
      out[this.#at++] = last
      if (!isShort) out[this.#at++] = last >> 8
    }
    const bytes = this.#bytes
    if (last < SHORT_LITERAL) {
      for (let at = from; at < end; at++) out[this.#at++] = bytes[at]!
      return
    }
    out.set(bytes.subarray(from, end), this.#at)
    this.#at += end - from
  }

  /** Writes copies of 4 to 64 bytes, none of which leaves less than 4. */
  #copy(offset: number, length: number): void {
    let rest = length
    for (; rest >= COPY_MAX + COPY_MIN; rest -= COPY_MAX) this.#longCopy(offset, COPY_MAX)
    if (rest > COPY_MAX) {
      this.#longCopy(offset, COPY_MAX - COPY_MIN)
      rest -= COPY_MAX - COPY_MIN
    }
    if (rest >= 12 || offset >= 2048) {
      this.#longCopy(offset, rest)
      return
    }
    this.#out[this.#at++] = ((offset >> 8) << 5) | ((rest - COPY_MIN) << 2) | 1
    this.#out[this.#at++] = offset
  }

  #longCopy(offset: number, length: number): void {
    this.#out[this.#at++] = ((length - 1) << 2) | 2
    this.#out[this.#at++] = offset
    this.#out[this.#at++] = offset >> 8
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}
