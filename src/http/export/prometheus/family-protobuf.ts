/**
 * A family as a message `io.prometheus.client.MetricFamily` with its length in front. Field numbers
 * are those of github.com/prometheus/client_model, io/prometheus/client/metrics.proto:
 *
 *   MetricFamily  name 1, help 2, type 3, metric 4 (repeated), unit 5
 *   Metric        label 1 (repeated), gauge 2, counter 3, summary 4, histogram 7, timestamp_ms 6
 *   LabelPair     name 1, value 2
 *   Gauge         value 1 (double)
 *   Counter       value 1 (double), created_timestamp 3
 *   Summary       sample_count 1 (uint64), sample_sum 2 (double), quantile 3, created_timestamp 4
 *   Quantile      quantile 1 (double), value 2 (double)
 *   Histogram     sample_count 1 (uint64), sample_sum 2 (double), bucket 3, schema 5 (sint32),
 *                 zero_threshold 6 (double), zero_count 7 (uint64), negative_span 9,
 *                 negative_delta 10 (sint64), positive_span 12, positive_delta 13,
 *                 created_timestamp 15
 *   Bucket        cumulative_count 1 (uint64), upper_bound 2 (double); +Inf is left to the reader
 *   BucketSpan    offset 1 (sint32), length 2 (uint32)
 *   Timestamp     seconds 1, nanos 2
 */
import { PbfWriter } from 'pbf'
import { exportedSum, forEachBound } from '../../../exposition/distribution.ts'
import { exportedQuantile, QUANTILES } from '../../../exposition/histogram-text.ts'
import { beganMs, isWindowed, type SeriesRecord } from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Exact, Histogram, Kind } from '../../../model/index.ts'
import { type Pieces, ROWS_PER_STEP } from '../../pieces.ts'
import { writeS64, writeU64Field } from '../protobuf.ts'
import type { Family, Row } from './layout/families.ts'
import { type NativeSide, nativeForm } from './native-histogram.ts'
import { type Distribution, rowTimeMs, rowValue } from './row-value.ts'

const TYPES: Record<Kind, number> = { counter: 0, gauge: 1, summary: 2, histogram: 4 }

/**
 * Writes a family; its length is known when its last row is written, so it is kept until then.
 * @param hasNative histograms have native buckets beside the classic ones
 * @returns nothing for a family without samples
 */
export function* familyProtobuf(
  family: Family,
  view: HubView,
  hasNative: boolean,
): Pieces<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for (let from = 0; from < family.rows.length; from += ROWS_PER_STEP) {
    const writer = new PbfWriter()
    for (const row of family.rows.slice(from, from + ROWS_PER_STEP)) {
      writeRow(writer, row, family.type, view, hasNative)
    }
    const part = writer.finish()
    if (part.length > 0) parts.push(part)
    size += part.length
    yield
  }
  if (size === 0) return
  const head = familyHead(family)
  const length = new PbfWriter()
  length.writeVarint(head.length + size)
  yield length.finish()
  yield head
  yield* parts
}

function familyHead({ name, help, unit, type }: Family): Uint8Array {
  const writer = new PbfWriter()
  writer.writeStringField(1, name)
  writer.writeStringField(2, help)
  writer.writeVarintField(3, TYPES[type])
  if (unit !== undefined) writer.writeStringField(5, unit)
  return writer.finish()
}

function writeRow(
  writer: PbfWriter,
  row: Row,
  type: Kind,
  view: HubView,
  hasNative: boolean,
): void {
  const value = rowValue(view, row)
  if (value === undefined) return
  writer.writeMessage(
    4,
    (_, metric) => {
      for (const label of row.labels) metric.writeMessage(1, writeLabel, label)
      if ('sample' in value) writeSample(metric, row, type, value.sample)
      else writeDistribution(metric, row, type, value.total, hasNative)
      const timeMs = rowTimeMs(row)
      if (timeMs !== undefined) metric.writeVarintField(6, timeMs)
    },
    row,
  )
}

function writeLabel([name, value]: readonly [string, string], writer: PbfWriter): void {
  writer.writeStringField(1, name)
  writer.writeStringField(2, value)
}

function writeSample(metric: PbfWriter, row: Row, type: Kind, value: Exact): void {
  const scaled = scale(value, row.shift)
  if (type === 'counter') {
    metric.writeMessage(
      3,
      (record, counter) => {
        counter.writeDoubleField(1, scaled)
        writeCreated(counter, 3, record)
      },
      row.record,
    )
  } else metric.writeMessage(2, (_, gauge) => gauge.writeDoubleField(1, scaled), row)
}

function writeDistribution(
  metric: PbfWriter,
  row: Row,
  type: Kind,
  total: Distribution,
  hasNative: boolean,
): void {
  if (type === 'histogram' && total.kind === 'histogram') {
    metric.writeMessage(
      7,
      (_, writer) => writeHistogram(writer, row, total.histogram, hasNative),
      0,
    )
  } else metric.writeMessage(4, (_, writer) => writeSummary(writer, row, total), 0)
}

function writeSummary(writer: PbfWriter, { record, shift }: Row, total: Distribution): void {
  const isHistogram = total.kind === 'histogram'
  const count = isHistogram ? total.histogram.count : BigInt(total.summary.count)
  const sum = isHistogram ? exportedSum(total.histogram) : total.sum
  writeU64Field(writer, 1, count)
  writer.writeDoubleField(2, scale(sum, shift))
  if (isHistogram) {
    for (const q of QUANTILES) {
      const value = scale(exportedQuantile(total.histogram, q), shift)
      writer.writeMessage(3, writePair, [q, value])
    }
  }
  writeCreated(writer, 4, record)
}

/** Writes two doubles as fields 1 and 2. */
function writePair([first, second]: readonly [number, number], writer: PbfWriter): void {
  writer.writeDoubleField(1, first)
  writer.writeDoubleField(2, second)
}

function writeHistogram(
  writer: PbfWriter,
  { record, shift, part }: Row,
  histogram: Histogram,
  hasNative: boolean,
): void {
  writeU64Field(writer, 1, histogram.count)
  writer.writeDoubleField(2, scale(exportedSum(histogram), shift))
  const isClassic = part !== 'native' || histogram.bounds !== undefined
  if (isClassic) writeClassic(writer, histogram, shift, isWindowed(record))
  // what was divided by a power of ten has its native form in a family of its own
  if (hasNative && shift === 0) writeNative(writer, histogram)
  writeCreated(writer, 15, record)
}

function writeClassic(
  writer: PbfWriter,
  histogram: Histogram,
  shift: number,
  isWindowed: boolean,
): void {
  let held: { bound: number; count: bigint } | undefined
  const writeHeld = (): void => {
    if (held === undefined) return
    writer.writeMessage(
      3,
      ({ bound, count }, bucket) => {
        writeU64Field(bucket, 1, count)
        bucket.writeDoubleField(2, bound)
      },
      held,
    )
  }
  forEachBound(histogram, isWindowed, (exactBound, count) => {
    // never -0, which readers would write into the label
    const bound = scale(exactBound, shift) + 0
    // of bounds that are one double, the later holds the earlier one's count
    if (bound !== held?.bound) writeHeld()
    held = { bound, count }
  })
  writeHeld()
}

function writeNative(writer: PbfWriter, histogram: Histogram): void {
  const form = nativeForm(histogram)
  if (form === undefined) return
  const { schema, zeroThreshold, zeroCount, negative, positive } = form
  writer.writeSVarintField(5, schema)
  writer.writeDoubleField(6, zeroThreshold)
  writeU64Field(writer, 7, zeroCount)
  writeSide(writer, 9, negative)
  writeSide(writer, 12, positive)
  const isEmpty = negative.spans.length === 0 && positive.spans.length === 0
  // readers know an empty native histogram by a span without buckets
  if (isEmpty && zeroCount === 0n) writer.writeMessage(12, writeSpan, [0, 0])
}

/** Spans in one field, deltas packed in the next. */
function writeSide(writer: PbfWriter, field: number, { spans, deltas }: NativeSide): void {
  if (spans.length === 0) return
  for (const span of spans) writer.writeMessage(field, writeSpan, span)
  writer.writeMessage(
    field + 1,
    (_, packed) => {
      for (const delta of deltas) writeS64(packed, delta)
    },
    0,
  )
}

function writeSpan([offset, length]: readonly [number, number], writer: PbfWriter): void {
  writer.writeSVarintField(1, offset)
  writer.writeVarintField(2, length)
}

/** Writes when the series' total began: its first receipt, or its last reset. */
function writeCreated(writer: PbfWriter, field: number, record: SeriesRecord): void {
  writer.writeMessage(
    field,
    (ms, timestamp) => {
      timestamp.writeVarintField(1, Math.floor(ms / 1000))
      timestamp.writeVarintField(2, Math.round((ms % 1000) * 1e6))
    },
    beganMs(record),
  )
}

/** Gives the nearest double of a value divided by 10^shift. */
function scale(value: Exact, shift: number): number {
  const plain = Number(value)
  if (shift === 0) return plain
  return shift < 0 ? plain * 10 ** -shift : plain / 10 ** shift
}
