/** Where plots stand on a screen: a grid that fills it, or that is gone through row by row. */

export interface Cell {
  readonly row: number
  readonly column: number
  readonly width: number
  readonly height: number
}

export interface PlotLayout {
  readonly columns: number
  /** Width of a plot, and the blanks between two. */
  readonly width: number
  readonly gap: number
  /** Rows of one plot, with its caption. */
  readonly height: number
  /** Rows of plots that are on screen. */
  readonly shownRows: number
  /** Rows of plots that there are. */
  readonly allRows: number
}

/** Plots narrower or lower than this show nothing that can be read. */
const LEAST_WIDTH = 30
const LEAST_HEIGHT = 5
/** Columns unless others are asked for. */
const USUAL_COLUMNS = 2
const GAP = 2
/** A cell of a terminal is about twice as high as wide. */
const CELL_ASPECT = 2
const CAPTION_ROWS = 1

interface Wishes {
  readonly chartColumns: number | undefined
  readonly chartAspect: number | undefined
}

/** @param columns size of the part of the screen that plots have, as `rows` */
export function layoutOf(plots: number, columns: number, rows: number, wishes: Wishes): PlotLayout {
  const fitting = Math.max(1, Math.floor((columns + GAP) / (LEAST_WIDTH + GAP)))
  const across = Math.max(1, Math.min(wishes.chartColumns ?? USUAL_COLUMNS, fitting, plots))
  const width = Math.floor((columns - (across - 1) * GAP) / across)
  const allRows = Math.max(1, Math.ceil(plots / across))
  const height = Math.min(rows, heightOf(width, rows, allRows, wishes.chartAspect))
  const shownRows = Math.min(allRows, Math.max(1, Math.floor(rows / height)))
  return { columns: across, width, gap: GAP, height, shownRows, allRows }
}

function heightOf(width: number, rows: number, allRows: number, aspect?: number): number {
  if (aspect !== undefined) {
    return Math.max(LEAST_HEIGHT, Math.round(width / aspect / CELL_ASPECT) + CAPTION_ROWS)
  }
  const most = Math.max(1, Math.floor(rows / LEAST_HEIGHT))
  return Math.max(LEAST_HEIGHT, Math.floor(rows / Math.min(allRows, most)))
}

/** Finds the place of a plot. @param top first row of plots that is shown */
export function cellOf(
  layout: PlotLayout,
  index: number,
  top: number,
  firstRow: number,
): Cell | undefined {
  const row = Math.floor(index / layout.columns) - top
  if (row < 0 || row >= layout.shownRows) return undefined
  return {
    row: firstRow + row * layout.height,
    column: (index % layout.columns) * (layout.width + layout.gap),
    width: layout.width,
    height: layout.height,
  }
}
