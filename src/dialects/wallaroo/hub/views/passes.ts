/** Views are made one after another, in turns: their number never lengthens a turn of the loop. */

import type { Steps } from '../../../../hub/tasks/task.ts'
import { ANSWER_TURN_NS, inTurns, Turn, type TurnOptions } from '../../../../hub/tasks/loop-budget.ts'
import type { Clock } from '../../../../time/clock.ts'

export interface PassResult<T> {
  readonly value: T
  /** Time it took, pauses left out. */
  readonly workMs: number
}

export class Passes {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #options: TurnOptions
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Pick<Clock, 'monotonicNs'>, options: Partial<TurnOptions> = {}) {
    this.#clock = clock
    this.#options = { budgetNs: ANSWER_TURN_NS, ...options }
  }

  /** Runs steps when those before them have ended. */
  async run<T>(steps: Steps<T>): Promise<PassResult<T>> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = ended
    await before
    try {
      const turn = new Turn(this.#clock, this.#options)
      const value = await inTurns(steps, turn)
      return { value, workMs: turn.workMs }
    } finally {
      end()
    }
  }
}
