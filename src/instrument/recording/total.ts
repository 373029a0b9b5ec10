/** The sum of IncrementingEventCounter (eventcounters.md §4.5), in order of writing. */
import type { SumStatistics } from '../../dialects/eventcounters/window.ts'
import type { Summary } from '../../model/index.ts'

export class Total {
  #sum = 0

  /** Adds `values[from]` to `values[to - 1]`, which are finite. */
  take(values: Float64Array, from: number, to: number): void {
    let sum = this.#sum
    for (let i = from; i < to; i++) sum += values[i]!
    this.#sum = sum
  }

  /** Adds the sum of another thread. */
  merge(part: Summary | number): void {
    if (typeof part === 'number') this.#sum += part
  }

  clear(): void {
    this.#sum = 0
  }

  /** What {@link take} would lead to; the sum stays as it is. */
  statisticsWith(values: Float64Array, from: number, to: number): SumStatistics {
    let sum = this.#sum
    for (let i = from; i < to; i++) sum += values[i]!
    return { kind: 'sum', increment: finite(sum) }
  }
}

/** A sum that has left the doubles is the last number on its side. */
export function finite(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE)
}
