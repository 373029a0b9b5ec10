/**
 * Workers that joined or sent (wallaroo.md §4.5): whether they are connected, and by how much
 * their clocks are off. Names come from peers, so their number and size are limited.
 */
import { ClockOffset } from '../rollup/clock-offset.ts'

/** Bytes of the names of all workers (a UTF-16 unit counts as two): 800 for each of 10,000. */
const NAME_BYTES_LIMIT = 8_388_608

export class WallarooWorker {
  readonly application: string
  /** Name; undefined for an application that was joined without a worker. */
  readonly worker: string | undefined
  readonly offset = new ClockOffset()
  connections = 0
  lastSeenMs: number

  constructor(application: string, worker: string | undefined, nowMs: number) {
    this.application = application
    this.worker = worker
    this.lastSeenMs = nowMs
  }

  get isConnected(): boolean {
    return this.connections > 0
  }
}

export class WallarooWorkers {
  readonly #byName = new Map<string, WallarooWorker>()
  #nameBytes = 0
  readonly limit: number
  /** Number of Joins and windows of workers that were not taken up. */
  refused = 0

  /** @param limit of workers that are known at once */
  constructor(limit: number) {
    this.limit = limit
  }

  get size(): number {
    return this.#byName.size
  }

  [Symbol.iterator](): IterableIterator<WallarooWorker> {
    return this.#byName.values()
  }

  /** Makes it on first sight; undefined above a limit. */
  of(application: string, worker: string | undefined, nowMs: number): WallarooWorker | undefined {
    const name = nameOf(application, worker)
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const isFull = this.#byName.size >= this.limit
    if (isFull || this.#nameBytes + 2 * name.length > NAME_BYTES_LIMIT) {
      this.refused++
      return undefined
    }
    const made = new WallarooWorker(application, worker, nowMs)
    this.#byName.set(name, made)
    this.#nameBytes += 2 * name.length
    return made
  }

  /** Forgets those that are gone and of which nothing is kept. */
  retain(isKept: (worker: WallarooWorker) => boolean): void {
    for (const [name, worker] of this.#byName) {
      if (isKept(worker)) continue
      this.#byName.delete(name)
      this.#nameBytes -= 2 * name.length
    }
  }
}

function nameOf(application: string, worker: string | undefined): string {
  return JSON.stringify([application, worker ?? null])
}
