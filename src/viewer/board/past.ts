/**
 * What a hub has kept of the lines of a board: samples with their own times where there are any,
 * single seconds of all else.
 */
import type { RangeAnswer, RangeColumn, SamplesEvent } from '../../http/api.ts'
import type { SampleGroup } from '../../model/board/board.ts'
import { type HubApi, RefusedRequest } from '../store/hub-api.ts'
import type { CellJson } from '../store/series-data.ts'
import { type BoardSeries, measure } from './measures.ts'
import { unpack } from './packed.ts'

/** Series of one request for samples. */
const SAMPLED_BATCH = 200
/** Series of one request for seconds: ten minutes of as many histograms are some MB at worst. */
const SECONDS_BATCH = 10
/** Refused as too much, a request is made again for this part of the time. */
const LESS = 1 / 4
const BAD_REQUEST = 400
/** A series that began no earlier than this before its first sample has no seconds before, ms. */
const BEGINNING_MS = 2000
const STEP_MS = 1000
/**
 * The viewer's idea of the hub's time is late by as much as the stream's greeting was: samples are
 * read up to the newest, or those of this time would be told by neither.
 */
const CLOCK_BEHIND_MS = 60_000

interface PastRequest {
  readonly series: readonly BoardSeries[]
  /** Unix ms. */
  readonly fromMs: number
  readonly toMs: number
  /** Less than this is not asked for, where all is too much, ms. */
  readonly leastMs: number
}

/** Reads what there is between two times. Groups of a line rise from each to the next. */
export async function readPast(
  api: Pick<HubApi, 'get' | 'range'>,
  request: PastRequest,
  signal: AbortSignal,
): Promise<readonly SampleGroup[]> {
  const gauges = request.series.filter(({ kind }) => kind === 'gauge')
  const batches = chunks(gauges, SAMPLED_BATCH)
  const answers = await Promise.all(
    batches.map((series) => readSamples(api, { ...request, series }, signal)),
  )
  const sampled = answers.flatMap((answer, i) => groupsOf(answer, batches[i]!))
  const firstMs = firstTimes(sampled)
  const lacking = request.series.filter(({ name }) => {
    return (firstMs.get(name) ?? request.toMs) - request.fromMs > BEGINNING_MS
  })
  const seconds = await Promise.all(
    chunks(lacking, SECONDS_BATCH).map((series) => readSeconds(api, { ...request, series })),
  )
  const untilSampled = seconds.flat().flatMap((group) => {
    return before(group, firstMs.get(group.names[0]!) ?? Number.POSITIVE_INFINITY)
  })
  return [...untilSampled, ...sampled]
}

/** Reads samples; of more than the hub gives at once, less time or fewer series. */
async function readSamples(
  api: Pick<HubApi, 'get'>,
  request: PastRequest,
  signal: AbortSignal,
): Promise<SamplesEvent> {
  const { series, fromMs, toMs, leastMs } = request
  const ids = series.map(({ id }) => id).join(',')
  const times = `from=${Math.floor(fromMs)}&to=${Math.ceil(toMs) + CLOCK_BEHIND_MS}`
  try {
    return (await api.get(`/samples?series=${ids}&${times}`, signal)) as SamplesEvent
  } catch (error) {
    const isTooMuch = error instanceof RefusedRequest && error.status === BAD_REQUEST
    if (!isTooMuch) throw error
    const length = (toMs - fromMs) * LESS
    if (length >= leastMs) {
      return readSamples(api, { ...request, fromMs: toMs - length }, signal)
    }
    if (series.length === 1) throw error
    const half = Math.ceil(series.length / 2)
    const parts = [series.slice(0, half), series.slice(half)]
    const both = await Promise.all(
      parts.map((part) => readSamples(api, { ...request, series: part }, signal)),
    )
    return { endMs: toMs, groups: both.flatMap(({ groups }) => groups) }
  }
}

function groupsOf({ groups }: SamplesEvent, series: readonly BoardSeries[]): SampleGroup[] {
  const nameOf = new Map(series.map(({ id, name }) => [id, name]))
  return groups.map((group) => ({ ...unpack(group), names: group.ids.map((id) => nameOf.get(id)) }))
}

/** Finds the first time at which each line has a value. */
function firstTimes(groups: readonly SampleGroup[]): ReadonlyMap<string | undefined, number> {
  const first = new Map<string | undefined, number>()
  for (const { names, timesMs, values } of groups) {
    const rows = timesMs.length
    names.forEach((name, column) => {
      if (first.has(name)) return
      for (let row = 0; row < rows; row++) {
        if (Number.isNaN(values[column * rows + row]!)) continue
        first.set(name, timesMs[row]!)
        return
      }
    })
  }
  return first
}

async function readSeconds(
  api: Pick<HubApi, 'range'>,
  { series, fromMs, toMs }: PastRequest,
): Promise<SampleGroup[]> {
  const answer = await api.range({
    series: [...new Set(series.map(({ id }) => id))],
    fromMs: Math.floor(fromMs / STEP_MS) * STEP_MS,
    toMs: Math.ceil(toMs / STEP_MS) * STEP_MS,
    stepMs: STEP_MS,
  })
  const columns = new Map(answer.columns.map((column) => [column.id, column]))
  return series.flatMap((each) => {
    const column = columns.get(each.id)
    if (column === undefined || column.kind !== each.kind) return []
    const rows =
      column.kind === 'gauge' ? gaugeRows(column, answer) : cellRows(column, answer, each)
    return [{ names: [each.name], timesMs: rows.timesMs, values: rows.values }]
  })
}

interface Rows {
  readonly timesMs: number[]
  readonly values: number[]
}

/** Gives one row a second, from the first that is known to the last. */
function cellRows(
  column: Exclude<RangeColumn, { kind: 'gauge' }>,
  answer: RangeAnswer,
  of: BoardSeries,
): Rows {
  const cells: readonly (CellJson | null)[] =
    column.kind === 'counter' ? column.delta : column.cells
  const rows: Rows = { timesMs: [], values: [] }
  const end = cells.findLastIndex((cell) => cell !== null)
  for (let i = cells.findIndex((cell) => cell !== null); i >= 0 && i <= end; i++) {
    rows.timesMs.push(endOf(answer, i))
    rows.values.push(measure(of, cells[i]!, answer.stepMs / 1000))
  }
  return rows
}

/**
 * Gives the values at the ends of seconds, and of a second that saw others in between its least and
 * its greatest, a third and two thirds into it: when they were is not known, that they were is.
 */
function gaugeRows(column: Extract<RangeColumn, { kind: 'gauge' }>, answer: RangeAnswer): Rows {
  const rows: Rows = { timesMs: [], values: [] }
  const { value, min, max } = column
  const end = value.findLastIndex((each) => each !== null)
  for (let i = value.findIndex((each) => each !== null); i >= 0 && i <= end; i++) {
    const timeMs = endOf(answer, i)
    const now = value[i] ?? Number.NaN
    const [low, high] = [min[i] ?? now, max[i] ?? now]
    if (low < now) push(rows, timeMs - (2 / 3) * answer.stepMs, low)
    if (high > now) push(rows, timeMs - (1 / 3) * answer.stepMs, high)
    push(rows, timeMs, now)
  }
  return rows
}

function push({ timesMs, values }: Rows, timeMs: number, value: number): void {
  timesMs.push(timeMs)
  values.push(value)
}

function endOf({ fromMs, stepMs }: RangeAnswer, step: number): number {
  return fromMs + (step + 1) * stepMs
}

/** Gives the rows of one line before a time; nothing where there are none. */
function before(group: SampleGroup, timeMs: number): SampleGroup[] {
  const { timesMs, values, names } = group
  let length = 0
  while (length < timesMs.length && timesMs[length]! < timeMs) length++
  if (length === 0) return []
  const rows = Array.from({ length }, (_, i) => i)
  return [{ names, timesMs: rows.map((i) => timesMs[i]!), values: rows.map((i) => values[i]!) }]
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / size)
  return Array.from({ length: count }, (_, i) => list.slice(i * size, (i + 1) * size))
}
