/**
 * The counters that a monitor has seen, each with its last window, the change from the one before,
 * a short past and a running total (eventcounters.md §7.1). Bounded: series beyond the limit are
 * not taken up, and a past is a ring.
 */
import type { FeedWindow } from '../../../command-line.ts'
import type { CounterDescription } from '../../window.ts'
import { seriesKey } from '../watch.ts'
import { type Figures, figuresOf, type ValueView } from './figures.ts'

/** One series as it is shown. */
export interface Series {
  readonly counter: CounterDescription
  readonly isSum: boolean
  /** Nominal interval, milliseconds. */
  readonly seriesMs: number | undefined
  readonly figures: Figures
  /** Change of the first figure shown; undefined for the first window, and after a gap. */
  readonly delta: number | undefined
  /** The first figure, oldest first; NaN where there was none. */
  readonly past: ArrayLike<number>
  /** Time of the last window, monotonic nanoseconds. */
  readonly seenNs: bigint
  /** A threshold is passed, and whether it was not before. */
  readonly isOver: boolean
  readonly hasCrossed: boolean
}

interface Row extends Series {
  counter: CounterDescription
  isSum: boolean
  seriesMs: number | undefined
  figures: Figures
  delta: number | undefined
  past: number[]
  seenNs: bigint
  isOver: boolean
  hasCrossed: boolean
  afterGap: boolean
}

/** Two a cell of a spark, and no spark is wider than 120 cells. */
const PAST_LIMIT = 240

interface BoardOptions {
  readonly seriesLimit: number
  /** The figure whose change and past are kept. */
  readonly view: ValueView
  /** Whether the figure of a counter is past a threshold. */
  readonly isOver: (counter: string, value: number | undefined) => boolean
}

export class Board {
  readonly #options: BoardOptions
  readonly #rows = new Map<string, Row>()
  #version = 0
  #leftOut = 0

  constructor(options: BoardOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#rows.size
  }

  /** Version of the series: another number when one has come or a label has changed. */
  get version(): number {
    return this.#version
  }

  /** Windows of series beyond the limit. */
  get leftOut(): number {
    return this.#leftOut
  }

  get series(): Iterable<Series> {
    return this.#rows.values()
  }

  /** @returns the series as it is now; undefined when it is one beyond the limit */
  take(window: FeedWindow, nowNs: bigint): Series | undefined {
    const key = seriesKey(window.counter)
    const row = this.#rows.get(key)
    if (row !== undefined) {
      this.#update(row, window, nowNs)
      return row
    }
    if (this.#rows.size >= this.#options.seriesLimit) {
      this.#leftOut++
      return undefined
    }
    const added = rowOf(window, nowNs)
    this.#keep(added)
    this.#rows.set(key, added)
    this.#version++
    return added
  }

  /** Marks that the connection is lost: what comes next follows on nothing. */
  gap(): void {
    for (const row of this.#rows.values()) {
      if (row.afterGap) continue
      row.afterGap = true
      push(row.past, Number.NaN)
    }
  }

  /** Copies the board as it is, for a screen that stands still while data goes on. */
  snapshot(): readonly Series[] {
    return [...this.#rows.values()].map((row) => ({ ...row, past: [...row.past] }))
  }

  #update(row: Row, window: FeedWindow, nowNs: bigint): void {
    const { view } = this.#options
    const before = row.figures[view]
    if (hasNewLabel(row, window)) this.#version++
    const wasSum = row.isSum
    row.counter = window.counter
    row.isSum = window.statistics.kind === 'sum'
    row.seriesMs = window.seriesMs
    row.figures = figuresOf(window, wasSum ? row.figures.total : 0)
    row.delta = row.afterGap ? undefined : difference(row.figures[view], before)
    row.seenNs = nowNs
    this.#keep(row)
  }

  #keep(row: Row): void {
    const { view, isOver } = this.#options
    const value = row.figures[view]
    const wasOver = row.isOver
    row.isOver = isOver(row.counter.name, value)
    row.hasCrossed = row.isOver && !wasOver
    row.afterGap = false
    push(row.past, value ?? Number.NaN)
  }
}

function rowOf(window: FeedWindow, nowNs: bigint): Row {
  return {
    counter: window.counter,
    isSum: window.statistics.kind === 'sum',
    seriesMs: window.seriesMs,
    figures: figuresOf(window, 0),
    delta: undefined,
    past: [],
    seenNs: nowNs,
    isOver: false,
    hasCrossed: false,
    afterGap: false,
  }
}

/** Compares what labels are made of, not the object: labels are cached by version. */
function hasNewLabel(row: Row, { counter, statistics, seriesMs }: FeedWindow): boolean {
  const known = row.counter
  if (row.isSum !== (statistics.kind === 'sum') || row.seriesMs !== seriesMs) return true
  return (
    known.displayName !== counter.displayName ||
    known.units !== counter.units ||
    known.rateScaleSec !== counter.rateScaleSec
  )
}

function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined ? undefined : now - before
}

function push(past: number[], value: number): void {
  if (past.length >= PAST_LIMIT) past.shift()
  past.push(value)
}
