/**
 * The closing of a second: every participant is called in its turn, and the cells are closed in
 * between. With very many series it takes several slices of the event loop; a boundary that comes
 * meanwhile makes the next second longer.
 */
import type { Clock } from '../../time/clock.ts'
import type { CellCloser } from '../live/tick.ts'
import type { Participant } from '../resident.ts'
import { LOOP_BUDGET_NS } from '../tasks/loop-budget.ts'
import type { Task } from '../tasks/task.ts'
import { TaskQueue } from '../tasks/task-queue.ts'

export class Second {
  readonly #closer: CellCloser
  readonly #participants: readonly Participant[]
  readonly #queue: TaskQueue
  /** Seconds whose boundary came while the one before was still being closed. */
  #secondsMissed = 0
  /** Slices begun when the second that is being closed was read. */
  #slicesAtRead = 0

  /** @param participants in the order in which they are called */
  constructor(clock: Clock, closer: CellCloser, participants: readonly Participant[]) {
    this.#closer = closer
    this.#participants = participants
    this.#queue = new TaskQueue(clock, {
      budgetNs: LOOP_BUDGET_NS,
      nextLoop: (callback) => void clock.after(0, callback),
    })
  }

  /** Whether the main thread has counted nothing since the second was read. */
  get isRead(): boolean {
    return this.#slicesAtRead === this.#queue.slices
  }

  close(endMs: number, seconds: number): void {
    this.#secondsMissed += seconds
    if (this.#queue.isRunning) return
    const passed = this.#secondsMissed
    this.#secondsMissed = 0
    void this.#queue.run(this.#whole(endMs, passed))
  }

  /** Closes the last, unfinished interval at once. */
  closeLast(endMs: number, seconds: number): void {
    this.#queue.finish()
    void this.#queue.run(this.#cells(endMs, seconds + this.#secondsMissed))
    this.#queue.finish()
  }

  *#whole(endMs: number, seconds: number): Task {
    for (const each of this.#participants) {
      if (each.beforeClose !== undefined) yield* each.beforeClose(endMs, seconds)
    }
    this.#slicesAtRead = this.#queue.slices
    yield* this.#cells(endMs, seconds)
    for (const each of this.#participants) {
      if (each.afterClose !== undefined) yield* each.afterClose(endMs, seconds)
    }
  }

  *#cells(endMs: number, seconds: number): Task {
    for (const each of this.#participants) if (each.flush !== undefined) yield* each.flush()
    const frame = yield* this.#closer.closing(endMs, seconds)
    for (const each of this.#participants) if (each.take !== undefined) yield* each.take(frame)
  }
}
