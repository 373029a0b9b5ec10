/**
 * The JSON API under /api/v1/, as types: what the page, the terminal and all other clients rely on.
 * Times are Unix milliseconds (`…Ms`). Values that a double can't hold exactly are decimal text.
 * Routes of dialects are below /api/v1/NAME, their shapes in the dialects' http/api.ts.
 * In queries `from` and `to` are Unix milliseconds, `step` and `interval` whole seconds.
 *
 *   GET  /api/v1/series?filter=&kind=&dialect=&limit=&after=   SeriesPage
 *   GET  /api/v1/series/ID                                     SeriesInfo
 *   GET  /api/v1/range?series=1,2&from=&to=&step=              RangeAnswer
 *   GET  /api/v1/cells?series=1,2                              CellsEvent of the newest second
 *   GET  /api/v1/sources                                       SourcesAnswer
 *   GET  /api/v1/live?series=1,2&interval=1                    text/event-stream, see LiveEvents
 *   POST /api/v1/live/STREAM  { "series": [1, 2] }             204: changes what a stream carries
 *   any error                                                  ApiError with its status
 *
 * An address names at most 1000 series (range: 200), each parameter once; a POST up to 5000.
 */
export type {
  ClockStep,
  ConnectionStatus,
  DialectStatus,
  ErrorStatus,
  ExportStatus,
  LimitStatus,
  ListenerStatus,
  OffenderStatus,
  OverloadStatus,
  PeerStatus,
  SourcesAnswer,
  WorkerStatus,
  ZoneStatus,
} from '../hub/status/status.ts'

export type Kind = 'counter' | 'gauge' | 'histogram' | 'summary'
export type ExactJson = number | string

export interface ApiError {
  readonly error: {
    readonly code: string
    readonly message: string
    /** Hint what to do about it, where there is something to do. */
    readonly hint?: string
  }
}

export interface SeriesInfo {
  /** Stable while the hub runs. */
  readonly id: number
  readonly name: string
  readonly kind: Kind
  readonly labels: readonly (readonly [string, string])[]
  /** Registry name of the dialect; `hub` for the hub's own metrics. */
  readonly dialect: string
  /** Value of the label that says whose the name is, where the dialect has such a label. */
  readonly namespace?: string
  /** Type word of the dialect: `m`, `mr`, `g`, `h`. */
  readonly type?: string
  /** Address that sent it first, without port. */
  readonly source: string
  readonly displayName?: string
  readonly unit?: string
  /** Seconds that the sender wants a counter's rate stated per, where it chose any. */
  readonly rateTimeScaleS?: number
  readonly description?: string
  readonly plot?: string
  readonly color?: string
  readonly firstSeenMs: number
  /** End of the last second in which something arrived for it. */
  readonly lastDataMs: number
  /** Silent for longer than the hub's stale time. */
  readonly isStale: boolean
  /**
   * Counter: the total (net of decrements). Gauge: the value, `1e999` for infinity. Others: the
   * count.
   */
  readonly current: ExactJson | null
  /**
   * The canonical value, for viewers that know names and numbers only: of a counter `NAME / Min`,
   * its rate per minute in the last second or window; of a gauge its value, of others their mean.
   * The name is the display name where there is one.
   */
  readonly canonical: { readonly name: string; readonly value: number | null }
  /** Cumulative counters (`mr`) and those that filters may set: falls of the reading so far. */
  readonly resets?: number
  /**
   * Start, where that is not when the series began: from when on a counter that was set lower
   * counts.
   */
  readonly startMs?: number
  /** Counters fed by meters: Dropwizard's moving averages, per second. */
  readonly rates?: {
    readonly mean: number
    readonly m1: number
    readonly m5: number
    readonly m15: number
  }
  /** Histograms and summaries, since the series began. */
  readonly statistics?: StatisticsJson
}

/**
 * Statistics; of a histogram all but count, sum, min, max and mean are estimates; a summary has no
 * others.
 */
export interface StatisticsJson {
  readonly count: ExactJson
  readonly sum: ExactJson | null
  readonly min: ExactJson | null
  readonly max: ExactJson | null
  readonly mean: number | null
  /** Standard deviation of the whole population. */
  readonly stddev: number | null
  readonly median?: number | null
  readonly p75?: number | null
  readonly p95?: number | null
  readonly p98?: number | null
  readonly p99?: number | null
  readonly p999?: number | null
  /** Largest relative error of a percentile, from the bucket width. */
  readonly relativeError?: number
}

/** Answer of `DELETE /api/v1/series`. */
export interface DeletionAnswer {
  /** Series that match. */
  readonly matching: number
  /** Number of those that went; 0 of a dry run. */
  readonly deleted: number
  /** Number of those that stay because they are the hub's own or a filter's. */
  readonly kept: number
  readonly isDryRun: boolean
}

export interface SeriesPage {
  readonly series: readonly SeriesInfo[]
  /** Pass as `after` for the next page; absent on the last. */
  readonly next?: number
  /** All series that match, whatever the page holds. */
  readonly total: number
  /** Rises when a series appears, leaves or changes its metadata. */
  readonly revision: number
}

/** One series over a window: column i ends at `fromMs + (i + 1) * stepMs`. */
export type RangeColumn = CounterColumn | GaugeColumn | HistogramColumn | SummaryColumn

interface CounterColumn {
  readonly id: number
  readonly kind: 'counter'
  /** Increase in each step; null where the hub has no data, 0 where the counter stood still. */
  readonly delta: readonly (ExactJson | null)[]
}

interface GaugeColumn {
  readonly id: number
  readonly kind: 'gauge'
  /** Value at the end of each step, held from the last write until the series is stale. */
  readonly value: readonly (number | null)[]
}

interface HistogramColumn {
  readonly id: number
  readonly kind: 'histogram'
  readonly cells: readonly (HistogramCellJson | null)[]
}

interface SummaryColumn {
  readonly id: number
  readonly kind: 'summary'
  readonly cells: readonly (SummaryCellJson | null)[]
}

export interface HistogramCellJson {
  readonly count: number
  readonly sum: number | null
  readonly min: number | null
  readonly max: number | null
  readonly p50: number
  readonly p90: number
  readonly p99: number
  /** Positive buckets for the heat map: i is (2^((offset+i)/2^scale), …]; scale at most 2. */
  readonly scale: number
  readonly offset: number
  readonly counts: readonly number[]
  /** Observations of zero, and those below it: in no bucket, but part of every percentile. */
  readonly zero: number
  readonly negative: number
  /** Largest value that `zero` counts, where that is not 0. */
  readonly zeroTo?: number
  /** Observations of `from` or more, of which no more is known; absent when there are none. */
  readonly overflow?: { readonly from: number; readonly count: number }
}

export interface SummaryCellJson {
  readonly count: number
  readonly mean: number
  readonly deviation: number
  readonly min: number | null
  readonly max: number | null
}

export interface RangeAnswer {
  readonly fromMs: number
  readonly stepMs: number
  readonly length: number
  readonly columns: readonly RangeColumn[]
}

/**
 * Events of the live stream. The `id` of cells is the end of their interval in ms: a reconnecting
 * client sends the last one as Last-Event-ID and gets the cells it missed, as far as they are kept.
 * The id of hello is where that begins; series and sources have none, so the last one stays.
 *   event: hello    data: HelloEvent     first, and after every reconnect
 *   event: cells    data: CellsEvent     at every boundary of the stream's interval
 *   event: series   data: SeriesEvent    when the list of series changed
 *   event: sources  data: SourcesAnswer  every second, while something changed
 */
export interface HelloEvent {
  /** Name of this stream for POST /api/v1/live/STREAM. */
  readonly stream: string
  readonly version: string
  /** Name of this start of the hub: another one after a restart, when all totals begin anew. */
  readonly startId: string
  readonly nowMs: number
  readonly intervalMs: number
  readonly staleAfterMs: number
  readonly windowMaxMs: number
}

export interface CellsEvent {
  /** End of the interval. */
  readonly endMs: number
  readonly intervalMs: number
  /**
   * Increments of series that the stream carries and that changed; a counter left out stood still.
   */
  readonly counters: readonly (readonly [id: number, delta: ExactJson])[]
  /** Values; null for one that is not known any more: the peer that it came from has gone. */
  readonly gauges: readonly (readonly [id: number, value: number | null])[]
  readonly histograms: readonly (readonly [id: number, cell: HistogramCellJson])[]
  readonly summaries: readonly (readonly [id: number, cell: SummaryCellJson])[]
}

export interface SeriesEvent {
  readonly revision: number
  readonly total: number
}
