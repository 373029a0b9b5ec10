/**
 * One frame that says what several say together: the windows of sessions and the older part of the
 * ring. Ids rise in every column, so columns are gone through side by side, and nothing but the
 * series at hand is held.
 */
import {
  addExact,
  type Exact,
  type Histogram,
  type Kind,
  mergeSummaries,
  type Summary,
} from '../../model/index.ts'
import { runNow, type Task } from '../tasks/task.ts'
import { type Frame, FrameBuilder } from './frame.ts'

/** Rows between two looks at the clock: a histogram takes some microseconds. */
const ROWS_PER_STEP = 128

/**
 * They must be in the order of time and follow each other; the result ends where the last one ends.
 */
export function mergeFrames(frames: readonly Frame[]): Frame {
  return runNow(mergeSteps(frames))
}

export function* mergeSteps(frames: readonly Frame[]): Task<Frame> {
  if (frames.length === 1) return frames[0]!
  const builder = new FrameBuilder()
  yield* mergeColumns(frames, 'counter', (id, rows) => addCounter(builder, id, rows))
  yield* mergeColumns(frames, 'gauge', (id, rows) => {
    const { frame, at } = rows.at(-1)!
    builder.gauge(id, frame.gaugeAt(at))
  })
  yield* mergeColumns(frames, 'histogram', (id, rows) => addHistogram(builder, id, rows))
  yield* mergeColumns(frames, 'summary', (id, rows) => addSummary(builder, id, rows))
  const seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0)
  return builder.build(frames.at(-1)!.endMs, seconds)
}

/** Where a frame has a series. */
interface Row {
  readonly frame: Frame
  at: number
}

/** Calls back for every series of a kind, ids rising, with its rows in the order of time. */
function* mergeColumns(
  frames: readonly Frame[],
  kind: Kind,
  visit: (id: number, rows: readonly Row[]) => void,
): Task {
  const columns = frames.map((frame) => ({ ids: frame.ids(kind), row: { frame, at: 0 } }))
  let rowCount = 0
  for (;;) {
    let id = Number.POSITIVE_INFINITY
    for (const { ids, row } of columns) if (row.at < ids.length) id = Math.min(id, ids[row.at]!)
    if (id === Number.POSITIVE_INFINITY) return
    const rows: Row[] = []
    for (const { ids, row } of columns) if (ids[row.at] === id) rows.push(row)
    visit(id, rows)
    for (const row of rows) row.at++
    rowCount += rows.length
    if (rowCount < ROWS_PER_STEP) continue
    rowCount = 0
    yield
  }
}

function addCounter(builder: FrameBuilder, id: number, rows: readonly Row[]): void {
  let whole = 0n
  let delta: Exact = 0
  for (const { frame, at } of rows) {
    whole += frame.counterDeltas[at]!
    delta = addExact(delta, frame.deltaAt(at))
  }
  builder.counter(id, delta, whole)
}

function addHistogram(builder: FrameBuilder, id: number, rows: readonly Row[]): void {
  let sum: Histogram | undefined
  for (const { frame, at } of rows) {
    const histogram = frame.histogramAt(at)
    if (sum === undefined) sum = histogram
    else sum.mergeFrom(histogram)
  }
  if (sum !== undefined) builder.histogram(id, sum)
}

function addSummary(builder: FrameBuilder, id: number, rows: readonly Row[]): void {
  let sum: Summary | undefined
  for (const { frame, at } of rows) {
    const summary = frame.summaryAt(at)
    sum = sum === undefined ? summary : mergeSummaries(sum, summary)
  }
  if (sum !== undefined) builder.summary(id, sum)
}
