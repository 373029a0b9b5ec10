/**
 * Long tasks one after another, in slices of the event loop (docs/decisions/0015-slices.md). The
 * first slice of a task that finds the queue idle runs before `run` returns, so that what fits into
 * one slice is synchronous: small hubs and tests see no difference.
 */
import type { Clock } from '../../time/clock.ts'
import { LoopBudget, type LoopBudgetOptions, nextShare } from './loop-budget.ts'
import type { Task } from './task.ts'

interface TaskResult<T> {
  readonly value: T
  /** Time that its slices took, pauses left out. */
  readonly workMs: number
}

/** A task that runs or waits, with those who wait for it. */
interface Queued {
  readonly task: Task<unknown>
  workMs: number
  readonly resolve: (result: TaskResult<never>) => void
  readonly reject: (error: unknown) => void
}

export class TaskQueue {
  readonly #budget: LoopBudget
  readonly #yieldLoop: (callback: () => void) => void
  readonly #queue: Queued[] = []
  #isScheduled = false
  #slices = 0

  /** @param options `nextLoop` calls back when the rest of the event loop has run */
  constructor(clock: Pick<Clock, 'monotonicNs'>, options: LoopBudgetOptions) {
    this.#budget = new LoopBudget(clock, options)
    this.#yieldLoop = options.nextLoop ?? setImmediate
  }

  get isRunning(): boolean {
    return this.#queue.length > 0
  }

  /** Slices begun so far: while it stays, nothing else has run. */
  get slices(): number {
    return this.#slices
  }

  /** Runs a task when those before it have ended; rejects with what it throws. */
  run<T>(task: Task<T>): Promise<TaskResult<T>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, workMs: 0, resolve, reject })
      if (this.#queue.length === 1) this.#runSlice()
    })
  }

  /** Does at once what is left. */
  finish(): void {
    while (this.#queue.length > 0) this.#step()
  }

  #runSlice(): void {
    this.#isScheduled = false
    if (this.#queue.length === 0) return
    this.#slices++
    this.#budget.renew()
    while (this.#queue.length > 0) {
      this.#step()
      if (this.#queue.length === 0 || !this.#budget.isSpent) continue
      this.#schedule()
      return
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    nextShare(this.#yieldLoop, () => this.#runSlice())
  }

  /** Runs a step; one that throws is the last of its task. */
  #step(): void {
    const queued = this.#queue[0]!
    const before = this.#budget.workMs
    try {
      const step = queued.task.next()
      queued.workMs += this.#budget.workMs - before
      if (step.done !== true) return
      this.#queue.shift()
      queued.resolve({ value: step.value as never, workMs: queued.workMs })
    } catch (error) {
      this.#queue.shift()
      queued.reject(error)
    }
  }
}
