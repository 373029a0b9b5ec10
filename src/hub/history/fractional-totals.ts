/**
 * Totals of series that have had fractions, as they are told outside. A sum of fractions depends on
 * the order in which it was made, so that what the history adds up may be lower in the last digit:
 * a scraper takes that for a reset. Whole numbers add up to the same in any order.
 */
import type { Exact } from '../../model/index.ts'
import type { Frame } from '../live/frame.ts'
import type { Totals } from '../live/totals.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { FractionsNoted } from '../view.ts'

const ROWS_PER_STEP = 512

interface FractionalTotalsParts {
  readonly series: Pick<SeriesStore, 'get' | 'onRemove'>
  readonly totals: Pick<Totals, 'sum'>
}

export class FractionalTotals implements FractionsNoted {
  readonly #parts: FractionalTotalsParts
  /** Ids of series whose totals have had a fraction. */
  readonly #ids = new Set<number>()
  readonly #byFrame = new WeakMap<Frame, ReadonlyMap<number, Exact>>()

  constructor(parts: FractionalTotalsParts) {
    this.#parts = parts
    parts.series.onRemove(({ id }) => this.#ids.delete(id))
  }

  /**
   * Notes those of the series of a frame, by id, as they are when it is handed on, and no less; all
   * who ask for the same frame are given the same.
   */
  *noted(frame: Frame): Task<ReadonlyMap<number, Exact>> {
    const known = this.#byFrame.get(frame)
    if (known !== undefined) return known
    const sums = new Map<number, Exact>()
    for (const id of frame.fractionalIds) this.#ids.add(id)
    let rows = 0
    for (const id of this.#ids) {
      if (++rows % ROWS_PER_STEP === 0) yield
      if (frame.row(id, 'counter') >= 0) this.#note(id, sums)
    }
    for (const ids of [frame.histogramIds, frame.summaryIds]) {
      for (const id of ids) {
        if (++rows % ROWS_PER_STEP === 0) yield
        this.#note(id, sums)
      }
    }
    this.#byFrame.set(frame, sums)
    return sums
  }

  #note(id: number, sums: Map<number, Exact>): void {
    const record = this.#parts.series.get(id)
    const sum = record && this.#parts.totals.sum(record)
    if (sum === undefined) return
    if (typeof sum === 'number' && !Number.isInteger(sum)) this.#ids.add(id)
    if (this.#ids.has(id)) sums.set(id, sum)
  }
}
