/**
 * The JSON API under /api/v1/, as types: what the page, the terminal and all other clients rely on.
 * Times are Unix milliseconds (`…Ms`). Values that a double can't hold exactly are decimal text.
 * Routes of dialects are below /api/v1/NAME, their shapes in the dialects' http/api.ts.
 * In queries `from` and `to` are Unix milliseconds, `step` and `interval` whole seconds, or parts
 * of one from 0.01 on.
 *
 *   GET  /api/v1/series?filter=&kind=&dialect=&series=1,2&limit=&after=   SeriesPage
 *   GET  /api/v1/past?filter=&kind=&dialect=&from=&to=&limit=  PastAnswer
 *   GET  /api/v1/series/ID                                     SeriesInfo
 *   GET  /api/v1/series/ID/names                               NamesAnswer
 *   GET  /api/v1/series/ID/exemplars                           ExemplarsAnswer
 *   GET  /api/v1/range?series=1,2&from=&to=&step=              RangeAnswer
 *   GET  /api/v1/samples?series=1,2&from=&to=                  SamplesEvent
 *   GET  /api/v1/cells?series=1,2                              CellsEvent of the newest second
 *   GET  /api/v1/usual?series=1,2                              UsualAnswer
 *   GET  /api/v1/sources                                       SourcesAnswer
 *   GET  /api/v1/live?series=1,2&interval=1                    text/event-stream, see LiveEvents
 *   POST /api/v1/live/STREAM  { "series": [1, 2], "interval": 0.1 }   204: changes a stream
 *   GET  /api/v1/tap?listener=text&hex=true                    text/event-stream, see TapEvents
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
  HistoryStatus,
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
  /** Key of the label that the hub has added because other peers send the same names. */
  readonly sourceLabel?: string
  /** Type word of the dialect: `m`, `mr`, `g`, `h`. */
  readonly type?: string
  /** Address that sent it first, without port. */
  readonly source: string
  readonly displayName?: string
  readonly unit?: string
  /** Seconds that the sender wants a counter's rate stated per, where it chose any. */
  readonly rateTimeScaleS?: number
  /** Bounds of a histogram's buckets, where they are not powers: inclusive upper ones. */
  readonly bounds?: readonly number[]
  readonly description?: string
  readonly plot?: string
  readonly color?: string
  readonly firstSeenMs: number
  /**
   * End of the last closed second in which something arrived for it; of a new series, that of the
   * second before it.
   */
  readonly lastDataMs: number
  /** Silent for longer than the hub's stale time. */
  readonly isStale: boolean
  /**
   * Counter: the total (net of decrements). Gauge: the value, `1e999` for infinity. Others: the
   * count. Totals and counts are those at the end of `lastDataMs`: what comes later is in cells of
   * later seconds, and with them the total at each of these.
   */
  readonly current: ExactJson | null
  /**
   * The canonical value, for viewers that know names and numbers only: of a counter `NAME / Min`,
   * its rate per minute in the last second or window; of a gauge its value, of others their mean.
   * The name is the display name where there is one.
   */
  readonly canonical: { readonly name: string; readonly value: number | null }
  /**
   * Falls so far: of the reading of a cumulative counter (`mr`), of the total of a filter under the
   * hosts `nginx` and `envoy`.
   */
  readonly resets?: number
  /**
   * Start, where that is not when the series began: from when on a counter whose total fell counts.
   */
  readonly startMs?: number
  /** Counters fed by meters: Dropwizard's moving averages, per second. */
  readonly rates?: {
    readonly mean: number
    readonly m1: number
    readonly m5: number
    readonly m15: number
  }
  /** Histograms and summaries, since the series began, with all that has come. */
  readonly statistics?: StatisticsJson
  /**
   * Only the history has it: its times are those of its first and its last cell, and it has no
   * value of now. Its id is good for ranges, as long as not many others are told.
   */
  readonly isPast?: true
}

/** Series of a time that the hub has no more, or never had; those that ended last come first. */
export interface PastAnswer {
  readonly series: readonly SeriesInfo[]
  /** Number of all that match; more than are listed where there are more than the limit. */
  readonly total: number
}

/** Answer of `/api/v1/series/ID/exemplars`, the newest first. */
export interface ExemplarsAnswer {
  readonly exemplars: readonly ExemplarJson[]
}

/** One observation that its sender has marked, as a rule by the trace it belongs to. */
export interface ExemplarJson {
  readonly value: number
  /** Unix ms of the observation. */
  readonly timeMs: number
  /** Labels of its own: `trace_id`, `span_id`, and what else was said of it. */
  readonly labels: readonly (readonly [string, string])[]
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
  /** Largest relative error of a percentile, from the bucket width; none between own bounds. */
  readonly relativeError?: number
  /** Bounds of a histogram that has its own: a percentile may lie anywhere between two of them. */
  readonly bounds?: readonly number[]
}

/** Names that a series has wherever it leaves the hub. */
export interface NamesAnswer {
  readonly names: readonly SeriesNameJson[]
}

export interface SeriesNameJson {
  /** Place of the name: `Prometheus`, `PromQL`, `OTLP`, or a dialect by its title. */
  readonly where: string
  readonly text: string
  /** Words for what the text has no place for: a kind, a unit, labels. */
  readonly note?: string
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
  /**
   * Increase in each step, net of decrements; 0 where the counter stood still, null where the hub
   * has no data, or where nothing came because its peer was not there, be it for a part of the
   * step.
   */
  readonly delta: readonly (ExactJson | null)[]
}

interface GaugeColumn {
  readonly id: number
  readonly kind: 'gauge'
  /** Value at the end of each step, held from the last write until the series is stale. */
  readonly value: readonly (number | null)[]
  /** Least and largest value that are known of each step. */
  readonly min: readonly (number | null)[]
  readonly max: readonly (number | null)[]
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
  /**
   * Inclusive upper bounds of a histogram that has its own instead of powers, whatever the scale:
   * bucket i is (bounds[offset+i-1], bounds[offset+i]], the first all up to its bound, and the one
   * behind the last bound all above it.
   */
  readonly bounds?: readonly number[]
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
  /** End of the newest second that the hub has closed: a column beyond it is not whole yet. */
  readonly closedMs: number
  /** Stretches in which no hub ran: the first column of each, and how many there are. */
  readonly gaps: readonly (readonly [column: number, count: number])[]
  readonly columns: readonly RangeColumn[]
}

/**
 * Events of the live stream. The `id` of cells is the end of their interval in ms: a reconnecting
 * client sends the last one as Last-Event-ID and gets the cells it missed, as far as they are kept.
 * The id of hello is where that begins; series and sources have none, so the last one stays.
 *   event: hello    data: HelloEvent     first, and after every reconnect
 *   event: cells    data: CellsEvent     at every boundary of the stream's interval
 *   event: samples  data: SamplesEvent   with an interval below a second: what came since the last
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

/**
 * Events of a tap: what comes to a listener, from now on. At most some 2,500 messages a second are
 * told; what was left out comes as counts. The errors of a packet come before it.
 *   event: hello    data: TapHelloEvent     first
 *   event: packet   data: TapPacketEvent    a datagram, or a read of a connection
 *   event: bad      data: TapErrorEvent     a message that could not be read
 *   event: skipped  data: TapSkippedEvent   what was left out since the last
 */
export interface TapHelloEvent {
  readonly listener: string
  /** Registry names of the dialects that share it. */
  readonly dialects: readonly string[]
  readonly nowMs: number
}

/** Sender of a packet, and its time. */
interface TapOrigin {
  readonly timeMs: number
  /** Registry name of the dialect; name of the listener where none claims the bytes. */
  readonly dialect: string
  readonly transport: 'udp' | 'tcp'
  /** `ADDRESS:PORT`. */
  readonly peer: string
}

export interface TapPacketEvent extends TapOrigin {
  /** Size in bytes. */
  readonly bytes: number
  /** Messages that ended in it, as `pentameter decode` prints them. */
  readonly messages: readonly unknown[]
  /** First 2048 of the bytes, where they were asked for. */
  readonly hex?: string
}

export interface TapErrorEvent extends TapOrigin {
  /** Code of the dialect's closed set, or `unclaimed`. */
  readonly code: string
  /** Place in the message, bytes from its first one. */
  readonly offset: number
  /** Place of the same in `hex`, bytes from its first one; absent where it is not in there. */
  readonly hexOffset?: number
  /** Whether the next message could be found. */
  readonly resync: boolean
  readonly detail: string
  /** First 128 bytes of the message, or of the line of it that is bad. */
  readonly hex: string
}

/** Counts of what was left out; the messages of packets that were not read are unknown. */
export interface TapSkippedEvent {
  readonly packets: number
  readonly bytes: number
  readonly messages: number
  readonly errors: number
}

/**
 * Comparison of the last ten seconds of series with their own last ten minutes. Lists are packed:
 * the bytes of little-endian arrays in base64, of Uint32 (ids) and Float32 (all others, NaN where
 * too little is known), one number for each of `ids`.
 */
export interface UsualAnswer {
  /** End of the ten seconds, Unix ms; null while the first are still read. */
  readonly endMs: number | null
  /** Time after which a further question has another answer, ms. */
  readonly nextMs: number
  /** Series that are compared: at most 100,000, and none that was silent for long. */
  readonly compared: number
  /** Ids of series that are unusual, and besides of those that were asked for; without any, all. */
  readonly ids: string
  /** Counter: growth per second; gauge: value; histogram: p99; summary: mean. */
  readonly recent: string
  /** Median of the last ten minutes, and of the distances from it. */
  readonly usual: string
  readonly spread: string
  /** Increments or observations per second in the last ten seconds. */
  readonly rate: string
  /** Seconds for which each has been unusual at `endMs`, in steps of ten; 0 while it is not. */
  readonly unusualS: string
  /** Ids of all series that are stale. */
  readonly stale: string
}

export interface CellsEvent {
  /** End of the interval. */
  readonly endMs: number
  readonly intervalMs: number
  /**
   * Increments of series that the stream carries and that changed, net of decrements; a counter
   * left out stood still.
   * Null where nothing came because the peer that it comes from was not there, be it for a part of
   * the interval.
   */
  readonly counters: readonly (readonly [id: number, delta: ExactJson | null])[]
  /**
   * Last values; null for one that is not known any more: the peer that it came from has gone. With
   * the spread where more values of the interval are known.
   */
  readonly gauges: readonly (readonly [
    id: number,
    value: number | null,
    spread?: GaugeSpreadJson,
  ])[]
  readonly histograms: readonly (readonly [id: number, cell: HistogramCellJson])[]
  readonly summaries: readonly (readonly [id: number, cell: SummaryCellJson])[]
}

/**
 * Samples with their own times: of a stream's gauges since the last such event, or those of a
 * stretch of time that ends then.
 */
export interface SamplesEvent {
  readonly endMs: number
  /** Groups of one source are in the order of time. */
  readonly groups: readonly SampleGroup[]
}

/** Series that were measured together. */
export interface SampleGroup {
  readonly ids: readonly number[]
  /** Float64Array, little-endian, in base64: Unix ms with fractions, rising. */
  readonly times: string
  /**
   * Float64Array likewise, column by column: the value of series i at time j is number
   * `i * times + j`; NaN = none.
   */
  readonly values: string
}

/** Values of a gauge in an interval. */
interface GaugeSpreadJson {
  readonly first: number
  readonly min: number
  readonly max: number
  /** Number of values, each between min and max. */
  readonly count: number
}

export interface SeriesEvent {
  readonly revision: number
  readonly total: number
}
