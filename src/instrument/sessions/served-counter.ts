/**
 * What the sessions ask of a counter, whatever is behind it: samples in this thread, a callback, or
 * cells of the zone. All calls come from the registry's own thread.
 */
import type { CounterDescription, Statistics } from '../../dialects/eventcounters/window.ts'
import type { Exact, Exemplar, Histogram, Kind, Labels } from '../../model/index.ts'

/** One turn of the sessions: everything that is due at one moment is served in it. */
export interface Collection {
  /** Counts the collections: within one, a callback is called once (eventcounters.md §4.6). */
  readonly number: number
  /** Monotonic time at which the collection began, before any callback ran. */
  readonly nowNs: bigint
}

/**
 * Window that is closed; not changed any more once it is handed out: other windows may be closed
 * with the same object.
 */
export interface ClosedWindow {
  readonly statistics: Statistics
  /** Begin of the window, where not at the last boundary (eventcounters.md §4.5). */
  readonly sinceNs?: bigint
}

/** The open window of one counter in one series of one source; it has its own baseline. */
export interface OpenWindow {
  /** Ends the window and begins the next; undefined = no payload at this boundary. */
  close(collection: Collection): ClosedWindow | undefined
  /** Ends the slot: the series is gone. */
  end(): void
}

export interface ServedCounter {
  /** Description: another object when something of it has changed. */
  readonly description: CounterDescription
  /** Kind of series that it is in the model (eventcounters.md §7.1). */
  readonly modelKind: Kind
  /** Labels as they were given, where payloads cannot spell all of them. */
  readonly labels?: Labels | undefined
  /** Gives what was recorded since it was made, with or without sessions, where that is known. */
  readonly readTotal?: (() => Exact | Histogram) | undefined
  /**
   * Total at which windows begin that were open before the counter was there, where another thread
   * may have recorded since it made the counter; else that of the moment.
   */
  readonly baseline?: Histogram | undefined
  /** Lists its exemplars, the newest at the end, where it has such. */
  readonly readExemplars?: (() => readonly Exemplar[]) | undefined
  /** Whether that total is a double. */
  readonly isFractional?: boolean
  /** Reads a gauge as it is at this moment, beside all windows; NaN where it has no value. */
  readonly readNow?: (() => number) | undefined
  /**
   * Begins a window for one more series. Every one gets exactly what is recorded from now on, as if
   * it were alone.
   */
  open(collection: Collection): OpenWindow
}
