/**
 * A meter: a count and the rates at which it grows, with the semantics of the metrics libraries
 * that count events by rate.
 */
import { MovingAverages } from '../model/ewma.ts'
import type { Clock } from '../time/clock.ts'
import { systemClock } from '../time/system-clock.ts'

/**
 * A count of events, and the rates at which it grows.
 * @example
 * ```ts
 * import { Meter } from 'pentameter/instrument'
 *
 * const jobs = new Meter()
 * jobs.mark()
 * console.log(jobs.count, jobs.m1Rate)
 * ```
 */
export class Meter {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #startNs: bigint
  readonly #averages = new MovingAverages(0)
  #count = 0

  /** @param clock the system's when not given */
  constructor(clock: Pick<Clock, 'monotonicNs'> = systemClock) {
    this.#clock = clock
    this.#startNs = clock.monotonicNs()
  }

  /** Counts events; what is not a finite number is ignored, for recording never throws. */
  mark(count = 1): void {
    if (!Number.isFinite(count)) return
    this.#averages.advance(this.#ageNs())
    this.#averages.add(count)
    this.#count += count
  }

  /** Events so far. */
  get count(): number {
    return this.#count
  }

  /** Events per second since the meter was made; 0 while no time has passed. */
  get meanRate(): number {
    const ageNs = this.#ageNs()
    return this.#count === 0 || ageNs === 0 ? 0 : this.#count / (ageNs / 1e9)
  }

  /** Events per second, averaged over about a minute. */
  get m1Rate(): number {
    return this.#current().m1
  }

  /** The same over about five minutes. */
  get m5Rate(): number {
    return this.#current().m5
  }

  /** The same over about a quarter of an hour. */
  get m15Rate(): number {
    return this.#current().m15
  }

  #current(): MovingAverages {
    this.#averages.advance(this.#ageNs())
    return this.#averages
  }

  /**
   * Computes the age, exact for 104 days; after that to a few nanoseconds, which no rate can show.
   */
  #ageNs(): number {
    return Number(this.#clock.monotonicNs() - this.#startNs)
  }
}
