/**
 * Blobs of an event or metadata block (nettrace.md §4, §8):
 *
 *   [headerSize:i16][flags:i16, bit 0 = compressed][least:i64][greatest:i64] … blobs to the end
 *
 * A compressed blob begins with flags; what they leave out is as in the blob before, and zero in
 * front of the first: 0 kind of event, 1 sequence and thread that wrote, 2 thread, 3 stack, 4 and 5
 * activities (version 6: label list), 6 sorted, 7 size.
 */
import { type ByteReader, MALFORMED } from '../byte-reader.ts'

const COMPRESSED = 1
const HEADER_BYTES = 20
const ACTIVITY_BYTES = 16
const TWO_31 = 2_147_483_648

/** One blob, filled again for each; its payload is `[payloadAt, payloadAt + payloadSize)`. */
export class Blob {
  metadataId = 0
  sequence = 0
  captureThread = 0
  thread = 0
  stackId = 0
  /** Ticks since the start of the session: exact within 2^53. */
  ticks = 0
  isSorted = false
  payloadAt = 0
  payloadSize = 0

  clear(): this {
    this.metadataId = 0
    this.sequence = 0
    this.captureThread = 0
    this.thread = 0
    this.stackId = 0
    this.payloadSize = 0
    return this
  }
}

export class BlobScanner {
  readonly blob = new Blob()
  #isCompressed = false
  #isFirst = true
  #version = 4
  #syncTicks = 0n
  /** Place of the block, to which blobs that are not compressed are aligned. */
  #start = 0

  /**
   * Begins a block, and steps over its header.
   * @param version 4 or 6
   * @throws {MALFORMED} for a header that does not fit
   */
  begin(reader: ByteReader, version: number, syncTicks: bigint): void {
    const start = reader.at
    const headerSize = reader.u16()
    this.#isCompressed = (reader.u16() & COMPRESSED) !== 0
    if (headerSize < HEADER_BYTES || headerSize > reader.end - start) throw MALFORMED
    reader.at = start + headerSize
    this.#start = start
    this.#version = version
    this.#syncTicks = syncTicks
    this.#isFirst = true
    this.blob.clear()
  }

  /**
   * Reads the next blob, and steps over its payload.
   * @throws {MALFORMED} for one that does not fit: those behind it can't be found
   */
  next(reader: ByteReader): Blob {
    if (this.#isCompressed) this.#compressed(reader)
    else this.#plain(reader)
    return this.blob
  }

  #compressed(reader: ByteReader): void {
    const { blob } = this
    const flags = reader.u8()
    const is4 = this.#version === 4
    if (flags & 1) blob.metadataId = reader.varuint()
    let step = is4 && blob.metadataId === 0 ? 0 : 1
    if (flags & 2) {
      step = reader.varuint() + 1
      blob.captureThread = reader.varuint()
      reader.varuint()
    }
    blob.sequence = (blob.sequence + step) >>> 0
    if (flags & 4) blob.thread = reader.varuint()
    if (flags & 8) blob.stackId = reader.varuint()
    if (this.#isFirst) blob.ticks = this.#since(reader.varuint64())
    else blob.ticks += reader.varDifference()
    this.#isFirst = false
    if (flags & 16) {
      if (is4) reader.skip(ACTIVITY_BYTES)
      else reader.varuint()
    }
    if (flags & 32 && is4) reader.skip(ACTIVITY_BYTES)
    blob.isSorted = (flags & 64) !== 0
    if (flags & 128) blob.payloadSize = reader.varuint()
    blob.payloadAt = reader.skip(blob.payloadSize)
  }

  /**
   *   4  [size:i32][id:u32, high bit = not sorted][sequence:u32][thread:i64][capture:i64][cpu:i32]
   *      [stack:i32][ts:i64][activity:16][related:16][n:i32][n bytes][0 to a multiple of 4]
   *   6  the same with one [labels:u32] for the activities, unpadded
   */
  #plain(reader: ByteReader): void {
    const { blob } = this
    const size = reader.u32()
    const end = reader.at + size
    if (end > reader.end) throw MALFORMED
    const id = reader.u32()
    blob.isSorted = id < TWO_31
    blob.metadataId = id % TWO_31
    blob.sequence = reader.u32()
    blob.thread = reader.count64()
    blob.captureThread = reader.count64()
    reader.skip(4)
    blob.stackId = reader.u32()
    blob.ticks = this.#since(reader.u64())
    reader.skip(this.#version === 4 ? 2 * ACTIVITY_BYTES : 4)
    blob.payloadSize = reader.u32()
    blob.payloadAt = reader.skip(blob.payloadSize)
    if (reader.at > end) throw MALFORMED
    // the size says where the next one begins, whatever a later version adds
    reader.at = this.#version === 4 ? Math.min(reader.end, end + ((this.#start - end) & 3)) : end
  }

  #since(timestamp: bigint): number {
    return Number(BigInt.asIntN(64, timestamp - this.#syncTicks))
  }
}
