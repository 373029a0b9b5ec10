/**
 * A cursor over the series of a request, and the samples of each; bytes are read where they lie,
 * and nothing is made for what is known. Field numbers are those of prompb, 1.0 and 2.0:
 *
 *   TimeSeries  labels 1, samples 2, exemplars 3, histograms 4 (repeated)
 *   Label       name 1, value 2
 *   TimeSeries  labels_refs 1 (repeated uint32: name, value, …), samples 2, histograms 3,
 *               exemplars 4 (repeated), metadata 5, created_timestamp 6 (of drafts)
 *   Metadata    type 1 (enum), help_ref 3, unit_ref 4
 *   Sample      value 1 (double), timestamp 2 (int64, ms), in 2.0 start_timestamp 3 (int64, ms)
 */
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
  type Version,
  WRITTEN_OUT_BYTES_LIMIT,
} from '../spec.ts'
import { nameOf, type OpenedRequest, SERIES_FIELDS, type Symbols, textOf } from './request-scan.ts'

const LABELS = 1
const SAMPLES = 2
const METADATA = 5
const CREATED = 6
/** Fields of a series whose numbers differ. */
const FIELDS: Readonly<Record<Version, { readonly histograms: number; exemplars: number }>> = {
  1: { histograms: 4, exemplars: 3 },
  2: { histograms: 3, exemplars: 4 },
}
/** Ranges of a label: its message, or its name and its value. */
const RANGES_A_LABEL: Readonly<Record<Version, number>> = { 1: 1, 2: 2 }

/** Words of a series of 2.0 for its metric. */
export interface SaidOfSeries {
  /** Number of METRIC_TYPES. */
  readonly type: number
  readonly help: string
  readonly unit: string
}

export class SeriesScan {
  readonly request: OpenedRequest
  readonly bytes: Uint8Array
  /** Ranges of labels, two numbers for each: their messages, in 2.0 names and values in turn. */
  readonly labels = new Int32Array(4 * LABELS_LIMIT)
  rangeCount = 0
  /** Bytes of all ranges. */
  labelBytes = 0
  /** Samples and histograms of the series. */
  pointCount = 0
  /** Places of the first exemplars of the series: two numbers for each. */
  readonly exemplars = new Int32Array(2 * EXEMPLARS_LIMIT)
  exemplarCount = 0
  /** Exemplars beyond those. */
  exemplarsLeftOut = 0
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
  /** Time since which the sample counts, Unix ms; 0 for none. */
  startMs = 0
  /** Time since which all points of the series count, unless they say another. */
  createdMs = 0
  readonly #version: Version
  readonly #symbols: Symbols
  readonly #fieldsOf: (typeof FIELDS)[Version]
  readonly #series = new ProtobufReader()
  readonly #fields = new ProtobufReader()
  readonly #point = new ProtobufReader()
  /** Place of what is said of the metric; of none where both are 0. */
  #saidFrom = 0
  #saidTo = 0
  /** Words that were said last, and the references that said them. */
  #words: SaidOfSeries | undefined
  #helpReference = 0
  #unitReference = 0
  /** Bytes of labels and words of all series so far. */
  #writtenOut = 0

  constructor(request: OpenedRequest) {
    this.request = request
    this.bytes = request.bytes
    this.#version = request.version
    this.#symbols = request.symbols
    this.#fieldsOf = FIELDS[request.version]
    this.#series.open(this.bytes)
  }

  /** Goes to the next series. @returns false at the end */
  next(): boolean {
    const reader = this.#series
    while (reader.next()) {
      if (reader.field !== SERIES_FIELDS[this.#version]) {
        reader.skip()
        continue
      }
      this.from = reader.from
      this.to = reader.to
      const isTooLarge = this.to - this.from > PART_BYTES_LIMIT
      this.#clear()
      if (isTooLarge) this.#leaveOut()
      else this.#readFields()
      this.#fields.open(this.bytes, this.from, isTooLarge ? this.from : this.to)
      return true
    }
    return false
  }

  #clear(): void {
    this.rangeCount = 0
    this.labelBytes = 0
    this.pointCount = 0
    this.exemplarCount = 0
    this.exemplarsLeftOut = 0
    this.problem = undefined
    this.createdMs = 0
    this.#saidFrom = 0
    this.#saidTo = 0
  }

  /** Counts a series that is not read as one sample that is not taken. */
  #leaveOut(): void {
    this.pointCount = 1
    this.problem = 'series_too_large'
  }

  #readFields(): void {
    const reader = this.#fields
    const { histograms, exemplars } = this.#fieldsOf
    const refersTo = this.#version === 2
    reader.open(this.bytes, this.from, this.to)
    while (reader.next()) {
      const { field, wire } = reader
      if (field === LABELS && refersTo) {
        this.#readReferences(reader)
        continue
      }
      if (field === LABELS && wire === LENGTH_DELIMITED) {
        this.#addRange(reader.from, reader.to)
        continue
      }
      if (field === SAMPLES || field === histograms) this.pointCount++
      else if (field === exemplars && wire === LENGTH_DELIMITED) this.#noteExemplar()
      else if (refersTo && field === METADATA && wire === LENGTH_DELIMITED) {
        this.#saidFrom = reader.from
        this.#saidTo = reader.to
      } else if (refersTo && field === CREATED && wire === VARINT) {
        this.createdMs = reader.varint()
        continue
      }
      reader.skip()
    }
    if (this.rangeCount % RANGES_A_LABEL[this.#version] !== 0) this.problem ??= 'bad_labels'
    this.#writtenOut += refersTo ? this.labelBytes : 0
    if (this.#writtenOut > WRITTEN_OUT_BYTES_LIMIT) this.problem ??= 'labels_limit'
  }

  /** Reads references to symbols, packed or one by one. */
  #readReferences(reader: ProtobufReader): void {
    if (reader.wire === VARINT) {
      this.#addSymbol(reader.varint())
    } else if (reader.wire === LENGTH_DELIMITED) {
      const { end, from, to } = reader
      reader.at = from
      reader.end = to
      while (reader.at < reader.end) this.#addSymbol(reader.varint())
      if (reader.isBroken) this.problem = 'bad_labels'
      // lengths were found to fit: what is behind can be read, whatever stands in these bytes
      reader.isBroken = false
      reader.end = end
      reader.at = to
    } else {
      this.problem ??= 'bad_labels'
      reader.skip()
    }
  }

  #addSymbol(reference: number): void {
    if (reference < this.#symbols.count) {
      const { ranges } = this.#symbols
      this.#addRange(ranges[2 * reference]!, ranges[2 * reference + 1]!)
    } else this.problem ??= 'bad_reference'
  }

  #addRange(from: number, to: number): void {
    const isFull = this.rangeCount === RANGES_A_LABEL[this.#version] * LABELS_LIMIT
    if (isFull || this.labelBytes + to - from > LABELS_BYTES_LIMIT) {
      this.problem = 'labels_limit'
      return
    }
    this.labelBytes += to - from
    this.labels[2 * this.rangeCount] = from
    this.labels[2 * this.rangeCount + 1] = to
    this.rangeCount++
  }

  #noteExemplar(): void {
    if (this.exemplarCount === EXEMPLARS_LIMIT) {
      this.exemplarsLeftOut++
      return
    }
    this.exemplars[2 * this.exemplarCount] = this.#fields.from
    this.exemplars[2 * this.exemplarCount + 1] = this.#fields.to
    this.exemplarCount++
  }

  /**
   * Reads what the series says of its metric; undefined where that is nothing, or can't be read.
   * Series that follow each other and say the same have it from one reading.
   */
  said(): SaidOfSeries | undefined {
    if (this.#saidTo === this.#saidFrom) return undefined
    const reader = this.#point
    let [type, help, unit] = [0, 0, 0]
    reader.open(this.bytes, this.#saidFrom, this.#saidTo)
    while (reader.next()) {
      if (reader.wire !== VARINT) reader.skip()
      else if (reader.field === 1) type = reader.varint32()
      else if (reader.field === 3) help = reader.varint()
      else if (reader.field === 4) unit = reader.varint()
      else reader.skip()
    }
    if (reader.isBroken || (type === 0 && help === 0 && unit === 0)) return undefined
    const isSame = help === this.#helpReference && unit === this.#unitReference
    if (this.#words?.type !== type || !isSame) {
      this.#words = {
        type,
        help: this.#symbolText(help, HELP_BYTES_LIMIT),
        unit: this.#symbolText(unit, NAME_BYTES_LIMIT),
      }
      this.#helpReference = help
      this.#unitReference = unit
      this.#writtenOut += this.#words.help.length + this.#words.unit.length
    }
    return this.#words
  }

  /** Decodes a symbol, of a long one the beginning; 0 and what there is none of are empty. */
  #symbolText(reference: number, bytesLimit: number): string {
    if (reference === 0 || reference >= this.#symbols.count) return ''
    const from = this.#symbols.ranges[2 * reference]!
    const to = this.#symbols.ranges[2 * reference + 1]!
    return textOf(this.bytes, from, Math.min(to, from + bytesLimit))
  }

  /** Goes to the next sample or histogram of the series. @returns false behind the last */
  nextPoint(): boolean {
    const reader = this.#fields
    const { histograms } = this.#fieldsOf
    while (reader.next()) {
      if (reader.field !== SAMPLES && reader.field !== histograms) {
        reader.skip()
        continue
      }
      this.isHistogram = reader.field === histograms
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
    this.startMs = this.createdMs
    if (this.pointTo < this.pointFrom) return false
    const reader = this.#point
    const known = this.#version === 2 ? 3 : 2
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
      } else if (reader.field === 3 && known === 3 && reader.wire === VARINT) {
        this.startMs = reader.varint()
      } else if (reader.field <= known) return false
      else reader.skip()
    }
    // negative times are varints of ten bytes: beyond all that a clock can say
    return !reader.isBroken && this.timeMs <= Number.MAX_SAFE_INTEGER
  }
}

/** Reads the labels of a series as pairs; a text for those that can't be. */
export function readLabels(scan: SeriesScan): [name: string, value: string][] | SampleErrorCode {
  const pairs = scan.request.version === 1 ? readMessages(scan) : readTexts(scan)
  if (pairs === undefined || pairs.some(([name]) => name === '')) return 'bad_labels'
  return new Set(pairs.map(([name]) => name)).size < pairs.length ? 'bad_labels' : pairs
}

function readMessages({ bytes, labels, rangeCount }: SeriesScan): [string, string][] | undefined {
  const reader = new ProtobufReader()
  const pairs: [string, string][] = []
  for (let i = 0; i < rangeCount; i++) {
    const texts: [string, string] = ['', '']
    reader.open(bytes, labels[2 * i]!, labels[2 * i + 1]!)
    while (reader.next()) {
      if (reader.field !== 1 && reader.field !== 2) reader.skip()
      else if (reader.wire !== LENGTH_DELIMITED) return undefined
      else {
        const text = nameOf(bytes, reader.from, reader.to)
        if (text === undefined) return undefined
        texts[reader.field - 1] = text
      }
    }
    if (reader.isBroken) return undefined
    pairs.push(texts)
  }
  return pairs
}

function readTexts({ bytes, labels, rangeCount }: SeriesScan): [string, string][] | undefined {
  const pairs: [string, string][] = []
  for (let i = 0; i < rangeCount; i += 2) {
    const name = nameOf(bytes, labels[2 * i]!, labels[2 * i + 1]!)
    const value = nameOf(bytes, labels[2 * i + 2]!, labels[2 * i + 3]!)
    if (name === undefined || value === undefined) return undefined
    pairs.push([name, value])
  }
  return pairs
}
