/** Exemplars of a registry's instruments, by their metrics of the zone; of this thread alone. */
import { type Exemplar, Exemplars, type Labels } from '../../model/index.ts'

/** Sets of labels that have exemplars; of more, those that had one last. */
const SERIES_LIMIT = 1_000

export class KeptExemplars {
  readonly #exemplars = new Exemplars(SERIES_LIMIT)
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(metric: number, value: number, labels: Labels): void {
    this.#exemplars.add(metric, { value, timeMs: this.#nowMs(), labels })
  }

  /** Lists those of a metric, the newest at the end; a copy. */
  of(metric: number): readonly Exemplar[] {
    return [...this.#exemplars.of(metric)]
  }
}
