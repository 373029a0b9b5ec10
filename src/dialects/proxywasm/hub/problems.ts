/**
 * What a filter did wrong or was not given, by reason, from the counts of its host. A failed
 * request is no reason of its own: it is what traps, timeouts and refused starts lead to.
 */
import type { FilterStatistics } from '../host/statistics.ts'

/** Reasons as they are counted (`pentameter.ingest.refused`, dialect `proxywasm`). */
type Problem =
  | 'trap'
  | 'call_timeout'
  | 'start_refused'
  | 'definition_refused'
  | 'shared_data_refused'
  | 'value_dropped'
  | 'bad_call'

const PROBLEMS: Readonly<Record<Problem, (counts: FilterStatistics) => number>> = {
  trap: ({ traps }) => traps,
  call_timeout: ({ callTimeouts }) => callTimeouts,
  start_refused: ({ startsRefused }) => startsRefused,
  definition_refused: ({ definitionsRefused }) => definitionsRefused,
  shared_data_refused: ({ sharedRefused }) => sharedRefused,
  value_dropped: ({ valuesDropped }) => valuesDropped,
  bad_call: ({ badCalls }) => badCalls,
}

/** Worth seeing, but nothing was lost. */
const NOTES: Readonly<Record<string, (counts: FilterStatistics) => number>> = {
  counter_reset: ({ counterResets }) => counterResets,
  gauge_wrap: ({ gaugeWraps }) => gaugeWraps,
  id_collision: ({ idCollisions }) => idCollisions,
  log_line_dropped: ({ logLinesDropped }) => logLinesDropped,
  unknown_import: ({ unknownImports }) => unknownImports.filter(({ calls }) => calls > 0).length,
}

export interface CodeCount {
  readonly code: string
  readonly count: number
}

export function problemsOf(counts: FilterStatistics): CodeCount[] {
  return countsOf(PROBLEMS, counts)
}

export function notesOf(counts: FilterStatistics): CodeCount[] {
  return countsOf(NOTES, counts)
}

/** Lists the counts that are not 0. */
function countsOf(
  readers: Readonly<Record<string, (counts: FilterStatistics) => number>>,
  counts: FilterStatistics,
): CodeCount[] {
  return Object.entries(readers)
    .map(([code, read]) => ({ code, count: read(counts) }))
    .filter(({ count }) => count > 0)
}

/** Lists what came since an earlier list; counts never fall. */
export function gainsOf(now: readonly CodeCount[], before: readonly CodeCount[]): CodeCount[] {
  return now
    .map(({ code, count }) => {
      const earlier = before.find((each) => each.code === code)?.count ?? 0
      return { code, count: count - earlier }
    })
    .filter(({ count }) => count > 0)
}
