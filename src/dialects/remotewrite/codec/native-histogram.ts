/**
 * A native histogram of remote write, read into fields that are filled again. Field numbers are
 * those of prompb:
 *
 *   Histogram   count_int 1 (uint64), count_float 2 (double), sum 3 (double), schema 4 (sint32),
 *               zero_threshold 5 (double), zero_count_int 6 (uint64), zero_count_float 7 (double),
 *               negative_spans 8, negative_deltas 9 (sint64), negative_counts 10 (double),
 *               positive_spans 11, positive_deltas 12 (sint64), positive_counts 13 (double),
 *               reset_hint 14 (enum), timestamp 15 (int64, ms), custom_values 16 (double),
 *               in 2.0 start_timestamp 17 (int64, ms)
 *   BucketSpan  offset 1 (sint32), length 2 (uint32)
 */
import { FIXED64, LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import { BUCKETS_LIMIT, type SampleErrorCode, STALE_HIGH, STALE_LOW } from '../spec.ts'

/** Buckets of one sign: runs of filled ones, with their counts. */
class NativeSide {
  /** Gap to the run before (of the first: its index) and length of each run. */
  readonly spans: number[] = []
  /** Counts, one for each bucket of the runs. */
  readonly counts: bigint[] = []
  /** Buckets of all runs. */
  length = 0

  clear(): void {
    this.spans.length = 0
    this.counts.length = 0
    this.length = 0
  }
}

/** Code, or one of those that end the reading. */
type Problem = SampleErrorCode | undefined

export class NativeHistogram {
  count = 0n
  sum = 0
  isStale = false
  schema = 0
  zeroThreshold = 0
  zeroCount = 0n
  readonly positive = new NativeSide()
  readonly negative = new NativeSide()
  /** Bounds of schema -53. */
  readonly bounds: number[] = []
  /** Number of RESET_HINTS. */
  resetHint = 0
  /** Unix ms; 0 for none. */
  timeMs = 0
  /** Time since which it counts, Unix ms; 0 for none. */
  startMs = 0
  readonly #reader = new ProtobufReader()
  readonly #span = new ProtobufReader()
  #isFraction = false

  /** Reads bytes[from, to). @returns why it can't be taken */
  read(bytes: Uint8Array, from: number, to: number): Problem {
    this.#clear()
    const reader = this.#reader
    if (to < from) return 'bad_sample'
    reader.open(bytes, from, to)
    while (reader.next()) {
      const problem = this.#readField(reader)
      if (problem !== undefined) return problem
    }
    if (reader.isBroken || this.timeMs > Number.MAX_SAFE_INTEGER) return 'bad_sample'
    if (this.#isFraction) return 'float_counts'
    const isFit = [this.positive, this.negative].every((side) => side.counts.length === side.length)
    return isFit || this.isStale ? undefined : 'bad_buckets'
  }

  #clear(): void {
    this.count = 0n
    this.sum = 0
    this.isStale = false
    this.schema = 0
    this.zeroThreshold = 0
    this.zeroCount = 0n
    this.positive.clear()
    this.negative.clear()
    this.bounds.length = 0
    this.resetHint = 0
    this.timeMs = 0
    this.startMs = 0
    this.#isFraction = false
  }

  #readField(reader: ProtobufReader): Problem {
    switch (reader.field) {
      case 8:
      case 11:
        return this.#readSpan(reader, reader.field === 8 ? this.negative : this.positive)
      case 9:
      case 12:
        return this.#readDeltas(reader, reader.field === 9 ? this.negative : this.positive)
      case 10:
      case 13:
        return this.#readCounts(reader, reader.field === 10 ? this.negative : this.positive)
      case 16:
        return this.#readBounds(reader)
      default:
        return reader.wire === FIXED64 ? this.#readDouble(reader) : this.#readVarint(reader)
    }
  }

  #readDouble(reader: ProtobufReader): Problem {
    const { field } = reader
    const value = reader.double()
    if (reader.isBroken) return 'bad_sample'
    if (field === 2) this.count = this.#whole(value)
    else if (field === 7) this.zeroCount = this.#whole(value)
    else if (field === 5) this.zeroThreshold = value
    else if (field === 3) {
      const { view, at } = reader
      this.sum = value
      this.isStale =
        view.getUint32(at - 4, true) === STALE_HIGH && view.getUint32(at - 8, true) === STALE_LOW
    }
    return undefined
  }

  #readVarint(reader: ProtobufReader): Problem {
    if (reader.wire !== VARINT) {
      reader.skip()
      return undefined
    }
    switch (reader.field) {
      case 1:
        this.count = reader.varint64()
        return undefined
      case 4:
        this.schema = reader.sint32()
        return undefined
      case 6:
        this.zeroCount = reader.varint64()
        return undefined
      case 14:
        this.resetHint = reader.varint32()
        return undefined
      case 15:
        this.timeMs = reader.varint()
        return undefined
      case 17:
        this.startMs = reader.varint()
        return undefined
      default:
        reader.skip()
        return undefined
    }
  }

  /** Takes a count that came as a double; a fraction is none of ours. */
  #whole(value: number): bigint {
    if (Number.isInteger(value) && value >= 0) return BigInt(value)
    this.#isFraction = true
    return 0n
  }

  #readSpan(reader: ProtobufReader, side: NativeSide): Problem {
    if (reader.wire !== LENGTH_DELIMITED) return 'bad_sample'
    const span = this.#span
    let offset = 0
    let length = 0
    span.open(reader.bytes, reader.from, reader.to)
    while (span.next()) {
      if (span.field === 1 && span.wire === VARINT) offset = span.sint32()
      else if (span.field === 2 && span.wire === VARINT) length = span.varint32()
      else span.skip()
    }
    if (span.isBroken) return 'bad_sample'
    side.length += length
    if (side.length > BUCKETS_LIMIT || side.spans.length >= 2 * BUCKETS_LIMIT) {
      return 'buckets_limit'
    }
    side.spans.push(offset, length)
    return undefined
  }

  /** Reads differences, packed or one by one: each count less the one before it. */
  #readDeltas(reader: ProtobufReader, { counts }: NativeSide): Problem {
    return forEachPacked(reader, VARINT, () => {
      const count = (counts.at(-1) ?? 0n) + reader.sint64()
      if (count < 0n) return 'bad_buckets'
      if (counts.length === BUCKETS_LIMIT) return 'buckets_limit'
      counts.push(count)
      return undefined
    })
  }

  #readCounts(reader: ProtobufReader, { counts }: NativeSide): Problem {
    return forEachPacked(reader, FIXED64, () => {
      if (counts.length === BUCKETS_LIMIT) return 'buckets_limit'
      counts.push(this.#whole(reader.double()))
      return undefined
    })
  }

  #readBounds(reader: ProtobufReader): Problem {
    return forEachPacked(reader, FIXED64, () => {
      if (this.bounds.length === BUCKETS_LIMIT) return 'buckets_limit'
      this.bounds.push(reader.double())
      return undefined
    })
  }
}

/** Calls for each value of a repeated field, packed or not, until one is a problem. */
function forEachPacked(reader: ProtobufReader, wire: number, take: () => Problem): Problem {
  if (reader.wire === wire) return take()
  if (reader.wire !== LENGTH_DELIMITED) return 'bad_sample'
  const { end, from, to } = reader
  reader.at = from
  reader.end = to
  let problem: Problem
  while (reader.at < reader.end && problem === undefined) problem = take()
  if (reader.isBroken) return 'bad_sample'
  reader.end = end
  reader.at = to
  return problem
}
