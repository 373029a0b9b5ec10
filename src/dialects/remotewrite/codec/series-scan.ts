/**
 * A cursor over the series of a request, and the samples of each; bytes are read where they lie,
 * and nothing is made for what is known. Field numbers are those of prompb:
 *
 *   WriteRequest    timeseries 1, metadata 3 (repeated)
 *   TimeSeries      labels 1, samples 2, exemplars 3, histograms 4 (repeated)
 *   Label           name 1, value 2
 *   Sample          value 1 (double), timestamp 2 (int64, ms)
 *   MetricMetadata  type 1 (enum), metric_family_name 2, help 4, unit 5
 */
import type { Task } from '../../../time/task.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import {
  EXEMPLARS_LIMIT,
  HELP_BYTES_LIMIT,
  LABELS_BYTES_LIMIT,
  LABELS_LIMIT,
  NAME_BYTES_LIMIT,
  PART_BYTES_LIMIT,
  type SampleErrorCode,
  STALE_HIGH,
  STALE_LOW,
} from '../spec.ts'

const SERIES = 1
const METADATA = 3
const LABELS = 1
const SAMPLES = 2
const EXEMPLARS = 3
const HISTOGRAMS = 4

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Metadata of one metric, as it is sent. */
export interface MetricMetadata {
  /** Number of METRIC_TYPES. */
  readonly type: number
  readonly name: string
  readonly help: string
  readonly unit: string
}

/** Bytes that are gone through in one step, and what a message costs besides its own. */
const STEP_BYTES = 65_536
const MESSAGE_BYTES = 128
const METADATA_BYTES = 1024

/** Whether a request can be read, or the code of why not. */
type Scanned = 'whole' | 'bad_protobuf' | 'too_large'

/**
 * Makes a task that goes through all lengths down to the fields of series, and gives what is said
 * of metrics. What is read in one step may have {@link PART_BYTES_LIMIT}: a series or metadata that
 * is longer is left out, and what the request has besides them, tags and lengths included, makes
 * it too large.
 */
export function* scanningRequest(
  bytes: Uint8Array,
  onMetadata: (metadata: MetricMetadata) => void,
): Task<Scanned> {
  const reader = new ProtobufReader()
  const inner = new ProtobufReader()
  let besides = bytes.length
  let left = STEP_BYTES
  reader.open(bytes)
  while (reader.next()) {
    left -= MESSAGE_BYTES
    if (left < 0) {
      left = STEP_BYTES
      yield
    }
    if (reader.field !== SERIES && reader.field !== METADATA) {
      reader.skip()
      continue
    }
    if (reader.wire !== LENGTH_DELIMITED) return 'bad_protobuf'
    const { from, to } = reader
    besides -= to - from
    left -= to - from
    if (to - from > PART_BYTES_LIMIT) continue
    if (reader.field === METADATA) {
      const metadata = readMetadata(inner, bytes, from, to)
      if (metadata === undefined) continue
      onMetadata(metadata)
      left -= METADATA_BYTES
      continue
    }
    inner.open(bytes, from, to)
    while (inner.next()) inner.skip()
    if (inner.isBroken) return 'bad_protobuf'
  }
  if (reader.isBroken) return 'bad_protobuf'
  return besides > PART_BYTES_LIMIT ? 'too_large' : 'whole'
}

function readMetadata(
  reader: ProtobufReader,
  bytes: Uint8Array,
  from: number,
  to: number,
): MetricMetadata | undefined {
  let type = 0
  // where the last of each stands: those before it are not decoded
  const places = new Int32Array(6)
  reader.open(bytes, from, to)
  while (reader.next()) {
    const place = [0, 0, 1, 0, 2, 3][reader.field] ?? 0
    if (reader.field === 1 && reader.wire === VARINT) type = reader.varint32()
    else if (place > 0 && reader.wire === LENGTH_DELIMITED) {
      const limit = place === 2 ? HELP_BYTES_LIMIT : NAME_BYTES_LIMIT + 1
      const end = Math.min(reader.to, reader.from + limit)
      places[2 * place - 2] = reader.from
      places[2 * place - 1] = end
    } else reader.skip()
  }
  if (reader.isBroken || places[0] === places[1]) return undefined
  const text = (i: number): string => utf8.decode(bytes.subarray(places[i], places[i + 1]))
  const [name, help, unit] = [text(0), text(2), text(4)]
  const isLong = Math.max(name.length, unit.length) > NAME_BYTES_LIMIT
  return isLong ? undefined : { type, name, help, unit }
}

export class SeriesScan {
  readonly bytes: Uint8Array
  /** Range of each label message: two numbers for each. */
  readonly labels = new Int32Array(2 * LABELS_LIMIT)
  labelCount = 0
  /** Samples and histograms of the series. */
  pointCount = 0
  /** Places of the first exemplars of the series: two numbers for each. */
  readonly exemplars = new Int32Array(2 * EXEMPLARS_LIMIT)
  exemplarCount = 0
  /** Reason why no sample of the series can be taken. */
  problem: SampleErrorCode | undefined
  /** Series as a whole. */
  from = 0
  to = 0
  /** Current point: a sample, or a histogram with its range. */
  isHistogram = false
  pointFrom = 0
  pointTo = 0
  value = 0
  isStale = false
  /** Unix ms; 0 for none. */
  timeMs = 0
  readonly #series = new ProtobufReader()
  readonly #fields = new ProtobufReader()
  readonly #point = new ProtobufReader()

  /** @param bytes of a request that {@link scanningRequest} found whole */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#series.open(bytes)
  }

  /** Goes to the next series. @returns false at the end */
  next(): boolean {
    const reader = this.#series
    while (reader.next()) {
      if (reader.field !== SERIES) {
        reader.skip()
        continue
      }
      this.from = reader.from
      this.to = reader.to
      const isTooLarge = this.to - this.from > PART_BYTES_LIMIT
      if (isTooLarge) this.#leaveOut()
      else this.#readLabels()
      this.#fields.open(this.bytes, this.from, isTooLarge ? this.from : this.to)
      return true
    }
    return false
  }

  /** Counts a series that is not read as one sample that is not taken. */
  #leaveOut(): void {
    this.labelCount = 0
    this.pointCount = 1
    this.exemplarCount = 0
    this.problem = 'series_too_large'
  }

  #readLabels(): void {
    const reader = this.#fields
    let size = 0
    this.labelCount = 0
    this.pointCount = 0
    this.exemplarCount = 0
    this.problem = undefined
    reader.open(this.bytes, this.from, this.to)
    while (reader.next()) {
      if (reader.field === LABELS && reader.wire === LENGTH_DELIMITED) {
        size += reader.to - reader.from
        if (this.labelCount === LABELS_LIMIT || size > LABELS_BYTES_LIMIT) {
          this.problem = 'labels_limit'
          continue
        }
        this.labels[2 * this.labelCount] = reader.from
        this.labels[2 * this.labelCount + 1] = reader.to
        this.labelCount++
        continue
      }
      if (reader.field === SAMPLES || reader.field === HISTOGRAMS) this.pointCount++
      else if (reader.field === EXEMPLARS && reader.wire === LENGTH_DELIMITED) this.#noteExemplar()
      reader.skip()
    }
  }

  #noteExemplar(): void {
    if (this.exemplarCount === EXEMPLARS_LIMIT) return
    this.exemplars[2 * this.exemplarCount] = this.#fields.from
    this.exemplars[2 * this.exemplarCount + 1] = this.#fields.to
    this.exemplarCount++
  }

  /** Goes to the next sample or histogram of the series. @returns false behind the last */
  nextPoint(): boolean {
    const reader = this.#fields
    while (reader.next()) {
      if (reader.field !== SAMPLES && reader.field !== HISTOGRAMS) {
        reader.skip()
        continue
      }
      this.isHistogram = reader.field === HISTOGRAMS
      this.pointFrom = reader.from
      this.pointTo = reader.to
      if (reader.wire === LENGTH_DELIMITED) return true
      // no message at all: an empty range that can't be read as one
      reader.skip()
      this.pointTo = this.pointFrom - 1
      return true
    }
    return false
  }

  /** Reads the current sample. @returns false where it can't be read */
  readSample(): boolean {
    this.value = 0
    this.isStale = false
    this.timeMs = 0
    if (this.pointTo < this.pointFrom) return false
    const reader = this.#point
    reader.open(this.bytes, this.pointFrom, this.pointTo)
    while (reader.next()) {
      if (reader.field === 1 && reader.wire === FIXED64) {
        const at = reader.word()
        if (reader.isBroken) return false
        const { view } = reader
        this.value = view.getFloat64(at, true)
        this.isStale =
          view.getUint32(at + 4, true) === STALE_HIGH && view.getUint32(at, true) === STALE_LOW
      } else if (reader.field === 2 && reader.wire === VARINT) {
        this.timeMs = reader.varint()
      } else if (reader.field <= 2) return false
      else reader.skip()
    }
    // negative times are varints of ten bytes: beyond all that a clock can say
    return !reader.isBroken && this.timeMs <= Number.MAX_SAFE_INTEGER
  }
}

/** Reads the labels of a series as pairs; a text for those that can't be. */
export function readLabels({
  bytes,
  labels,
  labelCount,
}: SeriesScan): [name: string, value: string][] | SampleErrorCode {
  const reader = new ProtobufReader()
  const pairs: [string, string][] = []
  for (let i = 0; i < labelCount; i++) {
    const texts: [string, string] = ['', '']
    reader.open(bytes, labels[2 * i]!, labels[2 * i + 1]!)
    while (reader.next()) {
      if (reader.field !== 1 && reader.field !== 2) reader.skip()
      else if (reader.wire !== LENGTH_DELIMITED) return 'bad_labels'
      else texts[reader.field - 1] = utf8.decode(bytes.subarray(reader.from, reader.to))
    }
    if (reader.isBroken || texts[0] === '') return 'bad_labels'
    pairs.push(texts)
  }
  return new Set(pairs.map(([name]) => name)).size < pairs.length ? 'bad_labels' : pairs
}
