/**
 * Series that leave, because they were retired or have been silent: unlinked first, let go of by
 * every thread, and removed when the cell that holds the last of them is closed.
 */

import type { SeriesRecord, SeriesStore } from './series.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { Steps } from '../tasks/task.ts'

/** Has all threads forget metrics; undefined where there are none but the main one. */
export type Forget = (metrics: readonly number[]) => Promise<unknown> | undefined

export class Departures {
  readonly #series: SeriesStore
  readonly #metrics: SelfMetrics
  readonly #forget: Forget
  /** No thread knows them any more; their last cells may be open. */
  #forgotten: readonly SeriesRecord[] = []

  constructor(series: SeriesStore, metrics: SelfMetrics, forget: Forget) {
    this.#series = series
    this.#metrics = metrics
    this.#forget = forget
  }

  /** Those whose last cell is closed by the second that is closed next. */
  takeForgotten(): readonly SeriesRecord[] {
    const forgotten = this.#forgotten
    this.#forgotten = []
    return forgotten
  }

  /**
   * After a second: what was retired meanwhile leaves.
   * @param isRead whether the main thread has counted nothing since the second was read
   */
  retired(isRead: boolean): Steps {
    return this.#remove(this.#series.takeRetired(), isRead)
  }

  /** Those that nobody has spoken of since a time leave. */
  *expire(silentSinceMs: number, isRead: boolean): Steps {
    const silent = this.#series.silentSince(silentSinceMs)
    if (silent.length === 0) return
    this.#series.unlink(silent)
    const whole = silent.filter(({ isDown }) => !isDown)
    this.#metrics.counter('pentameter.series.expired').add(whole.length)
    yield* this.#remove(silent, isRead)
  }

  /** Ingest threads may count into them until they have forgotten them: one more cell is due. */
  *#remove(unlinked: readonly SeriesRecord[], isRead: boolean): Steps {
    if (unlinked.length === 0) return
    const forgetting = this.#forget(unlinked.map(({ metric }) => metric))
    if (forgetting === undefined && isRead) {
      yield* this.#series.removing(unlinked)
      return
    }
    const wait = (): void => {
      this.#forgotten = [...this.#forgotten, ...unlinked]
    }
    if (forgetting === undefined) wait()
    else void forgetting.then(wait)
  }
}
