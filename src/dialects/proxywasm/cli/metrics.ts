/** The metrics of a run as a person or a program reads them: a table's rows, or the peer's JSON. */

import type { Zone, ZoneReader } from '../../../shm/index.ts'
import { printable, tableLines } from '../../../terminal/index.ts'
import { jsonInteger } from '../codec/metric.ts'
import type { HostMode } from '../host/abi.ts'
import type { ThreadValues } from '../hub/settings/values.ts'
import { readName } from '../names.ts'
import {
  type JsonBin,
  type JsonDocument,
  type JsonMetric,
  LAST_BOUND,
  OVERFLOW_FROM,
} from '../spec.ts'

interface MetricRow {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly value: string
  /** Parts of the threads, of a filter with several. */
  readonly threads?: string
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
    default:
      return readHistogram(zone.type(metric), reader, metric)
  }
}

/** Reads a histogram: held bins of an expanding one, all own ones, else those in use. */
function readHistogram(type: string, reader: ZoneReader, metric: number): JsonMetric {
  const { bounds, counts, sum } = reader.bins(metric)
  const all = bounds.map((bound, i) => ({ bound, count: counts[i]! }))
  const isUsed = ({ bound, count }: (typeof all)[number]) => count > 0n || bound === LAST_BOUND
  const shown = type === 'dense' ? all.filter(isUsed) : reader.documentedBins(metric).bins
  return {
    type: 'histogram',
    value: shown.map(({ bound, count }) => ({ ub: bound, count: jsonInteger(count) })),
    sum: jsonInteger(sum),
    ...(type === 'binned' ? { bounds: bounds.slice(0, -1) } : {}),
  }
}

interface RowOptions {
  /** Filter whose prefix is left out; all names are whole without it. */
  readonly filter?: string
  /** Unit of histograms; filters know none. */
  readonly unit?: string
  /** Whether a gauge ever fell below zero: then gauges are shown with their sign. */
  readonly hasWrapped?: boolean
  /** Whether histograms have all 33 bins; the default. */
  readonly isDense?: boolean
  readonly threads?: readonly ThreadValues[]
}

export function metricRows(document: JsonDocument, options: RowOptions = {}): MetricRow[] {
  const { filter, threads = [] } = options
  return Object.entries(document).map(([key, metric], i) => {
    const name = filter === undefined ? key : plainName(key, filter)
    const workers = threads[i]?.workers
    return {
      name,
      type: metric.type,
      value: valueText(metric, options),
      ...(workers === undefined ? {} : { threads: partsText(workers) }),
    }
  })
}

function plainName(key: string, filter: string): string {
  const { name } = readName(new TextEncoder().encode(key), [filter])
  return new TextDecoder().decode(name)
}

/** Writes the parts of a sum; a gauge has one value, whichever thread wrote it last. */
function partsText(workers: ThreadValues['workers']): string {
  return workers.every((part) => part === null) ? 'one for all' : workers.map(partText).join(' + ')
}

function partText(part: ThreadValues['ended']): string {
  return part === null ? '–' : grouped(part)
}

function valueText(
  metric: JsonMetric,
  { unit = '', hasWrapped = false, isDense = true }: RowOptions,
): string {
  if (metric.type === 'gauge' && hasWrapped) return grouped(BigInt.asIntN(64, BigInt(metric.value)))
  if (metric.type !== 'histogram') return grouped(metric.value)
  const count = metric.value.reduce((sum, bin) => sum + BigInt(bin.count), 0n)
  if (count === 0n) return 'no observations'
  const tail = unit === '' ? '' : ` ${unit}`
  const mean = Number(metric.sum ?? 0) / Number(count)
  const bounds = [0.5, 0.99].map((q) => {
    return `p${q * 100} ${boundText(metric.value, count, q, isDense)}${tail}`
  })
  const observations = count === 1n ? 'observation' : 'observations'
  return [`${grouped(count)} ${observations}`, `mean ${round(mean)}${tail}`, ...bounds].join(', ')
}

/**
 * Writes a quantile as the bound of its bin: more is not known of it. What is in the last bin lies
 * above the bound before it.
 */
function boundText(bins: readonly JsonBin[], count: bigint, q: number, isDense: boolean): string {
  const rank = BigInt(Math.max(1, Math.ceil(q * Number(count))))
  let seen = 0n
  let below = isDense ? OVERFLOW_FROM - 1 : 0
  for (const { ub, count: part } of bins) {
    seen += BigInt(part)
    if (ub === LAST_BOUND) break
    if (seen >= rank) return `<= ${grouped(ub)}`
    if (!isDense) below = ub
  }
  return `> ${grouped(below)}`
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
  const isByThread = rows.some(({ threads }) => threads !== undefined)
  const cells = rows.map(({ name, type, value, threads = '' }) => {
    return [printable(name), type, value, ...(isByThread ? [threads] : [])]
  })
  return tableLines([['metric', 'type', 'value', ...(isByThread ? ['by thread'] : [])], ...cells])
}
