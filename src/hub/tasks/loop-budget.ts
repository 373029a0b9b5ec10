/**
 * Share of an event-loop iteration (docs/decisions/0015-slices.md): long work does a share, then
 * the rest of the loop runs, then it goes on.
 */
import type { Clock } from '../../time/clock.ts'
import type { Task } from './task.ts'

/** Budget of ingest and of closing a second, ns per iteration; with the rest well below 50 ms. */
export const LOOP_BUDGET_NS = 8_000_000n
/** Budget of one answer, ns per iteration; several may be made in the same one. */
export const ANSWER_BUDGET_NS = 4_000_000n

/**
 * Iterations in a row for which long work waits at most while connections come. Of each listener
 * Node accepts one in an iteration (libuv does so since its version 1.45): where each iteration has
 * a share of 8 ms, the last one of a queue of 1,000 waits for 8 s. An iteration without work takes
 * some 150 us, so that work still has most of the time.
 */
const ARRIVAL_LOOPS = 64

/** Connections that came in this thread, which has one event loop. */
let arrivals = 0

/** Notes that a connection came: behind it there may be more. */
export function noteArrival(): void {
  arrivals++
}

/** Way to be called back in a later iteration of the event loop. */
export type NextLoop = (callback: () => void) => void

/**
 * Calls back when the rest of the event loop has run; while connections come, some iterations
 * later.
 */
export function nextShare(nextLoop: NextLoop, callback: () => void): void {
  let loops = 0
  const wait = (): void => {
    const before = arrivals
    nextLoop(() => {
      if (arrivals === before || ++loops === ARRIVAL_LOOPS) callback()
      else wait()
    })
  }
  wait()
}

export interface LoopBudgetOptions {
  readonly budgetNs: bigint
  /** Calls back when the rest of the event loop has run; `setImmediate` unless given. */
  readonly nextLoop?: NextLoop
}

/** Budget of one piece of long work; its first share begins when this is made. */
export class LoopBudget {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #budgetNs: bigint
  readonly #nextLoop: NextLoop
  #beganNs: bigint
  /** Time worked in the shares before. */
  #workedNs = 0n

  constructor(clock: Pick<Clock, 'monotonicNs'>, { budgetNs, nextLoop }: LoopBudgetOptions) {
    this.#clock = clock
    this.#budgetNs = budgetNs
    this.#nextLoop = nextLoop ?? setImmediate
    this.#beganNs = clock.monotonicNs()
  }

  get isSpent(): boolean {
    return this.#spentNs >= this.#budgetNs
  }

  /** Time worked in all shares so far, pauses left out. */
  get workMs(): number {
    return Number(this.#workedNs + this.#spentNs) / 1e6
  }

  get #spentNs(): bigint {
    return this.#clock.monotonicNs() - this.#beganNs
  }

  /** Lets the rest of the event loop run, and begins the next share. */
  async yieldLoop(): Promise<void> {
    this.#workedNs += this.#spentNs
    await new Promise<void>((resolve) => nextShare(this.#nextLoop, resolve))
    this.#beganNs = this.#clock.monotonicNs()
  }

  /** Begins the next share at once, for work that has paused in a way of its own. */
  renew(): void {
    this.#beganNs = this.#clock.monotonicNs()
  }
}

/** Runs a task in as many shares of a budget as it takes. */
export async function runSliced<T>(task: Task<T>, budget: LoopBudget): Promise<T> {
  let step = task.next()
  for (; step.done !== true; step = task.next()) if (budget.isSpent) await budget.yieldLoop()
  return step.value
}
