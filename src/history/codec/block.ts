/**
 * Blocks: closed cells of one series in one window, as columns. What a place is, its window says:
 * second 0 to 299 or 0 to 3,599, minute 0 to 59 of an hour, hour 0 to 719 of 30 days.
 */
import type { Histogram, Summary } from '../../model/index.ts'

/** Places of one window, and so the most rows of one block: an hour of seconds, and some more. */
export const PLACES_LIMIT = 4096

interface Places {
  /** Places of the cells in their window, strictly rising; a place without a cell is left out. */
  readonly places: Uint32Array
}

export interface CounterBlock extends Places {
  readonly kind: 'counter'
  /** Increases, whole or not; each comes back bit for bit. */
  readonly values: Float64Array
  /** Integers beyond 2^53 - 1, by row, where `values` has the nearest double. */
  readonly wide: ReadonlyMap<number, bigint>
}

export interface GaugeBlock extends Places {
  readonly kind: 'gauge'
  /** Last values; each comes back bit for bit, infinities and -0 too, and every NaN as the NaN. */
  readonly values: Float64Array
  /** Integers beyond 2^53 - 1, by row, where `values` has the nearest double. */
  readonly wide: ReadonlyMap<number, bigint>
  /** Times of the last writes in ms from the window's start; absent = at the end of the place. */
  readonly at?: Float64Array
  readonly spreads?: GaugeSpreads
}

/** Spreads of those cells that went through more than one value. */
export interface GaugeSpreads {
  /** Rows of these cells, strictly rising. */
  readonly rows: Uint32Array
  readonly first: Float64Array
  /** Times of the first writes in ms from the window's start. */
  readonly firstAt: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly count: Float64Array
}

export interface HistogramBlock extends Places {
  readonly kind: 'histogram'
  /** Histograms of any scale or bounds, which may differ from cell to cell. */
  readonly cells: readonly Histogram[]
}

export interface SummaryBlock extends Places {
  readonly kind: 'summary'
  readonly cells: readonly Summary[]
}

export type Block = CounterBlock | GaugeBlock | HistogramBlock | SummaryBlock
