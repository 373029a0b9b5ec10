/**
 * Taking summaries: what all writers observed since the last taking, each observation once
 * (slots/summary.ts). It happens under the zone's lock, which keeps folds, moves, retirements and
 * other takers away, and which no writer ever needs to observe.
 */
import type { Descriptors } from '../definitions/descriptors.ts'
import { HEADER, PAGE_WORDS } from '../layout.ts'
import type { ZoneMemory } from '../memory/memory.ts'
import type { Segments } from '../segments/segments.ts'
import { type SummaryReading, TakenWindow } from '../slots/summary.ts'

/** @param reading valid during the call */
export type SummaryVisitor = (metric: number, reading: SummaryReading) => void

export class SummaryTaker {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #segments: Segments
  /** The summaries among the numbers below `#known`; a number's type stays for ever. */
  readonly #summaries: number[] = []
  #known = 0
  readonly #window = new TakenWindow()
  readonly #metrics: number[] = []
  /** Readings beside `#metrics`; kept for later takings. */
  readonly #readings: SummaryReading[] = []

  constructor(memory: ZoneMemory, descriptors: Descriptors, segments: Segments) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#segments = segments
  }

  /**
   * Listens or stops; under the lock: a zone that is just being replaced would not be listened to.
   */
  listen(isListening: boolean): boolean {
    if (!this.#lock()) return false
    const value = isListening ? 1 : 0
    Atomics.store(this.#memory.listening, 0, value)
    // Writers that have not moved look at the zone before.
    for (const { memory } of this.#segments.predecessors) Atomics.store(memory.listening, 0, value)
    this.#memory.unlock()
    return true
  }

  /**
   * Takes the summaries. The visitor may use the zone: the lock is given back before it is called.
   */
  take(visit: SummaryVisitor): boolean {
    if (!this.#lock()) return false
    try {
      this.#collect()
    } finally {
      this.#memory.unlock()
    }
    for (let i = 0; i < this.#metrics.length; i++) visit(this.#metrics[i]!, this.#readings[i]!)
    this.#metrics.length = 0
    return true
  }

  #lock(): boolean {
    const isLocked = this.#memory.lock()
    if (!isLocked) this.#memory.countRefusal('lock_timeout')
    return isLocked
  }

  #collect(): void {
    this.#metrics.length = 0
    this.#findNew()
    for (const metric of this.#summaries) {
      if (!this.#descriptors.has(metric)) continue
      this.#collectOne(metric)
      if (this.#window.isEmpty) continue
      const count = this.#metrics.push(metric)
      if (count > this.#readings.length) this.#readings.push(emptyReading())
      this.#window.giveTo(this.#readings[count - 1]!)
    }
  }

  #findNew(): void {
    const { count } = this.#descriptors
    for (; this.#known < count; this.#known++) {
      if (this.#descriptors.type(this.#known) === 'summary') this.#summaries.push(this.#known)
    }
  }

  #collectOne(metric: number): void {
    const slotAt = this.#descriptors.slotAt(metric)
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page === undefined) continue
      if (this.#window.takeFrom(page, slotAt & (PAGE_WORDS - 1))) continue
      this.#memory.ints[HEADER.summariesDeferred]!++
    }
  }
}

function emptyReading(): SummaryReading {
  return { count: 0, mean: 0, squares: 0, min: 0, max: 0, sum: 0 }
}
