/**
 * Columns of a range that the live ring has, behind those that come from the history (past.ts).
 *
 *   from          from + step     from + 2 step      to
 *   |— column 0 ——|—— column 1 ———|———— column 2 ————|
 *        ▏frame▏frame▏frame▏    coarse frame    ▏
 *
 * A frame that reaches over several columns is spread over them by whole seconds; what division
 * leaves over goes to the last one. So sums over columns are exact, only their place is estimated.
 */
import type { Frame } from '../../../hub/live/frame.ts'
import type { SeriesRecord } from '../../../hub/series/record.ts'
import type { Kind } from '../../../model/index.ts'
import type { Pieces } from '../../pieces.ts'
import type { Past, RangeWindow } from './past.ts'

/** Frames looked at, or cells written, between two yields: half a millisecond at most. */
export const FRAMES_PER_STEP = 32

/** A series of the hub, or one that only its history has. */
export interface ShownSeries
  extends Pick<SeriesRecord, 'id' | 'identity' | 'source' | 'firstSeenMs'> {
  /** Time from which on it was no more, where it is one of the past. */
  readonly goneMs?: number
  /** Second part of a counter, which is taken off it. */
  readonly decrements?: Pick<SeriesRecord, 'id'> | undefined
}

/** Placement of the seconds of one frame in columns, in the order of time; some may lie outside. */
export interface Placement {
  readonly columns: readonly number[]
  /** Seconds in each of them; together the frame's. */
  readonly seconds: readonly number[]
}

/** The frames of a window and how they lie over its columns; the same for every series. */
export class Columns {
  /** Window of the columns that the ring has. */
  readonly window: RangeWindow
  readonly frames: readonly Frame[]
  /** Columns before them. */
  readonly past: Past | undefined
  /** 1 where a second of at least one frame ends in the column. */
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

  /** Lists, by column, whether a frame reaches into it: 1 also where steps are within a second. */
  reached(): Uint8Array {
    const reached = this.covered.slice()
    for (const { endMs, seconds } of this.frames) {
      const first = this.at(endMs - seconds * 1000 + 1)
      reached.fill(1, Math.max(0, first), Math.max(0, this.at(endMs) + 1))
    }
    return reached
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
export function split(whole: bigint, { seconds }: Placement): bigint[] {
  if (seconds.length === 1) return [whole]
  const all = BigInt(seconds.reduce((sum, each) => sum + each, 0))
  let rest = whole
  return seconds.map((each, i) => {
    const share = i === seconds.length - 1 ? rest : (whole * BigInt(each)) / all
    rest -= share
    return share
  })
}
