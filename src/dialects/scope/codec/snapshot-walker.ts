/**
 * Reads snapshots along the bytes of an earlier one. A server repeats the same names in the same
 * order in every snapshot, so between two of them only `t` and the doubles differ: comparing all
 * other bytes with the last snapshot's, four at a time, replaces parsing them.
 *
 * The skeleton holds the entries with zeros in the values' places, the mask ones wherever a byte
 * must be the same. A payload whose masked difference is zero has the very structure that was
 * learnt.
 */
import { FLOAT64, familyOf, MessagePackReader } from '../../../wire/messagepack.ts'
import { type Snapshot, STRICT_READING } from '../spec.ts'

const READING = { ...STRICT_READING, time: 'unsigned' } as const
/** `[82][a1 "t"]` in front of t, and `[a1 "d"]` behind it. */
const HEAD = [0x82, 0xa1, 0x74] as const
const HEAD_END = [0xa1, 0x64] as const
const VALUE_SIZE = 8
/** Payloads with larger entries are not learnt: they would hold three copies of their bytes. */
const LEARN_LIMIT = 1 << 22

export class SnapshotWalker {
  #names: readonly string[] = []
  #values = new Float64Array(0)
  #places = new Int32Array(0)
  /** Bytes of the entries; 0 = nothing learnt. */
  #size = 0
  #skeleton = new Int32Array(0)
  #mask = new Int32Array(0)
  #words = new Int32Array(0)
  #bytes = new Uint8Array(0)
  #view = new DataView(this.#bytes.buffer)

  /**
   * Reads the snapshot in this payload if it follows the learnt one, undefined otherwise. Its
   * values are overwritten by the next walk.
   */
  walk(payload: Uint8Array): Snapshot | undefined {
    if (this.#size === 0 || payload.length < this.#size) return undefined
    const start = payload.length - this.#size
    const t = readHead(payload, start)
    if (t === undefined) return undefined
    this.#bytes.set(payload.subarray(start))
    if (!this.#isSame()) return undefined
    const values = this.#values
    const places = this.#places
    const view = this.#view
    for (let i = 0; i < places.length; i++) values[i] = view.getFloat64(places[i]!)
    return { kind: 'snapshot', t, names: this.#names, values, reading: READING }
  }

  #isSame(): boolean {
    const words = this.#words
    const skeleton = this.#skeleton
    const mask = this.#mask
    let difference = 0
    for (let i = 0; i < skeleton.length; i++) {
      difference |= (words[i]! ^ skeleton[i]!) & mask[i]!
    }
    return difference === 0
  }

  /**
   * Takes a payload as the one to compare with, if it has the usual form: the head above, float 64
   * values only, no name twice, nothing behind it.
   * @param snapshot what the payload was read as
   */
  learn(payload: Uint8Array, snapshot: Snapshot): void {
    this.#size = 0
    const start = endOfHead(payload)
    if (start === undefined || payload.length - start > LEARN_LIMIT) return
    const places = findPlaces(payload, start, snapshot.names.length)
    if (places === undefined) return
    const size = payload.length - start
    const wordCount = (size + 3) >> 2
    this.#names = snapshot.names
    this.#values = new Float64Array(places.length)
    this.#places = places
    this.#words = new Int32Array(wordCount)
    this.#bytes = new Uint8Array(this.#words.buffer, 0, size)
    this.#view = new DataView(this.#words.buffer)
    this.#skeleton = new Int32Array(wordCount)
    new Uint8Array(this.#skeleton.buffer).set(payload.subarray(start))
    this.#mask = maskAround(places, wordCount)
    this.#size = size
  }
}

/** Makes a mask of all ones, except in the values' places. */
function maskAround(places: Int32Array, wordCount: number): Int32Array<ArrayBuffer> {
  const bytes = new Uint8Array(4 * wordCount).fill(0xff)
  for (const place of places) bytes.fill(0, place, place + VALUE_SIZE)
  return new Int32Array(bytes.buffer)
}

/** Finds the entries' map behind the usual head; undefined for any other head. */
function endOfHead(payload: Uint8Array): number | undefined {
  const at = HEAD.length
  const byte = payload[at]
  if (byte === undefined || familyOf(byte) !== 'uint') return undefined
  const end = new MessagePackReader(payload).skip(at) + HEAD_END.length
  return readHead(payload, end) === undefined ? undefined : end
}

/**
 * Reads `t` of a payload whose entries begin at `end`; undefined when the head is not the usual
 * one.
 */
function readHead(payload: Uint8Array, end: number): bigint | undefined {
  const at = HEAD.length
  const timeEnd = end - HEAD_END.length
  if (timeEnd <= at || timeEnd - at > 9) return undefined
  if (payload[0] !== HEAD[0] || payload[1] !== HEAD[1] || payload[2] !== HEAD[2]) return undefined
  if (payload[timeEnd] !== HEAD_END[0] || payload[timeEnd + 1] !== HEAD_END[1]) return undefined
  const byte = payload[at]!
  if (familyOf(byte) !== 'uint') return undefined
  const width = timeEnd - at - 1
  if (width !== (byte < 0x80 ? 0 : 1 << (byte - 0xcc))) return undefined
  return width === 0 ? BigInt(byte) : readUint(payload, at + 1, width)
}

function readUint(payload: Uint8Array, at: number, width: number): bigint {
  if (width === 8) {
    const high = readUint32(payload, at)
    return (BigInt(high) << 32n) | BigInt(readUint32(payload, at + 4))
  }
  let value = 0
  for (let i = 0; i < width; i++) value = value * 256 + payload[at + i]!
  return BigInt(value)
}

function readUint32(payload: Uint8Array, at: number): number {
  const high = payload[at]! * 0x1000000
  return high + ((payload[at + 1]! << 16) | (payload[at + 2]! << 8) | payload[at + 3]!)
}

/** Finds the values' bytes within the entries; undefined when one is no float 64. */
function findPlaces(payload: Uint8Array, start: number, count: number) {
  const reader = new MessagePackReader(payload)
  if (reader.family(start) !== 'map' || reader.length(start) !== count) return undefined
  const places = new Int32Array(count)
  let at = reader.body(start)
  for (let i = 0; i < count; i++) {
    const value = reader.skip(at)
    if (payload[value] !== FLOAT64) return undefined
    places[i] = value + 1 - start
    at = value + 1 + VALUE_SIZE
  }
  return at === payload.length ? places : undefined
}
