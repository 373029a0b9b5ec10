/**
 * A sample of a stream of values in which recent ones are more likely (statshero.md §4.7): forward
 * decay after Cormode et al., with the size and pace that the metrics libraries use.
 */
import type { Clock } from '../time/clock.ts'
import { type Snapshot, type WeightedValue, weightedSnapshot } from './snapshot.ts'

/** Gives 99.9 % confidence with 5 % margin of error, for normally distributed values. */
export const RESERVOIR_SIZE = 1028
/** Per second: weights the last five minutes most. */
export const DECAY_PER_SECOND = 0.015
/** Seconds between two moves of the landmark, long before e^(0.015 t) leaves the doubles. */
const RESCALE_SECONDS = 3600

export interface ReservoirOptions {
  readonly clock: Pick<Clock, 'monotonicNs'>
  /** Uniform in [0, 1). */
  readonly random?: () => number
  readonly size?: number
  readonly decayPerSecond?: number
}

/** Weight of a value that arrives so many whole seconds after the landmark. */
export function forwardWeight(seconds: number, decayPerSecond = DECAY_PER_SECOND): number {
  return Math.exp(decayPerSecond * seconds)
}

/** Keeps the values of the largest priorities: weight divided by a random number in (0, 1]. */
export class Reservoir {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #random: () => number
  readonly #decayPerSecond: number
  readonly #startNs: bigint
  #landmarkSeconds = 0
  /** A binary heap, the smallest priority on top; the other two arrays move along. */
  readonly #priorities: Float64Array
  readonly #weights: Float64Array
  readonly #values: Float64Array
  #length = 0
  #count = 0

  constructor(options: ReservoirOptions) {
    const { clock, random = Math.random, size = RESERVOIR_SIZE } = options
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`reservoir of ${size} values`)
    this.#clock = clock
    this.#random = random
    this.#decayPerSecond = options.decayPerSecond ?? DECAY_PER_SECOND
    this.#startNs = clock.monotonicNs()
    this.#priorities = new Float64Array(size)
    this.#weights = new Float64Array(size)
    this.#values = new Float64Array(size)
  }

  /** Values offered so far, kept or not. */
  get count(): number {
    return this.#count
  }

  /** Values in the sample. */
  get length(): number {
    return this.#length
  }

  /**
   * Offers a value; one that is not finite is ignored.
   * @param times how many observations it stands for (a sampled line: 1 / rate); it enters once
   */
  update(value: number, times = 1): void {
    if (!Number.isFinite(value) || !(times > 0)) return
    this.#count += times
    const age = this.#landmarkAge()
    const weight = forwardWeight(age, this.#decayPerSecond) * times
    const priority = weight / (1 - this.#random())
    if (this.#length < this.#values.length) {
      this.#place(this.#length, priority, weight, value)
      this.#siftUp(this.#length++)
    } else if (priority > this.#priorities[0]!) {
      this.#place(0, priority, weight, value)
      this.#siftDown(0)
    }
  }

  /** Statistics of the sample as it is now. */
  snapshot(): Snapshot {
    this.#landmarkAge()
    return weightedSnapshot(this.sample())
  }

  /** The sample with its weights, in no order. */
  sample(): WeightedValue[] {
    return Array.from({ length: this.#length }, (_, i) => ({
      value: this.#values[i]!,
      weight: this.#weights[i]!,
    }))
  }

  /** Whole seconds since the landmark, which moves to now once an hour has passed. */
  #landmarkAge(): number {
    const now = Number((this.#clock.monotonicNs() - this.#startNs) / 1_000_000_000n)
    const age = now - this.#landmarkSeconds
    if (age < RESCALE_SECONDS) return age
    this.#landmarkSeconds = now
    this.#rescale(Math.exp(-this.#decayPerSecond * age))
    return 0
  }

  /** Scales everything alike, which keeps the heap's order; what becomes 0 leaves. */
  #rescale(factor: number): void {
    const length = this.#length
    this.#length = 0
    for (let i = 0; i < length; i++) {
      const weight = this.#weights[i]! * factor
      const priority = this.#priorities[i]! * factor
      if (weight === 0 || priority === 0) continue
      this.#place(this.#length, priority, weight, this.#values[i]!)
      this.#siftUp(this.#length++)
    }
  }

  #place(at: number, priority: number, weight: number, value: number): void {
    this.#priorities[at] = priority
    this.#weights[at] = weight
    this.#values[at] = value
  }

  #siftUp(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (this.#priorities[parent]! <= this.#priorities[at]!) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #siftDown(from: number): void {
    const length = this.#length
    for (let at = from; ; ) {
      let child = 2 * at + 1
      if (child >= length) return
      if (child + 1 < length && this.#priorities[child + 1]! < this.#priorities[child]!) child++
      if (this.#priorities[at]! <= this.#priorities[child]!) return
      this.#swap(at, child)
      at = child
    }
  }

  #swap(a: number, b: number): void {
    for (const array of [this.#priorities, this.#weights, this.#values]) {
      const kept = array[a]!
      array[a] = array[b]!
      array[b] = kept
    }
  }
}
