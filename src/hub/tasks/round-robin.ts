/**
 * Work of many in turns: however many there are, all of them together take one share of an
 * event-loop iteration (docs/decisions/0015-slices.md), and each of them gets its turn.
 */
import type { Clock } from '../../time/clock.ts'
import { LoopBudget, type LoopBudgetOptions, nextShare } from './loop-budget.ts'
import type { Task } from './task.ts'

/** Rest of the turn that runs. */
export interface Share {
  /** True once the rest is to be done in the next turn. */
  readonly isSpent: boolean
}

interface RoundRobinOptions extends LoopBudgetOptions {
  /** Budget of one turn, ns; that of an iteration is `budgetNs`. */
  readonly turnNs: bigint
}

export class RoundRobin {
  readonly #iteration: LoopBudget
  readonly #turn: LoopBudget
  readonly #yieldLoop: (callback: () => void) => void
  #waiting: (() => void)[] = []
  /** First of {@link #waiting} that has not had its turn. */
  #next = 0
  /**
   * Whether an iteration has not ended: those that come during it may still have their turn in it.
   */
  #isScheduled = false

  constructor(clock: Pick<Clock, 'monotonicNs'>, options: RoundRobinOptions) {
    this.#iteration = new LoopBudget(clock, options)
    this.#turn = new LoopBudget(clock, { budgetNs: options.turnNs })
    this.#yieldLoop = options.nextLoop ?? setImmediate
  }

  /** Turns that wait. */
  get waiting(): number {
    return this.#waiting.length - this.#next
  }

  /**
   * Calls back once, behind all that wait already and never within this call.
   * @param work does what fits into its share, without waiting for anything
   * @returns what it returns; rejects with what it throws
   */
  turn<T>(work: (share: Share) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work(this.#turn))
        } catch (error) {
          reject(error)
        }
      })
      this.#schedule()
    })
  }

  /** Does a task in as many turns as it takes; gives up, with undefined, once it is not wanted. */
  async run<T>(task: Task<T>, isWanted: () => boolean): Promise<T | undefined> {
    while (isWanted()) {
      const step = await this.turn((share) => {
        let next = task.next()
        while (next.done !== true && !share.isSpent && isWanted()) next = task.next()
        return next
      })
      if (step.done === true) return step.value
    }
    task.return(undefined as T)
    return undefined
  }

  #schedule(): void {
    if (this.#isScheduled || this.waiting === 0) return
    this.#isScheduled = true
    nextShare(this.#yieldLoop, () => this.#iterate())
  }

  #iterate(): void {
    this.#iteration.renew()
    while (this.waiting > 0 && !this.#iteration.isSpent) {
      const run = this.#waiting[this.#next++]!
      this.#turn.renew()
      run()
    }
    this.#waiting = this.#waiting.slice(this.#next)
    this.#next = 0
    this.#isScheduled = false
    this.#schedule()
  }
}
