/**
 * Turns of the event loop (docs/decisions/0015-turns.md): who has long work does a share of it,
 * then everybody else has a turn, then it goes on.
 */
import type { Clock } from '../../time/clock.ts'
import type { Steps } from './task.ts'

/** Of what takes in or closes seconds: with what else a turn holds, well below 50 ms. */
export const TURN_NS = 8_000_000n
/** Of what answers somebody: several may be at it in the same turn. */
export const ANSWER_TURN_NS = 4_000_000n

export interface TurnOptions {
  readonly budgetNs: bigint
  /** Calls back when everybody else has had a turn. */
  readonly nextTurn?: (callback: () => void) => void
}

/** The share of one who works, which begins when this is made. */
export class Turn {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #budgetNs: bigint
  readonly #nextTurn: (callback: () => void) => void
  #beganNs: bigint
  /** In the turns before. */
  #workedNs = 0n

  constructor(clock: Pick<Clock, 'monotonicNs'>, { budgetNs, nextTurn }: TurnOptions) {
    this.#clock = clock
    this.#budgetNs = budgetNs
    this.#nextTurn = nextTurn ?? setImmediate
    this.#beganNs = clock.monotonicNs()
  }

  get isOver(): boolean {
    return this.#spentNs >= this.#budgetNs
  }

  /** In all turns so far, pauses left out. */
  get workMs(): number {
    return Number(this.#workedNs + this.#spentNs) / 1e6
  }

  get #spentNs(): bigint {
    return this.#clock.monotonicNs() - this.#beganNs
  }

  /** Lets everybody else run, and begins the next one. */
  async next(): Promise<void> {
    this.#workedNs += this.#spentNs
    await new Promise<void>((resolve) => this.#nextTurn(resolve))
    this.begin()
  }

  /** Begins the next one at once, for who has waited in a way of its own. */
  begin(): void {
    this.#beganNs = this.#clock.monotonicNs()
  }
}

/** What steps return; this turn and as many more as it takes are spent on them. */
export async function inTurns<T>(steps: Steps<T>, turn: Turn): Promise<T> {
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) if (turn.isOver) await turn.next()
  return step.value
}
