/**
 * The borders between what has series (a hub, an application's registry) and dialects that emit:
 * numbers as they are, and windows of counters as the tools of .NET get them; pure.
 */
import type { Identity, Metadata } from '../model/index.ts'

/** Further values that a distribution may be shown by, each as a series `NAME.STATISTIC`. */
export const STATISTICS = [
  'count',
  'min',
  'max',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
  'p999',
] as const
export type Statistic = (typeof STATISTICS)[number]
/** Statistic of a counter that is its total, beside the rate that is its canonical value. */
export const TOTAL = 'total'

/**
 * Canonical values of every series for emitting dialects (scope): a list that changes rarely, and
 * numbers that are read at sending time.
 */
export interface SnapshotSource {
  /** Rises when the list of series or their metadata changes. */
  readonly revision: number
  /** Lists the series in a stable order; valid until the revision changes. */
  list(): readonly CanonicalSeries[]
  /**
   * Writes the value of `list()[i]` to `target[i]`, as far as the target reaches; NaN where there
   * is none.
   */
  read(target: Float64Array): void
}

export interface CanonicalSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  /** True for a distribution mean estimated from buckets. */
  readonly isEstimated: boolean
  /**
   * Statistic that this is, where it is not the canonical value: `p99`, `max` or `count` of a
   * distribution, the `total` of a counter.
   */
  readonly statistic?: string
}

/** A provider that a session asks for. */
export interface WantedProvider {
  readonly name: string
  /** Arguments by their keys; the interval is one of them. */
  readonly arguments: ReadonlyMap<string, string>
}

/** One window of one counter. */
export interface CounterEvent {
  readonly provider: string
  /** Members as shipped .NET has them, in the order of its wire; numbers may be infinite. */
  readonly payload: Readonly<Record<string, string | number>>
}

/** The events of windows that closed at one moment, spelled as each is asked for. */
export interface CounterEvents {
  /** End of the windows, Unix ms. */
  readonly timeMs: number
  readonly size: number
  /** @param index from 0 on, below `size` */
  event(index: number): CounterEvent
}

/** An open session on counters. */
export interface OpenCounters {
  /** Ends it; idempotent. Nothing is called back any more. */
  close(): void
}

export interface CounterEventSource {
  /**
   * Opens a session: its windows and its interval are its own, whatever others ask for.
   * @param onEvents called with the windows of each boundary; it must not throw
   * @returns undefined when a limit of sessions is reached
   */
  openEvents(
    wanted: readonly WantedProvider[],
    onEvents: (events: CounterEvents) => void,
  ): OpenCounters | undefined
}
