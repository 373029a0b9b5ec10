/**
 * Bound of questions to the history's thread: so many are answered at once, so many wait for their
 * turn, and a further one is refused. Who asked may be gone: the work is done all the same, so the
 * bound is of the work, and not of who waits for it.
 */
import { HistoryError } from '../../../history/store.ts'

interface QuestionLimits {
  readonly atOnce: number
  readonly waiting: number
}

export class Questions {
  readonly #limits: QuestionLimits
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(limits: QuestionLimits) {
    this.#limits = limits
  }

  /**
   * Asks when it is its turn.
   * @throws {HistoryError} `busy` where too many wait
   */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    const { atOnce, waiting } = this.#limits
    if (this.#running < atOnce) this.#running++
    else if (this.#waiting.length < waiting) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else {
      const count = this.#running + this.#waiting.length
      throw new HistoryError('busy', `${count} questions to the history are under way`)
    }
    try {
      return await question()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
