/**
 * The past of some series as a stream would have told it, interval by interval, up to the last
 * one that the hub has closed: a stream that goes on from there tells the rest.
 */
import type { CellsEvent, RangeAnswer, RangeColumn } from '../../http/api.ts'
import type { HubApi } from '../../viewer/store/hub-api.ts'

/** Intervals that are read at once, and cells of all series in a request. */
const INTERVALS = 600
const CELLS = 6000

interface PastRequest {
  readonly ids: readonly number[]
  readonly sinceMs: number
  readonly intervalS: number
}

/** Reads intervals in their order. Of a time that is kept in wider cells, they are as wide. */
export async function* pastCells(
  api: Pick<HubApi, 'range'>,
  { ids, sinceMs, intervalS }: PastRequest,
): AsyncGenerator<CellsEvent> {
  const stepMs = intervalS * 1000
  const last = new Map<number, unknown>()
  for (let fromMs = Math.floor(sinceMs / stepMs) * stepMs; ; ) {
    const toMs = fromMs + INTERVALS * stepMs
    const answers: RangeAnswer[] = []
    const size = Math.max(1, Math.floor(CELLS / INTERVALS))
    for (let i = 0; i < ids.length; i += size) {
      answers.push(await api.range({ series: ids.slice(i, i + size), fromMs, toMs, stepMs }))
    }
    const [first] = answers
    if (first === undefined) return
    for (let i = 0; i < first.length; i++) {
      const endMs = first.fromMs + (i + 1) * first.stepMs
      if (endMs > first.closedMs) return
      const columns = answers.flatMap((answer) => answer.columns)
      yield eventOf(columns, i, { endMs, intervalMs: first.stepMs }, last)
    }
    fromMs = first.fromMs + first.length * first.stepMs
  }
}

/** Gives the cells of one interval: of counters that moved, and of gauges that changed. */
function eventOf(
  columns: readonly RangeColumn[],
  i: number,
  interval: Pick<CellsEvent, 'endMs' | 'intervalMs'>,
  last: Map<number, unknown>,
): CellsEvent {
  const counters: CellsEvent['counters'][number][] = []
  const gauges: CellsEvent['gauges'][number][] = []
  const histograms: CellsEvent['histograms'][number][] = []
  const summaries: CellsEvent['summaries'][number][] = []
  for (const column of columns) {
    const { id } = column
    if (column.kind === 'counter') {
      const delta = column.delta[i] ?? null
      if (delta !== null && delta !== 0) counters.push([id, delta])
    } else if (column.kind === 'gauge') {
      const value = column.value[i] ?? null
      if (value !== null && value !== last.get(id)) gauges.push([id, value])
      last.set(id, value)
    } else if (column.kind === 'histogram') {
      const cell = column.cells[i]
      if (cell) histograms.push([id, cell])
    } else {
      const cell = column.cells[i]
      if (cell) summaries.push([id, cell])
    }
  }
  return { ...interval, counters, gauges, histograms, summaries }
}
