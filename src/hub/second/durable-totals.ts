/**
 * How far totals are durable (decision 0050). A hub that was killed goes on from the seconds that
 * its history has. Who has been told of more than that takes the next total, which is lower, for a
 * reset: so what tells totals outside waits until all that it has read is durable.
 *
 *   asked ──► second begun ──► closed, handed on ──► durable, or lost ──► reached
 */
import type { Clock } from '../../time/clock.ts'
import type { Participant } from '../resident.ts'
import type { Task } from '../tasks/task.ts'
import type { Durability } from '../view.ts'
import type { SecondMerger } from './second-merger.ts'

/** Time for which sinks that tell totals wait: a disk that stands still stops none of them. */
const SECONDS_MS = 5000

/** Keeper of the seconds that a further start goes on from. */
interface SecondsKeeper {
  /** Resolves when each second that was handed on so far is durable, or lost. */
  settled(): Promise<void>
}

interface Asker {
  /** Number of the second of a peer that was begun last: totals know of it already. */
  readonly begun: number
  readonly reached: () => void
}

type Merger = Pick<SecondMerger, 'begun' | 'firstWaiting'>

/** A participant behind the merger: what that has held is handed on before. */
export class DurableTotals implements Participant, Durability {
  readonly #clock: Pick<Clock, 'after'>
  readonly #merger: Merger
  #keeper: SecondsKeeper | undefined
  /** Those who have asked since the reading of a second was begun. */
  #asking: Asker[] = []
  /** Those whose totals are in seconds that are read, and not handed on. */
  #read: Asker[] = []
  #isFinished = false

  constructor(clock: Pick<Clock, 'after'>, merger: Merger) {
    this.#clock = clock
    this.#merger = merger
  }

  /** Notes who keeps seconds; without one each start begins at nothing, and there is no waiting. */
  keptBy(keeper: SecondsKeeper): void {
    this.#keeper = keeper
  }

  get isKept(): boolean {
    return this.#keeper !== undefined
  }

  reach(limitMs: number): Promise<boolean> {
    if (!this.isKept) return Promise.resolve(true)
    return this.#within(limitMs, (reached) => {
      if (this.#isFinished) this.#settle(reached)
      else this.#asking.push({ begun: this.#merger.begun, reached })
    })
  }

  /**
   * Waits likewise, and not for long, until all seconds that were handed on so far are.
   * @returns undefined where they are not kept
   */
  ready(): Promise<boolean> | undefined {
    if (!this.isKept) return undefined
    return this.#within(SECONDS_MS, (reached) => this.#settle(reached))
  }

  #within(limitMs: number, ask: (reached: () => void) => void): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(limitMs, () => resolve(false))
      ask(() => {
        cancel()
        resolve(true)
      })
    })
  }

  #settle(reached: () => void): void {
    void this.#keeper?.settled().then(reached)
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(): Task {
    this.#read.push(...this.#asking)
    this.#asking = []
  }

  /** Notes that a second has been handed on, and with it what came late and is due. */
  handedOn(): void {
    const { firstWaiting } = this.#merger
    const waiting = this.#read
    this.#read = waiting.filter(({ begun }) => begun >= firstWaiting)
    for (const { begun, reached } of waiting) if (begun < firstWaiting) this.#settle(reached)
  }

  /** Ends the waiting for further seconds: all have been handed on. */
  finish(): void {
    this.#isFinished = true
    for (const { reached } of [...this.#read, ...this.#asking]) this.#settle(reached)
    this.#read = []
    this.#asking = []
  }
}
