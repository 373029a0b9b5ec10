/**
 * One interval of one counter, whichever process closed it: what a producer hands to a session and
 * what a reader makes of a payload (eventcounters.md §3.2, §4.9). No spelling is in it; pure.
 */
import type { Histogram } from '../../model/index.ts'

/** Pairs in the order in which they were added. */
export type MetaData = readonly (readonly [key: string, value: string])[]

/** Description of a counter by itself; the same object for as long as nothing of it changes. */
export interface CounterDescription {
  /** Name of the event source. */
  readonly provider: string
  readonly name: string
  readonly displayName: string
  /** Text as .NET writes it (`B`, `ms`, `%`); empty = none. */
  readonly units: string
  /** Seconds that a rate of a Sum kind is stated per; 0 = not set. */
  readonly rateScaleSec: number
  readonly metaData: MetaData
  /** True for pairs that are the labels of an instrument; else they are metadata of a counter. */
  readonly hasTags?: boolean
}

/** EventCounter and PollingCounter. Of an empty interval: 0, 0, 0, Infinity, -Infinity. */
export interface MeanStatistics {
  readonly kind: 'mean'
  readonly count: number
  readonly mean: number
  /** Standard deviation of the whole population. */
  readonly deviation: number
  readonly min: number
  readonly max: number
}

/** The two incrementing kinds. */
export interface SumStatistics {
  readonly kind: 'sum'
  readonly increment: number
}

export type Statistics = MeanStatistics | SumStatistics

/**
 * Window that is never changed once it is made: a session may keep it, and other sessions and later
 * boundaries of a counter that rests may get the same object.
 */
export interface CounterWindow {
  readonly counter: CounterDescription
  /** Nominal interval of the series, milliseconds: what a client filters by. */
  readonly seriesMs: number
  /** Measured length, seconds. */
  readonly intervalSec: number
  readonly statistics: Statistics
  /**
   * Buckets of the samples, of a counter that is a distribution and for who asked for them; not to
   * be changed. Other threads record while they are read: a sample of theirs may be counted here
   * and in the statistics of the next window.
   */
  readonly histogram?: Histogram
}
