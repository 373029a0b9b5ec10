/** The border between the hub and an emitting dialect that knows numbers only; pure. */
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
