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

/** Bytes that one byte of a block can stand for at most: a copy of 64 in three. */
const RATIO_LIMIT = 22
const SIZE_BYTES_LIMIT = 5
const SIZE_MAX = 0xffff_ffff
/** Literals without further bytes for their size. */
const SHORT_LITERAL = 60
/** Longest literal that is written, with two bytes for its size. */
const LITERAL_BYTES = 65_536

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
export function unpackSnappy(
  bytes: Uint8Array,
  limit: number,
  start = 0,
): Unpacked | 'bad_snappy' | 'too_large' {
  const head = blockHead(bytes, start)
  if (head === undefined || head === 'bad_snappy') return 'bad_snappy'
  if (head.size > limit) return 'too_large'
  if (head.size > (bytes.length - head.at) * RATIO_LIMIT) return 'bad_snappy'
  const unpacked = new Uint8Array(head.size)
  let { at } = head
  let size = 0
  while (size < head.size) {
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

/** Writes bytes as a block of literals, which every reader takes and nothing is saved by. */
export function packSnappy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const literals = Math.ceil(bytes.length / LITERAL_BYTES)
  const packed = new Uint8Array(SIZE_BYTES_LIMIT + 3 * literals + bytes.length)
  let at = 0
  let rest = bytes.length
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) packed[at++] = (rest % 128) | 0x80
  packed[at++] = rest
  for (let from = 0; from < bytes.length; from += LITERAL_BYTES) {
    const length = Math.min(LITERAL_BYTES, bytes.length - from)
    packed[at++] = (SHORT_LITERAL + 1) << 2
    packed[at++] = length - 1
    packed[at++] = (length - 1) >> 8
    packed.set(bytes.subarray(from, from + length), at)
    at += length
  }
  return packed.slice(0, at)
}
