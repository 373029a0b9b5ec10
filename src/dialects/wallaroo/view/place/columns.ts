/** The charts of a view as the plots take them: a value per second, bins per second. */

import type { HeatSource } from '../../../../web/chart/heat.ts'
import type { BinJson, ChartsJson, ViewAnswer } from '../../http/api.ts'
import { numberOf } from '../latency.ts'
import { SKEW_BIN } from './bin-layout.ts'

export type ChartLine = 'throughput' | 'p50Ns' | 'p95Ns' | 'p99Ns'

/** Gives the second that the left edge of a view's charts closes. */
export function firstSecond({ fromMs }: ViewAnswer): number {
  return Math.round(fromMs / 1000)
}

export function lastSecond(view: ViewAnswer): number {
  return firstSecond(view) + view.charts.throughput.length
}

/**
 * Finds the column whose latencies each column shows: of a window of several seconds the one in
 * which it ended, -1 where no window was.
 */
function shownColumns({ bins, windowS }: ChartsJson): Int32Array {
  const shown = new Int32Array(bins.length).fill(-1)
  for (let end = bins.length - 1; end >= 0; end -= 1) {
    if (bins[end] === null) continue
    const first = Math.max(0, end - Math.ceil(windowS[end] ?? 1) + 1)
    shown[end] = end
    // windows that ended earlier say more of their own seconds
    for (let i = end - 1; i >= first && bins[i] === null; i -= 1) shown[i] = end
  }
  return shown
}

const shownOf = new WeakMap<ChartsJson, Int32Array>()

function shownIn(charts: ChartsJson): Int32Array {
  const known = shownOf.get(charts)
  if (known !== undefined) return known
  const shown = shownColumns(charts)
  shownOf.set(charts, shown)
  return shown
}

/** Lists a value per second from the left edge on; there is none at the edge itself. */
export function lineOf(view: ViewAnswer, line: ChartLine): Float64Array {
  const first = firstSecond(view)
  return Float64Array.from({ length: view.charts[line].length + 1 }, (_, i) => {
    return valueAt(view, line, first + i)
  })
}

/** Gives a value; NaN outside of the window and where nothing is known. */
export function valueAt(view: ViewAnswer, line: ChartLine, second: number): number {
  const { charts } = view
  const i = second - firstSecond(view) - 1
  // messages are spread over their seconds, latencies are those of the whole window
  return numberOf(charts[line][line === 'throughput' ? i : (shownIn(charts)[i] ?? -1)])
}

/** Bin i ends at 2^i ns: it is bucket i - 1 of the page's layout at scale 0. */
export class BinColumns implements HeatSource {
  readonly buckets: { readonly scale: number; readonly offset: number; readonly width: number }
  readonly #view: ViewAnswer
  readonly #first: number
  readonly #shown: Int32Array
  /** Seconds that show each column: its counts are spread over them. */
  readonly #shares: Uint32Array

  constructor(view: ViewAnswer) {
    this.#view = view
    this.#shown = shownIn(view.charts)
    this.#shares = new Uint32Array(this.#shown.length)
    for (const column of this.#shown) if (column >= 0) this.#shares[column]! += 1
    const filled = view.bins
      .filter(({ bin, count }) => bin < SKEW_BIN && Number(count) > 0)
      .map(({ bin }) => bin)
    this.#first = filled.length === 0 ? 0 : Math.min(...filled)
    const width = filled.length === 0 ? 0 : Math.max(...filled) - this.#first + 1
    this.buckets = { scale: 0, offset: this.#first - 1, width }
  }

  addBuckets(sums: Float64Array, from: number, to: number): void {
    const start = firstSecond(this.#view)
    for (let second = from + 1; second <= to; second += 1) {
      const column = this.#shown[second - start - 1] ?? -1
      const share = this.#shares[column] ?? 1
      for (const [bin, count] of this.#view.charts.bins[column] ?? []) {
        const at = bin - this.#first
        if (at >= 0 && at < sums.length) sums[at] = sums[at]! + Number(count) / share
      }
    }
  }
}

/** Counts of all 65 bins, the missing ones 0. */
export function countsOf(bins: readonly BinJson[]): number[] {
  const counts = new Array<number>(SKEW_BIN + 1).fill(0)
  for (const { bin, count } of bins) if (bin <= SKEW_BIN) counts[bin] = Number(count)
  return counts
}
