/**
 * MessagePack (the format's specification of 2013, with str 8 and bin): its formats, and a reader
 * over one value that has been scanned before (messagepack-scan.ts), so that it needs no checks.
 *
 *   00..7f uint    80..8f map    90..9f array  a0..bf str     c0 nil   c1 reserved  c2 c3 bool
 *   c4..c6 bin     c7..c9 ext    ca cb float   cc..cf uint    d0..d3 int   d4..d8 ext
 *   d9..db str     dc dd array   de df map     e0..ff int
 */
type Family =
  | 'nil'
  | 'reserved'
  | 'bool'
  | 'uint'
  | 'int'
  | 'float'
  | 'str'
  | 'bin'
  | 'ext'
  | 'array'
  | 'map'

/** Deepest nesting of arrays and maps that is read; the same as rmp-serde's. */
export const DEPTH_LIMIT = 1024

export const FLOAT64 = 0xcb

/**
 * First byte, last byte, family, width of the length field (0 = in the byte), bytes that follow it.
 */
type Row = readonly [number, number, Family, number, number]
const ROWS: readonly Row[] = [
  [0x00, 0x7f, 'uint', 0, 0],
  [0x80, 0x8f, 'map', 0, 0],
  [0x90, 0x9f, 'array', 0, 0],
  [0xa0, 0xbf, 'str', 0, 0],
  [0xc0, 0xc0, 'nil', 0, 0],
  [0xc1, 0xc1, 'reserved', 0, 0],
  [0xc2, 0xc3, 'bool', 0, 0],
  [0xc4, 0xc4, 'bin', 1, 0],
  [0xc5, 0xc5, 'bin', 2, 0],
  [0xc6, 0xc6, 'bin', 4, 0],
  [0xc7, 0xc7, 'ext', 1, 1],
  [0xc8, 0xc8, 'ext', 2, 1],
  [0xc9, 0xc9, 'ext', 4, 1],
  [0xca, 0xca, 'float', 0, 4],
  [0xcb, 0xcb, 'float', 0, 8],
  [0xcc, 0xcc, 'uint', 0, 1],
  [0xcd, 0xcd, 'uint', 0, 2],
  [0xce, 0xce, 'uint', 0, 4],
  [0xcf, 0xcf, 'uint', 0, 8],
  [0xd0, 0xd0, 'int', 0, 1],
  [0xd1, 0xd1, 'int', 0, 2],
  [0xd2, 0xd2, 'int', 0, 4],
  [0xd3, 0xd3, 'int', 0, 8],
  [0xd4, 0xd4, 'ext', 0, 2],
  [0xd5, 0xd5, 'ext', 0, 3],
  [0xd6, 0xd6, 'ext', 0, 5],
  [0xd7, 0xd7, 'ext', 0, 9],
  [0xd8, 0xd8, 'ext', 0, 17],
  [0xd9, 0xd9, 'str', 1, 0],
  [0xda, 0xda, 'str', 2, 0],
  [0xdb, 0xdb, 'str', 4, 0],
  [0xdc, 0xdc, 'array', 2, 0],
  [0xdd, 0xdd, 'array', 4, 0],
  [0xde, 0xde, 'map', 2, 0],
  [0xdf, 0xdf, 'map', 4, 0],
  [0xe0, 0xff, 'int', 0, 0],
]

const FAMILIES: Family[] = []
const LENGTH_WIDTHS = new Uint8Array(256)
const FIXED_SIZES = new Uint8Array(256)
for (const [first, last, family, lengthWidth, fixedSize] of ROWS) {
  for (let byte = first; byte <= last; byte++) {
    FAMILIES[byte] = family
    LENGTH_WIDTHS[byte] = lengthWidth
    FIXED_SIZES[byte] = fixedSize
  }
}

/** Tells the family of a value that starts with this byte. */
export function familyOf(byte: number): Family {
  return FAMILIES[byte]!
}

/** Gives the width in bytes of the length field behind this byte: 0, 1, 2 or 4. */
export function lengthWidth(byte: number): number {
  return LENGTH_WIDTHS[byte]!
}

/** Counts the bytes behind the first byte and the length field that do not depend on the length. */
export function fixedSize(byte: number): number {
  return FIXED_SIZES[byte]!
}

/** Tells whether a byte is the first of a map or an array. */
export function isContainer(byte: number): boolean {
  return (byte >= 0x80 && byte <= 0x9f) || (byte >= 0xdc && byte <= 0xdf)
}

/** Gives the length that the first byte itself states, for families that have one. */
export function lengthInByte(byte: number): number {
  if (byte >= 0xa0 && byte <= 0xbf) return byte & 0x1f
  return byte >= 0x80 && byte <= 0x9f ? byte & 0x0f : 0
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/**
 * Texts up to this size are read byte by byte while they are ASCII: cheaper than a decoder call.
 */
const SHORT_TEXT = 64

/** Decodes bytes[start, end); undefined when it is no UTF-8. */
function readUtf8(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start <= SHORT_TEXT) {
    let text = ''
    let at = start
    while (at < end && bytes[at]! < 0x80) text += String.fromCharCode(bytes[at++]!)
    if (at === end) return text
  }
  try {
    return decoder.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}

/**
 * Reader of values by offsets. Every method expects the offset of a value's first byte inside bytes
 * that a scan has found complete; nothing is copied and nothing but texts and bigints is allocated.
 */
export class MessagePackReader {
  readonly bytes: Uint8Array
  readonly view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  family(at: number): Family {
    return familyOf(this.bytes[at]!)
  }

  /**
   * Gives the length: bytes of a text, bin or ext; elements of an array; pairs of a map; 0 for all
   * else.
   */
  length(at: number): number {
    switch (LENGTH_WIDTHS[this.bytes[at]!]) {
      case 1:
        return this.bytes[at + 1]!
      case 2:
        return this.view.getUint16(at + 1)
      case 4:
        return this.view.getUint32(at + 1)
      default:
        return lengthInByte(this.bytes[at]!)
    }
  }

  /**
   * Finds the offset behind the header: a text's first byte, an array's first element, a map's
   * first key.
   */
  body(at: number): number {
    return at + 1 + LENGTH_WIDTHS[this.bytes[at]!]!
  }

  /** Finds the offset behind the whole value. */
  skip(at: number): number {
    const byte = this.bytes[at]!
    if (!isContainer(byte)) {
      return at + 1 + LENGTH_WIDTHS[byte]! + FIXED_SIZES[byte]! + this.length(at)
    }
    const skipped = { at, pending: 1 }
    this.skipOn(skipped, Number.POSITIVE_INFINITY)
    return skipped.at
  }

  /**
   * Goes on behind values, at most so many of them, those inside of others included.
   * @param skipped where it is, and how many values are still to be skipped there
   * @returns whether all of them are
   */
  skipOn(skipped: { at: number; pending: number }, count: number): boolean {
    let { at, pending } = skipped
    for (let left = count; pending > 0 && left > 0; left--) {
      pending--
      const byte = this.bytes[at]!
      const family = FAMILIES[byte]
      const length = this.length(at)
      at += 1 + LENGTH_WIDTHS[byte]! + FIXED_SIZES[byte]!
      if (family === 'array') pending += length
      else if (family === 'map') pending += 2 * length
      else at += length
    }
    skipped.at = at
    skipped.pending = pending
    return pending === 0
  }

  /**
   * Reads the text of a str or bin; undefined for other families and for bytes that are no UTF-8.
   */
  text(at: number): string | undefined {
    const family = this.family(at)
    if (family !== 'str' && family !== 'bin') return undefined
    const start = this.body(at)
    return readUtf8(this.bytes, start, start + this.length(at))
  }

  /** Reads any integer format, exact; undefined for other families. */
  integer(at: number): bigint | undefined {
    const byte = this.bytes[at]!
    if (byte === 0xcf) return this.view.getBigUint64(at + 1)
    if (byte === 0xd3) return this.view.getBigInt64(at + 1)
    const family = FAMILIES[byte]
    return family === 'uint' || family === 'int' ? BigInt(this.#small(at, byte)) : undefined
  }

  /** Reads any integer or float as the nearest double; undefined for other families. */
  number(at: number): number | undefined {
    const byte = this.bytes[at]!
    if (byte === FLOAT64) return this.view.getFloat64(at + 1)
    if (byte === 0xca) return this.view.getFloat32(at + 1)
    if (byte === 0xcf) return Number(this.view.getBigUint64(at + 1))
    if (byte === 0xd3) return Number(this.view.getBigInt64(at + 1))
    const family = FAMILIES[byte]
    return family === 'uint' || family === 'int' ? this.#small(at, byte) : undefined
  }

  /** Reads integer formats of at most 32 bits. */
  #small(at: number, byte: number): number {
    switch (byte) {
      case 0xcc:
        return this.bytes[at + 1]!
      case 0xcd:
        return this.view.getUint16(at + 1)
      case 0xce:
        return this.view.getUint32(at + 1)
      case 0xd0:
        return this.view.getInt8(at + 1)
      case 0xd1:
        return this.view.getInt16(at + 1)
      case 0xd2:
        return this.view.getInt32(at + 1)
      default:
        return byte < 0x80 ? byte : byte - 0x100
    }
  }
}
