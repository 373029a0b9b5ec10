/**
 * What windows brought to a histogram: in the open second, and since the series began. All there is
 * of it is here; the zone holds its name and its place under the limits. Both are filled again and
 * again: what a window brings must not outlive its second, or a hub of many series collects garbage
 * all the time.
 */
import { addExact, type Exact, Histogram } from '../../../model/index.ts'

export class HistogramWindows {
  readonly #open = new Histogram()
  #total: Histogram | undefined

  /**
   * Adds a window.
   * @param histogram not kept
   */
  add(histogram: Histogram): void {
    if (histogram.isEmpty) {
      // it says in which form others will come: exports begin with that
      if (this.#total === undefined && this.#open.isEmpty) this.#open.copyFrom(histogram)
      return
    }
    if (this.#open.isEmpty) this.#open.copyFrom(histogram)
    else this.#open.mergeFrom(histogram)
  }

  /** Adds to the total what was observed before the first window. @param histogram not kept */
  begin(histogram: Histogram): void {
    if (this.#total === undefined) this.#total = histogram.clone()
    else this.#total.mergeFrom(histogram)
  }

  /** Sum of all observations, as {@link total} has it. */
  get sum(): Exact | undefined {
    const [total, open] = [this.#total, this.#open]
    if (total === undefined || open.isEmpty) return (total ?? open).sum
    if (total.sum === undefined || open.sum === undefined) return undefined
    return addExact(total.sum, open.sum)
  }

  /** Number of all observations, but for those of the open second. */
  get count(): bigint {
    return this.#total?.count ?? 0n
  }

  /** Gives all observations since the series began, those of the open second too. */
  total(): Histogram {
    if (this.#total === undefined) return this.#open.clone()
    const total = this.#total.clone()
    if (!this.#open.isEmpty) total.mergeFrom(this.#open)
    return total
  }

  /**
   * Ends the second, and shows what it brought; nothing where nothing came.
   * @param visit gets it for the time of the call
   */
  close(visit: (histogram: Histogram) => void): void {
    const open = this.#open
    if (open.isEmpty) return
    if (this.#total === undefined) this.#total = open.clone()
    else this.#total.mergeFrom(open)
    visit(open)
    open.count = 0n
  }
}
