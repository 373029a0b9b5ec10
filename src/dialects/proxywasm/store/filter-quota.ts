/**
 * How many metrics each filter has, and how many it may. Those that were there before are counted
 * once, when the filter first defines one through this store object: so a filter that is started
 * again, in another thread, has no more than it had.
 */
export class FilterQuota {
  readonly #limit: number
  readonly #countBefore: (filter: string) => number
  readonly #counts = new Map<string, number>()
  readonly #filters = new Map<number, string>()

  constructor(limit: number, countBefore: (filter: string) => number) {
    this.#limit = limit
    this.#countBefore = countBefore
  }

  hasRoom(filter: string): boolean {
    return this.#countOf(filter) < this.#limit
  }

  #countOf(filter: string): number {
    let count = this.#counts.get(filter)
    if (count === undefined) {
      count = this.#countBefore(filter)
      this.#counts.set(filter, count)
    }
    return count
  }

  take(filter: string, metric: number): void {
    this.#counts.set(filter, this.#countOf(filter) + 1)
    this.#filters.set(metric, filter)
  }

  /** Takes note that a metric was retired; one that no filter defined changes nothing. */
  giveBack(metric: number): void {
    const filter = this.#filters.get(metric)
    if (filter === undefined) return
    this.#filters.delete(metric)
    this.#counts.set(filter, this.#counts.get(filter)! - 1)
  }
}
