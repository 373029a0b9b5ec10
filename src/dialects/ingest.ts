/** The border between a receiving dialect and the hub: the operations of the model; pure. */
import type { KeyMemory } from '../arena/key-memory.ts'
import type {
  CounterCell,
  Exact,
  Exemplar,
  GaugeSpread,
  Histogram,
  HistogramCell,
  Identity,
  Metadata,
  Summary,
  SummaryCell,
} from '../model/index.ts'

/** Slot of a line whose series was refused: every operation ignores it. */
export const REFUSED = -1

/**
 * The operations of the model on lines, as a receiving dialect's `map.ts` speaks them. Calls never
 * throw and, for a series seen before, allocate nothing. Refusals are counted by code inside.
 */
export interface LineIngest {
  /** Rises when slots are given back (a silent series left): those held must be looked up again. */
  readonly generation: number
  /** Says from whom the next calls come; `source` is the peer's address without its port. */
  begin(source: string): void
  /**
   * Gives the slot of the series with these key bytes and type word; on first sight `describe`
   * names it.
   * @param type small integer that the dialect gives its type words; part of the identity
   * @param hash of these bytes, by one function of the dialect: its codec hashes while it scans
   */
  slot(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number
  /**
   * Adds value * weight to a counter (fractions are carried); the sizes of negative values count in
   * a second monotonic part of the series.
   */
  count(slot: number, value: Exact, weight: number): void
  /**
   * Takes a new reading of a cumulative counter; a smaller one is a reset, or a wrap where bits are
   * stated.
   */
  read(slot: number, reading: Exact): void
  /** Sets a gauge: the last write wins. */
  set(slot: number, value: Exact): void
  /** Adds `weight` observations of a value to a histogram (fractions are carried). */
  observe(slot: number, value: Exact, weight: number): void
  /** Replaces what is known of a series besides its identity. */
  annotate(slot: number, metadata: Metadata): void
  /** Counts a line that is not taken, by reason (`key_too_long`). */
  refuse(code: string): void
  /** Counts a thing that loses nothing but should be seen (`odd_sample_rate`). */
  note(code: string): void
  /**
   * Moves the known keys, once, into memory where a codec in WebAssembly finds them; undefined
   * where there is no such memory. Without this method an ingest has none to offer.
   * @param roomBytes that the codec needs for itself, a multiple of 16
   */
  openKeys?(roomBytes: number): KeyMemory | undefined
}

/**
 * The operations of dialects whose senders close windows, in the main thread only: their order
 * relative to the closing of seconds matters.
 */
export interface Ingest extends LineIngest {
  /**
   * Adds a window that its sender has closed to the running second. A counter grows by any finite
   * delta of 0 or more, fractions too; others are refused (`value_range`). A window with nothing in
   * it (delta 0, count 0) only says that the series lives. Min and max of an empty summary are NaN,
   * as in the model, whatever the dialect writes. A histogram takes windows if it is `isWindowed`.
   * @param intervalSec its measured length, where known: what a counter's rate is stated by
   * @param earlier what a new summary has observed before this window, under another kind: part of
   *   its total, of no window
   */
  merge(
    slot: number,
    cell: CounterCell | HistogramCell | SummaryCell,
    intervalSec?: number,
    earlier?: Summary,
  ): void
  /**
   * Tells whether a slot is that of a series which takes what refused ones bring. Absent where
   * there is none.
   */
  isOverflow?(slot: number): boolean
  /** Gives the number of the series that a slot is of; negative where it is of none. */
  seriesOf(slot: number): number
  /** Keeps an exemplar of the series, where there is a place for such. */
  addExemplar?(slot: number, exemplar: Exemplar): void
  /** Ends the value of a gauge: from now on it is not known, which measures nothing. */
  end(slot: number): void
  /**
   * Takes a series away (a gauge that turned out to be a summary): its slots are given back, and
   * its identity makes a new series from now on.
   */
  retire(slot: number): void
}

/** Names a new series from its wire key; called once per key and type. */
export interface Describe {
  (key: Uint8Array, type: number): Description
  /**
   * Finds the form of a series whose identity is nothing but that and the key in bytes[start, end)
   * as its name: with it, it is defined, found or refused without being described. Undefined where
   * it has more. Forms are few objects, the same at every call.
   */
  readonly formOf?: FormOf
}

/** Finder of the form of a key and its type; makes nothing. */
export type FormOf = (
  bytes: Uint8Array,
  start: number,
  end: number,
  type: number,
) => SeriesForm | undefined

/** Description of a series without its name; it has no labels. */
export interface SeriesForm
  extends Pick<Identity, 'kind' | 'qualifier'>,
    Pick<Description, 'metadata' | 'isCumulative'> {}

export interface Description {
  readonly identity: Identity
  readonly metadata: Metadata
  /** True for a counter that arrives as readings (`read`). */
  readonly isCumulative?: boolean
  /** True for a histogram that arrives as windows (`merge`), never by `observe`. */
  readonly isWindowed?: boolean
  /** Width in bits of a cumulative counter, where known. */
  readonly counterBits?: 32 | 64
}

/** A series as its hub knows it, and in which form it came there. */
export interface PeerSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  readonly isCumulative?: boolean
  readonly isWindowed?: boolean
  /** True for the second part of a counter, whose identity this then is. */
  readonly isDecrements?: boolean
  readonly counterBits?: 32 | 64
}

/** Cells of one kind: ids of {@link SecondSink.open}, and what happened to each. */
interface PeerCells<C> {
  readonly ids: readonly number[]
  readonly cells: readonly C[]
}

/** Second that a peer has closed: the cells of all that changed. */
export interface PeerSecond {
  /** End, Unix ms, by the clock of this hub. */
  readonly endMs: number
  readonly counters: PeerCells<Exact>
  readonly gauges: PeerCells<Exact>
  /** Spreads of gauges of which more than a value is known, by their place in the list. */
  readonly spreads: ReadonlyMap<number, Omit<GaugeSpread, 'firstAt'>>
  readonly histograms: PeerCells<Histogram>
  readonly summaries: PeerCells<Summary>
}

/**
 * Taker of seconds that one peer has closed: each becomes part of the second of the same time, also
 * where that was closed meanwhile. A series of one name and labels is one, whichever peer has it.
 */
export interface SecondSink {
  /** Says from whom the series come: the label of the peer. */
  begin(source: string): void
  /** Finds or makes a series. @returns its id; REFUSED, and counted, where it is not taken */
  open(series: PeerSeries): number
  /** Tells whether a series is still there: one that was silent for long is not. */
  has(id: number): boolean
  /** Replaces what is known of a series besides its identity, where this peer has brought it. */
  annotate(id: number, metadata: Metadata): void
  /** Takes a whole second. */
  take(second: PeerSecond): void
  /** Whether so many seconds wait that no more should be read now. */
  readonly isBusy: boolean
  /**
   * Says whether the peer will tell of the running second soon: the hub's own waits for it, though
   * no longer than until the next one has ended.
   */
  expect(isExpected: boolean): void
  /** Counts of seconds that came after theirs was handed on, and of those far from our time. */
  readonly counts: { readonly late: number; readonly shifted: number }
  /** Lets go: nothing is taken any more. */
  close(): void
}
