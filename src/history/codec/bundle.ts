/**
 * Bundles: the chunks of neighbouring series of one window, of which one is read without the
 * others. Numbers are little-endian; `varint` has seven bits a byte, the lowest first.
 *
 *   [version:u8][resolution:u8][count:u16]
 *   [crc of the index and of the four bytes before:u32][size of the index:u32]
 *   index: count x [slot less the one before, less 1: varint][size: varint][crc of the chunk:u32]
 *   count x chunk
 *
 * Version 1 has chunks as chunk.ts makes them, version 2 several of them as one (parts.ts of the
 * store). Versions 3 and 4 are the same where the crc of the index goes over eight bytes more, the
 * place of the bundle in its store as f64: one that is found in another place is none.
 *
 * A range coder reads anything as something, and a database does not notice a changed bit in its
 * values: hence a checksum for each chunk, so that one series costs no pass over its neighbours.
 */
import { crc32 } from './crc32.ts'
import { faultOf } from './fault.ts'

const VERSIONS = [1, 2] as const
/** Form of chunks. */
export type BundleVersion = (typeof VERSIONS)[number]
/** Number by which the version of a bundle that knows its place is above that of its chunks. */
const PLACED = 2
const PLACE_BYTES = 8
const HEAD_BYTES = 12
const CRC_AT = 4
const INDEX_SIZE_AT = 8
const CHUNKS_MAX = 65_535
const SLOT_MAX = 0xffff_ffff

/** Seconds of a place, as bundles name them. */
const RESOLUTIONS = [1, 60, 3600] as const
export type Resolution = (typeof RESOLUTIONS)[number]

export interface BundledChunk {
  /** Number of the series, a u32. */
  readonly slot: number
  readonly bytes: Uint8Array
}

/**
 * Makes a bundle of chunks, whose slots rise.
 * @param place number of the bundle in its store; absent for one that is found anywhere
 * @throws {RangeError} for slots that do not, or more chunks than 65,535
 */
export function encodeBundle(
  resolution: Resolution,
  chunks: readonly BundledChunk[],
  version: BundleVersion = 1,
  place?: number,
): Uint8Array {
  if (chunks.length > CHUNKS_MAX) throw new RangeError(`bundle of ${chunks.length} chunks`)
  const index: number[] = []
  let before = -1
  let size = 0
  for (const { slot, bytes } of chunks) {
    if (!(slot > before && slot <= SLOT_MAX)) throw new RangeError(`slot ${slot} is out of order`)
    pushVarint(index, slot - before - 1)
    pushVarint(index, bytes.length)
    const crc = crc32(bytes)
    index.push(crc & 255, (crc >>> 8) & 255, (crc >>> 16) & 255, crc >>> 24)
    before = slot
    size += bytes.length
  }
  const bundle = new Uint8Array(HEAD_BYTES + index.length + size)
  const view = new DataView(bundle.buffer)
  bundle[0] = version + (place === undefined ? 0 : PLACED)
  bundle[1] = RESOLUTIONS.indexOf(resolution)
  view.setUint16(2, chunks.length, true)
  view.setUint32(INDEX_SIZE_AT, index.length, true)
  bundle.set(index, HEAD_BYTES)
  let at = HEAD_BYTES + index.length
  view.setUint32(CRC_AT, headCrc(bundle, at, place), true)
  for (const { bytes } of chunks) {
    bundle.set(bytes, at)
    at += bytes.length
  }
  return bundle
}

/** Checksum of the head, as if its own place were zero, of the index, and of the bundle's place. */
function headCrc(bundle: Uint8Array, end: number, place: number | undefined): number {
  const head = new Uint8Array(end + (place === undefined ? 0 : PLACE_BYTES))
  head.set(bundle.subarray(0, end))
  head.fill(0, CRC_AT, CRC_AT + 4)
  if (place !== undefined) new DataView(head.buffer).setFloat64(end, place, true)
  return crc32(head)
}

/** Appends a number of seven bits a byte. */
export function pushVarint(out: number[], value: number): void {
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) out.push((left % 128) | 128)
  out.push(left)
}

/** An opened bundle; looks at the bytes that it was opened with for as long as it is used. */
export class Bundle {
  readonly version: BundleVersion
  readonly resolution: Resolution
  /** Slots that have a chunk, rising. */
  readonly slots: Uint32Array
  readonly #bytes: Uint8Array
  readonly #ends: Float64Array
  readonly #crcs: Uint32Array

  /**
   * Reads the index.
   * @param place number under which the bundle was found, for one that knows its own
   * @throws {DecodeError} with a code of {@link CODEC_FAULTS}
   */
  constructor(bytes: Uint8Array, place?: number) {
    if (bytes.length < HEAD_BYTES) {
      throw faultOf('bundle_truncated', bytes.length, `bundle of ${bytes.length} bytes`)
    }
    const isPlaced = bytes[0]! > PLACED
    const version = VERSIONS.find((each) => each === bytes[0]! - (isPlaced ? PLACED : 0))
    if (version === undefined) throw faultOf('bundle_version', 0, `bundle of version ${bytes[0]}`)
    this.version = version
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const end = HEAD_BYTES + view.getUint32(INDEX_SIZE_AT, true)
    if (end > bytes.length) {
      throw faultOf('bundle_truncated', bytes.length, `index to byte ${end} of ${bytes.length}`)
    }
    if (headCrc(bytes, end, isPlaced ? place : undefined) !== view.getUint32(CRC_AT, true)) {
      throw faultOf('checksum', CRC_AT, 'the index is not as it was written')
    }
    const resolution = RESOLUTIONS[bytes[1]!]
    if (resolution === undefined) throw faultOf('bundle_index', 1, `resolution ${bytes[1]}`)
    this.resolution = resolution
    const count = view.getUint16(2, true)
    this.slots = new Uint32Array(count)
    this.#ends = new Float64Array(count)
    this.#crcs = new Uint32Array(count)
    this.#bytes = bytes
    this.#readIndex(view, end)
  }

  #readIndex(view: DataView, end: number): void {
    let at = HEAD_BYTES
    const varint = () => {
      let value = 0
      for (let factor = 1; at < end && factor <= 2 ** 28; factor *= 128) {
        const byte = view.getUint8(at++)
        value += (byte & 127) * factor
        if (byte < 128) return value
      }
      throw faultOf('bundle_index', at, 'number without an end')
    }
    let before = -1
    let size = end
    for (let i = 0; i < this.slots.length; i++) {
      before += varint() + 1
      size += varint()
      if (before > SLOT_MAX) throw faultOf('bundle_index', at, `slot ${before}`)
      if (at + 4 > end) throw faultOf('bundle_index', at, 'index that ends early')
      this.slots[i] = before
      this.#ends[i] = size
      this.#crcs[i] = view.getUint32(at, true)
      at += 4
    }
    if (at !== end) throw faultOf('bundle_index', at, `${end - at} bytes behind the index`)
    if (size !== view.byteLength) {
      throw faultOf('bundle_truncated', view.byteLength, `chunks to byte ${size}`)
    }
  }

  /**
   * Finds the chunk of a slot, part of the bundle's bytes; undefined where there is none.
   * @throws {DecodeError} `checksum` for a chunk that is not as it was written
   */
  chunk(slot: number): Uint8Array | undefined {
    const i = this.#find(slot)
    if (i === undefined) return undefined
    const size = i === 0 ? this.#chunksAt() : this.#ends[i - 1]!
    const bytes = this.#bytes.subarray(size, this.#ends[i])
    if (crc32(bytes) !== this.#crcs[i]) {
      throw faultOf('checksum', size, `the chunk of slot ${slot} is not as it was written`)
    }
    return bytes
  }

  /** Lists the sizes of the chunks, in the order of their slots, bytes. */
  get sizes(): number[] {
    const ends = [...this.#ends]
    return ends.map((end, i) => end - (i === 0 ? this.#chunksAt() : ends[i - 1]!))
  }

  #chunksAt(): number {
    const { buffer, byteOffset, length } = this.#bytes
    return HEAD_BYTES + new DataView(buffer, byteOffset, length).getUint32(INDEX_SIZE_AT, true)
  }

  #find(slot: number): number | undefined {
    let low = 0
    let high = this.slots.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.slots[middle]! < slot) low = middle + 1
      else high = middle
    }
    return this.slots[low] === slot ? low : undefined
  }
}
