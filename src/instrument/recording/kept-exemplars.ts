/**
 * Exemplars of a registry's instruments, by their metrics of the zone. Those of threads that joined
 * the registry come once a second.
 */
import { type Exemplar, Exemplars, type Labels } from '../../model/index.ts'

/** Sets of labels that have exemplars; of more, those that had one last. */
const SERIES_LIMIT = 1_000

export class KeptExemplars {
  readonly #exemplars = new Exemplars(SERIES_LIMIT)
  readonly #nowMs: () => number
  /** Called with the metric of an exemplar that this thread has recorded. */
  onKept: (metric: number) => void = () => {}

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(metric: number, value: number, labels: Labels): void {
    this.#exemplars.add(metric, { value, timeMs: this.#nowMs(), labels })
    this.onKept(metric)
  }

  /** Adds those that another thread has recorded. */
  addAll(metric: number, exemplars: readonly Exemplar[]): void {
    for (const exemplar of exemplars) this.#exemplars.add(metric, exemplar)
  }

  /** Lists those of a metric, the newest at the end; a copy. */
  of(metric: number): readonly Exemplar[] {
    return [...this.#exemplars.of(metric)]
  }
}
