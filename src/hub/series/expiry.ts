/**
 * Series that leave, because they were retired or have been silent: unlinked first, let go of by
 * every thread, and removed when the cell that holds the last of them is closed.
 */

import type { Participant } from '../resident.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { Task } from '../tasks/task.ts'
import { isDecrements, type SeriesRecord, type SeriesStore } from './series.ts'

/** Has all threads forget metrics; undefined where there are none but the main one. */
type Forget = (metrics: readonly number[]) => Promise<unknown> | undefined

interface ExpiryParts {
  readonly series: SeriesStore
  readonly metrics: SelfMetrics
  readonly forget: Forget
  /** Silence after which a series leaves; 0 = never. */
  readonly expireAfterMs: number
  /** Whether the main thread has counted nothing since the second was read. */
  readonly isRead: () => boolean
}

export class SeriesExpiry implements Participant {
  readonly #parts: ExpiryParts
  /** Known to no thread any more; their last cells may be open. */
  #forgotten: readonly SeriesRecord[] = []
  /** Those whose last cell is closed by the second at hand. */
  #leaving: readonly SeriesRecord[] = []

  constructor(parts: ExpiryParts) {
    this.#parts = parts
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(): Task {
    this.#leaving = this.#forgotten
    this.#forgotten = []
  }

  *afterClose(endMs: number): Task {
    const { series, expireAfterMs } = this.#parts
    const isRead = this.#parts.isRead()
    if (this.#leaving.length > 0) yield* series.removing(this.#leaving)
    yield* this.#remove(series.takeRetired(), isRead)
    if (expireAfterMs > 0) yield* this.#expire(endMs - expireAfterMs, isRead)
  }

  /** Removes those that were silent since a time. */
  *#expire(silentSinceMs: number, isRead: boolean): Task {
    const { series, metrics } = this.#parts
    const silent = series.silentSince(silentSinceMs)
    if (silent.length === 0) return
    series.unlink(silent)
    const whole = silent.filter((record) => !isDecrements(record))
    metrics.counter('pentameter.series.expired').add(whole.length)
    yield* this.#remove(silent, isRead)
  }

  /** Ingest threads may count into them until they have forgotten them: one more cell is due. */
  *#remove(unlinked: readonly SeriesRecord[], isRead: boolean): Task {
    if (unlinked.length === 0) return
    const forgetting = this.#parts.forget(unlinked.map(({ metric }) => metric))
    if (forgetting === undefined && isRead) {
      yield* this.#parts.series.removing(unlinked)
      return
    }
    const wait = (): void => {
      this.#forgotten = [...this.#forgotten, ...unlinked]
    }
    if (forgetting === undefined) wait()
    else void forgetting.then(wait)
  }
}
