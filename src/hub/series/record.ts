/** What the hub knows of one series: the shapes of its record by kind, and of its total. */
import type { Exact, Histogram, Identity, Metadata, Summary } from '../../model/index.ts'
import type { CumulativeReading } from '../ingest/cumulative-reading.ts'
import type { CounterWindows } from '../ingest/windows/counter-windows.ts'
import type { HistogramWindows } from '../ingest/windows/histogram-windows.ts'
import type { SummaryWindows } from '../ingest/windows/summary-windows.ts'

/** A series by its kind: what only one kind has, is only there. */
export type SeriesRecord = CounterRecord | GaugeRecord | HistogramRecord | SummaryRecord

interface AnyRecord {
  readonly id: number
  readonly identity: Identity
  metadata: Metadata
  /** Address without port of the peer that sent it first; `hub` for the hub's own. */
  readonly source: string
  /** Index of its metric in the zone. */
  readonly metric: number
  /** Time at which it was made; it moves only where the wall clock was set, by as much. */
  firstSeenMs: number
  /** End of the last interval in which something arrived. */
  lastDataMs: number
  /** True for one that never expires. */
  readonly isKept: boolean
}

export interface CounterRecord extends AnyRecord {
  readonly kind: 'counter'
  /** The second monotonic part with the sizes of negative increments, if there is one. */
  decrements: CounterRecord | undefined
  /** True for such a second part: exported, but not shown as a series of its own. */
  readonly isDecrements: boolean
  /** Id of the counter of which it is such a part, once that knows it. */
  readonly wholeId: number | undefined
  /** Cumulative counters (`mr`): the last reading and the resets. */
  readonly reading: CumulativeReading | undefined
  /**
   * Counters that wrap (of some filters): how often the total fell, each time a reset, the end of
   * the interval of the last fall, from which exports count, and what was lost in all, mod 2^64.
   */
  falls: { readonly count: number; readonly lastMs: number; readonly lost: bigint } | undefined
  /** Whole part that its metric held when it was restored: no cell of this start tells of it. */
  begun: bigint | undefined
  /** True while windows have come for it that are in no cell yet. */
  isWaiting: boolean
  /** Windows: what its metric leaves out of the total; present once some have come. */
  windows: CounterWindows | undefined
}

export interface GaugeRecord extends AnyRecord {
  readonly kind: 'gauge'
}

export interface HistogramRecord extends AnyRecord {
  readonly kind: 'histogram'
  /** True for one that comes as windows, and is not in the zone. */
  readonly isWindowed: boolean
  /** True while windows have come for it that are in no cell yet. */
  isWaiting: boolean
  /** All there is of a windowed one, what others had when restored; present once there is any. */
  windows: HistogramWindows | undefined
}

export interface SummaryRecord extends AnyRecord {
  readonly kind: 'summary'
  /** True while windows have come for it that are in no cell yet. */
  isWaiting: boolean
  /** All there is of it, for its metric only gives it a number; present once windows have come. */
  windows: SummaryWindows | undefined
}

/** Tells whether a series is the second part of a counter, which is not shown for itself. */
export function isDecrements(record: SeriesRecord): boolean {
  return record.kind === 'counter' && record.isDecrements
}

/** Gives the id of a series' second part; undefined where it has none. */
export function decrementsId(record: SeriesRecord | undefined): number | undefined {
  return record?.kind === 'counter' ? record.decrements?.id : undefined
}

/** Tells whether a series is a histogram that comes as windows. */
export function isWindowed(record: SeriesRecord): boolean {
  return record.kind === 'histogram' && record.isWindowed
}

/** Tells when the total of a series began: with its first receipt, or its last reset. */
export function beganMs(record: SeriesRecord): number {
  return (record.kind === 'counter' ? record.falls?.lastMs : undefined) ?? record.firstSeenMs
}

/** Total of a series since it began; integers exact. */
export type Total =
  | { readonly kind: 'counter'; readonly total: Exact; readonly decrements: Exact }
  | { readonly kind: 'gauge'; readonly value: Exact | undefined }
  | { readonly kind: 'histogram'; readonly histogram: Histogram }
  | {
      readonly kind: 'summary'
      readonly summary: Summary
      /**
       * Sum, which never falls while observations are 0 or more; mean * count may, by a rounding.
       */
      readonly sum: number
      /** Statistics of the newest second that had windows; empty where they were. */
      readonly last: Summary
    }
