/**
 * What a series costs columns for instead of an object: its times, by the number of its metric,
 * which the zone gives out again. Its identity costs nothing here, for its key stands in the zone.
 */
import { type Identity, identityOf } from '../../model/index.ts'
import type { Zone } from '../../shm/index.ts'
import type { Task } from '../tasks/task.ts'

/** Place where a record finds what it does not hold itself. */
export interface SeriesFacts {
  identity(metric: number): Identity
  firstSeenMs(metric: number): number
  lastDataMs(metric: number): number
  setFirstSeenMs(metric: number, ms: number): void
  setLastDataMs(metric: number, ms: number): void
}

const FIRST_LENGTH = 1024
/** Numbers between two looks at the clock. */
const NUMBERS_PER_STEP = 65_536
/** Time of the last data where there is no series: never silent. */
const NONE = Number.POSITIVE_INFINITY

/** Facts of all series that are in a store. */
export class StoredFacts implements SeriesFacts {
  readonly #zone: Zone
  #firstSeenMs = new Float64Array(FIRST_LENGTH)
  #lastDataMs = new Float64Array(FIRST_LENGTH).fill(NONE)
  /** Identity read last: who asks for one mostly asks for several parts of it. */
  #metric = -1
  #identity: Identity | undefined

  constructor(zone: Zone) {
    this.#zone = zone
  }

  /** Begins a series under the number of a metric. */
  begin(metric: number, nowMs: number): void {
    while (metric >= this.#firstSeenMs.length) this.#grow()
    this.#firstSeenMs[metric] = nowMs
    this.#lastDataMs[metric] = nowMs
    if (metric === this.#metric) this.#metric = -1
  }

  #grow(): void {
    const { length } = this.#firstSeenMs
    const [first, last] = [new Float64Array(2 * length), new Float64Array(2 * length)]
    first.set(this.#firstSeenMs)
    last.set(this.#lastDataMs)
    last.fill(NONE, length)
    this.#firstSeenMs = first
    this.#lastDataMs = last
  }

  /** Ends the series of a metric; what is known of it so far stays with its record. */
  end(metric: number): SeriesFacts {
    const facts = new FormerFacts(
      this.identity(metric),
      this.#firstSeenMs[metric]!,
      this.#lastDataMs[metric]!,
    )
    this.#lastDataMs[metric] = NONE
    this.#metric = -1
    return facts
  }

  /** @throws {TypeError} for a metric whose key is no identity */
  identity(metric: number): Identity {
    if (metric === this.#metric) return this.#identity!
    const identity = identityOf(this.#zone.key(metric))
    if (identity === undefined) throw new TypeError(`metric ${metric} is no series`)
    this.#metric = metric
    this.#identity = identity
    return identity
  }

  firstSeenMs(metric: number): number {
    return this.#firstSeenMs[metric]!
  }

  lastDataMs(metric: number): number {
    return this.#lastDataMs[metric]!
  }

  setFirstSeenMs(metric: number, ms: number): void {
    this.#firstSeenMs[metric] = ms
  }

  setLastDataMs(metric: number, ms: number): void {
    this.#lastDataMs[metric] = ms
  }

  /** Lists metrics of series that are silent since before an instant. */
  silentSince(instantMs: number): number[] {
    const silent: number[] = []
    const last = this.#lastDataMs
    for (let metric = 0; metric < last.length; metric++) {
      if (last[metric]! < instantMs) silent.push(metric)
    }
    return silent
  }

  /** Moves all times; none that a series began at comes after `nowMs`. */
  *shifting(stepMs: number, nowMs: number): Task {
    for (let metric = 0; metric < this.#lastDataMs.length; metric++) {
      this.#lastDataMs[metric]! += stepMs
      if (this.#firstSeenMs[metric]! > nowMs) this.#firstSeenMs[metric] = nowMs
      if (metric % NUMBERS_PER_STEP === NUMBERS_PER_STEP - 1) yield
    }
  }
}

/** Facts of one series that has left, for those who still have its record. */
class FormerFacts implements SeriesFacts {
  readonly #identity: Identity
  #firstSeenMs: number
  #lastDataMs: number

  constructor(identity: Identity, firstSeenMs: number, lastDataMs: number) {
    this.#identity = identity
    this.#firstSeenMs = firstSeenMs
    this.#lastDataMs = lastDataMs
  }

  identity(): Identity {
    return this.#identity
  }

  firstSeenMs(): number {
    return this.#firstSeenMs
  }

  lastDataMs(): number {
    return this.#lastDataMs
  }

  setFirstSeenMs(_metric: number, ms: number): void {
    this.#firstSeenMs = ms
  }

  setLastDataMs(_metric: number, ms: number): void {
    this.#lastDataMs = ms
  }
}
