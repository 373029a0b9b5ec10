/**
 * The contract of a history: closed cells of series, kept beyond the live ring. Whatever is read is
 * merged from cells, so a step of any width is exact: no average of averages.
 *
 * A series is known by the key of its identity (`identityKey` of the model), over restarts and in
 * every store. A second of the hub comes as columns with numbers of the caller (`refs`), which
 * `defined` has explained once before.
 */
import type { Cell, Exact, Kind, Metadata, Summary } from '../model/index.ts'
import type { PackedParts } from '../model/packed/packed-histogram.ts'
import type { SeriesWords } from '../model/text/series-filter.ts'

/** Part of the contract that a history keeps which is written by others, as an engine's. */
export interface HistoryReader {
  /** @throws {HistoryError} with `too_large` for more than the limits of a read */
  read(query: CellQuery): Promise<CellAnswer>
  /**
   * Finds series by when they lived: of a store of its own those that have ended, of others all.
   * @throws {HistoryError} with `too_large` for more than it can count
   */
  find(query: PastQuery): Promise<FoundSeries>
  /** Lets go; a store of its own writes before what waits. */
  close(): Promise<void>
}

export interface HistoryStore extends HistoryReader {
  /**
   * Takes a closed second; what it holds belongs to the store from then on.
   * @returns once it is durable
   * @throws {HistoryError} when it is not kept, nor any part of it
   */
  append(second: ClosedSecond): Promise<void>
  /** Lists series that have cells, by their keys' numbers in the store, rising. */
  list(query?: SeriesQuery): Promise<readonly StoredSeries[]>
  /** Lists those that were there when the hub ended, with their totals, in columns. */
  living(query: LivingQuery): Promise<LivingSeries>
  /** Takes refs for series by their numbers in the store, as a second takes those it defines. */
  bind(bound: BoundSeries): Promise<void>
  /** Takes series away with all that is kept of them. @returns how many there were */
  remove(keys: readonly Uint8Array[]): Promise<number>
  /** Lets go of what is too old or too much now, and not only in due course. */
  retain(): Promise<void>
  health(): Promise<HistoryHealth>
}

/** One second of the hub, or late cells of an earlier one: the same second may come again. */
export interface ClosedSecond {
  /** End, whole Unix seconds. */
  readonly endS: number
  /** Length; more than 1 after a standstill. 0 for late cells: they do not say that a hub ran. */
  readonly seconds: number
  /** Series that come for the first time, or with other metadata. */
  readonly defined: readonly SeriesDefinition[]
  /**
   * Refs of series that are no more, of which no further cells come: the next one of their identity
   * begins at nothing, under another ref, which may have been defined before.
   */
  readonly ended: readonly number[]
  readonly counters: {
    readonly refs: Uint32Array
    readonly deltas: Float64Array
    /** Integers that no double holds, by row. */
    readonly wide: ReadonlyMap<number, bigint>
  }
  readonly gauges: {
    readonly refs: Uint32Array
    readonly values: Float64Array
    readonly wide: ReadonlyMap<number, bigint>
    /** `[first, least, largest, count]` of those of which more is known than a value, by row. */
    readonly spreads: ReadonlyMap<number, readonly [number, number, number, number]>
  }
  readonly histograms: {
    readonly refs: Uint32Array
    readonly places: Uint32Array
    readonly packed: PackedParts
  }
  readonly summaries: { readonly refs: Uint32Array; readonly cells: readonly Summary[] }
  /**
   * Totals of counters and sums of distributions that have had fractions, by ref: what the cells
   * add up to depends on their order, and a hub goes on from what it has told.
   */
  readonly sums?: ReadonlyMap<number, Exact>
}

export interface SeriesDefinition {
  readonly ref: number
  readonly key: Uint8Array
  readonly metadata: Metadata
  /** Address of the peer that it came from, and whatever else a hub needs to go on with it. */
  readonly origin?: string
}

export interface CellQuery {
  /** Each group becomes one column: the cells of its series, merged. They are of one kind. */
  readonly groups: readonly (readonly Uint8Array[])[]
  /** Bounds, whole Unix seconds: the cells of (from, to] are read. */
  readonly fromS: number
  readonly toS: number
  /** Width of a step. It is widened where the past of `fromS` is kept in coarser cells only. */
  readonly stepS: number
}

export interface CellAnswer {
  readonly fromS: number
  readonly stepS: number
  readonly length: number
  /** End of the newest second that is in it, Unix seconds; absent where that is not known. */
  readonly untilS?: number
  /** 1 for steps in which a hub ran: a counter without a cell then stood still. */
  readonly covered: Uint8Array
  readonly columns: readonly CellColumn[]
}

interface CellColumn {
  /** Kind of the series; undefined where the store knows none of them. */
  readonly kind: Kind | undefined
  readonly cells: readonly (Cell | undefined)[]
}

export interface PastQuery extends SeriesWords {
  /** Bounds, Unix seconds: those that lived in (from, to]. */
  readonly fromS: number
  readonly toS: number
  /** Series that are told at most, the last to end first; all that match are counted. */
  readonly limit: number
  /** Ending of the names of series that are a part of another, which are left out. */
  readonly partEnding?: string
  /** Refs of series that have ended, which no second has told yet. */
  readonly ended?: readonly number[]
  /** Keys of series that are there, which no second has told yet. */
  readonly begun?: readonly Uint8Array[]
}

export interface FoundSeries {
  readonly series: readonly PastSeries[]
  /** Number of all that match. */
  readonly total: number
}

export interface PastSeries extends Omit<SeriesDefinition, 'ref'> {
  /** Ends of its first and its last cell, Unix seconds; absent where that is not known. */
  readonly firstS?: number
  readonly lastS?: number
}

export interface SeriesQuery {
  /** Keys of the only ones to be listed. */
  readonly keys?: readonly Uint8Array[]
  readonly limit?: number
  /** Number of the store after which the list goes on. */
  readonly after?: number
}

export interface StoredSeries {
  readonly number: number
  readonly key: Uint8Array
  readonly kind: Kind
  readonly metadata: Metadata
  readonly origin: string | undefined
  /** Ends of its first and its last cell, Unix seconds. */
  readonly firstS: number
  readonly lastS: number
  /** All of its cells since it began, merged; undefined for one that has ended. */
  readonly total: Cell | undefined
}

export interface LivingQuery {
  readonly limit: number
  /** Number of the store after which the list goes on; 0 at first. */
  readonly after: number
}

/** Series that go on, a row each: a hub takes a hundred thousand of them before it listens. */
export interface LivingSeries {
  /** Numbers in the store, rising. */
  readonly numbers: Uint32Array
  /** Places in `KINDS` of the model. */
  readonly kinds: Uint8Array
  /** Keys, one behind the other, and the end of each. */
  readonly keys: Uint8Array
  readonly keyEnds: Uint32Array
  /** Metadata that several have in common, by the places that follow. */
  readonly metadata: readonly Metadata[]
  readonly metadataPlaces: Uint32Array
  /** Origins as they were defined; empty for none. */
  readonly origins: readonly string[]
  readonly originPlaces: Uint32Array
  /** Ends of their last cells, Unix seconds. */
  readonly lastS: Float64Array
  /** Totals of counters; integers that no double holds, and those of distributions, by row. */
  readonly totals: Float64Array
  readonly wide: ReadonlyMap<number, bigint>
  /** Bytes of histograms (`unpackHistogram`). */
  readonly histograms: ReadonlyMap<number, Uint8Array>
  readonly summaries: ReadonlyMap<number, Summary>
}

export interface BoundSeries {
  readonly numbers: Uint32Array
  /** Ref of each. */
  readonly refs: Uint32Array
}

export interface HistoryHealth {
  /** `full`: the disk takes no more, seconds are lost until it does. */
  readonly state: 'running' | 'full' | 'failed' | 'closed'
  readonly message?: string
  readonly place: string
  readonly bytes: number
  readonly bytesLimit: number
  readonly series: number
  /** Start of what is kept, by width of cells in seconds. */
  readonly resolutions: readonly { readonly stepS: number; readonly fromS: number | undefined }[]
  /** Seconds taken, and those lost, by reason. */
  readonly taken: number
  readonly lost: Readonly<Record<string, number>>
  /** Parts of files that could not be read, and were left out, by what is wrong with them. */
  readonly damaged: Readonly<Record<string, number>>
  /** End of the newest second that is durable. */
  readonly durableS: number | undefined
  /** Faults of the files when they were opened, which are mended. */
  readonly notes: readonly string[]
}

const HISTORY_CODES = [
  'in_use',
  'foreign',
  'newer',
  'older',
  'missing',
  'damaged',
  'unwritable',
  'full',
  'busy',
  'too_large',
  'closed',
  'failed',
  'unreachable',
  'timeout',
  'unavailable',
  'refused',
  'bad_answer',
] as const
export type HistoryCode = (typeof HISTORY_CODES)[number]

/** Error of a history; the message names the place and the reason. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
  readonly code: HistoryCode

  constructor(code: HistoryCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
