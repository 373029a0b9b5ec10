/**
 * Answers that are made once for all who ask for the same: those who come while it is being made
 * wait for it, those who come soon afterwards get it too. Nothing is made without a request.
 */

import type { Task } from '../../../../hub/tasks/task.ts'
import type { TaskQueue } from '../../../../hub/tasks/task-queue.ts'
import type { Clock } from '../../../../time/clock.ts'

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

/** A client that waits for an answer, as long as it is there. */
export interface Asker {
  /** Whether it waits no more. */
  readonly isGone: boolean
}

/** Asker without a client, which waits for its answer. */
const PATIENT: Asker = Object.freeze({ isGone: false })

/** An answer that is being made, or waits to be. */
interface Pending {
  readonly answer: Promise<unknown>
  /** All that have asked for it. */
  readonly askers: Asker[]
}

interface Kept {
  readonly answer: Promise<unknown>
  readonly rows: number
  readonly untilNs: bigint
}

export class SharedAnswers {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #queue: TaskQueue
  readonly #pending = new Map<string, Pending>()
  /** Answers in the order in which they were made. */
  readonly #kept = new Map<string, Kept>()

  constructor(clock: Pick<Clock, 'monotonicNs'>, queue: TaskQueue) {
    this.#clock = clock
    this.#queue = queue
  }

  /** Answers being made or waiting to be. */
  get pending(): number {
    return this.#pending.size
  }

  /**
   * Finds or makes an answer. It is made no further once all who have asked for it are gone, and is
   * undefined then; so their number is its limit.
   * @param key what is asked for: the same key, the same type
   * @param make begins the task, where there is no answer yet
   * @param rowsOf how large an answer is
   */
  ask<T>(
    key: string,
    make: () => Task<T>,
    rowsOf: (answer: T) => number,
    asker = PATIENT,
  ): Promise<T | undefined> {
    this.sweep()
    const pending = this.#pending.get(key)
    // one that is about to be left is not worth waiting for
    if (pending?.askers.some(({ isGone }) => !isGone)) {
      pending.askers.push(asker)
      return pending.answer as Promise<T | undefined>
    }
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept.answer as Promise<T>
    const askers = [asker]
    const made = { askers, answer: this.#make(key, wanted(make, askers), rowsOf) }
    this.#pending.set(key, made)
    const forget = (): void => {
      if (this.#pending.get(key) === made) this.#pending.delete(key)
    }
    made.answer.then(forget, forget)
    return made.answer
  }

  async #make<T>(
    key: string,
    task: Task<T | undefined>,
    rowsOf: (answer: T) => number,
  ): Promise<T | undefined> {
    const { value, workMs } = await this.#queue.run(task)
    const isShared = value !== undefined && workMs >= SHARED_FROM_MS
    if (isShared) this.#keep(key, value, rowsOf(value), workMs)
    return value
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

/** Does a task as long as one of those who asked is there. */
function* wanted<T>(make: () => Task<T>, askers: readonly Asker[]): Task<T | undefined> {
  const isWanted = (): boolean => askers.some(({ isGone }) => !isGone)
  if (!isWanted()) return undefined
  const task = make()
  for (let step = task.next(); ; step = task.next()) {
    if (step.done === true) return step.value
    yield
    if (!isWanted()) return undefined
  }
}
