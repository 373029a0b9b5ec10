/**
 * One frame that says what several say together: the windows of sessions and the older part of the
 * ring. Ids rise in every column, so columns are gone through side by side, and nothing but the
 * series at hand is held.
 */
import {
  addExact,
  type Exact,
  type Histogram,
  KINDS,
  type Kind,
  mergeSummaries,
  type Summary,
} from '../../model/index.ts'
import type { Task } from '../tasks/task.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import type { PlainSpread } from './packed-spreads.ts'

/** Rows between two looks at the clock: a histogram takes some microseconds. */
const ROWS_PER_STEP = 128

/**
 * Merges frames in the order of time that follow each other; the result ends where the last one
 * ends.
 * @param seconds length of the result, where some are of the same time
 */
export function* mergeSteps(frames: readonly Frame[], seconds?: number): Task<Frame> {
  if (frames.length === 1) return frames[0]!
  const builder = new FrameBuilder()
  for (const kind of KINDS) {
    yield* mergeColumns(frames, kind, (id, rows) => ADD[kind](builder, id, rows))
  }
  return yield* built(builder, frames, seconds)
}

/**
 * Merges a frame with others of the same time: the result is as long as it. Of a gauge the value
 * of the last one holds.
 */
export function* mergeBeside(frame: Frame, others: readonly Frame[]): Task<Frame> {
  const frames = [frame, ...others]
  const builder = new FrameBuilder()
  for (const kind of KINDS) {
    yield* mergeColumns(frames, kind, (id, rows) => ADD[kind](builder, id, rows))
  }
  return yield* builder.building(frame.endMs, frame.seconds)
}

/**
 * Merges the cells of some series alone, for one reader: all others are left out.
 * @param ids in rising order
 * @param kindOf undefined for a series that is gone
 */
export function* mergeSelected(
  frames: readonly Frame[],
  ids: readonly number[],
  kindOf: (id: number) => Kind | undefined,
): Task<Frame> {
  if (frames.length === 1) return frames[0]!
  const builder = new FrameBuilder()
  let looks = 0
  for (const id of ids) {
    const kind = kindOf(id)
    if (kind === undefined) continue
    const rows = frames
      .map((frame) => ({ frame, at: frame.row(id, kind) }))
      .filter(({ at }) => at >= 0)
    if (rows.length > 0) ADD[kind](builder, id, rows)
    looks += frames.length
    if (looks < ROWS_PER_STEP) continue
    looks = 0
    yield
  }
  return yield* built(builder, frames)
}

function built(
  builder: FrameBuilder,
  frames: readonly Frame[],
  seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0),
): Task<Frame> {
  return builder.building(frames.at(-1)!.endMs, seconds)
}

/** Place where a frame has a series. */
export interface PlacedCell {
  readonly frame: Frame
  at: number
}

/** Calls back for every series of a kind, ids rising, with its rows in the order of time. */
export function* mergeColumns(
  frames: readonly Frame[],
  kind: Kind,
  visit: (id: number, rows: readonly PlacedCell[]) => void,
): Task {
  const columns = frames.map((frame) => ({ ids: frame.ids(kind), row: { frame, at: 0 } }))
  let rowCount = 0
  for (;;) {
    let id = Number.POSITIVE_INFINITY
    for (const { ids, row } of columns) if (row.at < ids.length) id = Math.min(id, ids[row.at]!)
    if (id === Number.POSITIVE_INFINITY) return
    const rows: PlacedCell[] = []
    for (const { ids, row } of columns) if (ids[row.at] === id) rows.push(row)
    visit(id, rows)
    for (const row of rows) row.at++
    rowCount += rows.length
    if (rowCount < ROWS_PER_STEP) continue
    rowCount = 0
    yield
  }
}

function addCounter(builder: FrameBuilder, id: number, rows: readonly PlacedCell[]): void {
  let whole = 0n
  let delta: Exact = 0
  for (const { frame, at } of rows) {
    whole += frame.counterDeltas[at]!
    delta = addExact(delta, frame.deltaAt(at))
  }
  builder.counter(id, delta, whole)
}

function addGauge(builder: FrameBuilder, id: number, rows: readonly PlacedCell[]): void {
  const { frame, at } = rows.at(-1)!
  builder.gauge(id, frame.gaugeAt(at), spreadOver(rows))
}

/** Says what a gauge went through in some frames; undefined where it stood still. */
function spreadOver(rows: readonly PlacedCell[]): PlainSpread | undefined {
  let [first, min, max] = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let count = 0
  let isSampled = false
  for (const { frame, at } of rows) {
    const spread = frame.spreadAt(at)
    const value = frame.gaugeValues[at]!
    if (spread === undefined && Number.isNaN(value)) continue
    if (count === 0) first = spread?.first ?? value
    isSampled ||= spread !== undefined
    min = Math.min(min, spread?.min ?? value)
    max = Math.max(max, spread?.max ?? value)
    count += spread?.count ?? 1
  }
  return isSampled || min < max ? { first, min, max, count } : undefined
}

function addHistogram(builder: FrameBuilder, id: number, rows: readonly PlacedCell[]): void {
  const [only] = rows
  if (only !== undefined && rows.length === 1) {
    builder.packedHistogram(id, only.frame, only.at)
    return
  }
  let sum: Histogram | undefined
  for (const { frame, at } of rows) {
    const histogram = frame.histogramAt(at)
    if (sum === undefined) sum = histogram
    else sum.mergeFrom(histogram)
  }
  if (sum !== undefined) builder.histogram(id, sum)
}

function addSummary(builder: FrameBuilder, id: number, rows: readonly PlacedCell[]): void {
  let sum: Summary | undefined
  for (const { frame, at } of rows) {
    const summary = frame.summaryAt(at)
    sum = sum === undefined ? summary : mergeSummaries(sum, summary)
  }
  if (sum !== undefined) builder.summary(id, sum)
}

/** Adds one series to a merged frame, by its kind; rows are in the order of time. */
const ADD: Readonly<Record<Kind, typeof addCounter>> = {
  counter: addCounter,
  gauge: addGauge,
  histogram: addHistogram,
  summary: addSummary,
}
