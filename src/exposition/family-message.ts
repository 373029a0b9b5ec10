/**
 * A family as a message `io.prometheus.client.MetricFamily` with its length in front; pure. Field
 * numbers are those of github.com/prometheus/client_model, io/prometheus/client/metrics.proto:
 *
 *   MetricFamily  name 1, help 2, type 3, metric 4 (repeated), unit 5
 *   Metric        label 1 (repeated), gauge 2, counter 3, summary 4, histogram 7, timestamp_ms 6
 *   LabelPair     name 1, value 2
 *   Gauge         value 1 (double)
 *   Counter       value 1 (double), exemplar 2, created_timestamp 3
 *   Summary       sample_count 1 (uint64), sample_sum 2 (double), quantile 3, created_timestamp 4
 *   Quantile      quantile 1 (double), value 2 (double)
 *   Histogram     sample_count 1 (uint64), sample_sum 2 (double), bucket 3, schema 5 (sint32),
 *                 zero_threshold 6 (double), zero_count 7 (uint64), negative_span 9,
 *                 negative_delta 10 (sint64), positive_span 12, positive_delta 13,
 *                 created_timestamp 15, exemplars 16 (of native histograms)
 *   Bucket        cumulative_count 1 (uint64), upper_bound 2 (double), exemplar 3; +Inf is left to
 *                 the reader, unless it has an exemplar
 *   Exemplar      label 1 (repeated), value 2 (double), timestamp 3
 *   BucketSpan    offset 1 (sint32), length 2 (uint32)
 *   Timestamp     seconds 1, nanos 2
 */
import type { Exact, Exemplar, Histogram, Kind, Labels } from '../model/index.ts'
import { FIXED64, VARINT } from '../wire/protobuf/reader.ts'
import { ProtobufWriter } from '../wire/protobuf/writer.ts'
import { exportedSum, forEachBound } from './distribution.ts'
import { ByBound } from './exemplars.ts'
import { cleanLabels } from './names.ts'
import { type NativeSide, nativeForm } from './native-histogram.ts'

const TYPES: Record<Kind, number> = { counter: 0, gauge: 1, summary: 2, histogram: 4 }

/** Facts that all metrics of a family have in common. */
interface FamilyHead {
  /** Name; of a counter with `_total`. */
  readonly name: string
  readonly help: string
  readonly type: Kind
  /** Unit that the name ends with. */
  readonly unit: string | undefined
}

/** Value of one metric: one number, or a distribution. */
export type MetricValue =
  | { readonly kind: 'sample'; readonly value: Exact }
  | {
      readonly kind: 'histogram'
      readonly histogram: Histogram
      readonly isClassic: boolean
      readonly isNative: boolean
      /** See {@link forEachBound}. */
      readonly isWindowed: boolean
    }
  | {
      readonly kind: 'summary'
      readonly count: bigint
      readonly sum: Exact
      readonly quantiles: readonly (readonly [quantile: number, value: number])[]
    }

/** One metric of a family. */
export interface MetricMessage {
  readonly labels: Labels
  /** Values are divided by 10^shift. */
  readonly shift: number
  readonly value: MetricValue
  /** Unix ms at which its total began. */
  readonly createdMs?: number | undefined
  /** Unix ms of its value. */
  readonly timeMs?: number | undefined
  /** Exemplars of a counter or histogram, the newest at the end. */
  readonly exemplars?: readonly Exemplar[]
}

/** Writes a family's head and the length of all of it, whose metrics take `size` bytes. */
export function familyHeadBytes(head: FamilyHead, size: number): Uint8Array<ArrayBuffer> {
  const writer = new ProtobufWriter()
  writer.text(1, head.name)
  writer.text(2, head.help)
  writer.tag(3, VARINT)
  writer.varint(TYPES[head.type])
  if (head.unit !== undefined) writer.text(5, head.unit)
  const whole = new ProtobufWriter()
  whole.varint(writer.size + size)
  return Uint8Array.of(...whole.finish(), ...writer.finish())
}

/** Writes one metric of a family. */
export function writeMetric(writer: ProtobufWriter, type: Kind, metric: MetricMessage): void {
  const { labels, timeMs } = metric
  writer.message(4, () => {
    writeLabels(writer, labels)
    writeValue(writer, type, metric)
    if (timeMs === undefined) return
    writer.tag(6, VARINT)
    writer.varint(timeMs)
  })
}

function writeLabels(writer: ProtobufWriter, labels: Labels): void {
  for (const [name, value] of labels) {
    writer.message(1, () => {
      writer.text(1, name)
      writer.text(2, value)
    })
  }
}

function writeExemplar(
  writer: ProtobufWriter,
  field: number,
  exemplar: Exemplar | undefined,
  shift: number,
): void {
  if (exemplar === undefined) return
  const { labels, value, timeMs } = exemplar
  writer.message(field, () => {
    writeLabels(writer, cleanLabels(labels, 'counter', 'legacy'))
    writeDouble(writer, 2, scaled(value, shift))
    writeTime(writer, 3, timeMs)
  })
}

function writeValue(writer: ProtobufWriter, type: Kind, metric: MetricMessage): void {
  const { value, shift, createdMs, exemplars } = metric
  switch (value.kind) {
    case 'sample':
      writer.message(type === 'counter' ? 3 : 2, () => {
        writeDouble(writer, 1, scaled(value.value, shift))
        if (type !== 'counter') return
        writeExemplar(writer, 2, exemplars?.at(-1), shift)
        writeTime(writer, 3, createdMs)
      })
      return
    case 'histogram':
      writer.message(7, () => writeHistogram(writer, metric, value))
      return
    case 'summary':
      writer.message(4, () => {
        writeU64(writer, 1, value.count)
        writeDouble(writer, 2, scaled(value.sum, shift))
        for (const [quantile, at] of value.quantiles) {
          writer.message(3, () => {
            writeDouble(writer, 1, quantile)
            writeDouble(writer, 2, scaled(at, shift))
          })
        }
        writeTime(writer, 4, createdMs)
      })
  }
}

function writeHistogram(
  writer: ProtobufWriter,
  { shift, createdMs, exemplars = [] }: MetricMessage,
  value: Extract<MetricValue, { kind: 'histogram' }>,
): void {
  const { histogram, isClassic, isNative, isWindowed } = value
  writeU64(writer, 1, histogram.count)
  writeDouble(writer, 2, scaled(exportedSum(histogram), shift))
  if (isClassic) writeClassic(writer, histogram, { shift, isWindowed, exemplars })
  // what was divided by a power of ten has its native form in a family of its own
  if (isNative && shift === 0) writeNative(writer, histogram)
  writeTime(writer, 15, createdMs)
  if (!isNative || shift !== 0) return
  for (const exemplar of exemplars) writeExemplar(writer, 16, exemplar, shift)
}

interface ClassicForm {
  readonly shift: number
  readonly isWindowed: boolean
  readonly exemplars: readonly Exemplar[]
}

function writeClassic(
  writer: ProtobufWriter,
  histogram: Histogram,
  { shift, isWindowed, exemplars }: ClassicForm,
): void {
  const byBound = exemplars.length === 0 ? undefined : new ByBound(exemplars)
  let bound = Number.NaN
  let count = 0n
  let exemplar: Exemplar | undefined
  const writeHeld = (): void => {
    if (Number.isNaN(bound)) return
    writer.message(3, () => {
      writeU64(writer, 1, count)
      writeDouble(writer, 2, bound)
      writeExemplar(writer, 3, exemplar, shift)
    })
  }
  const all = forEachBound(histogram, isWindowed, (exactBound, seen) => {
    // never -0, which readers would write into the label
    const next = scaled(exactBound, shift) + 0
    // of bounds that are one double, the later holds the earlier one's count
    if (next !== bound) writeHeld()
    exemplar = byBound?.next(Number(exactBound), next === bound)
    bound = next
    count = seen
  })
  writeHeld()
  exemplar = byBound?.next(Number.POSITIVE_INFINITY)
  if (exemplar === undefined) return
  bound = Number.POSITIVE_INFINITY
  count = all
  writeHeld()
}

function writeNative(writer: ProtobufWriter, histogram: Histogram): void {
  const form = nativeForm(histogram)
  if (form === undefined) return
  const { schema, zeroThreshold, zeroCount, negative, positive } = form
  writer.tag(5, VARINT)
  writer.varint(zigzag(schema))
  writeDouble(writer, 6, zeroThreshold)
  writeU64(writer, 7, zeroCount)
  writeSide(writer, 9, negative)
  writeSide(writer, 12, positive)
  const isEmpty = negative.spans.length === 0 && positive.spans.length === 0
  // readers know an empty native histogram by a span without buckets
  if (isEmpty && zeroCount === 0n) writeSpan(writer, 12, 0, 0)
}

/** Writes spans in one field, deltas packed in the next. */
function writeSide(writer: ProtobufWriter, field: number, { spans, deltas }: NativeSide): void {
  if (spans.length === 0) return
  for (const [offset, length] of spans) writeSpan(writer, field, offset, length)
  writer.message(field + 1, () => {
    for (const delta of deltas) writer.varint64((delta << 1n) ^ (delta >> 63n))
  })
}

function writeSpan(writer: ProtobufWriter, field: number, offset: number, length: number): void {
  writer.message(field, () => {
    writer.tag(1, VARINT)
    writer.varint(zigzag(offset))
    writer.tag(2, VARINT)
    writer.varint(length)
  })
}

function writeTime(writer: ProtobufWriter, field: number, ms: number | undefined): void {
  if (ms === undefined) return
  writer.message(field, () => {
    writer.tag(1, VARINT)
    writer.varint(Math.floor(ms / 1000))
    writer.tag(2, VARINT)
    writer.varint(Math.round((ms % 1000) * 1e6))
  })
}

function writeDouble(writer: ProtobufWriter, field: number, value: number): void {
  writer.tag(field, FIXED64)
  writer.double(value)
}

function writeU64(writer: ProtobufWriter, field: number, value: bigint): void {
  writer.tag(field, VARINT)
  writer.varint64(value)
}

/** Turns 0, -1, 1, -2 … into 0, 1, 2, 3 …, as sint32 is written. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

/** Gives the nearest double of a value divided by 10^shift. */
function scaled(value: Exact, shift: number): number {
  const plain = Number(value)
  if (shift === 0) return plain
  return shift < 0 ? plain * 10 ** -shift : plain / 10 ** shift
}
