/** Where the HTTP side says what happened; the hub turns the counts into self-metrics. */
export interface HttpReports {
  /**
   * Counts one thing, under a closed set of names and reasons:
   * - `requests`: `ROUTE STATUS`
   * - `refused`: code of the ApiError, `connections_limit`, or code of a broken request
   * - `streams`: `opened`, and `disconnected`, `stalled`, `error` or `stopped` at the end
   * - `events_skipped`: `cells`, `series` or `sources`, for slow clients of the live stream
   * - `name_conflicts`: `label` or `family`, once per series
   * - `errors`: `ROUTE`, where a request failed by our fault
   */
  count(name: string, reason: string): void
  /** One line for the operator's log. */
  log?(level: 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}

export const SILENT_REPORTS: HttpReports = { count: () => {} }
