/**
 * One point of a metric, read into fields that are filled again for each: numbers, and the places
 * of its attributes. Integers beyond 2^53, and counts of an exponential histogram, become bigints;
 * nothing else is made. Field numbers differ by kind (schema.ts has them with names).
 */
import { type Exact, exact } from '../../../model/index.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import {
  ATTRIBUTES_BYTES_LIMIT,
  ATTRIBUTES_LIMIT,
  BUCKETS_LIMIT,
  type DataKind,
  EXEMPLARS_LIMIT,
  PART_BYTES_LIMIT,
  type PointErrorCode,
  QUANTILES_LIMIT,
} from '../spec.ts'

const HIGH = 2 ** 32
const ATTRIBUTES: Readonly<Record<DataKind, number>> = {
  gauge: 7,
  sum: 7,
  histogram: 9,
  exponentialHistogram: 1,
  summary: 7,
}

/** Fields of the exemplars; a summary has none. */
const EXEMPLARS: Readonly<Record<DataKind, number>> = {
  gauge: 5,
  sum: 5,
  histogram: 8,
  exponentialHistogram: 11,
  summary: -1,
}

/** Counts of neighbouring buckets of one sign, the first one's index `offset`. */
export class BucketCounts {
  offset = 0
  counts: bigint[] = []

  clear(): void {
    this.offset = 0
    // to shorten an array that is empty costs as much as to read a number
    if (this.counts.length > 0) this.counts.length = 0
  }
}

export class Point {
  /** Unix ns, rounded to 256 ns; 0 for an unknown start. */
  startNs = 0
  timeNs = 0
  flags = 0
  /** Number; undefined where none is there. */
  value: Exact | undefined
  count = 0n
  /** NaN where they are not known. */
  sum = Number.NaN
  min = Number.NaN
  max = Number.NaN
  readonly bounds = new Float64Array(BUCKETS_LIMIT)
  boundCount = 0
  /** Counts of the buckets between those bounds. */
  readonly bucketCounts = new BigUint64Array(BUCKETS_LIMIT)
  bucketCount = 0
  scale = 0
  zeroCount = 0n
  zeroThreshold = 0
  readonly positive = new BucketCounts()
  readonly negative = new BucketCounts()
  /** Pairs of quantile and value. */
  readonly quantiles: number[] = []
  /** Places of the messages KeyValue: pairs of begin and end. */
  readonly attributes = new Int32Array(2 * ATTRIBUTES_LIMIT)
  attributeCount = 0
  /** Places of the messages Exemplar: pairs of begin and end. */
  readonly exemplars = new Int32Array(2 * EXEMPLARS_LIMIT)
  exemplarCount = 0
  #attributeBytes = 0
  #problem: PointErrorCode | undefined
  readonly #reader = new ProtobufReader()
  readonly #inner = new ProtobufReader()

  /** Reads bytes[from, to). @returns what is wrong with it */
  read(kind: DataKind, bytes: Uint8Array, from: number, to: number): PointErrorCode | undefined {
    if (to - from > PART_BYTES_LIMIT) return 'point_too_large'
    this.#clear()
    const reader = this.#reader
    reader.open(bytes, from, to)
    const attributes = ATTRIBUTES[kind]
    const exemplars = EXEMPLARS[kind]
    while (reader.next()) {
      const { field, wire } = reader
      if (field === attributes && wire === LENGTH_DELIMITED) this.#addAttribute()
      else if (field === exemplars && wire === LENGTH_DELIMITED) this.#addExemplar()
      else this.#readField(kind)
    }
    return reader.isBroken ? 'bad_point' : this.#problem
  }

  #clear(): void {
    this.startNs = 0
    this.timeNs = 0
    this.flags = 0
    this.value = undefined
    this.count = 0n
    this.sum = Number.NaN
    this.min = Number.NaN
    this.max = Number.NaN
    this.boundCount = 0
    this.bucketCount = 0
    this.scale = 0
    this.zeroCount = 0n
    this.zeroThreshold = 0
    this.positive.clear()
    this.negative.clear()
    if (this.quantiles.length > 0) this.quantiles.length = 0
    this.attributeCount = 0
    this.exemplarCount = 0
    this.#attributeBytes = 0
    this.#problem = undefined
  }

  #addAttribute(): void {
    const { from, to } = this.#reader
    this.#attributeBytes += to - from
    if (this.attributeCount === ATTRIBUTES_LIMIT || this.#attributeBytes > ATTRIBUTES_BYTES_LIMIT) {
      this.#problem = 'attributes_limit'
      return
    }
    this.attributes[2 * this.attributeCount] = from
    this.attributes[2 * this.attributeCount + 1] = to
    this.attributeCount++
  }

  #addExemplar(): void {
    if (this.exemplarCount === EXEMPLARS_LIMIT) return
    const { from, to } = this.#reader
    this.exemplars[2 * this.exemplarCount] = from
    this.exemplars[2 * this.exemplarCount + 1] = to
    this.exemplarCount++
  }

  #readField(kind: DataKind): void {
    const reader = this.#reader
    if (reader.wire === FIXED64 && reader.field === 2) this.startNs = this.#time()
    else if (reader.wire === FIXED64 && reader.field === 3) this.timeNs = this.#time()
    else if (kind === 'gauge' || kind === 'sum') this.#readNumber()
    else if (kind === 'histogram') this.#readHistogram()
    else if (kind === 'exponentialHistogram') this.#readExponential()
    else this.#readSummary()
  }

  #readNumber(): void {
    const reader = this.#reader
    if (reader.wire === FIXED64 && reader.field === 4) this.value = reader.double()
    else if (reader.wire === FIXED64 && reader.field === 6) this.value = this.#integer()
    else if (reader.wire === VARINT && reader.field === 8) this.flags = reader.varint()
    else reader.skip()
  }

  #readHistogram(): void {
    const reader = this.#reader
    switch (reader.field) {
      case 4:
      case 5:
        this.#readCountAndSum()
        return
      case 6:
        this.#readBucketCounts()
        return
      case 7:
        this.#readBounds()
        return
      case 10:
        this.#readFlags()
        return
      case 11:
        this.min = this.#double(this.min)
        return
      case 12:
        this.max = this.#double(this.max)
        return
      default:
        reader.skip()
    }
  }

  #readExponential(): void {
    const reader = this.#reader
    switch (reader.field) {
      case 4:
      case 5:
        this.#readCountAndSum()
        return
      case 6:
        if (reader.wire === VARINT) this.scale = reader.sint32()
        else reader.skip()
        return
      case 7:
        this.zeroCount = this.#word(this.zeroCount)
        return
      case 8:
        this.#readBuckets(this.positive)
        return
      case 9:
        this.#readBuckets(this.negative)
        return
      case 10:
        this.#readFlags()
        return
      case 12:
        this.min = this.#double(this.min)
        return
      case 13:
        this.max = this.#double(this.max)
        return
      case 14:
        this.zeroThreshold = this.#double(this.zeroThreshold)
        return
      default:
        reader.skip()
    }
  }

  #readSummary(): void {
    const reader = this.#reader
    if (reader.field === 4 || reader.field === 5) this.#readCountAndSum()
    else if (reader.field === 6 && reader.wire === LENGTH_DELIMITED) this.#readQuantile()
    else if (reader.field === 8) this.#readFlags()
    else reader.skip()
  }

  #readCountAndSum(): void {
    if (this.#reader.field === 4) this.count = this.#word(this.count)
    else this.sum = this.#double(this.sum)
  }

  #readFlags(): void {
    const reader = this.#reader
    if (reader.wire === VARINT) this.flags = reader.varint()
    else reader.skip()
  }

  #time(): number {
    const at = this.#reader.word()
    if (this.#reader.isBroken) return 0
    const { view } = this.#reader
    return view.getUint32(at + 4, true) * HIGH + view.getUint32(at, true)
  }

  #integer(): Exact {
    const at = this.#reader.word()
    if (this.#reader.isBroken) return 0
    const { view } = this.#reader
    const high = view.getInt32(at + 4, true)
    const isSafe = high >= -0x20_0000 && high < 0x20_0000
    if (isSafe) return exact(high * HIGH + view.getUint32(at, true))
    return exact(view.getBigInt64(at, true))
  }

  #word(known: bigint): bigint {
    const reader = this.#reader
    if (reader.wire !== FIXED64) {
      reader.skip()
      return known
    }
    const at = reader.word()
    return reader.isBroken ? known : wordAt(reader.view, at)
  }

  #double(known: number): number {
    if (this.#reader.wire === FIXED64) return this.#reader.double()
    this.#reader.skip()
    return known
  }

  #readBucketCounts(): void {
    const reader = this.#packed(FIXED64)
    if (reader === undefined) return
    const { view } = reader
    const counts = this.bucketCounts
    do {
      const at = reader.word()
      if (!this.#hasRoom(this.bucketCount)) return
      if (!reader.isBroken) counts[this.bucketCount++] = view.getBigUint64(at, true)
    } while (reader === this.#inner && reader.at < reader.end)
    if (reader.isBroken) this.#problem ??= 'bad_point'
  }

  #readBounds(): void {
    const reader = this.#packed(FIXED64)
    if (reader === undefined) return
    do {
      const value = reader.double()
      if (!this.#hasRoom(this.boundCount)) return
      if (!reader.isBroken) this.bounds[this.boundCount++] = value
    } while (reader === this.#inner && reader.at < reader.end)
    if (reader.isBroken) this.#problem ??= 'bad_point'
  }

  /**
   * Finds where the values of a repeated field are: in the message, one by one, or packed.
   * @returns undefined where there are none, or of another type
   */
  #packed(wire: number): ProtobufReader | undefined {
    const reader = this.#reader
    if (reader.wire === wire) return reader
    if (reader.wire !== LENGTH_DELIMITED) {
      reader.skip()
      return undefined
    }
    if (reader.from === reader.to) return undefined
    this.#inner.open(reader.bytes, reader.from, reader.to)
    return this.#inner
  }

  #hasRoom(count: number): boolean {
    if (count < BUCKETS_LIMIT) return true
    this.#problem ??= 'buckets_limit'
    return false
  }

  /** Reads the buckets of one side; of several the last ones count, as in the table's reading. */
  #readBuckets(target: BucketCounts): void {
    const { wire, from, to, bytes } = this.#reader
    if (wire !== LENGTH_DELIMITED) {
      this.#reader.skip()
      return
    }
    target.clear()
    const inner = this.#inner
    inner.open(bytes, from, to)
    while (inner.next()) {
      if (inner.field === 1 && inner.wire === VARINT) target.offset = inner.sint32()
      else if (inner.field === 2 && inner.wire === VARINT) this.#addCount(target, inner)
      else if (inner.field === 2 && inner.wire === LENGTH_DELIMITED) {
        const { end } = inner
        inner.at = inner.from
        inner.end = inner.to
        while (inner.at < inner.end) if (!this.#addCount(target, inner)) return
        if (!inner.isBroken) inner.end = end
      } else inner.skip()
    }
    if (inner.isBroken) this.#problem ??= 'bad_point'
  }

  #addCount({ counts }: BucketCounts, inner: ProtobufReader): boolean {
    const count = inner.varint64()
    if (!this.#hasRoom(counts.length)) return false
    counts.push(count)
    return true
  }

  #readQuantile(): void {
    const { from, to, bytes } = this.#reader
    const inner = this.#inner
    if (this.quantiles.length >= 2 * QUANTILES_LIMIT) {
      this.#problem ??= 'bad_quantiles'
      return
    }
    let quantile = 0
    let value = 0
    inner.open(bytes, from, to)
    while (inner.next()) {
      if (inner.field === 1 && inner.wire === FIXED64) quantile = inner.double()
      else if (inner.field === 2 && inner.wire === FIXED64) value = inner.double()
      else inner.skip()
    }
    if (inner.isBroken) this.#problem ??= 'bad_point'
    this.quantiles.push(quantile, value)
  }
}

/** Reads fixed64; nearly all counts are small, and cost no read of 64 bits. */
function wordAt(view: DataView, at: number): bigint {
  return view.getUint32(at + 4, true) === 0
    ? BigInt(view.getUint32(at, true))
    : view.getBigUint64(at, true)
}
