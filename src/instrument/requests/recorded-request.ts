/**
 * One request while it is worked on: times of its calls by label, added up, until it is reported.
 * What the recorder of Chef's services keeps in a process per request is an object here.
 */
import { type CallTime, type RequestReport, sumByUpstream } from './request-sink.ts'

/** Parts of a snapshot: sums by upstream, every label for itself, or both. */
export type SnapshotParts = 'upstreams' | 'calls' | 'all'

/** Labels of calls that one request keeps; further ones are left out, and counted. */
const CALL_LABELS_LIMIT = 1000

/** Side of the recorder that a request sees. */
export interface RequestOwner {
  /** Time now, ms on a clock that never goes back. */
  nowMs(): number
  /** Makes a key's part of a label. */
  callLabel(label: unknown): string
  upstreamOf(label: string): string | undefined
  refused(): void
  mark(key: string): void
  report(answer: Pick<RequestReport, 'code' | 'ms' | 'calls'>): void
}

/**
 * A request that was started, by {@link RequestRecorder}. Nothing in it throws but the calls that
 * it times.
 *
 * @example
 * import { RequestRecorder, requestInstruments } from 'pentameter/instrument'
 *
 * const to = [requestInstruments()]
 * const requests = new RequestRecorder({ app: 'shop', upstreams: ['db'], to })
 * const request = requests.start('cart', 'GET')
 * request.add('db.load_cart', 12.5)
 * request.add('db.load_user', 7.5)
 * request.report(200)
 * const { db_time, db_count } = request.snapshot()
 * console.log(db_time, db_count) // 20 2
 */
export class RecordedRequest {
  readonly #owner: RequestOwner
  readonly #startedMs: number
  readonly #calls = new Map<string, { us: number; count: number }>()
  #endMs: number | undefined

  /** @param owner recorder of this request */
  constructor(owner: RequestOwner) {
    this.#owner = owner
    this.#startedMs = owner.nowMs()
  }

  /**
   * Calls a function and adds its time to a label, also when it fails; of one that gives a promise
   * until that settles.
   * @param label its upstream's prefix in front, as `rdbms.fetch_user`
   */
  time<T>(label: unknown, call: () => T): T {
    const startMs = this.#owner.nowMs()
    const end = () => this.add(label, this.#owner.nowMs() - startMs)
    let isWaiting = false
    try {
      const result = call()
      if (!isPromise(result)) return result
      isWaiting = true
      return result.finally(end) as T
    } finally {
      if (!isWaiting) end()
    }
  }

  /** Adds a time that was measured elsewhere, kept to microseconds. */
  add(label: unknown, ms: number): void {
    if (!(ms >= 0) || !Number.isFinite(ms)) {
      this.#owner.refused()
      return
    }
    const key = this.#owner.callLabel(label)
    const call = this.#calls.get(key)
    if (call !== undefined) {
      call.us += Math.round(ms * 1000)
      call.count++
    } else if (this.#calls.size < CALL_LABELS_LIMIT) {
      this.#calls.set(key, { us: Math.round(ms * 1000), count: 1 })
    } else this.#owner.refused()
  }

  /** Counts an event of the application's own, for the service and for this host. */
  mark(key: string): void {
    this.#owner.mark(key)
  }

  /** Whether it was reported: then its time stands. */
  get isReported(): boolean {
    return this.#endMs !== undefined
  }

  /**
   * Tells all sinks what the request took, the first time only.
   * @param code status of the answer
   * @returns whether this was the first time
   */
  report(code: number): boolean {
    if (this.#endMs !== undefined) return false
    this.#endMs = this.#owner.nowMs()
    const calls = this.#callTimes()
    this.#owner.report({ code, ms: this.#endMs - this.#startedMs, calls })
    return true
  }

  /**
   * Gives what a log line wants: `req_time` in ms, so far or when it was reported, and of each
   * label `LABEL_time` in whole ms and `LABEL_count`.
   */
  snapshot(parts: SnapshotParts = 'upstreams'): Record<string, number> {
    const endMs = this.#endMs ?? this.#owner.nowMs()
    const found: Record<string, number> = { req_time: Math.floor(endMs - this.#startedMs) }
    const calls = this.#callTimes()
    const all = new Map<string, { ms: number; count: number }>()
    if (parts !== 'calls') for (const [label, sum] of sumByUpstream(calls)) all.set(label, sum)
    if (parts !== 'upstreams') for (const call of calls) all.set(call.label, call)
    for (const [label, { ms, count }] of all) {
      found[`${label}_time`] = Math.floor(ms)
      found[`${label}_count`] = count
    }
    return found
  }

  #callTimes(): CallTime[] {
    return [...this.#calls].map(([label, { us, count }]) => {
      return { label, upstream: this.#owner.upstreamOf(label), ms: us / 1000, count }
    })
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise
}
