/** Native histograms of a request (types.proto, Histogram), written from ours. */
import { exportedSum } from '../../../exposition/distribution.ts'
import type { NativeSide, nativeForm } from '../../../exposition/native-histogram.ts'
import type { Histogram } from '../../../model/index.ts'
import { FIXED64, VARINT } from '../../../wire/protobuf/reader.ts'
import type { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { STALE_BITS } from '../spec.ts'

/** Numbers of the fields of a Histogram. */
const COUNT = 1
const SUM = 3
const SCHEMA = 4
const ZERO_THRESHOLD = 5
const ZERO_COUNT = 6
const NEGATIVE = { spans: 8, deltas: 9 }
const POSITIVE = { spans: 11, deltas: 12 }
const TIMESTAMP = 15

/** Writes the fields of a histogram; its form is known to be there. */
export function writeNative(
  writer: ProtobufWriter,
  histogram: Histogram,
  form: NonNullable<ReturnType<typeof nativeForm>>,
  timeMs: number,
): void {
  writer.tag(COUNT, VARINT)
  writer.varint64(histogram.count)
  writer.tag(SUM, FIXED64)
  writer.double(Number(exportedSum(histogram)))
  writer.tag(SCHEMA, VARINT)
  writer.varint64(zigzag(BigInt(form.schema)))
  writer.tag(ZERO_THRESHOLD, FIXED64)
  writer.double(form.zeroThreshold)
  writer.tag(ZERO_COUNT, VARINT)
  writer.varint64(form.zeroCount)
  writeSide(writer, NEGATIVE, form.negative)
  writeSide(writer, POSITIVE, form.positive)
  writer.tag(TIMESTAMP, VARINT)
  writer.varint(timeMs)
}

/** Writes the histogram that says that a series has ended: by its sum. */
export function writeStaleNative(writer: ProtobufWriter, timeMs: number): void {
  writer.tag(SUM, FIXED64)
  writer.fixed64(STALE_BITS)
  writer.tag(TIMESTAMP, VARINT)
  writer.varint(timeMs)
}

function writeSide(
  writer: ProtobufWriter,
  fields: { readonly spans: number; readonly deltas: number },
  { spans, deltas }: NativeSide,
): void {
  for (const [offset, length] of spans) {
    writer.message(fields.spans, () => {
      writer.tag(1, VARINT)
      writer.varint64(zigzag(BigInt(offset)))
      writer.tag(2, VARINT)
      writer.varint(length)
    })
  }
  if (deltas.length === 0) return
  writer.message(fields.deltas, () => {
    for (const delta of deltas) writer.varint64(zigzag(delta))
  })
}

function zigzag(value: bigint): bigint {
  return (value << 1n) ^ (value >> 63n)
}
