/**
 * Past cells of some series in even columns (api.ts RangeAnswer), read from the live ring, behind
 * columns that come from the history (past.ts).
 *
 *   from          from + step     from + 2 step      to
 *   |— column 0 ——|—— column 1 ———|———— column 2 ————|
 *        ▏frame▏frame▏frame▏    coarse frame    ▏
 *
 * A frame that reaches over several columns is spread over them by whole seconds; what division
 * leaves over goes to the last one. So sums over columns are exact, only their place is estimated.
 */
import type { Frame } from '../../hub/live/frame.ts'
import type { Samples } from '../../hub/live/samples/samples.ts'
import type { SeriesRecord } from '../../hub/series/record.ts'
import type { HubView } from '../../hub/view.ts'
import {
  addExact,
  type Cell,
  EMPTY_SUMMARY,
  type Exact,
  exact,
  Histogram,
  isInteger,
  type Kind,
  mergeSummaries,
  type Summary,
} from '../../model/index.ts'
import type { Pieces } from '../pieces.ts'
import { deltaJson, histogramCell, numberJson, summaryCell } from './cell-json.ts'
import { gapsOf, type Past, type RangeWindow } from './past.ts'

export const COLUMNS_LIMIT = 2000
export const RANGE_SERIES_LIMIT = 200

/** Frames looked at, or cells written, between two yields: half a millisecond at most. */
const FRAMES_PER_STEP = 32

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
  const pastLength = past?.length ?? 0
  const liveMs = fromMs + pastLength * stepMs
  const frames = view.live.between(liveMs - view.staleAfterMs, fromMs + length * stepMs)
  const live = { fromMs: liveMs, stepMs, length: length - pastLength }
  const columns = new Columns(frames, live, past)
  const closedMs = view.live.newest?.endMs ?? liveMs
  const gaps = JSON.stringify(gapsOf(past, columns.covered))
  yield `{"fromMs":${fromMs},"stepMs":${stepMs},"length":${length},"closedMs":${closedMs},`
  yield `"gaps":${gaps},"columns":[`
  let separator = ''
  for (const id of ids) {
    const found = view.series.get(id)
    if (found === undefined) continue
    const record = view.series.keep(found)
    yield `${separator}${yield* columnJson(columns, record, view)}`
    separator = ','
  }
  yield ']}'
}

function* columnJson(columns: Columns, record: SeriesRecord, view: HubView): Pieces<never, string> {
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

/** Placement of the seconds of one frame in columns, in the order of time; some may lie outside. */
interface Placement {
  readonly columns: readonly number[]
  /** Seconds in each of them; together the frame's. */
  readonly seconds: readonly number[]
}

/** The frames of a window and how they lie over its columns; the same for every series. */
class Columns {
  /** Window of the columns that the ring has. */
  readonly window: RangeWindow
  readonly frames: readonly Frame[]
  /** Columns before them. */
  readonly past: Past | undefined
  /** 1 where at least one frame reaches into the column. */
  readonly covered: Uint8Array
  readonly #placements: readonly Placement[]

  constructor(frames: readonly Frame[], window: RangeWindow, past: Past | undefined) {
    this.frames = frames
    this.window = window
    this.past = past
    this.covered = new Uint8Array(window.length)
    this.#placements = frames.map((frame) => this.#place(frame))
    for (const { columns } of this.#placements) {
      for (const column of columns) if (this.#isInside(column)) this.covered[column] = 1
    }
  }

  /** Finds the column that holds an instant, its end included; may lie outside of the window. */
  at(ms: number): number {
    return Math.ceil((ms - this.window.fromMs) / this.window.stepMs) - 1
  }

  endOf(column: number): number {
    return this.window.fromMs + (column + 1) * this.window.stepMs
  }

  /** Calls back for every frame that holds a cell of the series. */
  *forEach(
    id: number,
    kind: Kind,
    visit: (frame: Frame, row: number, placement: Placement) => void,
  ): Pieces<never> {
    for (const [i, frame] of this.frames.entries()) {
      if (i % FRAMES_PER_STEP === 0) yield
      const row = frame.row(id, kind)
      const placement = this.#placements[i]!
      if (row >= 0 && placement.columns.some((column) => this.#isInside(column))) {
        visit(frame, row, placement)
      }
    }
  }

  #isInside(column: number): boolean {
    return column >= 0 && column < this.window.length
  }

  #place(frame: Frame): Placement {
    const startMs = frame.endMs - frame.seconds * 1000
    const columns: number[] = []
    const seconds: number[] = []
    for (let second = 1; second <= frame.seconds; second++) {
      const column = this.at(startMs + second * 1000)
      if (columns.at(-1) === column) seconds[seconds.length - 1]! += 1
      else {
        columns.push(column)
        seconds.push(1)
      }
    }
    return { columns, seconds }
  }
}

/** Shares of a count by seconds, rounded down; the last one gets what is left. */
function split(whole: bigint, { seconds }: Placement): bigint[] {
  if (seconds.length === 1) return [whole]
  const all = BigInt(seconds.reduce((sum, each) => sum + each, 0))
  let rest = whole
  return seconds.map((each, i) => {
    const share = i === seconds.length - 1 ? rest : (whole * BigInt(each)) / all
    rest -= share
    return share
  })
}

/** Makes a counter's column: where nothing came while its peer was away, it did not stand still. */
function* counterColumn(
  columns: Columns,
  record: SeriesRecord,
  view: HubView,
): Pieces<never, string[]> {
  const deltas = new Array<Exact>(columns.window.length).fill(0)
  yield* columns.forEach(record.id, 'counter', (frame, row, placement) => {
    const shares = splitDelta(frame.deltaAt(row), placement)
    placement.columns.forEach((column, i) => {
      if (column < 0 || column >= deltas.length) return
      deltas[column] = addExact(deltas[column]!, shares[i]!)
    })
  })
  const texts = deltas.map((delta, column) => {
    if (delta > 0) return deltaJson(delta)
    const endMs = columns.endOf(column)
    const isKnown =
      columns.covered[column] === 1 &&
      endMs > record.firstSeenMs &&
      !view.wasAway(record.source, endMs - columns.window.stepMs, endMs)
    return isKnown ? deltaJson(delta) : 'null'
  })
  return [...pastDeltas(columns, record), ...texts]
}

/** Lists the increments of the past; before the first one ever the counter was not there. */
function pastDeltas(columns: Columns, { id, firstSeenMs }: SeriesRecord): string[] {
  const { past } = columns
  const texts = new Array<string>(past?.length ?? 0).fill('null')
  let isThere = false
  past?.forEach(id, (column, cell) => {
    isThere ||= cell?.kind === 'counter' || columns.endOf(column - past.length) > firstSeenMs
    if (column < 0) return
    if (cell?.kind === 'counter') texts[column] = deltaJson(cell.delta)
    else if (isThere && past.isCovered(column)) texts[column] = '0'
  })
  return texts
}

/** Shares of an increment; one with a fraction is divided as a double. */
function splitDelta(delta: Exact, placement: Placement): Exact[] {
  const { seconds } = placement
  if (seconds.length === 1) return [delta]
  if (isInteger(delta)) return split(BigInt(delta), placement).map(exact)
  const all = seconds.reduce((sum, each) => sum + each, 0)
  return seconds.map((each) => (Number(delta) * each) / all)
}

/**
 * Makes a gauge's column: a value counts from the end of its frame until the next one, or until it
 * is stale; the least and the largest are of all that is known of a step.
 * @param sampledFromMs time from which on samples tell when a frame's extremes were
 */
function* gaugeColumn(
  columns: Columns,
  record: SeriesRecord,
  staleAfterMs: number,
  sampledFromMs: number,
): Pieces<never, GaugeTexts> {
  const before = pastGauge(columns, record.id, staleAfterMs)
  const texts = new GaugeTexts(columns.window.length, before.texts)
  let value = before.value
  let untilMs = before.untilMs
  /** Column of the last frame, and what is known of it. */
  let last = Number.NaN
  let [min, max] = [Number.NaN, Number.NaN]
  let column = 0
  const hold = (end: number): void => {
    for (; column < Math.min(end, columns.window.length); column++) {
      if (columns.covered[column] !== 1 || columns.endOf(column) > untilMs) continue
      if (column === last) texts.set(column, value, min, max)
      else texts.set(column, value, value, value)
    }
  }
  for (const [i, frame] of columns.frames.entries()) {
    if (i % FRAMES_PER_STEP === 0) yield
    const row = frame.row(record.id, 'gauge')
    if (row < 0) continue
    const at = columns.at(frame.endMs)
    hold(at)
    if (at !== last) min = max = Number.NaN
    last = at
    value = frame.gaugeValues[row]!
    const isSampled = frame.endMs - frame.seconds * 1000 >= sampledFromMs
    const spread = isSampled ? undefined : frame.spreadAt(row)
    min = least(min, spread?.min ?? value)
    max = -least(-max, -(spread?.max ?? value))
    untilMs = Math.max(columns.endOf(at), frame.endMs + staleAfterMs)
  }
  hold(columns.window.length)
  return texts
}

interface PastGauge {
  readonly texts: GaugeTexts
  /** Value that still counts behind the columns of the past, and until when. */
  readonly value: number
  readonly untilMs: number
}

/** Makes the columns of the past of a gauge, by the same rule. */
function pastGauge(columns: Columns, id: number, staleAfterMs: number): PastGauge {
  const { past } = columns
  const texts = new GaugeTexts(past?.length ?? 0)
  let value = Number.NaN
  let untilMs = Number.NEGATIVE_INFINITY
  past?.forEach(id, (column, cell) => {
    const endMs = columns.endOf(column - past.length)
    if (cell?.kind === 'gauge') {
      value = Number(cell.value)
      untilMs = Math.max(endMs, cell.at + staleAfterMs)
      const { min = value, max = value } = cell.spread ?? {}
      if (column >= 0) texts.set(column, value, min, max)
    } else if (column >= 0 && endMs <= untilMs && past.isCovered(column)) {
      texts.set(column, value, value, value)
    }
  })
  return { texts, value, untilMs }
}

/** Finds the time of a series' first sample that is kept; Infinity without one. */
function firstSampleMs({ logs }: Samples, id: number): number {
  let first = Number.POSITIVE_INFINITY
  for (const log of logs) {
    const slices = log.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    const slice = slices.find(({ block }) => block.layout.columnOf(id) >= 0)
    if (slice !== undefined) first = Math.min(first, slice.block.times[slice.from]!)
  }
  return first
}

/** A sample holds for so long: it is told again, or its source has gone. */
const SAMPLE_HOLDS_MS = 1000

/**
 * Writes samples over a gauge's column: each step has those that were measured in it, and one
 * without has the last before it. A whole second's extremes would be those of another step.
 */
function* takeSamples(
  texts: GaugeTexts,
  columns: Columns,
  id: number,
  { logs }: Samples,
): Pieces<never> {
  const { fromMs, length } = columns.window
  const toMs = columns.endOf(length - 1)
  let [last, min, max] = [-1, Number.NaN, Number.NaN]
  let [lastMs, lastValue] = [Number.NEGATIVE_INFINITY, Number.NaN]
  const hold = (end: number, isKnown: boolean): void => {
    const until = Math.min(end, columns.at(lastMs + SAMPLE_HOLDS_MS) + 1)
    for (let column = last + 1; column < until; column++) {
      if (isKnown || texts.has(column)) texts.set(column, lastValue, lastValue, lastValue)
    }
  }
  for (const { block, from, to } of logs.flatMap((log) => log.between(fromMs, toMs))) {
    const place = block.layout.columnOf(id)
    if (place < 0) continue
    const at = place * block.times.length
    for (let row = from; row < to; row++) {
      const value = block.values[at + row]!
      if (Number.isNaN(value)) continue
      const timeMs = block.times[row]!
      const column = columns.at(timeMs)
      if (column !== last) {
        min = max = Number.NaN
        if (last >= 0) hold(column, true)
      }
      last = column
      lastMs = timeMs
      lastValue = value
      min = least(min, value)
      max = -least(-max, -value)
      texts.set(column, value, min, max)
    }
    yield
  }
  // until when the last one counts is known by the seconds
  if (last >= 0) hold(length, false)
}

/** Takes the smaller one of two numbers, or the one that is known. */
function least(a: number, b: number): number {
  if (Number.isNaN(a)) return b
  return b < a ? b : a
}

/** Values of a gauge by column, as JSON. */
class GaugeTexts {
  readonly #value: string[]
  readonly #min: string[]
  readonly #max: string[]
  readonly #before: GaugeTexts | undefined

  /** @param before columns before these */
  constructor(length: number, before?: GaugeTexts) {
    this.#before = before
    this.#value = new Array<string>(length).fill('null')
    this.#min = new Array<string>(length).fill('null')
    this.#max = new Array<string>(length).fill('null')
  }

  set(column: number, value: number, min: number, max: number): void {
    this.#value[column] = numberJson(value)
    this.#min[column] = min === value ? this.#value[column] : numberJson(min)
    this.#max[column] = max === value ? this.#value[column] : numberJson(max)
  }

  /** Tells whether a step has a value. */
  has(column: number): boolean {
    return this.#value[column] !== 'null'
  }

  get json(): string {
    const [value, min, max] =
      this.#before === undefined ? this.#columns : this.#behind(this.#before)
    return `"value":[${value}],"min":[${min}],"max":[${max}]`
  }

  get #columns(): readonly string[][] {
    return [this.#value, this.#min, this.#max]
  }

  #behind(before: GaugeTexts): readonly string[][] {
    return this.#columns.map((column, i) => [...before.#columns[i]!, ...column])
  }
}

function* histogramColumn(columns: Columns, id: number): Pieces<never, string[]> {
  const cells = new Array<Histogram | undefined>(columns.window.length).fill(undefined)
  yield* columns.forEach(id, 'histogram', (frame, row, placement) => {
    const parts = splitHistogram(frame.histogramAt(row), placement)
    placement.columns.forEach((column, i) => {
      if (column < 0 || column >= cells.length) return
      const held = cells[column]
      if (held === undefined) cells[column] = parts[i]
      else held.mergeFrom(parts[i]!)
    })
  })
  const before = pastCells(columns, id, (cell) =>
    cell.kind === 'histogram' ? cell.histogram : undefined,
  )
  return yield* textsOf([...before, ...cells], (cell) =>
    cell.isEmpty ? 'null' : JSON.stringify(histogramCell(cell)),
  )
}

/** Splits every bucket by itself; min and max of the parts are not known and stay the whole's. */
function splitHistogram(whole: Histogram, placement: Placement): Histogram[] {
  if (placement.columns.length === 1) return [whole]
  const parts = placement.columns.map(() => {
    const part = new Histogram(whole.scale)
    part.bounds = whole.bounds
    return part
  })
  for (const side of ['positive', 'negative'] as const) {
    whole[side].forEach((index, count) => {
      const shares = split(count, placement)
      parts.forEach((part, i) => {
        part.addBucket(index, shares[i]!, side === 'negative')
      })
    })
  }
  const zeros = split(whole.zeroCount, placement)
  const overflows = split(whole.overflow, placement)
  parts.forEach((part, i) => {
    part.zeroThreshold = whole.zeroThreshold
    part.zeroCount = zeros[i]!
    part.overflow = overflows[i]!
    part.overflowFrom = whole.overflowFrom
    part.count += zeros[i]! + overflows[i]!
    part.min = whole.min
    part.max = whole.max
    const ratio = Number(part.count) / Number(whole.count)
    part.sum = whole.sum === undefined ? undefined : Number(whole.sum) * ratio
  })
  return parts
}

function* summaryColumn(columns: Columns, id: number): Pieces<never, string[]> {
  const cells = new Array<Summary | undefined>(columns.window.length).fill(undefined)
  yield* columns.forEach(id, 'summary', (frame, row, placement) => {
    const whole = frame.summaryAt(row)
    const counts = split(BigInt(whole.count), placement)
    placement.columns.forEach((column, i) => {
      if (column < 0 || column >= cells.length) return
      const count = Number(counts[i])
      const part = { ...whole, count, squares: whole.squares * (count / whole.count) }
      cells[column] = mergeSummaries(cells[column] ?? EMPTY_SUMMARY, part)
    })
  })
  const before = pastCells(columns, id, (cell) =>
    cell.kind === 'summary' ? cell.summary : undefined,
  )
  return yield* textsOf([...before, ...cells], (cell) =>
    cell.count === 0 ? 'null' : JSON.stringify(summaryCell(cell)),
  )
}

/** Lists the cells of a distribution in the columns of the past. */
function pastCells<T>(
  { past }: Columns,
  id: number,
  pick: (cell: Cell) => T | undefined,
): (T | undefined)[] {
  const cells = new Array<T | undefined>(past?.length ?? 0).fill(undefined)
  past?.forEach(id, (column, cell) => {
    if (column >= 0 && cell !== undefined) cells[column] = pick(cell)
  })
  return cells
}

/** Writes the cells of a column in steps, those that nothing is known of as null. */
function* textsOf<T>(
  cells: readonly (T | undefined)[],
  textOf: (cell: T) => string,
): Pieces<never, string[]> {
  const texts: string[] = []
  for (const cell of cells) {
    if (texts.length % FRAMES_PER_STEP === 0) yield
    texts.push(cell === undefined ? 'null' : textOf(cell))
  }
  return texts
}
