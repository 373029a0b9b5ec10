/** Everything that goes wrong (eventcounters.md §6), and what meets the registry's own limits. */
export interface RegistryCounts {
  nonfinite_samples: number
  callback_errors: number
  duplicate_counters: number
  /** Beyond the limit of counters per source, or in a source beyond the limit of sources. */
  dropped_counters: number
  dropped_sources: number
  listener_errors: number
  invalid_intervals: number
  refused_sessions: number
  /** Of plain instruments: what is no value of their kind, as a fraction for a counter. */
  refused_values: number
  /** Sets of labels beyond the limit of an instrument, or with a value that cannot be sent. */
  dropped_label_sets: number
}

/** Counts one, and logs the message where there is one. Never throws. */
export type Report = (count: keyof RegistryCounts, message?: string) => void
