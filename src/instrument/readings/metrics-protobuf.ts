/**
 * Readings of a registry in Prometheus' protobuf: the families of the text formats, histograms with
 * native buckets beside the classic ones, as a hub has them.
 */
import { familyHeadBytes, type MetricValue, writeMetric } from '../../exposition/family-message.ts'
import { nativeFamily } from '../../exposition/names.ts'
import { ProtobufWriter } from '../../wire/protobuf/writer.ts'
import { type Family, namedFamilies, type Row, sampleOf } from './metrics-text.ts'
import type { Reading } from './reading.ts'

/** Writes an exposition, families by their names. */
export function readingsProtobuf(readings: Iterable<Reading>): Uint8Array<ArrayBuffer> {
  const families = namedFamilies(readings)
  const taken = new Set(families.map(({ name }) => name))
  const natives = families.flatMap((family) => nativeOf(family, taken))
  return new Uint8Array(Buffer.concat([...families, ...natives].flatMap(familyBytes)))
}

/** Makes the family of native buckets, where values of the classic one are divided. */
function nativeOf({ name, type, help, rows }: Family, taken: ReadonlySet<string>): Family[] {
  const shift = rows[0]?.shift ?? 0
  const native = type === 'histogram' ? nativeFamily({ family: name, shift }) : undefined
  if (native === undefined || taken.has(native.family)) return []
  const exponential = rows.filter(({ reading }) => {
    return reading.kind === 'histogram' && reading.histogram.bounds === undefined
  })
  const undivided = exponential.map((row) => ({ ...row, shift: 0 }))
  return [{ name: native.family, type, help, unit: native.unit, rows: undivided, isNative: true }]
}

function familyBytes(family: Family): Uint8Array<ArrayBuffer>[] {
  const { name, type, help, unit, rows, isNative = false } = family
  const writer = new ProtobufWriter()
  for (const row of rows) {
    const value = metricValue(row, type, !isNative)
    if (value === undefined) continue
    const { labels, shift, reading } = row
    const { exemplars = [] } = reading
    writeMetric(writer, type, { labels, shift, value, exemplars })
  }
  if (writer.size === 0) return []
  const head = { name: type === 'counter' ? `${name}_total` : name, help, type, unit }
  return [familyHeadBytes(head, writer.size), writer.finish()]
}

function metricValue(row: Row, type: Family['type'], isClassic: boolean): MetricValue | undefined {
  const { reading } = row
  if (type === 'histogram') {
    if (reading.kind !== 'histogram') return undefined
    const { histogram } = reading
    return { kind: 'histogram', histogram, isClassic, isNative: true, isWindowed: false }
  }
  if (type === 'summary') {
    if (reading.kind !== 'summary') return undefined
    const { sum, quantiles = [] } = reading
    return { kind: 'summary', count: BigInt(reading.count), sum, quantiles }
  }
  const value = sampleOf(row)
  return Number.isNaN(value) ? undefined : { kind: 'sample', value }
}
