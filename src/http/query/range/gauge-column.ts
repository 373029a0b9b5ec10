/** Values of a gauge by column, with the least and the largest, from seconds and from samples. */
import type { Samples } from '../../../hub/live/samples/samples.ts'
import type { Pieces } from '../../pieces.ts'
import { numberJson } from '../cell-json.ts'
import { type Columns, FRAMES_PER_STEP, type ShownSeries } from './columns.ts'

/**
 * Makes a gauge's column: a value counts from the end of its frame until the next one, or until it
 * is stale; the least and the largest are of all that is known of a step.
 * @param sampledFromMs time from which on samples tell when a frame's extremes were
 */
export function* gaugeColumn(
  columns: Columns,
  record: ShownSeries,
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
export function firstSampleMs({ logs }: Samples, id: number): number {
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
export function* takeSamples(
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
