/**
 * Answers that are made once for all who ask for the same: those who come while it is being made
 * wait for it, those who come soon afterwards get it too. Nothing is made without a request.
 */

import type { Task } from '../../../../hub/tasks/task.ts'
import type { TaskQueue } from '../../../../hub/tasks/task-queue.ts'
import type { Clock } from '../../../../time/clock.ts'

/** Answers being made or waiting to be; a further one is refused. */
export const PENDING_LIMIT = 32
/** Answers kept, and rows of tables in all of them but the newest. */
const KEPT_LIMIT = 64
const KEPT_ROWS_LIMIT = 100_000
/**
 * Time from which on an answer is shared, ms: what takes less is made anew, and is always of this
 * moment.
 */
const SHARED_FROM_MS = 10
/** The length of a window: sooner there is little that is new. */
const FRESH_MS = 2000
/** An answer that takes long stays longer, so that one view takes a fifth of the time at most. */
const FRESH_PER_WORK = 4

/** Error for more views at once than the hub makes. */
export class BusyError extends Error {
  readonly retryAfterS = 2

  constructor() {
    super(`${PENDING_LIMIT} other views are being made`)
  }
}

interface Kept {
  readonly answer: Promise<unknown>
  readonly rows: number
  readonly untilNs: bigint
}

export class SharedAnswers {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #queue: TaskQueue
  readonly #pending = new Map<string, Promise<unknown>>()
  /** Answers in the order in which they were made. */
  readonly #kept = new Map<string, Kept>()
  /** Requests refused so far. */
  refused = 0

  constructor(clock: Pick<Clock, 'monotonicNs'>, queue: TaskQueue) {
    this.#clock = clock
    this.#queue = queue
  }

  /** Answers being made or waiting to be. */
  get pending(): number {
    return this.#pending.size
  }

  /**
   * @param key what is asked for: the same key, the same type
   * @param make begins the task, where there is no answer yet
   * @param rowsOf how large an answer is
   * @throws {BusyError}
   */
  ask<T>(key: string, make: () => Task<T>, rowsOf: (answer: T) => number): Promise<T> {
    this.sweep()
    const known = this.#pending.get(key) ?? this.#kept.get(key)?.answer
    if (known !== undefined) return known as Promise<T>
    if (this.#pending.size >= PENDING_LIMIT) {
      this.refused++
      return Promise.reject(new BusyError())
    }
    const made = this.#make(key, make, rowsOf)
    this.#pending.set(key, made)
    return made
  }

  async #make<T>(key: string, make: () => Task<T>, rowsOf: (answer: T) => number): Promise<T> {
    try {
      const { value, workMs } = await this.#queue.run(make())
      if (workMs >= SHARED_FROM_MS) this.#keep(key, value, rowsOf(value), workMs)
      return value
    } finally {
      this.#pending.delete(key)
    }
  }

  #keep(key: string, value: unknown, rows: number, workMs: number): void {
    const freshMs = Math.max(FRESH_MS, FRESH_PER_WORK * workMs)
    const untilNs = this.#clock.monotonicNs() + BigInt(Math.round(freshMs)) * 1_000_000n
    let keptRows = [...this.#kept.values()].reduce((sum, each) => sum + each.rows, 0)
    for (const [oldest, each] of this.#kept) {
      if (keptRows <= KEPT_ROWS_LIMIT && this.#kept.size < KEPT_LIMIT) break
      this.#kept.delete(oldest)
      keptRows -= each.rows
    }
    this.#kept.set(key, { answer: Promise.resolve(value), rows, untilNs })
  }

  /** Lets go of what is not fresh any more. */
  sweep(): void {
    const nowNs = this.#clock.monotonicNs()
    for (const [key, { untilNs }] of this.#kept) if (untilNs <= nowNs) this.#kept.delete(key)
  }
}
