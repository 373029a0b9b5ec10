/**
 * A cursor over the protobuf format, whose metrics are read one after the other: what can't be read
 * costs itself, and an answer of a million series is never one object.
 */
import type { Exact } from '../../../model/index.ts'
import { decodeMessage } from '../../../wire/protobuf/decode.ts'
import { LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import {
  HELP_LENGTH_LIMIT,
  NAME_LENGTH_LIMIT,
  PROTOBUF_TYPES,
  type SampleErrorCode,
} from '../spec.ts'
import { makeFamily } from './families.ts'
import { labelsOf, type MetricSample, samplesOf } from './metric-samples.ts'
import type { Exemplar, Family, NativeReading, Pairs, SampleScan, SeriesText } from './sample.ts'
import { FAMILY_FIELDS, METRIC, type MetricMessage } from './schema.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export class ProtobufScan implements SampleScan {
  problem: SampleErrorCode | undefined
  from = 0
  to = 0
  family: Family = makeFamily('')
  timeMs = Number.NaN
  failure: 'bad_protobuf' | undefined
  readonly #bytes: Uint8Array
  readonly #families = new ProtobufReader()
  readonly #metrics = new ProtobufReader()
  #samples: readonly MetricSample[] = []
  #place = 0
  #labels: Pairs = []
  /** Text of the labels of the current metric. */
  #labelKey = ''

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#families.open(bytes)
  }

  get #sample(): MetricSample {
    return this.#samples[this.#place]!
  }
  get value(): Exact {
    return this.#sample.value
  }
  get createdMs(): number {
    return this.#sample.createdMs ?? Number.NaN
  }
  get exemplar(): Exemplar | undefined {
    return this.#sample.exemplar
  }
  get histogram(): NativeReading | undefined {
    return this.#sample.histogram
  }

  next(): boolean {
    if (++this.#place < this.#samples.length) return true
    this.#samples = []
    while (this.failure === undefined) {
      if (this.#nextMetric()) return true
      if (this.failure !== undefined || !this.#nextFamily()) return false
    }
    return false
  }

  /** Goes to the next metric of the family that has a sample or a problem. */
  #nextMetric(): boolean {
    const reader = this.#metrics
    while (reader.next()) {
      if (reader.field !== FAMILY_FIELDS.metric || reader.wire !== LENGTH_DELIMITED) {
        reader.skip()
        continue
      }
      this.from = reader.from
      this.to = reader.to
      this.problem = this.#readMetric()
      this.#place = 0
      if (this.problem !== undefined || this.#samples.length > 0) return true
    }
    if (reader.isBroken) this.failure = 'bad_protobuf'
    return false
  }

  #readMetric(): SampleErrorCode | undefined {
    this.#samples = []
    if (this.family.name === '' || this.family.name.length > NAME_LENGTH_LIMIT) return 'bad_name'
    const read = decodeMessage(METRIC, this.#bytes, this.from, this.to)
    if (typeof read === 'string') return 'bad_sample'
    const metric = read as MetricMessage
    const labels = labelsOf(metric.label)
    if (typeof labels === 'string') return labels
    const samples = samplesOf(metric, this.family.type)
    if (typeof samples === 'string') return samples
    this.timeMs = metric.timestampMs === undefined ? Number.NaN : Number(metric.timestampMs)
    this.#samples = samples
    this.#labels = labels
    this.#labelKey = JSON.stringify(labels)
    return undefined
  }

  /** Goes to the next family, and reads what is said of it. */
  #nextFamily(): boolean {
    const reader = this.#families
    if (reader.at >= reader.end) return false
    const length = reader.varint()
    const from = reader.at
    if (reader.isBroken || length > reader.end - from) {
      this.failure = 'bad_protobuf'
      return false
    }
    reader.at = from + length
    this.#readHead(from, reader.at)
    this.#metrics.open(this.#bytes, from, reader.at)
    return true
  }

  #readHead(from: number, to: number): void {
    const reader = this.#metrics
    const family = { ...makeFamily(''), type: PROTOBUF_TYPES[0] as Family['type'] }
    let name = ''
    reader.open(this.#bytes, from, to)
    while (reader.next()) {
      if (reader.field === FAMILY_FIELDS.type && reader.wire === VARINT) {
        family.type = PROTOBUF_TYPES[reader.varint32()] ?? 'unknown'
      } else if (reader.wire !== LENGTH_DELIMITED) reader.skip()
      else if (reader.field === FAMILY_FIELDS.name) name = this.#text(reader, NAME_LENGTH_LIMIT + 1)
      else if (reader.field === FAMILY_FIELDS.help)
        family.help = this.#text(reader, HELP_LENGTH_LIMIT)
      else if (reader.field === FAMILY_FIELDS.unit)
        family.unit = this.#text(reader, NAME_LENGTH_LIMIT)
    }
    this.family = { ...family, name }
  }

  #text({ from, to }: ProtobufReader, lengthLimit: number): string {
    // no character has more than four bytes
    const end = Math.min(to, from + 4 * lengthLimit)
    return utf8.decode(this.#bytes.subarray(from, end)).slice(0, lengthLimit)
  }

  key(): string {
    const { ending, label } = this.#sample
    const bound = label === undefined ? '' : label[1]
    return `${this.family.name}\n${ending}\n${bound}\n${this.#labelKey}`
  }

  series(): SeriesText | SampleErrorCode {
    const { ending, label } = this.#sample
    const labels = label === undefined ? this.#labels : [...this.#labels, label]
    return { name: this.family.name + ending, labels }
  }
}
