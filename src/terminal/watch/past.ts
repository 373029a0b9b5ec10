/**
 * The past of some series as a stream would have told it, interval by interval, up to the last
 * one that the hub has closed: a stream that goes on from there tells the rest. What time has
 * anything of which series is asked first, in wide steps: no intervals are read of the others.
 */
import type { RangeAnswer, RangeColumn } from '../../http/api.ts'
import type { HubApi } from '../../viewer/store/hub-api.ts'
import type { WatchedEvent } from './cell-lanes.ts'

/** Cells of all series in a request, in one of a survey, and in all before the next line. */
const CELLS = 6000
const SURVEY_CELLS = 12_000
const CELLS_AHEAD = 60_000
/** Intervals that are read at once. */
const INTERVALS_MOST = 600
const INTERVALS_LEAST = 20
/** Series of a request, as the hub takes them. */
const SERIES_MOST = 200
/** Steps of a survey, and the least width of one: histories keep cells of an hour. */
const SURVEY_STEPS = 200
const SURVEY_STEP_MS = 3_600_000
/** The widest step that the hub takes. */
const STEP_MOST_MS = 172_800_000

interface PastRequest {
  readonly ids: readonly number[]
  readonly sinceMs: number
  readonly intervalS: number
  readonly nowMs: number
}

type Api = Pick<HubApi, 'range'>

/** Reads intervals in their order. Of a time that is kept in wider cells, they are as wide. */
export async function* pastCells(
  api: Api,
  { ids, sinceMs, intervalS, nowMs }: PastRequest,
): AsyncGenerator<WatchedEvent> {
  if (ids.length === 0) return
  const stepMs = intervalS * 1000
  const beginMs = Math.floor(sinceMs / stepMs) * stepMs
  const intervals = Math.floor(CELLS_AHEAD / ids.length)
  const chunkMs = Math.max(INTERVALS_LEAST, Math.min(INTERVALS_MOST, intervals)) * stepMs
  const survey = await Survey.of(api, ids, [beginMs, nowMs], chunkMs)
  const last = new Map<number, unknown>()
  for (let fromMs = beginMs; ; ) {
    const known = survey.idsIn(fromMs, fromMs + chunkMs)
    if (known.length === 0) {
      // a value that comes behind it is news
      last.clear()
      fromMs += chunkMs
      continue
    }
    const answers = await read(api, known, { fromMs, toMs: fromMs + chunkMs, stepMs }, CELLS)
    for (const id of last.keys()) if (!known.includes(id)) last.delete(id)
    const first = answers[0]!
    for (let i = 0; i < first.length; i++) {
      const endMs = first.fromMs + (i + 1) * first.stepMs
      if (endMs > first.closedMs) return
      const columns = answers.flatMap((answer) => answer.columns)
      yield eventOf(columns, i, { endMs, intervalMs: first.stepMs }, last)
    }
    fromMs = first.fromMs + first.length * first.stepMs
  }
}

/** Reads a stretch of many series, in requests of some each. */
async function read(
  api: Api,
  ids: readonly number[],
  span: Omit<Parameters<Api['range']>[0], 'series'>,
  cells: number,
): Promise<readonly RangeAnswer[]> {
  const answers: RangeAnswer[] = []
  const steps = Math.ceil((span.toMs - span.fromMs) / span.stepMs)
  const size = Math.max(1, Math.min(SERIES_MOST, Math.floor(cells / steps)))
  for (let i = 0; i < ids.length; i += size) {
    answers.push(await api.range({ series: ids.slice(i, i + size), ...span }))
  }
  return answers
}

/** Knowledge of when each series has anything to be told; of what is newer nothing is known. */
class Survey {
  readonly #ids: readonly number[]
  readonly #answers: readonly RangeAnswer[]
  /** End of what it knows, Unix ms. */
  readonly #untilMs: number

  private constructor(ids: readonly number[], answers: readonly RangeAnswer[]) {
    this.#ids = ids
    this.#answers = answers
    const ends = answers.map(({ fromMs, stepMs, length, closedMs }) => {
      return Math.min(closedMs, fromMs + length * stepMs)
    })
    this.#untilMs = ends.length === 0 ? Number.NEGATIVE_INFINITY : Math.max(...ends)
  }

  static async of(
    api: Api,
    ids: readonly number[],
    [beginMs, nowMs]: readonly [fromMs: number, toMs: number],
    chunkMs: number,
  ): Promise<Survey> {
    const answers: RangeAnswer[] = []
    const wholeMs = Math.max(chunkMs, (nowMs - beginMs) / SURVEY_STEPS)
    const hours = Math.ceil(wholeMs / SURVEY_STEP_MS)
    const stepMs = Math.min(STEP_MOST_MS, hours * SURVEY_STEP_MS)
    if (nowMs - beginMs <= stepMs) return new Survey(ids, [])
    for (let fromMs = beginMs; fromMs < nowMs; fromMs += SURVEY_STEPS * stepMs) {
      const toMs = Math.min(nowMs, fromMs + SURVEY_STEPS * stepMs)
      answers.push(...(await read(api, ids, { fromMs, toMs, stepMs }, SURVEY_CELLS)))
    }
    return new Survey(ids, answers)
  }

  /** Lists the series that may have something in a time. */
  idsIn(fromMs: number, toMs: number): readonly number[] {
    if (toMs > this.#untilMs) return this.#ids
    const found = new Set<number>()
    for (const { fromMs: beginMs, stepMs, length, columns } of this.#answers) {
      const first = Math.max(0, Math.floor((fromMs - beginMs) / stepMs))
      const end = Math.min(length, Math.ceil((toMs - beginMs) / stepMs))
      for (const column of columns) {
        for (let i = first; i < end; i++) if (hasCell(column, i)) found.add(column.id)
      }
    }
    return this.#ids.filter((id) => found.has(id))
  }
}

function hasCell(column: RangeColumn, i: number): boolean {
  if (column.kind === 'counter') return (column.delta[i] ?? 0) !== 0
  return (column.kind === 'gauge' ? column.value[i] : column.cells[i]) != null
}

/** Gives the cells of one interval: of counters that moved, and of gauges that did. */
function eventOf(
  columns: readonly RangeColumn[],
  i: number,
  interval: Pick<WatchedEvent, 'endMs' | 'intervalMs'>,
  last: Map<number, unknown>,
): WatchedEvent {
  const counters: WatchedEvent['counters'][number][] = []
  const gauges: WatchedEvent['gauges'][number][] = []
  const histograms: WatchedEvent['histograms'][number][] = []
  const summaries: WatchedEvent['summaries'][number][] = []
  for (const column of columns) {
    const { id } = column
    if (column.kind === 'counter') {
      const delta = column.delta[i] ?? null
      if (delta !== null && delta !== 0) counters.push([id, delta])
    } else if (column.kind === 'gauge') {
      const value = column.value[i] ?? null
      const [min, max] = [column.min[i], column.max[i]]
      const spread = min != null && max != null && min < max ? { min, max } : undefined
      if (value !== null && (spread !== undefined || value !== last.get(id))) {
        gauges.push(spread === undefined ? [id, value] : [id, value, spread])
      }
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
