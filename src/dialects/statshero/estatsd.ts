/**
 * What the real server, chef/estatsd, would write for a flush (§4.8), for users with dashboards
 * over its series. Pure arithmetic; sending it is an exporter's business.
 */

/** What becomes of a timer with fewer than five values: its statistics, or zeros as there. */
export type UnderFive = 'real' | 'zero'

export interface TimerFields {
  readonly mean: number
  readonly median: number
  readonly upper: number
  readonly lower: number
  readonly count: number
  readonly upper_90: number
  readonly upper_95: number
  readonly upper_99: number
}

const UNDER_FIVE = 5

const ZEROS: TimerFields = {
  mean: 0,
  median: 0,
  upper: 0,
  lower: 0,
  count: 0,
  upper_90: 0,
  upper_95: 0,
  upper_99: 0,
}

/**
 * Fields under `stats.timers.KEY.` for the values of one flush.
 * @param runs values ascending, each with how often it was observed
 */
export function timerFields(
  runs: readonly (readonly [value: number, count: number])[],
  underFive: UnderFive = 'real',
): TimerFields {
  const count = runs.reduce((sum, [, times]) => sum + times, 0)
  if (count === 0 || (underFive === 'zero' && count < UNDER_FIVE)) return ZEROS
  const sum = runs.reduce((total, [value, times]) => total + value * times, 0)
  return {
    mean: sum / count,
    median: element(runs, Math.round(0.5 * count)),
    upper: runs.at(-1)![0],
    lower: runs[0]![0],
    count,
    upper_90: element(runs, Math.round(0.9 * count)),
    upper_95: element(runs, Math.round(0.95 * count)),
    upper_99: element(runs, Math.round(0.99 * count)),
  }
}

/** The value at a rank, counted from 1; rank 0 is the first, where the real server would fail. */
function element(runs: readonly (readonly [number, number])[], rank: number): number {
  let seen = 0
  for (const [value, times] of runs) {
    seen += times
    if (seen >= rank) return value
  }
  return runs.at(-1)![0]
}

/** Values of a meter in a flush: per second under `stats.KEY`, lines under `stats_counts.KEY`. */
export function meterFields(
  sum: number,
  lines: number,
  flushSeconds: number,
): { readonly stats: number; readonly stats_counts: number } {
  return { stats: sum / flushSeconds, stats_counts: lines }
}

/** White space to `_`, `/` to `-`, everything else outside `[A-Za-z0-9_.-]` left out. */
export function graphiteKey(key: string): string {
  return key
    .replace(/\s+/g, '_')
    .replace(/\//g, '-')
    .replace(/[^A-Za-z0-9_.-]/g, '')
}
