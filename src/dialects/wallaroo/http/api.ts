/**
 * What the API says of Wallaroo pipelines, as types (wallaroo.md §8). Counts that a double can't
 * hold exactly are decimal text. Latencies are nanoseconds, times Unix milliseconds of the hub's
 * clock: those of a worker whose clock is off are shifted.
 */
import type { SeriesNames } from '../map.ts'

/** Exact up to any size: text beyond 2^53. */
export type CountJson = number | string

/** GET /api/v1/wallaroo/applications */
export interface ApplicationsAnswer {
  readonly nowMs: number
  /** Sorted by name; one that joined is known before it has data. */
  readonly applications: readonly ApplicationSummary[]
}

export interface ApplicationSummary {
  readonly application: string
  readonly pipelines: number
  readonly workers: number
  readonly workersConnected: number
  readonly computations: number
  /** Latest end of a window; null before the first. */
  readonly lastWindowMs: number | null
}

/** Completeness of an answer; both are absent where its whole range is complete. */
export interface Completeness {
  /** Earlier windows are missing. */
  readonly completeFromMs?: number
  /**
   * Reason of a loss: memory ran out (`wallaroo.windowBytesLimit`), or windows were past their time
   * (`wallaroo.retentionMs`).
   */
  readonly missingFor?: 'memory' | 'retention'
}

/**
 * GET /api/v1/wallaroo/application?application=NAME
 * Throughput and latencies are those of the last 5 minutes.
 */
export interface ApplicationAnswer extends Completeness {
  readonly application: string
  readonly nowMs: number
  readonly fromMs: number
  readonly toMs: number
  /** Sorted by name, as all lists here. */
  readonly pipelines: readonly PipelineRow[]
  readonly workers: readonly WorkerRow[]
  /** Rows by pipeline and name: equal names of two pipelines are two rows. */
  readonly computations: readonly RowJson[]
  /** The same on each worker, by pipeline, worker and name: what shows the slow one of them. */
  readonly computationsByWorker: readonly RowJson[]
  /** Categories that the peer does not have. */
  readonly others: readonly RowJson[]
}

/** Names of one row of a table; absent labels are added up over. */
export interface ViewKey {
  readonly category: SeriesNames['category']
  readonly pipeline?: string
  readonly worker?: string
  readonly name?: string
}

export interface RowJson {
  /** Exactly the parameters of the view behind this row, besides the application. */
  readonly key: ViewKey
  readonly latency: LatencyJson
  readonly throughput: ThroughputJson
  /** Messages since the series began, skewed ones too. */
  readonly messages: CountJson
  /** Latest end of a window, and how long ago that was; null before the first. */
  readonly lastWindowMs: number | null
  readonly ageMs: number | null
  /** Place of a computation in the pipeline, as last stated. */
  readonly id?: number
  /**
   * Line of pipelines and workers: messages a second in up to 60 equal parts of the window,
   * rounded; null where no window is.
   */
  readonly line?: readonly (number | null)[]
}

export interface PipelineRow extends RowJson {
  /**
   * Messages that came in at its sources; `throughput` is what went out. Null without ingestion.
   */
  readonly ingested: ThroughputJson | null
}

export interface WorkerRow extends RowJson {
  readonly worker: WorkerJson
}

export interface WorkerJson {
  readonly application: string
  readonly worker: string
  /** Null where it is behind a relay that is connected, and nothing is heard of it. */
  readonly isConnected: boolean | null
  /** Last window, join or leave. */
  readonly lastSeenMs: number
  /** Hub clock less the worker's; null until it is established. */
  readonly clockOffsetMs: number | null
  /**
   * Off by more than a minute, or so far ahead that its windows end in the future: its times are
   * shifted by the offset.
   */
  readonly isClockOff: boolean
}

/** Statistics of latencies: all but the counts leave out what clock skew made impossible. */
export interface LatencyJson {
  /** Messages; those of bin 64 too, unless the hub is told that they are clock skew. */
  readonly count: CountJson
  /** Messages of bin 64: they happened, without a latency. */
  readonly skewed: CountJson
  /** Null where no window knew them. */
  readonly minNs: CountJson | null
  readonly maxNs: CountJson | null
  /** Estimated from the bins: the protocol carries no sum. */
  readonly meanNsEstimated: number | null
  /** Interpolated within their bins; null without samples. */
  readonly p50Ns: number | null
  readonly p95Ns: number | null
  readonly p99Ns: number | null
  readonly p999Ns: number | null
  readonly p9999Ns: number | null
}

/** Messages a second over the seconds that have windows; null where none has. */
export interface ThroughputJson {
  readonly min: CountJson | null
  readonly median: CountJson | null
  readonly max: CountJson | null
}

/**
 * GET /api/v1/wallaroo/view?application=&category=&pipeline=&worker=&name=&seconds=300&to=
 *
 * Labels left out are added up over: pipeline by worker is `category=start-to-end&pipeline=P&
 * worker=W`, a computation of all workers `category=computation&pipeline=P&name=N`. A label given
 * as an empty text means the empty name. `seconds` is 10 to 3600, `to` the end in Unix ms.
 */
export interface ViewAnswer extends Completeness {
  readonly mode: 'own'
  readonly application: string
  readonly key: ViewKey
  readonly nowMs: number
  /** Column i of a chart ends at `fromMs + (i + 1) * 1000`. */
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: 1000
  /** Series of the wire that are in it. */
  readonly series: number
  /** Places of a computation, all ever stated, ascending. */
  readonly ids: readonly number[]
  readonly total: RowJson
  readonly charts: ChartsJson
  /** The bins from the lowest to the highest filled one below 64; then bin 64, where it counts. */
  readonly bins: readonly BinJson[]
  /** Tables of what the view consists of, and of what lies beside it; empty ones are left out. */
  readonly tables: readonly TableJson[]
  /** Workers that are in it. */
  readonly workers: readonly WorkerJson[]
}

export interface ChartsJson {
  /** Messages in each second; null where no window covers it. */
  readonly throughput: readonly (CountJson | null)[]
  /** Latency percentiles of the windows that ended in each second; null where none did. */
  readonly p50Ns: readonly (number | null)[]
  readonly p95Ns: readonly (number | null)[]
  readonly p99Ns: readonly (number | null)[]
  /** Heat map: by second, pairs of bin and count of the filled bins; null where no window ended. */
  readonly bins: readonly (readonly (readonly [bin: number, count: CountJson])[] | null)[]
  /** Length of the longest window that ended in each second, in seconds; null where none did. */
  readonly windowS: readonly (number | null)[]
}

export interface BinJson {
  readonly bin: number
  /** Latencies above `fromNs` up to and including `toNs`; 0 up to 1 for bin 0. */
  readonly fromNs: CountJson
  readonly toNs: CountJson
  readonly count: CountJson
  /** Share of the messages that count, 0 to 100. */
  readonly percent: number
}

export interface TableJson {
  /** Kind of its rows: `by_worker` the same key on each worker, others as they say. */
  readonly name: 'by_worker' | 'by_pipeline' | 'pipelines' | 'computations' | 'sources'
  /** The label in which its rows differ. */
  readonly label: 'pipeline' | 'worker' | 'name'
  readonly rows: readonly RowJson[]
}

/** Upper bounds of bins in ns, as decimal text; `0` without data. */
type CompatiblePercentilesJson = Readonly<
  Record<'50.0' | '95.0' | '99.0' | '99.9' | '99.99', string>
>

/** Messages a second; 0 without data. */
export interface CompatibleThroughput {
  readonly min: CountJson
  readonly med: CountJson
  readonly max: CountJson
}

/** Texts of the numbers as the original shows them. */
export interface CompatibleTextsJson {
  readonly percentiles: CompatiblePercentilesJson
  readonly throughput: { readonly min: string; readonly med: string; readonly max: string }
}

export interface CompatibleNumbers {
  readonly percentiles: CompatiblePercentilesJson
  readonly throughput: CompatibleThroughput
  readonly texts: CompatibleTextsJson
}

/** The very numbers of the view that its key leads to. */
export interface CompatibleRow extends CompatibleNumbers {
  readonly key: ViewKey
}

export interface CompatiblePipelineRow extends CompatibleRow {
  /** Messages that came in at its sources; null without ingestion. */
  readonly ingested:
    | (Pick<CompatibleNumbers, 'throughput'> & {
        readonly texts: CompatibleTextsJson['throughput']
      })
    | null
}

export interface CompatibleTable extends Pick<TableJson, 'name' | 'label'> {
  readonly rows: readonly CompatibleRow[]
}

/** A view with `mode=compatible`: the numbers of the original Metrics UI. */
export interface CompatibleAnswer extends CompatibleNumbers {
  readonly mode: 'compatible'
  readonly application: string
  readonly key: ViewKey
  /** Hub clock and the clock of this view, in whole seconds. */
  readonly hubS: number
  readonly nowS: number
  /** Percent by latency bin: upper bound in ns and share; with the groups of the demo too. */
  readonly chart: readonly (readonly [boundNs: string, percent: number])[]
  readonly chartDemo: readonly (readonly [boundNs: string, percent: number])[]
  /** Unix seconds and messages, seconds without any 0. */
  readonly line: readonly (readonly [second: number, count: CountJson])[]
  /** Tables like those of the view, but that equal computations of several pipelines are one. */
  readonly tables: readonly CompatibleTable[]
}

/** An application with `mode=compatible`. */
export interface CompatibleApplicationAnswer {
  readonly mode: 'compatible'
  readonly application: string
  /** Hub clock, in whole seconds. */
  readonly hubS: number
  readonly pipelines: readonly CompatiblePipelineRow[]
  readonly workers: readonly CompatibleRow[]
  /** Rows by name alone. */
  readonly computations: readonly CompatibleRow[]
  readonly others: readonly CompatibleRow[]
}

/** GET /api/v1/wallaroo/connections?application=  (all of them without the parameter) */
export interface ConnectionsAnswer {
  readonly nowMs: number
  readonly connections: readonly WorkerConnectionJson[]
  /** Every worker that joined or sent, connected or not. */
  readonly workers: readonly WorkerJson[]
}

export interface WorkerConnectionJson {
  readonly address: string
  readonly port: number
  readonly sinceMs: number
  /** Workers it has joined or sent windows of; at most 100 are listed. */
  readonly workers: readonly { readonly application: string; readonly worker: string | null }[]
  /** Order of min and max in its frames, by what they give away of the sender. */
  readonly order: 'peer' | 'document' | 'mixed' | 'unknown'
  readonly binning: 'peer' | 'document' | 'mixed' | 'unknown'
  readonly lengths: 'exclusive' | 'inclusive' | 'undecided'
  readonly frames: {
    readonly connect: number
    readonly join: number
    readonly metrics: number
    readonly rejected: number
  }
  /** Oddities that were accepted, and frames that were not, by name with their counts. */
  readonly notes: readonly (readonly [note: string, count: number])[]
  readonly rejects: readonly (readonly [code: string, count: number])[]
  /** Bytes held of a frame that is not whole yet. */
  readonly bytesHeld: number
}
