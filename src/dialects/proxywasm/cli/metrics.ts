/** The metrics of a run as a person or a program reads them: a table's rows, or the peer's JSON. */

import type { Zone, ZoneReader } from '../../../shm/index.ts'
import { printable, tableLines } from '../../../terminal/index.ts'
import { jsonInteger } from '../codec/metric.ts'
import type { HostMode } from '../host/abi.ts'
import { readName } from '../names.ts'
import { BIN_BOUNDS, type JsonDocument, type JsonMetric } from '../spec.ts'

/** Index of the bin without an end. */
const LAST_BIN = 32

interface MetricRow {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly value: string
}

/**
 * Reads all metrics of a zone by their prefixed names, as the original shows them, with sums. A
 * name that two metrics have, which is Envoy's way with types, is followed by its type the second
 * time.
 */
export function readMetrics(zone: Zone, reader: ZoneReader, host: HostMode = 'spec'): JsonDocument {
  const document: Record<string, JsonMetric> = {}
  for (let metric = 0; metric < zone.metrics; metric++) {
    if (!zone.has(metric)) continue
    const key = zone.key(metric)
    // under Envoy's host mode the type follows the name (keys.ts)
    const name = nameText(host === 'envoy' ? key.subarray(0, -1) : key)
    const value = readMetric(zone, reader, metric)
    document[name in document ? `${name} (${value.type})` : name] = value
  }
  return document
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Shows bytes that are no UTF-8 as `\xff`, so that two names stay two. */
function nameText(name: Uint8Array): string {
  try {
    return utf8.decode(name)
  } catch {
    // a TypeError: no UTF-8
    return Array.from(name, (byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
    ).join('')
  }
}

function readMetric(zone: Zone, reader: ZoneReader, metric: number): JsonMetric {
  switch (zone.type(metric)) {
    case 'counter':
      return { type: 'counter', value: jsonInteger(reader.counter(metric)) }
    case 'gauge': {
      const gauge = { value: Number.NaN as number | bigint, sequence: 0 }
      reader.gauge(metric, gauge)
      const isWritten = !Number.isNaN(gauge.value)
      return { type: 'gauge', value: jsonInteger(isWritten ? BigInt(gauge.value) : 0n) }
    }
    default: {
      const { bins, sum } = reader.dense(metric)
      const value = Array.from(bins, (count, bin) => ({
        ub: BIN_BOUNDS[bin]!,
        count: jsonInteger(count),
      }))
      const isShown = ({ count }: { count: number | string }, bin: number): boolean =>
        count !== 0 || bin === LAST_BIN
      return { type: 'histogram', value: value.filter(isShown), sum: jsonInteger(sum) }
    }
  }
}

/**
 * @param unit of histograms; filters know none
 * @param hasWrapped whether a gauge ever fell below zero: then gauges are shown with their sign
 */
export function metricRows(
  document: JsonDocument,
  filter: string,
  unit = '',
  hasWrapped = false,
): MetricRow[] {
  return Object.entries(document).map(([key, metric]) => {
    const { name } = readName(new TextEncoder().encode(key), [filter])
    const shown = new TextDecoder().decode(name)
    return { name: shown, type: metric.type, value: valueText(metric, unit, hasWrapped) }
  })
}

function valueText(metric: JsonMetric, unit: string, hasWrapped: boolean): string {
  if (metric.type === 'gauge' && hasWrapped) return grouped(BigInt.asIntN(64, BigInt(metric.value)))
  if (metric.type !== 'histogram') return grouped(metric.value)
  const counts = new BigUint64Array(BIN_BOUNDS.length)
  for (const bin of metric.value) counts[BIN_BOUNDS.indexOf(bin.ub)] = BigInt(bin.count)
  const count = counts.reduce((sum, each) => sum + each, 0n)
  if (count === 0n) return 'no observations'
  const tail = unit === '' ? '' : ` ${unit}`
  const mean = Number(metric.sum ?? 0) / Number(count)
  const bounds = [0.5, 0.99].map((q) => `p${q * 100} ${boundText(counts, count, q)}${tail}`)
  const observations = count === 1n ? 'observation' : 'observations'
  return [`${grouped(count)} ${observations}`, `mean ${round(mean)}${tail}`, ...bounds].join(', ')
}

/** Writes a quantile as the bound of its bin: more is not known of it. */
function boundText(counts: BigUint64Array, count: bigint, q: number): string {
  const rank = BigInt(Math.max(1, Math.ceil(q * Number(count))))
  let seen = 0n
  for (let bin = 0; bin < LAST_BIN; bin++) {
    seen += counts[bin]!
    if (seen >= rank) return `<= ${grouped(BIN_BOUNDS[bin]!)}`
  }
  return `> ${grouped(2 ** 31 - 1)}`
}

function round(value: number): string {
  return Math.abs(value) >= 1000 || Number.isInteger(value)
    ? grouped(Math.round(value))
    : value.toPrecision(4)
}

function grouped(value: number | bigint | string): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** Lays the metrics out as a table with a head. */
export function metricLines(rows: readonly MetricRow[]): string[] {
  if (rows.length === 0) return ['the filter has defined no metric']
  const cells = rows.map(({ name, type, value }) => [printable(name), type, value])
  return tableLines([['metric', 'type', 'value'], ...cells])
}
