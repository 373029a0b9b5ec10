/**
 * Turns of all viewers of a server: together they have a share of each iteration of the event loop
 * (docs/decisions/0015-slices.md), and beyond it addresses take turns, each with one viewer after
 * another. A viewer whose time has come is served at once while there is time.
 */
import type { Clock } from '../../../time/clock.ts'

/** Share of an iteration, ns of work. */
const SHARE_NS = 4_000_000n

/**
 * Work of a viewer.
 * @param sinceNs time from which on a reading of values is new enough: that of those who waited is
 *   shared in an iteration
 */
type Work = (sinceNs: bigint) => void

export class Turns {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #nextLoop: (callback: () => void) => void
  /** Work that waits, by address; the first address is the next. */
  readonly #waiting = new Map<string, Work[]>()
  #isScheduled = false
  #workedNs = 0n
  #iterations = 0

  /** @param nextLoop calls back when the rest of the event loop has run */
  constructor(
    clock: Pick<Clock, 'monotonicNs'>,
    nextLoop: (callback: () => void) => void = setImmediate,
  ) {
    this.#clock = clock
    this.#nextLoop = nextLoop
  }

  /** Number of the iteration: what is due once in each goes by it. */
  get iterations(): number {
    return this.#iterations
  }

  /** Works now, or when it is this address's turn. */
  run(address: string, work: Work): void {
    if (this.#waiting.size === 0 && this.#workedNs < SHARE_NS) {
      this.#work(work, this.#clock.monotonicNs())
    } else {
      const queue = this.#waiting.get(address)
      if (queue === undefined) this.#waiting.set(address, [work])
      else queue.push(work)
    }
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#nextLoop(() => this.#iterate())
  }

  #iterate(): void {
    this.#iterations++
    this.#workedNs = 0n
    const sinceNs = this.#clock.monotonicNs()
    for (const [address, queue] of this.#waiting) {
      if (this.#workedNs >= SHARE_NS) break
      const work = queue.shift()!
      // behind all others, which this loop then comes to, and to this one again
      this.#waiting.delete(address)
      if (queue.length > 0) this.#waiting.set(address, queue)
      this.#work(work, sinceNs)
    }
    this.#isScheduled = this.#waiting.size > 0
    if (this.#isScheduled) this.#nextLoop(() => this.#iterate())
  }

  #work(work: Work, sinceNs: bigint): void {
    const beganNs = this.#clock.monotonicNs()
    work(sinceNs)
    this.#workedNs += this.#clock.monotonicNs() - beganNs
  }
}
