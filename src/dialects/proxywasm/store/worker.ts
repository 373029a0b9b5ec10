/** A store's writer in one thread: a segment of the zone, and the handles that record into it. */
import { type Writer, type Zone, ZoneFullError } from '../../../shm/index.ts'
import { handleOf, type MetricHandle, type OwnCounts, type Recorded } from './handles.ts'
import type { StoreRules } from './options.ts'

/**
 * The writer of a store in one thread.
 *
 * @example
 * import { MetricStore } from 'pentameter/proxywasm'
 *
 * const store = MetricStore.create()
 * const requests = store.define({ name: 'requests', type: 'counter' })
 * const worker = store.attach()
 * worker.increment(requests, 3)
 * console.log(store.get(requests)?.value) // 3
 * worker.detach()
 */
export class StoreWorker {
  /** Writer for hosts of filters, which record without a handle per call. */
  readonly writer: Writer
  readonly #zone: Zone
  readonly #rules: StoreRules
  readonly #counts: OwnCounts
  readonly #handles: (MetricHandle | undefined)[] = []

  /** Takes its parts; workers come from `store.attach()`. */
  constructor(zone: Zone, writer: Writer, rules: StoreRules, counts: OwnCounts) {
    this.#zone = zone
    this.writer = writer
    this.#rules = rules
    this.#counts = counts
  }

  /**
   * Opens the handle of a metric, the same one at every call.
   * @throws {TypeError} when the metric is none
   * @throws {ZoneFullError} when there is no memory for this worker's part, or it is detached
   */
  handle(metric: number): MetricHandle {
    const held = this.#handles[metric]
    if (held !== undefined) return held
    const kind = { type: this.#zone.type(metric), mode: this.#zone.mode(metric) }
    const handle = handleOf(this.writer, metric, kind, this.#rules.host, this.#counts)
    if (handle === undefined) throw new ZoneFullError(`no memory for metric ${metric}`)
    this.#handles[metric] = handle
    return handle
  }

  /**
   * Adds to a metric by its number.
   * @returns false, counted as dropped, for what its type, the host mode or the value forbids, and
   *   for a metric that is none; here and in {@link record}
   */
  increment(metric: number, delta: Recorded = 1): boolean {
    return this.#find(metric)?.increment(delta) ?? this.#drop()
  }

  /** Sets a gauge, observes in a histogram, sets or adds to a counter by host mode. */
  record(metric: number, value: Recorded): boolean {
    return this.#find(metric)?.record(value) ?? this.#drop()
  }

  #find(metric: number): MetricHandle | undefined {
    const held = this.#handles[metric]
    if (held !== undefined) return held
    try {
      return this.handle(metric)
    } catch {
      return undefined // counted by the caller: recording never throws
    }
  }

  #drop(): false {
    this.#counts.droppedValue++
    return false
  }

  /**
   * Releases a metric that is about to be retired in another thread: its handle refuses from now
   * on.
   */
  release(metric: number): void {
    this.writer.release(metric)
    this.#handles[metric] = undefined
  }

  /**
   * Ends the lease; what was recorded stays, and every handle drops from now on.
   * @returns false when the zone's lock could not be had; it then stays attached
   */
  detach(): boolean {
    return this.writer.detach()
  }
}
