/**
 * An invented web shop that measures itself: what it would tell a metrics server each tenth of a
 * second. Deterministic by its seed; every 90 seconds the payment provider is slow for 30, so that
 * there is something to find.
 */
import { createRandom } from '../../command-line.ts'

/** Takes one measurement, by its type word. */
type Tell = (type: 'm' | 'mr' | 'g' | 'h', key: string, value: number) => void

interface Route {
  readonly name: string
  readonly requestsPerSecond: number
  /** Typical milliseconds, and how far they spread (sigma of the logarithm). */
  readonly latencyMs: number
  readonly spread: number
}

const ROUTES: readonly Route[] = [
  { name: 'search', requestsPerSecond: 60, latencyMs: 22, spread: 0.6 },
  { name: 'product', requestsPerSecond: 140, latencyMs: 8, spread: 0.4 },
  { name: 'cart', requestsPerSecond: 35, latencyMs: 12, spread: 0.5 },
  { name: 'pay', requestsPerSecond: 9, latencyMs: 85, spread: 0.45 },
]

const TROUBLE_PERIOD_S = 90
const TROUBLE_S = 30
const CORES = 4
/** Linux counts processor time in hundredths of a second. */
const JIFFIES_PER_SECOND = 100

export class Shop {
  readonly #random: () => number
  readonly #jiffies = new Array<number>(CORES).fill(90_000)
  #seconds = 0
  #queue = 40
  #workers = 12

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  /** Lets `seconds` pass and says what happened in them. */
  step(seconds: number, tell: Tell): void {
    this.#seconds += seconds
    const isTrouble = this.#seconds % TROUBLE_PERIOD_S > TROUBLE_PERIOD_S - TROUBLE_S
    for (const route of ROUTES) this.#serve(route, seconds, isTrouble, tell)
    this.#work(seconds, isTrouble, tell)
    this.#measureHost(seconds, isTrouble, tell)
  }

  #serve(route: Route, seconds: number, isTrouble: boolean, tell: Tell): void {
    const isSlow = isTrouble && route.name === 'pay'
    const daily = 1 + 0.25 * Math.sin(this.#seconds / 40)
    const count = this.#poisson(route.requestsPerSecond * daily * seconds)
    for (let i = 0; i < count; i++) {
      const factor = isSlow ? 5 : 1
      const ms = route.latencyMs * factor * Math.exp(route.spread * this.#normal())
      tell('h', `shop.${route.name}.requestTime`, Math.max(1, Math.round(ms)))
    }
    if (count > 0) tell('m', `shop.${route.name}.requests`, count)
    const errors = this.#poisson(count * (isSlow ? 0.2 : 0.002))
    if (errors > 0) tell('m', `shop.${route.name}.errors`, errors)
  }

  #work(seconds: number, isTrouble: boolean, tell: Tell): void {
    const arriving = this.#poisson((isTrouble ? 60 : 40) * seconds)
    const done = Math.min(this.#queue + arriving, this.#poisson(this.#workers * 4 * seconds))
    this.#queue += arriving - done
    this.#workers = this.#queue > 200 ? 18 : 12
    if (done > 0) tell('m', 'shop.email.sent', done)
    tell('g', 'shop.email.queueDepth', this.#queue)
    tell('g', 'shop.email.workers', this.#workers)
  }

  #measureHost(seconds: number, isTrouble: boolean, tell: Tell): void {
    for (let core = 0; core < CORES; core++) {
      const load = (isTrouble ? 0.7 : 0.35) + 0.15 * Math.sin(this.#seconds / (9 + core))
      this.#jiffies[core]! +=
        Math.max(0, load + 0.05 * this.#normal()) * seconds * JIFFIES_PER_SECOND
      tell('mr', `host.web1.cpu${core}.jiffies`, Math.floor(this.#jiffies[core]!))
    }
    const usedMiB = 2048 + 300 * Math.sin(this.#seconds / 60) + 20 * this.#normal()
    tell('g', 'host.web1.memory.usedKiB', Math.round(usedMiB * 1024))
  }

  /** Draws a number of events of a mean count. */
  #poisson(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.#normal()))
    const limit = Math.exp(-mean)
    let count = 0
    for (let product = this.#random(); product > limit; product *= this.#random()) count++
    return count
  }

  /** Draws from the standard normal, by Box and Muller. */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }
}
