/**
 * Workers that joined or sent (wallaroo.md §4.5): whether they are connected, and by how much
 * their clocks are off. Names come from peers, so their number and size are limited.
 */
import { ClockOffset } from '../rollup/clock-offset.ts'
import { ENDS, ENDS_COUNT, ENDS_UNTIL, LATEST_END, SHIFT, WORKER_SEEN } from './memory/layout.ts'
import type { WindowMemory } from './memory/window-memory.ts'

/** Bytes of the names of all workers (a UTF-16 unit counts as two): 800 for each of 10,000. */
const NAME_BYTES_LIMIT = 8_388_608

export class WallarooWorker {
  readonly application: string
  /** Name; undefined for an application that was joined without a worker. */
  readonly worker: string | undefined
  readonly offset = new ClockOffset()
  connections = 0
  /** Address of what the memory of windows has of it. */
  readonly record: number
  readonly #memory: WindowMemory
  /** Time when it was last seen, once it has left. */
  #goneMs: number | undefined

  /** @param record in the memory */
  constructor(
    application: string,
    worker: string | undefined,
    nowMs: number,
    memory: WindowMemory,
    record: number,
  ) {
    this.application = application
    this.worker = worker
    this.record = record
    this.#memory = memory
    this.lastSeenMs = nowMs
    this.#set(LATEST_END, Number.NaN)
    this.#set(ENDS_UNTIL, Number.NaN)
  }

  #set(field: number, value: number): void {
    this.#memory.doubles[(this.record + field) >>> 3] = value
  }

  get lastSeenMs(): number {
    return this.#goneMs ?? this.#memory.doubles[(this.record + WORKER_SEEN) >>> 3]!
  }

  set lastSeenMs(nowMs: number) {
    this.#set(WORKER_SEEN, nowMs)
  }

  /** Gives its memory back. */
  release(): void {
    this.#goneMs = this.lastSeenMs
    this.#memory.removeSmall(this.record)
  }

  /** Takes note of when a window with this end arrived, for the clock's offset. */
  arrive(endMs: number, atMs: number, periodMs: number): void {
    const { offset, record } = this
    const latestMs = this.#memory.doubles[(record + LATEST_END) >>> 3]!
    if (endMs === latestMs) return
    offset.latestEndMs = latestMs
    offset.add(endMs, atMs, periodMs)
    this.#set(LATEST_END, endMs)
    this.#set(SHIFT, offset.shiftMs)
    this.#set(ENDS_UNTIL, offset.rememberedUntilMs)
    const ends = offset.newestEnds(ENDS_COUNT)
    for (let i = 0; i < ENDS_COUNT; i++) this.#set(ENDS + 8 * i, ends[i] ?? Number.NaN)
  }

  get isConnected(): boolean {
    return this.connections > 0
  }
}

export class WallarooWorkers {
  readonly #byName = new Map<string, WallarooWorker>()
  #nameBytes = 0
  readonly limit: number
  readonly #memory: WindowMemory
  /** Number of Joins and windows of workers that were not taken up. */
  refused = 0

  /**
   * @param limit of workers that are known at once
   * @param memory for what windows change of them
   */
  constructor(limit: number, memory: WindowMemory) {
    this.limit = limit
    this.#memory = memory
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
    const isPlace = !isFull && this.#nameBytes + 2 * name.length <= NAME_BYTES_LIMIT
    const record = isPlace ? this.#memory.addSmall() : 0
    if (record === 0) {
      this.refused++
      return undefined
    }
    const made = new WallarooWorker(application, worker, nowMs, this.#memory, record)
    this.#byName.set(name, made)
    this.#nameBytes += 2 * name.length
    return made
  }

  /** Forgets those that are gone and of which nothing is kept. */
  retain(isKept: (worker: WallarooWorker) => boolean): void {
    for (const [name, worker] of this.#byName) {
      if (isKept(worker)) continue
      this.#byName.delete(name)
      worker.release()
      this.#nameBytes -= 2 * name.length
    }
  }
}

function nameOf(application: string, worker: string | undefined): string {
  return JSON.stringify([application, worker ?? null])
}
