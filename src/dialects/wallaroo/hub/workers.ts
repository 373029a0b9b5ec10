/**
 * Workers that joined or sent (wallaroo.md §4.5): whether they are connected, and by how much
 * their clocks are off. Names come from peers: those that have series are as limited as series are,
 * the others, which have only joined, in number and size, and shared out by address (shares.ts).
 */
import { networkOf } from '../../../peers/network.ts'
import { Idleness, Shares } from '../../../peers/shares.ts'
import { ClockOffset } from '../rollup/clock-offset.ts'
import { ENDS, ENDS_COUNT, ENDS_UNTIL, LATEST_END, SHIFT, WORKER_SEEN } from './memory/layout.ts'
import type { WindowMemory } from './memory/window-memory.ts'

/**
 * Bytes of the names of workers without series (a UTF-16 unit counts as two): 800 for each of
 * 10,000.
 */
const NAME_BYTES_LIMIT = 8_388_608
/** Silence after which it is not known whether a worker behind a relay is there: five windows. */
const SILENT_MS = 10_000
/** Workers that make room for a newcomer at most, where one with a long name is not enough. */
const YIELDING_LIMIT = 16

export class WallarooWorker {
  readonly application: string
  /** Name; undefined for an application that was joined without a worker. */
  readonly worker: string | undefined
  readonly offset = new ClockOffset()
  /** Connections of its own. */
  connections = 0
  /** Connections of relays, which stand for others as well: they stay when it leaves. */
  relays = 0
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
    if (this.#goneMs === undefined) this.#set(WORKER_SEEN, nowMs)
    else this.#goneMs = nowMs
  }

  /** False once it is forgotten: what the memory had of it is another's. */
  get isKept(): boolean {
    return this.#goneMs === undefined
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

  /** Name among all workers of all applications. */
  get key(): string {
    return nameOf(this.application, this.worker)
  }

  get isConnected(): boolean {
    return this.connections > 0
  }

  /** Tells whether a connection stands for it, its own or that of a relay. */
  get isHeld(): boolean {
    return this.connections + this.relays > 0
  }

  /**
   * Tells whether it is connected, to us or to a relay; null where a relay is, and nothing has been
   * heard of the worker behind it for {@link SILENT_MS}: the relay does not say who leaves.
   */
  connectionAt(nowMs: number): boolean | null {
    if (this.connections > 0) return true
    if (this.relays === 0) return false
    return nowMs - this.lastSeenMs < SILENT_MS ? true : null
  }
}

export class WallarooWorkers {
  readonly #byName = new Map<string, WallarooWorker>()
  /** Workers without series, by the address that named them. */
  readonly #unproven = new Shares<WallarooWorker>({
    idleness: (worker) => (worker.isHeld ? Idleness.working : Idleness.idle),
    silence: ({ lastSeenMs }) => -lastSeenMs,
  })
  /** Bytes of their names. */
  #nameBytes = 0
  readonly limit: number
  readonly #memory: WindowMemory
  /** Number of workers that were not taken up, or forgotten for the sake of another. */
  refused = 0

  /**
   * @param limit of workers that have only joined
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

  /** Number of workers that have only joined: those that the limit is for. */
  get unproven(): number {
    return this.#unproven.size
  }

  /**
   * Finds a worker, made on first sight.
   * @param source address that names it
   * @returns undefined where all places are taken, none of which another address has to leave
   */
  of(
    application: string,
    worker: string | undefined,
    source: string,
    nowMs: number,
  ): WallarooWorker | undefined {
    const name = nameOf(application, worker)
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const network = networkOf(source)
    const record = this.#makeRoom(bytesOf(name), network) ? this.#memory.addSmall() : 0
    if (record === 0) {
      this.refused++
      return undefined
    }
    const made = new WallarooWorker(application, worker, nowMs, this.#memory, record)
    this.#byName.set(name, made)
    this.#unproven.add(made, network)
    this.#nameBytes += bytesOf(name)
    return made
  }

  #makeRoom(bytes: number, network: string): boolean {
    const hasRoom = (): boolean =>
      this.#unproven.size < this.limit && this.#nameBytes + bytes <= NAME_BYTES_LIMIT
    for (let i = 0; i < YIELDING_LIMIT && !hasRoom(); i++) {
      const found = this.#unproven.yielding(network)
      if (found === undefined) return false
      this.refused++
      this.#forget(found)
    }
    return hasRoom()
  }

  /** Takes note that a worker has a series: from now on it is limited as that is. */
  prove(worker: WallarooWorker): void {
    if (this.#unproven.delete(worker)) this.#nameBytes -= bytesOf(worker.key)
  }

  /** Forgets those that are gone and of which nothing is kept. */
  retain(isKept: (worker: WallarooWorker) => boolean): void {
    for (const worker of this.#byName.values()) if (!isKept(worker)) this.#forget(worker)
  }

  #forget(worker: WallarooWorker): void {
    this.#byName.delete(worker.key)
    this.prove(worker)
    worker.release()
  }
}

function bytesOf(name: string): number {
  return 2 * name.length
}

function nameOf(application: string, worker: string | undefined): string {
  return JSON.stringify([application, worker ?? null])
}
