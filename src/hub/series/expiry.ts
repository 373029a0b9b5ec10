/**
 * Series that leave, because they were retired, have been silent, or have been silent where a limit
 * presses: unlinked first, let go of by every thread, and removed when the cell that holds the last
 * of them is closed.
 */

import { networkOf } from '../../peers/network.ts'
import type { ZoneUsage } from '../../shm/index.ts'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { Task } from '../tasks/task.ts'
import { needsOf, type SeriesNeeds } from './pressure.ts'
import { isDecrements, type SeriesRecord } from './record.ts'
import type { SeriesStore } from './series.ts'

/** Call that has all threads forget metrics; undefined where there are none but the main one. */
type Forget = (metrics: readonly number[]) => Promise<unknown> | undefined

/** Pause after a look that found nothing, s: a look goes through all series. */
const PAUSE_S = 10
/** Limit of series that leave in one second because a limit presses. */
const RELIEF_LIMIT = 5000

interface ExpiryParts {
  readonly series: SeriesStore
  readonly metrics: SelfMetrics
  readonly forget: Forget
  /** Silence after which a series leaves; 0 = never. */
  readonly expireAfterMs: number
  /** Silence after which a series leaves while a limit presses; 0 = never. */
  readonly relieveAfterMs: number
  readonly zoneUsage: () => ZoneUsage
  readonly log: Log
  /** Whether the main thread has counted nothing since the second was read. */
  readonly isRead: () => boolean
}

export class SeriesExpiry implements Participant {
  readonly #parts: ExpiryParts
  /** Series known to no thread any more; their last cells may be open. */
  #forgotten: readonly SeriesRecord[] = []
  /** Series whose last cell is closed by the second at hand. */
  #leaving: readonly SeriesRecord[] = []
  /** Seconds still to be closed before the next look for silent series where a limit presses. */
  #pauseS = 0

  constructor(parts: ExpiryParts) {
    this.#parts = parts
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(): Task {
    this.#leaving = this.#forgotten
    this.#forgotten = []
  }

  *afterClose(endMs: number, seconds: number): Task {
    const { series, expireAfterMs } = this.#parts
    const isRead = this.#parts.isRead()
    if (this.#leaving.length > 0) yield* series.removing(this.#leaving)
    yield* this.#remove(series.takeRetired(), isRead)
    if (expireAfterMs > 0) yield* this.#expire(endMs - expireAfterMs, isRead)
    this.#pauseS = Math.max(0, this.#pauseS - seconds)
    if (this.#parts.relieveAfterMs > 0 && this.#pauseS === 0) yield* this.#relieve(endMs, isRead)
  }

  /** Removes those that were silent since a time. */
  *#expire(silentSinceMs: number, isRead: boolean): Task {
    yield* this.#expel(yield* this.#parts.series.silentSince(silentSinceMs), isRead)
  }

  /** Removes silent series, the longest silent first, until no limit presses any more. */
  *#relieve(endMs: number, isRead: boolean): Task {
    const { series, relieveAfterMs, log } = this.#parts
    const needs = needsOf(series, this.#parts.zoneUsage())
    if (needs.all === 0 && needs.bySource.size === 0) return
    const silent = yield* series.silentSince(endMs - relieveAfterMs)
    const chosen = choose(silent, needs)
    if (chosen.length === 0) {
      this.#pauseS = PAUSE_S
      return
    }
    const facts = { series: chosen.length, silentForS: relieveAfterMs / 1000 }
    log('warn', 'a limit of series presses: those silent for the longest have left', facts)
    yield* this.#expel(chosen, isRead)
  }

  *#expel(records: readonly SeriesRecord[], isRead: boolean): Task {
    if (records.length === 0) return
    this.#parts.series.unlink(records)
    const whole = records.filter((record) => !isDecrements(record))
    this.#parts.metrics.counter('pentameter.series.expired').add(whole.length)
    yield* this.#remove(records, isRead)
  }

  /**
   * Removes series. Ingest threads may count into them until they have forgotten them: one more
   * cell is due.
   */
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

/** Chooses whom the needs say has to leave: the longest silent first, with their second parts. */
function choose(silent: readonly SeriesRecord[], needs: SeriesNeeds): SeriesRecord[] {
  const chosen: SeriesRecord[] = []
  const whole = silent.filter((record) => !isDecrements(record))
  for (const record of whole.sort((a, b) => a.lastDataMs - b.lastDataMs)) {
    if (chosen.length >= RELIEF_LIMIT) break
    const network = networkOf(record.source)
    const own = needs.bySource.get(network) ?? 0
    if (needs.all <= 0 && own <= 0) continue
    const part = record.kind === 'counter' ? record.decrements : undefined
    const leaving = part === undefined ? [record] : [part, record]
    chosen.push(...leaving)
    needs.all -= leaving.length
    needs.bySource.set(network, own - leaving.length)
  }
  return chosen
}
