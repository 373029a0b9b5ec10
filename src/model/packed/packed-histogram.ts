/**
 * A histogram as bytes, so that ten minutes of cells fit into a bounded ring.
 *
 *   [scale:i8] + of bounds of its own, scale -128: [place in the list of bounds:varint]
 *   [count:varint][zero count:varint][zero threshold:f64le]
 *   [sum:number][min:number][max:number][positive:run][negative:run]
 *   [overflow:varint] + when not 0: [overflow from:f64le]
 *   number = [tag:u8] + 0: nothing, not known · 1: [f64le] · 2: [length:varint][decimal text]
 *   run    = [length:varint] + when not 0: [offset:zigzag varint][count:varint]*length
 */
import type { Exact } from '../exact.ts'
import type { BucketRun } from '../histogram/bucket-run.ts'
import type { Bounds } from '../histogram/explicit-bounds.ts'
import { Histogram } from '../histogram/histogram.ts'
import type { BucketSums } from './bucket-sums.ts'

const CHUNK_BYTES = 16384
/** Longest varint: 64 bits in sevens. */
const VARINT_BYTES = 10
/** Longest fixed part of a histogram, without its numbers' texts: a byte, two varints, a double. */
const HEAD_BYTES = 1 + 2 * VARINT_BYTES + 8
const TWO_32 = 4294967296
/** Scale of a histogram that has bounds instead: no scale is so low. */
const BOUNDED = -128
/** Mark before the bounds of a histogram that is kept alone: no scale is so low. */
const BOUNDS_AHEAD = -127
const scratch = new DataView(new ArrayBuffer(8))

/** Gain of a histogram in numbers: `filled` buckets, ascending, and the gain of each. */
interface HistogramGain {
  readonly scale: number
  readonly count: number
  readonly zeroCount: number
  readonly sum: Exact
  readonly min: number
  readonly max: number
  /** Index of the bucket that offset 0 stands for. */
  readonly low: number
  readonly filled: number
  readonly offsets: Uint8Array
  readonly gains: Float64Array
}

/** Data of packed histograms, which may be cloned into another thread. */
export interface PackedParts {
  readonly chunks: readonly Uint8Array[]
  /** Places at which the chunks begin, rising. */
  readonly places: readonly number[]
  readonly bounds: readonly Bounds[]
}

/**
 * Packer that appends histograms, in chunks that are never moved: one more costs the same however
 * many there are.
 */
export class HistogramPacker {
  /** Chunks that are full, each with the place at which it begins. */
  readonly #chunks: Uint8Array[] = []
  readonly #places: number[] = []
  /** The chunk at hand, its place, where in it the last histogram begins, and its end. */
  #bytes = new Uint8Array(0)
  #place = 0
  #start = 0
  #length = 0
  /** Places of bounds in their list: histograms of one series share theirs. */
  readonly #bounds = new Map<Bounds, number>()

  /** Returns the place of the histogram. */
  add(histogram: Histogram): number {
    this.#start = this.#length
    this.#reserve(HEAD_BYTES + VARINT_BYTES)
    const { bounds, scale } = histogram
    this.#bytes[this.#length++] = (bounds === undefined ? scale : BOUNDED) & 0xff
    if (bounds !== undefined) this.#count(this.#placeOf(bounds))
    this.#big(histogram.count)
    this.#big(histogram.zeroCount)
    this.#double(histogram.zeroThreshold)
    this.#number(histogram.sum)
    this.#number(histogram.min)
    this.#number(histogram.max)
    this.#run(histogram.positive)
    this.#run(histogram.negative)
    this.#reserve(VARINT_BYTES + 8)
    this.#big(histogram.overflow)
    if (histogram.overflow !== 0n) this.#double(histogram.overflowFrom)
    return this.#place + this.#start
  }

  /**
   * Adds a histogram as another packer has packed it.
   * @param bytes of {@link PackedHistograms.bytesAt}, without bounds
   */
  addPacked(bytes: Uint8Array): number {
    this.#start = this.#length
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this.#place + this.#start
  }

  #placeOf(bounds: Bounds): number {
    const known = this.#bounds.get(bounds)
    if (known !== undefined) return known
    this.#bounds.set(bounds, this.#bounds.size)
    return this.#bounds.size - 1
  }

  /** Adds what a histogram has gained, which need not be made one for it. */
  addGain(gain: HistogramGain): number {
    const { filled, offsets, gains } = gain
    this.#start = this.#length
    this.#reserve(HEAD_BYTES)
    this.#bytes[this.#length++] = gain.scale & 0xff
    this.#count(gain.count)
    this.#count(gain.zeroCount)
    this.#double(0)
    this.#number(gain.sum)
    this.#number(gain.min)
    this.#number(gain.max)
    const first = filled === 0 ? 0 : offsets[0]!
    const end = filled === 0 ? 0 : offsets[filled - 1]! + 1
    this.#reserve(VARINT_BYTES * (4 + filled) + end - first)
    this.#count(end - first)
    if (filled > 0) this.#offset(gain.low + first)
    for (let i = 0, next = first; i < filled; i++, next++) {
      for (; next < offsets[i]!; next++) this.#bytes[this.#length++] = 0
      this.#count(gains[i]!)
    }
    this.#bytes[this.#length++] = 0 // negative side
    this.#bytes[this.#length++] = 0 // overflow
    return this.#place + this.#start
  }

  /** @param value below 2^53 */
  #count(value: number): void {
    if (value < 0x80) this.#bytes[this.#length++] = value
    else this.#length = writeDouble(this.#bytes, this.#length, value)
  }

  #offset(index: number): void {
    this.#length = writeDouble(this.#bytes, this.#length, index < 0 ? -2 * index - 1 : 2 * index)
  }

  /** Gives all that was added; nothing is to be added afterwards. */
  packed(): PackedHistograms {
    const last = this.#bytes.slice(0, this.#length)
    const chunks = [...this.#chunks, last]
    return new PackedHistograms(chunks, [...this.#places, this.#place], [...this.#bounds.keys()])
  }

  /**
   * Makes room; what follows is written without looking. A histogram that finds none moves to the
   * next chunk.
   */
  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return
    const begun = this.#bytes.subarray(this.#start, this.#length)
    const grown = new Uint8Array(Math.max(CHUNK_BYTES, 2 * (begun.length + size)))
    grown.set(begun)
    if (this.#start > 0) {
      this.#chunks.push(this.#bytes.subarray(0, this.#start))
      this.#places.push(this.#place)
      this.#place += this.#start
    }
    this.#bytes = grown
    this.#start = 0
    this.#length = begun.length
  }

  #big(value: bigint): void {
    const low = Number(value & 0xffff_ffffn)
    this.#length = writeVarint(this.#bytes, this.#length, low, Number(value >> 32n))
  }

  #double(value: number): void {
    scratch.setFloat64(0, value, true)
    for (let i = 0; i < 8; i++) this.#bytes[this.#length++] = scratch.getUint8(i)
  }

  #number(value: Exact | undefined): void {
    this.#reserve(9)
    if (value === undefined || Number.isNaN(value)) {
      this.#bytes[this.#length++] = 0
    } else if (typeof value === 'number') {
      this.#bytes[this.#length++] = 1
      this.#double(value)
    } else {
      this.#text(value.toString())
    }
  }

  #text(text: string): void {
    this.#reserve(1 + VARINT_BYTES + text.length)
    this.#bytes[this.#length++] = 2
    this.#length = writeVarint(this.#bytes, this.#length, text.length, 0)
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i)
  }

  /**
   * Counts are taken as halves, the low one first as on all machines that zones run on: nearly
   * every count fits it, and a bigint each would be garbage.
   */
  #run({ counts, offset }: BucketRun): void {
    const halves = new Uint32Array(counts.buffer, counts.byteOffset, 2 * counts.length)
    let first = 0
    let end = halves.length
    while (first < end && (halves[first]! | halves[first + 1]!) === 0) first += 2
    while (end > first && (halves[end - 2]! | halves[end - 1]!) === 0) end -= 2
    this.#reserve(VARINT_BYTES * (2 + (end - first) / 2))
    const bytes = this.#bytes
    let at = writeVarint(bytes, this.#length, (end - first) / 2, 0)
    const lowest = offset + first / 2
    if (first < end) {
      this.#length = at
      this.#offset(lowest)
      at = this.#length
    }
    for (let i = first; i < end; i += 2) {
      const low = halves[i]!
      const high = halves[i + 1]!
      if (low < 0x80 && high === 0) bytes[at++] = low
      else at = writeVarint(bytes, at, low, high)
    }
    this.#length = at
  }
}

/** Writes the 64 bits of two halves; returns the offset behind them. */
function writeVarint(bytes: Uint8Array, start: number, low: number, high: number): number {
  if (high >= 0x20_0000) return writeWideVarint(bytes, start, low, high)
  return writeDouble(bytes, start, high * TWO_32 + low)
}

/** Writes an integer below 2^53 as {@link writeVarint} does. */
function writeDouble(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80
  for (; rest > 0x7f; rest >>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at++] = rest
  return at
}

/** Writes as {@link writeVarint}, for 2^53 and more. */
function writeWideVarint(bytes: Uint8Array, start: number, low: number, high: number): number {
  let at = start
  let rest = (BigInt(high) << 32n) | BigInt(low)
  for (; rest > 0x7fn; rest >>= 7n) bytes[at++] = Number(rest & 0x7fn) | 0x80
  bytes[at++] = Number(rest)
  return at
}

/** Histograms as they were packed, each read by its place. */
export class PackedHistograms {
  readonly #chunks: readonly Uint8Array[]
  /** Places at which the chunks begin, rising. */
  readonly #places: readonly number[]
  readonly #bounds: readonly Bounds[]
  /** Bytes that it keeps alive. */
  readonly size: number

  constructor(chunks: readonly Uint8Array[], places: readonly number[], bounds: readonly Bounds[]) {
    this.#chunks = chunks
    this.#places = places
    this.#bounds = bounds
    this.size =
      chunks.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) +
      bounds.reduce((sum, { length }) => sum + 8 * length, 0)
  }

  static of({ chunks, places, bounds }: PackedParts): PackedHistograms {
    return new PackedHistograms(chunks, places, bounds)
  }

  get parts(): PackedParts {
    return { chunks: this.#chunks, places: this.#places, bounds: this.#bounds }
  }

  /**
   * Gives the bytes of one histogram alone, which {@link unpackHistogram} reads: as they are here,
   * behind `[-127:i8][length:u32le][bound:f64le]*length` where it has bounds. Not to be changed.
   */
  bytesAt(place: number): Uint8Array {
    const { bytes, bounds } = this.#unpackerAt(place).alone(this.#bounds)
    if (bounds === undefined) return bytes
    const whole = new Uint8Array(5 + 8 * bounds.length + bytes.length)
    const view = new DataView(whole.buffer)
    view.setInt8(0, BOUNDS_AHEAD)
    view.setUint32(1, bounds.length, true)
    for (let i = 0; i < bounds.length; i++) view.setFloat64(5 + 8 * i, bounds[i]!, true)
    whole.set(bytes, 5 + 8 * bounds.length)
    return whole
  }

  /** Whether histograms may have bounds of their own. */
  get hasBounds(): boolean {
    return this.#bounds.length > 0
  }

  /** Reads the histogram of a place; a fresh object each time. */
  read(place: number): Histogram {
    return this.#unpackerAt(place).histogram(this.#bounds)
  }

  /** Reads the number of observations in the histogram of a place. */
  countAt(place: number): bigint {
    return this.#unpackerAt(place).count()
  }

  /** Adds the histogram of a place to sums; false, and nothing is added, if it has bounds. */
  addTo(sums: BucketSums, place: number): boolean {
    return this.#unpackerAt(place).addTo(sums)
  }

  #unpackerAt(place: number): Unpacker {
    let [low, high] = [0, this.#places.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#places[middle]! <= place) low = middle
      else high = middle - 1
    }
    return new Unpacker(this.#chunks[low]!, place - this.#places[low]!)
  }
}

/** Reads a histogram of {@link PackedHistograms.bytesAt}, bytes that were written so. */
export function unpackHistogram(bytes: Uint8Array): Histogram {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getInt8(0) !== BOUNDS_AHEAD) return new Unpacker(bytes, 0).histogram([])
  const bounds = Array.from({ length: view.getUint32(1, true) }, (_, i) =>
    view.getFloat64(5 + 8 * i, true),
  )
  const at = 5 + 8 * bounds.length
  const histogram = new Unpacker(bytes, at).histogram([])
  histogram.bounds = bounds
  return histogram
}

/** Makes the bytes of {@link PackedHistograms.bytesAt} of one histogram. */
export function packHistogram(histogram: Histogram): Uint8Array {
  const packer = new HistogramPacker()
  const place = packer.add(histogram)
  return packer.packed().bytesAt(place)
}

class Unpacker {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes
    this.#at = offset
  }

  /** Gives the bytes of the histogram, and its bounds where it has some. */
  alone(list: readonly Bounds[]): { readonly bytes: Uint8Array; readonly bounds?: Bounds } {
    const from = this.#at
    const isBounded = (this.#bytes[this.#at++]! << 24) >> 24 === BOUNDED
    const bounds = isBounded ? list[this.#near()]! : undefined
    this.#near()
    this.#near()
    this.#at += 8
    for (let i = 0; i < 3; i++) this.#skipNumber()
    for (let i = 0; i < 2; i++) {
      let left = this.#near()
      if (left > 0) this.#near()
      for (; left > 0; left--) this.#near()
    }
    if (this.#near() > 0) this.#at += 8
    const bytes = this.#bytes.subarray(from, this.#at)
    return bounds === undefined ? { bytes } : { bytes, bounds }
  }

  #skipNumber(): void {
    const tag = this.#bytes[this.#at++]!
    if (tag === 1) this.#at += 8
    if (tag !== 2) return
    const length = this.#near()
    this.#at += length
  }

  count(): bigint {
    if ((this.#bytes[this.#at++]! << 24) >> 24 === BOUNDED) this.#near()
    return this.#big()
  }

  histogram(bounds: readonly Bounds[]): Histogram {
    const histogram = new Histogram((this.#bytes[this.#at++]! << 24) >> 24)
    if (histogram.scale === BOUNDED) {
      histogram.scale = 0
      histogram.bounds = bounds[Number(this.#big())]
    }
    histogram.count = this.#big()
    histogram.zeroCount = this.#big()
    histogram.zeroThreshold = this.#double()
    histogram.sum = this.#number()
    histogram.min = this.#number() ?? Number.NaN
    histogram.max = this.#number() ?? Number.NaN
    this.#run(histogram.positive)
    this.#run(histogram.negative)
    histogram.overflow = this.#big()
    if (histogram.overflow !== 0n) histogram.overflowFrom = this.#double()
    return histogram
  }

  addTo(sums: BucketSums): boolean {
    const scale = (this.#bytes[this.#at++]! << 24) >> 24
    if (scale === BOUNDED) return false
    sums.count += this.#near()
    sums.zero += this.#near()
    this.#double()
    this.#number()
    sums.min = Math.min(sums.min, Number(this.#number() ?? Number.NEGATIVE_INFINITY))
    sums.max = Math.max(sums.max, Number(this.#number() ?? Number.POSITIVE_INFINITY))
    const length = this.#near()
    if (length > 0) {
      const first = this.#index()
      const steps = sums.open(scale, first, first + length)
      for (let i = 0; i < length; i++) {
        const count = this.#near()
        if (count > 0) sums.add((first + i) >> steps, count)
      }
    }
    const negative = this.#near()
    if (negative > 0) this.#index()
    for (let i = 0; i < negative; i++) sums.negative += this.#near()
    const overflow = this.#near()
    if (overflow === 0) return true
    sums.overflow += overflow
    sums.overflowFrom = Math.min(sums.overflowFrom, this.#double())
    return true
  }

  /** Reads an integer as the double that is nearest. */
  #near(): number {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
    }
  }

  #index(): number {
    const zigzag = this.#near()
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
  }

  #big(): bigint {
    let value = 0
    let unit = 1
    for (let i = 0; i < 7; i++) {
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return BigInt(value)
      unit *= 128
    }
    let wide = BigInt(value)
    for (let shift = 49n; ; shift += 7n) {
      const byte = this.#bytes[this.#at++]!
      wide |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return wide
    }
  }

  #double(): number {
    for (let i = 0; i < 8; i++) scratch.setUint8(i, this.#bytes[this.#at++]!)
    return scratch.getFloat64(0, true)
  }

  #number(): Exact | undefined {
    const tag = this.#bytes[this.#at++]!
    if (tag === 0) return undefined
    if (tag === 1) return this.#double()
    let text = ''
    for (let left = Number(this.#big()); left > 0; left--) {
      text += String.fromCharCode(this.#bytes[this.#at++]!)
    }
    return BigInt(text)
  }

  #run(run: BucketRun): void {
    const length = this.#near()
    if (length === 0) return
    run.offset = this.#index()
    run.counts = new BigUint64Array(length)
    const halves = new Uint32Array(run.counts.buffer)
    for (let i = 0; i < length; i++) {
      // nearly every count is of one byte, and a bigint of each would be garbage
      const byte = this.#bytes[this.#at]!
      if (byte >= 0x80) run.counts[i] = this.#big()
      else {
        halves[2 * i] = byte
        this.#at++
      }
    }
  }
}
