/** The newest cells of a series as figures are read from, with a short past of its main lane. */
import type { CellsEvent, HistogramCellJson, Kind, SummaryCellJson } from '../../http/api.ts'
import { type Lane, MAIN_LANE } from '../../viewer/store/series-data.ts'

/** Numbers kept for a small picture: two a cell of the widest. */
export const PAST_LIMIT = 48

interface Extremes {
  readonly min: number
  readonly max: number
}

/** A gauge that had several values in an interval, of which the last one is its value. */
interface GaugeSpread extends Extremes {
  readonly value: number
}

export type WatchedCell = number | string | null | GaugeSpread | HistogramCellJson | SummaryCellJson

/** An interval as a stream tells it; in the past less is known of what gauges went through. */
export interface WatchedEvent extends Omit<CellsEvent, 'gauges'> {
  readonly gauges: readonly (readonly [id: number, value: number | null, spread?: Extremes])[]
}

export class CellLanes {
  readonly kind: Kind
  /**
   * The main lane of the intervals so far, oldest first; NaN where there was none. Of a gauge the
   * greatest value of each, and the least.
   */
  readonly past: { readonly greatest: number[]; readonly least?: number[] }
  /** Cell of the interval that ended last; undefined where it had none. */
  cell: WatchedCell | undefined
  #seconds = 1

  /** @param held value that a gauge has before the first interval, where it is known */
  constructor(kind: Kind, held?: number) {
    this.kind = kind
    if (kind === 'gauge') this.cell = held
    this.past = kind === 'gauge' ? { greatest: [], least: [] } : { greatest: [] }
  }

  /** Takes an interval. @param cell undefined where nothing changed */
  take(cell: WatchedCell | undefined, seconds: number): void {
    this.#seconds = seconds
    // a gauge that was not set keeps its value
    if (cell !== undefined || this.kind !== 'gauge') this.cell = cell
    else if (isSpread(this.cell)) this.cell = this.cell.value
    const { greatest, least } = this.past
    push(greatest, this.at(least === undefined ? MAIN_LANE[this.kind] : 'max'))
    if (least !== undefined) push(least, this.at('min'))
  }

  /** Reads a lane of the interval that ended last. */
  at(lane: Lane): number {
    const { cell } = this
    if (this.kind === 'counter') {
      return cell === null ? Number.NaN : Number(cell ?? 0) / this.#seconds
    }
    if (cell === undefined || cell === null) return lane === 'count' ? 0 : Number.NaN
    if (typeof cell !== 'object') return Number(cell)
    if (isSpread(cell)) return lane === 'min' || lane === 'max' ? cell[lane] : cell.value
    if (lane === 'count') return cell.count / this.#seconds
    if (cell.count === 0) return Number.NaN
    const value: unknown = (cell as unknown as Readonly<Record<string, unknown>>)[lane]
    return typeof value === 'number' ? value : Number.NaN
  }
}

function isSpread(cell: WatchedCell | undefined): cell is GaugeSpread {
  return typeof cell === 'object' && cell !== null && 'value' in cell
}

function push(past: number[], value: number): void {
  if (past.length >= PAST_LIMIT) past.shift()
  past.push(value)
}

/** Lists the cells of an event by series. */
export function cellsOf(event: WatchedEvent): ReadonlyMap<number, WatchedCell> {
  const cells = new Map<number, WatchedCell>()
  for (const [id, delta] of event.counters) cells.set(id, delta)
  for (const [id, value, spread] of event.gauges) {
    const isSpread = value !== null && spread !== undefined && spread.min < spread.max
    cells.set(id, isSpread ? { value, min: spread.min, max: spread.max } : value)
  }
  for (const [id, cell] of event.histograms) cells.set(id, cell)
  for (const [id, cell] of event.summaries) cells.set(id, cell)
  return cells
}
