/** Metrics of a zone in the shape of JSON documents. */
import type { BinTable, SegmentReading, ZoneReader } from '../../../shm/index.ts'
import { jsonInteger } from '../codec.ts'
import { type FilterMetricType, type JsonBin, type JsonMetric, LAST_BOUND } from '../spec.ts'

/** `dense` shows every bin that is not empty, `documented` at most 18. */
export type HistogramView = 'dense' | 'documented'

interface ValueOptions {
  readonly view?: HistogramView
  /** The peer's edition, which has sums and bounds of a definition's own. */
  readonly isPeer: boolean
}

/** Tells the type of a metric as the document knows it. */
export function documentType(zoneType: string): FilterMetricType {
  return zoneType === 'counter' || zoneType === 'gauge' ? zoneType : 'histogram'
}

export function readValue(
  reader: ZoneReader,
  metric: number,
  zoneType: string,
  { view = 'dense', isPeer }: ValueOptions,
): JsonMetric {
  if (zoneType === 'counter') {
    return { type: 'counter', value: jsonInteger(reader.counter(metric)) }
  }
  if (zoneType === 'gauge') return { type: 'gauge', value: readGauge(reader, metric) }
  const table =
    view === 'documented' && zoneType !== 'binned'
      ? reader.documentedBins(metric)
      : denseTable(reader, metric, zoneType)
  return histogramValue(table, isPeer, zoneType === 'binned')
}

/** Reads a gauge; one that was never written is 0. */
function readGauge(reader: ZoneReader, metric: number) {
  const reading = { value: 0 as number | bigint, sequence: 0 }
  return reader.gauge(metric, reading) ? jsonInteger(reading.value) : 0
}

/** Lists all bins of a definition's own, else those that are not empty; the last one always. */
function denseTable(reader: ZoneReader, metric: number, zoneType: string): BinTable {
  const { bounds, counts, sum } = reader.bins(metric)
  const bins = bounds.map((bound, i) => ({ bound, count: counts[i]! }))
  const isShown = ({ bound, count }: (typeof bins)[number]): boolean =>
    count > 0n || zoneType === 'binned' || bound === LAST_BOUND
  return { sum, bins: bins.filter(isShown) }
}

function histogramValue({ bins, sum }: BinTable, isPeer: boolean, hasBounds: boolean): JsonMetric {
  const value: JsonBin[] = bins.map(({ bound, count }) => ({
    ub: bound,
    count: jsonInteger(count),
  }))
  const bounds = bins.map(({ bound }) => bound).slice(0, -1)
  return {
    type: 'histogram',
    value,
    // The shape has no place for a sum of fractions.
    ...(isPeer && Number.isInteger(Number(sum)) ? { sum: jsonInteger(sum) } : {}),
    ...(hasBounds ? { bounds } : {}),
  }
}

/** Part of a metric that one worker has. */
export interface WorkerValue {
  /** Number of its segment; 0 is what workers that are gone have left. */
  readonly worker: number
  readonly value: JsonMetric
  /** Bins that the worker's table has room for, of a histogram. */
  readonly capacity?: number
}

export function workerValues(
  reader: ZoneReader,
  metric: number,
  zoneType: string,
  isPeer: boolean,
): WorkerValue[] {
  if (documentType(zoneType) !== 'histogram') {
    return reader.segments(metric).flatMap((reading) => numberOf(reading) ?? [])
  }
  return reader.segmentBins(metric).map((table) => ({
    worker: table.segment,
    value: histogramValue(table, isPeer, zoneType === 'binned'),
    capacity: table.capacity,
  }))
}

function numberOf(reading: SegmentReading): WorkerValue | undefined {
  const { segment: worker, type } = reading
  if (type !== 'counter' && type !== 'gauge') return undefined
  return { worker, value: { type, value: jsonInteger(reading.value) } }
}
