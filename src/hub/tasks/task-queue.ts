/**
 * Steps that run at once as far as a turn goes, and then turn by turn on the hub's clock: what fits
 * into one is done when `start` returns, so that small hubs and tests see no difference.
 */
import type { Clock } from '../../time/clock.ts'
import type { Steps } from './task.ts'
import { TURN_NS, Turn } from './loop-budget.ts'

export class Pass {
  readonly #clock: Clock
  readonly #turn: Turn
  #steps: Steps | undefined
  #cancel: (() => void) | undefined
  #turns = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#turn = new Turn(clock, { budgetNs: TURN_NS })
  }

  get isRunning(): boolean {
    return this.#steps !== undefined
  }

  /** Turns begun so far: while it stays, nobody else has had one. */
  get turns(): number {
    return this.#turns
  }

  /** Begins; only when nothing is running. */
  start(steps: Steps): void {
    this.#steps = steps
    this.#runTurn()
  }

  /** Does at once what is left. */
  finish(): void {
    this.#cancel?.()
    this.#cancel = undefined
    while (this.#steps !== undefined) this.#step(this.#steps)
  }

  #runTurn(): void {
    this.#cancel = undefined
    this.#turns++
    this.#turn.begin()
    while (this.#steps !== undefined) {
      this.#step(this.#steps)
      if (this.#steps === undefined || !this.#turn.isOver) continue
      this.#cancel = this.#clock.after(0, () => this.#runTurn())
      return
    }
  }

  /** A step that throws is the last one. */
  #step(steps: Steps): void {
    let isDone = true
    try {
      isDone = steps.next().done === true
    } finally {
      if (isDone) this.#steps = undefined
    }
  }
}
