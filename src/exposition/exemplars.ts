/** Exemplars by the buckets of a classic histogram that they are in; pure. */
import type { Exemplar } from '../model/index.ts'

/** Walk through exemplars beside one through the rising bounds of buckets. */
export class ByBound {
  readonly #rising: readonly Exemplar[]
  #at = 0
  #last: Exemplar | undefined

  constructor(exemplars: readonly Exemplar[]) {
    this.#rising = [...exemplars].sort((a, b) => a.value - b.value)
  }

  /**
   * Gives the newest of those above the bound before, up to this one.
   * @param isSame whether the bound stands in the place of the one before
   */
  next(bound: number, isSame = false): Exemplar | undefined {
    if (!isSame) this.#last = undefined
    for (; this.#at < this.#rising.length; this.#at++) {
      const exemplar = this.#rising[this.#at]!
      if (exemplar.value > bound) break
      if (this.#last === undefined || exemplar.timeMs >= this.#last.timeMs) this.#last = exemplar
    }
    return this.#last
  }
}
