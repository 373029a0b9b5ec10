/**
 * Moving averages of a rate as the metrics libraries keep them: three
 * exponentially weighted averages that tick every five seconds.
 */

import {
  AVERAGES_LENGTH,
  addToAverages,
  advanceAverages,
  beginAverages,
  readAverages,
} from './averages.ts'

/**
 * The averages over 1, 5 and 15 minutes, in events per second; all 0 before the first tick. Time is
 * in nanoseconds as a number, from any zero; it must not go back.
 *
 * Ticks are made up for later: `advance` before every `add` and every read.
 *
 * @example
 * import { MovingAverages, TICK_NS } from 'pentameter/model'
 *
 * const requests = new MovingAverages(0)
 * requests.add(50)
 * requests.advance(TICK_NS + 1)
 * console.log(requests.m1) // 10
 */
export class MovingAverages {
  readonly #numbers = new Float64Array(AVERAGES_LENGTH)

  constructor(nowNs: number) {
    beginAverages(this.#numbers, 0, nowNs)
  }

  get m1(): number {
    return readAverages(this.#numbers, 0)[0]
  }

  get m5(): number {
    return readAverages(this.#numbers, 0)[1]
  }

  get m15(): number {
    return readAverages(this.#numbers, 0)[2]
  }

  /** Runs the ticks that are due. A tick is due once its five seconds have been exceeded. */
  advance(nowNs: number): void {
    advanceAverages(this.#numbers, 0, nowNs)
  }

  /** Counts events for the tick at hand. */
  add(count: number): void {
    addToAverages(this.#numbers, 0, count)
  }
}

/** Speed at which the rates change, per second squared, as folsom shows it. */
export interface Acceleration {
  readonly oneToFive: number
  readonly fiveToFifteen: number
  readonly oneToFifteen: number
}

/**
 * Derives from the three averages of a rate how fast it changes.
 *
 * @example
 * import { acceleration } from 'pentameter/model'
 *
 * console.log(acceleration(12, 9, 9).oneToFive) // 0.01
 */
export function acceleration(m1: number, m5: number, m15: number): Acceleration {
  return {
    oneToFive: (m1 - m5) / 300,
    fiveToFifteen: (m5 - m15) / 600,
    oneToFifteen: (m1 - m15) / 900,
  }
}
