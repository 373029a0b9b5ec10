/** The plots on screen: which of them are in sight, which one keys are about, and the cursor. */
import type { Board } from '../../../../model/board/board.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import type { ScreenBuffer } from '../../../../terminal/index.ts'
import type { ViewOptions } from '../flags.ts'
import { cellOf, layoutOf, type PlotLayout } from './layout.ts'
import { drawPlot } from './plot-picture.ts'

/** Columns of the Y axes, a blank included: they grow as labels need it, and never shrink. */
const AXIS_WIDTH = { least: 5, most: 12 } as const
/** Steps of the cursor across a window. */
const CURSOR_STEPS = 60

export class PlotsPane {
  hasLegend: boolean
  chartColumns: number | undefined
  chartAspect: number | undefined
  filter = ''
  readonly #board: Board
  #matching:
    | { readonly all: readonly Plot[]; readonly filter: string; readonly found: readonly Plot[] }
    | undefined
  /** Name of the plot that keys are about. */
  #focus: string | undefined
  /** First row of plots that is shown. */
  #top = 0
  /** Seconds from the cursor to the picture's zero; undefined without a cursor. */
  #cursorBack: number | undefined
  #axisWidth: number = AXIS_WIDTH.least
  #layout: PlotLayout = layoutOf(1, 1, 1, { chartColumns: 1, chartAspect: undefined })

  constructor(board: Board, view: ViewOptions) {
    this.#board = board
    this.hasLegend = view.hasLegend
    this.chartColumns = view.chartColumns
    this.chartAspect = view.chartAspect
  }

  /** Plots that match the filter, the same list while nothing changes. */
  get plots(): readonly Plot[] {
    const all = this.#board.plots()
    if (this.filter === '') return all
    const last = this.#matching
    if (last?.all === all && last.filter === this.filter) return last.found
    const found = this.#board.plots(this.filter)
    this.#matching = { all, filter: this.filter, found }
    return found
  }

  get layout(): PlotLayout {
    return this.#layout
  }

  /** Columns of the Y axes, the same for all plots. */
  get axisWidth(): number {
    return this.#axisWidth
  }

  /** Plot that keys are about: the first, where that one is gone. */
  get focused(): Plot | undefined {
    const { plots } = this
    return plots.find(({ name }) => name === this.#focus) ?? plots[0]
  }

  /** Time of the cursor; undefined without. */
  get cursor(): number | undefined {
    return this.#cursorBack === undefined ? undefined : this.#board.span.zero - this.#cursorBack
  }

  /** Moves the cursor by a sixtieth of what is shown; the first step begins at the right edge. */
  moveCursor(direction: 1 | -1): void {
    const { from, to, zero } = this.#board.span
    const now = this.cursor ?? to
    const next = now + (direction * (to - from)) / CURSOR_STEPS
    this.#cursorBack = zero - Math.min(to, Math.max(from, next))
  }

  dropCursor(): void {
    this.#cursorBack = undefined
  }

  get hasCursor(): boolean {
    return this.#cursorBack !== undefined
  }

  /** Goes so many plots on. */
  moveFocus(step: number): void {
    const { plots } = this
    const now = plots.findIndex(({ name }) => name === this.focused?.name)
    const next = Math.min(plots.length - 1, Math.max(0, now + step))
    this.#focus = plots[next]?.name
  }

  moveRows(rows: number): void {
    this.moveFocus(rows * this.#layout.columns)
  }

  movePages(pages: number): void {
    this.moveRows(pages * this.#layout.shownRows)
  }

  draw(buffer: ScreenBuffer, firstRow: number, rows: number): void {
    const { plots } = this
    this.#layout = layoutOf(plots.length, buffer.columns, rows, this)
    const focused = this.focused
    this.#show(focused === undefined ? 0 : plots.indexOf(focused))
    const axisWidth = this.#axisWidth
    for (const [i, plot] of plots.entries()) {
      const cell = cellOf(this.#layout, i, this.#top, firstRow)
      if (cell === undefined) continue
      const wished = drawPlot(buffer, cell, plot, {
        axisWidth,
        board: this.#board,
        hasLegend: this.hasLegend,
        isFocused: plots.length > 1 && plot === focused,
        cursor: this.cursor,
      })
      const most = Math.min(wished, AXIS_WIDTH.most)
      if (most > this.#axisWidth) this.#axisWidth = most
    }
    // labels that were cut are whole at once
    if (this.#axisWidth > axisWidth) this.draw(blank(buffer, firstRow, rows), firstRow, rows)
  }

  /** Says which rows of plots are in sight, where not all are. */
  get position(): string {
    const { allRows, shownRows, columns } = this.#layout
    if (allRows <= shownRows) return ''
    const first = this.#top * columns + 1
    const last = Math.min(this.plots.length, (this.#top + shownRows) * columns)
    return `${first}-${last} of ${this.plots.length} plots`
  }

  /** Brings a plot into sight. */
  #show(index: number): void {
    const { columns, shownRows, allRows } = this.#layout
    const row = Math.floor(index / columns)
    if (row < this.#top) this.#top = row
    if (row >= this.#top + shownRows) this.#top = row - shownRows + 1
    this.#top = Math.max(0, Math.min(this.#top, allRows - shownRows))
  }
}

function blank(buffer: ScreenBuffer, firstRow: number, rows: number): ScreenBuffer {
  for (let row = firstRow; row < firstRow + rows; row++) {
    buffer.write(row, 0, ' '.repeat(buffer.columns))
  }
  return buffer
}
