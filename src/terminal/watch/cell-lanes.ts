/** The newest cells of a series as figures are read from, with a short past of its main lane. */
import type { CellsEvent, HistogramCellJson, Kind, SummaryCellJson } from '../../http/api.ts'
import { type Lane, MAIN_LANE } from '../../viewer/store/series-data.ts'

/** Numbers kept for a small picture: two a cell of the widest. */
export const PAST_LIMIT = 48

export type WatchedCell = number | string | null | HistogramCellJson | SummaryCellJson

export class CellLanes {
  readonly kind: Kind
  /** The main lane of the intervals so far, oldest first; NaN where there was none. */
  readonly past: number[] = []
  /** Cell of the interval that ended last; undefined where it had none. */
  cell: WatchedCell | undefined
  #seconds = 1

  constructor(kind: Kind) {
    this.kind = kind
  }

  /** Takes an interval. @param cell undefined where nothing changed */
  take(cell: WatchedCell | undefined, seconds: number): void {
    this.#seconds = seconds
    // a gauge that was not set keeps its value
    if (cell !== undefined || this.kind !== 'gauge') this.cell = cell
    if (this.past.length >= PAST_LIMIT) this.past.shift()
    this.past.push(this.at(MAIN_LANE[this.kind]))
  }

  /** Reads a lane of the interval that ended last. */
  at(lane: Lane): number {
    const { cell } = this
    if (this.kind === 'counter') {
      return cell === null ? Number.NaN : Number(cell ?? 0) / this.#seconds
    }
    if (cell === undefined || cell === null) return lane === 'count' ? 0 : Number.NaN
    if (typeof cell !== 'object') return Number(cell)
    if (lane === 'count') return cell.count / this.#seconds
    if (cell.count === 0) return Number.NaN
    const value: unknown = (cell as unknown as Readonly<Record<string, unknown>>)[lane]
    return typeof value === 'number' ? value : Number.NaN
  }
}

/** Lists the cells of an event by series. */
export function cellsOf(event: CellsEvent): ReadonlyMap<number, WatchedCell> {
  const cells = new Map<number, WatchedCell>()
  for (const [id, delta] of event.counters) cells.set(id, delta)
  for (const [id, value] of event.gauges) cells.set(id, value)
  for (const [id, cell] of event.histograms) cells.set(id, cell)
  for (const [id, cell] of event.summaries) cells.set(id, cell)
  return cells
}
