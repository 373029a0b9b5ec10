/**
 * What goes wrong: counted under its name, told once, and never to the harm of others. Application
 * code is called from here, and may throw what it likes.
 */

/** Everything that goes wrong (eventcounters.md §6), and what meets the registry's own limits. */
export interface RegistryCounts {
  nonfinite_samples: number
  callback_errors: number
  duplicate_counters: number
  /** Beyond the limit of counters per source, or in a source beyond the limit of sources. */
  dropped_counters: number
  dropped_sources: number
  /** Readings of included sources (another library's metrics) that failed. */
  failed_sources: number
  listener_errors: number
  invalid_intervals: number
  refused_sessions: number
  /** Number of values that plain instruments refused: a fraction for a counter, for instance. */
  refused_values: number
  /** Exemplars that are too long or no texts; what they were of is recorded. */
  refused_exemplars: number
  /** Sets of labels beyond the limit of an instrument, or with a value that cannot be sent. */
  dropped_label_sets: number
  /** Sockets for the tools of .NET that could not be bound. */
  dotnet_socket_errors: number
}

/** Counts one, and logs the message where there is one. Never throws. */
export type Report = (count: keyof RegistryCounts, message?: string) => void

/** Makes the counts of one registry, all 0. */
export function noCounts(): RegistryCounts {
  return {
    nonfinite_samples: 0,
    callback_errors: 0,
    duplicate_counters: 0,
    dropped_counters: 0,
    dropped_sources: 0,
    failed_sources: 0,
    listener_errors: 0,
    invalid_intervals: 0,
    refused_sessions: 0,
    refused_values: 0,
    refused_exemplars: 0,
    dropped_label_sets: 0,
    dotnet_socket_errors: 0,
  }
}

/**
 * Makes what a registry reports with.
 * @param log gets the messages; default: a process warning
 */
export function reportTo(
  counts: RegistryCounts,
  log: (message: string) => void = (message) => process.emitWarning(message, 'CounterWarning'),
): Report {
  return (count, message) => {
    counts[count]++
    if (message === undefined) return
    try {
      log(message)
    } catch {
      // A log that fails must not fail what it reports on; the count stands.
    }
  }
}

/** Gives a text for anything that was thrown; never throws itself. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error without a text'
  }
}

/** Takes care of a promise that is not waited for: its rejection must not end the process. */
export function ignoreRejection(value: unknown, onRejected: (error: unknown) => void = () => {}) {
  if (typeof value !== 'object' || value === null) return
  Promise.resolve(value).catch(onRejected)
}
