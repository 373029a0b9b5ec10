/**
 * Moving averages of a rate as the metrics libraries keep them: three
 * exponentially weighted averages that tick every five seconds.
 */

/** Nanoseconds between two ticks. */
export const TICK_NS = 5e9

/**
 * Computes the weight of the newest tick in an average over so many minutes: 1 - e^(-5 s /
 * minutes).
 *
 * @example
 * import { tickWeight } from 'pentameter/model'
 *
 * console.log(tickWeight(1).toFixed(4)) // 0.0800
 */
export function tickWeight(minutes: number): number {
  return 1 - Math.exp(-5 / 60 / minutes)
}

/** Ticks without a look (12 h 49 min 15 s) after which the averages are given up, not decayed. */
const TICKS_MAX = 9231

const WEIGHTS = [tickWeight(1), tickWeight(5), tickWeight(15)] as const

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
  readonly #rates = new Float64Array(WEIGHTS.length)
  #uncounted = 0
  #hasTicked = false
  #lastTickNs: number

  constructor(nowNs: number) {
    this.#lastTickNs = nowNs
  }

  get m1(): number {
    return this.#rates[0]!
  }

  get m5(): number {
    return this.#rates[1]!
  }

  get m15(): number {
    return this.#rates[2]!
  }

  /** Runs the ticks that are due. A tick is due once its five seconds have been exceeded. */
  advance(nowNs: number): void {
    const age = nowNs - this.#lastTickNs
    if (!(age > TICK_NS)) return
    this.#lastTickNs = nowNs - (age % TICK_NS)
    const ticks = Math.floor(age / TICK_NS)
    if (ticks >= TICKS_MAX) {
      this.#rates.fill(0)
      this.#uncounted = 0
    } else {
      this.#tick(ticks)
    }
  }

  /**
   * Decays the rates: the first of these ticks counts what was added; the others decay in closed
   * form.
   */
  #tick(ticks: number): void {
    const instant = this.#uncounted / 5
    this.#uncounted = 0
    for (let i = 0; i < WEIGHTS.length; i++) {
      const weight = WEIGHTS[i]!
      const rate = this.#rates[i]!
      const first = this.#hasTicked ? rate + weight * (instant - rate) : instant
      this.#rates[i] = first * (1 - weight) ** (ticks - 1)
    }
    this.#hasTicked = true
  }

  /** Counts events for the tick at hand. */
  add(count: number): void {
    this.#uncounted += count
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
