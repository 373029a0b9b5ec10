/** Past cells of some series in even columns (api.ts RangeAnswer). */
import type { HubView } from '../../../hub/view.ts'
import type { Pieces } from '../../pieces.ts'
import { Columns, type ShownSeries } from './columns.ts'
import { counterColumn } from './counter-column.ts'
import { histogramColumn, summaryColumn } from './distribution-columns.ts'
import { firstSampleMs, gaugeColumn, takeSamples } from './gauge-column.ts'
import { gapsOf, type Past, type RangeWindow } from './past.ts'

export const COLUMNS_LIMIT = 2000
export const RANGE_SERIES_LIMIT = 200

/**
 * Writes the answer's text in pieces, one per series, so that a large one is never held whole, and
 * pauses within each. Series that do not exist are left out.
 */
export function* rangeJson(
  view: HubView,
  ids: readonly number[],
  window: RangeWindow,
  past?: Past,
): Pieces<string> {
  const { fromMs, stepMs, length } = window
  const live = windowBehind(window, past)
  const frames = view.live.between(live.fromMs - view.staleAfterMs, fromMs + length * stepMs)
  const columns = new Columns(frames, live, past)
  // the ring has nothing of series that only the history has
  const whole = past?.whole
  const pastColumns = new Columns([], windowBehind(window, whole), whole)
  const closedMs = view.live.newest?.endMs ?? live.fromMs
  const gaps = JSON.stringify(gapsOf(past, columns.reached()))
  yield `{"fromMs":${fromMs},"stepMs":${stepMs},"length":${length},"closedMs":${closedMs},`
  yield `"gaps":${gaps},"columns":[`
  let separator = ''
  for (const id of ids) {
    const found = view.series.get(id)
    const record = found === undefined ? view.past?.get(id) : view.series.keep(found)
    if (record === undefined) continue
    const own = found === undefined ? pastColumns : columns
    yield `${separator}${yield* columnJson(own, record, view)}`
    separator = ','
  }
  yield ']}'
}

/** Gives the part of a window that is behind the columns of the past. */
function windowBehind(
  { fromMs, stepMs, length }: RangeWindow,
  past: Past | undefined,
): RangeWindow {
  const before = past?.length ?? 0
  return { fromMs: fromMs + before * stepMs, stepMs, length: length - before }
}

function* columnJson(columns: Columns, record: ShownSeries, view: HubView): Pieces<never, string> {
  const { staleAfterMs } = view
  const { id } = record
  const { kind } = record.identity
  const head = `{"id":${id},"kind":"${kind}"`
  switch (kind) {
    case 'counter':
      return `${head},"delta":[${(yield* counterColumn(columns, record, view)).join()}]}`
    case 'gauge': {
      const isFine = columns.window.stepMs < 1000
      const sampledFromMs = isFine ? firstSampleMs(view.samples, id) : Number.POSITIVE_INFINITY
      const texts = yield* gaugeColumn(columns, record, staleAfterMs, sampledFromMs)
      if (isFine) yield* takeSamples(texts, columns, id, view.samples)
      return `${head},${texts.json}}`
    }
    case 'histogram':
      return `${head},"cells":[${(yield* histogramColumn(columns, id)).join()}]}`
    case 'summary':
      return `${head},"cells":[${(yield* summaryColumn(columns, id)).join()}]}`
  }
}
