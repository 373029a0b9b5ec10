/** What the constructors of the four counters take (eventcounters.md §3.3). */
export interface CounterOptions {
  /** Empty by default: viewers show the name. */
  readonly displayName?: string
  /** `B`, `ms`, `%`, …; empty = none. */
  readonly displayUnits?: string
  readonly metaData?: Readonly<Record<string, string | null>>
}

export interface RateCounterOptions extends CounterOptions {
  /** Seconds that a rate is stated per; 0 = not set. */
  readonly displayRateTimeScale?: number
}
