/**
 * An OTLP request in protobuf. Field numbers are those of github.com/open-telemetry/
 * opentelemetry-proto, collector/metrics/v1/metrics_service.proto and metrics/v1/metrics.proto:
 *
 *   ExportMetricsServiceRequest  resource_metrics 1
 *   ResourceMetrics              resource 1, scope_metrics 2
 *   Resource                     attributes 1
 *   ScopeMetrics                 scope 1, metrics 2
 *   InstrumentationScope         name 1, version 2
 *   KeyValue                     key 1, value 2; AnyValue  string_value 1
 *   Metric                       name 1, description 2, unit 3, gauge 5, sum 7, histogram 9,
 *                                exponential_histogram 10, summary 11
 *   Gauge, Sum, …                data_points 1, aggregation_temporality 2, is_monotonic 3
 *   NumberDataPoint              start 2, time 3, as_double 4, as_int 6, attributes 7, flags 8
 *   HistogramDataPoint           start 2, time 3, count 4, sum 5, bucket_counts 6,
 *                                explicit_bounds 7, attributes 9, min 11, max 12
 *   ExponentialHistogramDataPoint  attributes 1, start 2, time 3, count 4, sum 5, scale 6,
 *                                zero_count 7, positive 8, negative 9, min 12, max 13,
 *                                zero_threshold 14
 *   Buckets                      offset 1, bucket_counts 2
 *   SummaryDataPoint             start 2, time 3, count 4, sum 5, quantile_values 6, attributes 7
 *   ValueAtQuantile              quantile 1, value 2
 *
 * Times, counts, zero_count and bucket_counts of a HistogramDataPoint are fixed64, as_int is
 * sfixed64; scale and offset are sint32; bucket_counts of Buckets are varints.
 */
import { PbfReader, PbfWriter } from 'pbf'
import type { BucketsField } from '../../../exposition/exponential.ts'
import type { Labels } from '../../../model/index.ts'
import type { Taken } from '../../../peers/delivery.ts'
import { writeFixed64, writeFixed64Field, writeU64 } from '../protobuf.ts'
import {
  type ExplicitPoint,
  type ExponentialPoint,
  type MetricBody,
  type MetricPiece,
  NO_RECORDED_VALUE,
  type NumberPoint,
  type OtlpScope,
  type Resource,
  type SummaryPoint,
  TEMPORALITIES,
  toNanoseconds,
} from './metric.ts'

/** Fields of Metric by the kind of its data. */
const DATA_FIELDS: Record<MetricBody['kind'], number> = {
  gauge: 5,
  sum: 7,
  histogram: 9,
  exponentialHistogram: 10,
  summary: 11,
}
const VARINT = 0
const LENGTH_DELIMITED = 2

function writeMetric(piece: MetricPiece, writer: PbfWriter): void {
  writer.writeStringField(1, piece.name)
  if (piece.description !== '') writer.writeStringField(2, piece.description)
  if (piece.unit !== '') writer.writeStringField(3, piece.unit)
  writer.writeMessage(DATA_FIELDS[piece.kind], writeData, piece)
}

function writeData(body: MetricBody, writer: PbfWriter): void {
  switch (body.kind) {
    case 'gauge':
    case 'sum':
      for (const point of body.points) writer.writeMessage(1, writeNumber, point)
      break
    case 'histogram':
      for (const point of body.points) writer.writeMessage(1, writeExplicit, point)
      break
    case 'exponentialHistogram':
      for (const point of body.points) writer.writeMessage(1, writeExponential, point)
      break
    case 'summary':
      for (const point of body.points) writer.writeMessage(1, writeSummary, point)
  }
  if ('temporality' in body) writer.writeVarintField(2, TEMPORALITIES[body.temporality])
  if (body.kind === 'sum') writer.writeBooleanField(3, true)
}

interface Timed {
  readonly startMs?: number
  readonly timeMs: number
}

function writeTimes({ startMs, timeMs }: Timed, writer: PbfWriter): void {
  if (startMs !== undefined) writeFixed64Field(writer, 2, toNanoseconds(startMs))
  writeFixed64Field(writer, 3, toNanoseconds(timeMs))
}

function writeAttributes(attributes: Labels, field: number, writer: PbfWriter): void {
  for (const pair of attributes) writer.writeMessage(field, writePair, pair)
}

function writePair([key, value]: readonly [string, string], writer: PbfWriter): void {
  writer.writeStringField(1, key.toWellFormed())
  writer.writeMessage(2, writeAny, value)
}

function writeAny(value: string, writer: PbfWriter): void {
  writer.writeStringField(1, value.toWellFormed())
}

function writeNumber(point: NumberPoint, writer: PbfWriter): void {
  writeTimes(point, writer)
  const { value, isInteger } = point
  if (value === undefined) writer.writeVarintField(8, NO_RECORDED_VALUE)
  else if (isInteger) writeFixed64Field(writer, 6, BigInt(value))
  else writer.writeDoubleField(4, Number(value))
  writeAttributes(point.attributes, 7, writer)
}

function writeExplicit(point: ExplicitPoint, writer: PbfWriter): void {
  writeTimes(point, writer)
  writeFixed64Field(writer, 4, point.count)
  if (point.sum !== undefined) writer.writeDoubleField(5, point.sum)
  writer.writeTag(6, LENGTH_DELIMITED)
  writer.writeVarint(point.counts.length * 8)
  for (const count of point.counts) writeFixed64(writer, count)
  writer.writePackedDouble(7, point.bounds as number[])
  writeAttributes(point.attributes, 9, writer)
  if (point.min !== undefined) writer.writeDoubleField(11, point.min)
  if (point.max !== undefined) writer.writeDoubleField(12, point.max)
}

function writeExponential(point: ExponentialPoint, writer: PbfWriter): void {
  writeAttributes(point.attributes, 1, writer)
  writeTimes(point, writer)
  writeFixed64Field(writer, 4, point.count)
  if (point.sum !== undefined) writer.writeDoubleField(5, point.sum)
  writer.writeSVarintField(6, point.scale)
  writeFixed64Field(writer, 7, point.zeroCount)
  writer.writeMessage(8, writeBuckets, point.positive)
  if (point.negative.counts.length > 0) writer.writeMessage(9, writeBuckets, point.negative)
  if (point.min !== undefined) writer.writeDoubleField(12, point.min)
  if (point.max !== undefined) writer.writeDoubleField(13, point.max)
  if (point.zeroThreshold !== 0) writer.writeDoubleField(14, point.zeroThreshold)
}

function writeBuckets({ offset, counts }: BucketsField, writer: PbfWriter): void {
  writer.writeSVarintField(1, offset)
  if (counts.length > 0) writer.writeMessage(2, writeVarints, counts)
}

function writeVarints(values: readonly bigint[], writer: PbfWriter): void {
  for (const value of values) writeU64(writer, value)
}

function writeSummary(point: SummaryPoint, writer: PbfWriter): void {
  writeTimes(point, writer)
  writeFixed64Field(writer, 4, point.count)
  writer.writeDoubleField(5, point.sum)
  for (const pair of point.quantiles) writer.writeMessage(6, writeQuantile, pair)
  writeAttributes(point.attributes, 7, writer)
}

function writeQuantile([quantile, value]: readonly [number, number], writer: PbfWriter): void {
  writer.writeDoubleField(1, quantile)
  writer.writeDoubleField(2, value)
}

/**
 * Place where the metrics of a scope begin in the buffer of all metrics; they end where the next
 * do.
 */
interface ScopeMark {
  readonly scope: OtlpScope
  readonly from: number
}

/**
 * Writer of requests, one after the other into the same two buffers: a megabyte of fresh memory for
 * each would have the whole heap collected every few requests.
 */
export class RequestWriter {
  readonly #metrics = new PbfWriter(new Uint8Array(BUFFER_BYTES))
  readonly #request = new PbfWriter(new Uint8Array(BUFFER_BYTES))
  #scopes: ScopeMark[] = []

  get size(): number {
    return this.#metrics.pos
  }

  begin(): void {
    this.#metrics.pos = 0
    this.#scopes = []
  }

  add(metric: MetricPiece): void {
    const { scope } = metric
    if (this.#scopes.at(-1)?.scope.name !== scope.name) {
      this.#scopes.push({ scope, from: this.#metrics.pos })
    }
    this.#metrics.writeMessage(2, writeMetric, metric)
  }

  /** Makes the request around all that was added; valid until the next is asked for. */
  request(resource: Resource): Uint8Array<ArrayBuffer> {
    const writer = this.#request
    writer.pos = 0
    writer.writeMessage(
      1,
      (each, resourceMetrics) => {
        resourceMetrics.writeMessage(1, writeResource, each)
        this.#scopes.forEach(({ scope, from }, i) => {
          const end = this.#scopes[i + 1]?.from ?? this.#metrics.pos
          resourceMetrics.writeMessage(
            2,
            (_, scopeMetrics) => {
              scopeMetrics.writeMessage(1, writeScope, scope)
              writeRaw(scopeMetrics, this.#metrics.buf.subarray(from, end))
            },
            0,
          )
        })
      },
      resource,
    )
    return writer.buf.subarray(0, writer.pos) as Uint8Array<ArrayBuffer>
  }
}

/** A request with some room; they grow where one needs more. */
const BUFFER_BYTES = 2_097_152

function writeResource(resource: Resource, writer: PbfWriter): void {
  writeAttributes(Object.entries(resource), 1, writer)
}

function writeScope({ name, version }: OtlpScope, writer: PbfWriter): void {
  writer.writeStringField(1, name.toWellFormed())
  if (version !== undefined) writer.writeStringField(2, version)
}

/** Writes fields that are encoded already. */
function writeRaw(writer: PbfWriter, fields: Uint8Array): void {
  writer.realloc(fields.length)
  writer.buf.set(fields, writer.pos)
  writer.pos += fields.length
}

/**
 * Decodes ExportMetricsServiceResponse: partial_success 1 with rejected_data_points 1 (int64) and
 * error_message 2.
 */
export function decodeResponse(bytes: Uint8Array): Taken {
  const taken = { rejectedPoints: 0, message: '' }
  new PbfReader(bytes).readFields((field, _, response) => {
    if (field !== 1 || response.type !== LENGTH_DELIMITED) return
    response.readMessage((inner, _result, partial) => {
      if (inner === 1 && partial.type === VARINT) taken.rejectedPoints = partial.readVarint(true)
      if (inner === 2 && partial.type === LENGTH_DELIMITED) taken.message = partial.readString()
    }, taken)
  }, taken)
  return taken
}
