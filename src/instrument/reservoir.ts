/**
 * A sample of a stream of values in which recent ones are more likely: forward
 * decay after Cormode et al., with the size and pace that the metrics libraries use.
 */
import type { Clock } from '../time/clock.ts'
import { systemClock } from '../time/system-clock.ts'

/** Size that gives 99.9 % confidence with 5 % margin of error, for normally distributed values. */
const RESERVOIR_SIZE = 1028
/** Decay per second: weights the last five minutes most. */
const DECAY_PER_SECOND = 0.015
/** Seconds between two moves of the landmark, long before e^(0.015 t) leaves the doubles. */
const RESCALE_SECONDS = 3600

export interface ReservoirOptions {
  readonly clock?: Pick<Clock, 'monotonicNs'>
  /** Uniform in [0, 1). */
  readonly random?: () => number
  /** Values that it keeps; 1028 when not given. */
  readonly size?: number
  /** Rate at which older values become unlikely; 0.015 weights the last five minutes most. */
  readonly decayPerSecond?: number
}

/**
 * Gives the weight of a value that arrives so many whole seconds after the first.
 * @example
 * ```ts
 * import { forwardWeight } from 'pentameter/instrument'
 *
 * // what comes five minutes later counts 90 times as much
 * console.log(Math.round(forwardWeight(300) / forwardWeight(0))) // 90
 * ```
 */
export function forwardWeight(seconds: number, decayPerSecond = DECAY_PER_SECOND): number {
  return Math.exp(decayPerSecond * seconds)
}

/**
 * A sample of a stream of values; it keeps those of the largest priorities: weight divided by a
 * random number in (0, 1].
 * @example
 * ```ts
 * import { Reservoir } from 'pentameter/instrument'
 *
 * const sizes = new Reservoir()
 * for (let i = 0; i < 10_000; i++) sizes.update(i)
 * console.log(sizes.snapshot().p99)
 * ```
 */
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

  /** @throws {RangeError} for a size that is no whole number of 1 or more */
  constructor(options: ReservoirOptions = {}) {
    const { clock = systemClock, random = Math.random, size = RESERVOIR_SIZE } = options
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

  /** Computes statistics of the sample as it is now. */
  snapshot(): Snapshot {
    this.#landmarkAge()
    return weightedSnapshot(this.sample())
  }

  /** Lists the sample with its weights, in no order. */
  sample(): WeightedValue[] {
    return Array.from({ length: this.#length }, (_, i) => ({
      value: this.#values[i]!,
      weight: this.#weights[i]!,
    }))
  }

  /** Computes whole seconds since the landmark, which moves to now once an hour has passed. */
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

/**
 * Statistics of a set of values, by the two rules of the metrics libraries: all values alike, or
 * each with a weight. An empty set is all zeros.
 */
export interface Snapshot {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly stddev: number
  readonly median: number
  readonly p75: number
  readonly p95: number
  readonly p98: number
  readonly p99: number
  readonly p999: number
}

export interface WeightedValue {
  readonly value: number
  readonly weight: number
}

const EMPTY: Snapshot = fields(0, 0, 0, 0, () => 0)

/**
 * Gives the statistics of values that count alike; percentiles lie between neighbours, the
 * deviation has n - 1.
 * @example
 * ```ts
 * import { uniformSnapshot } from 'pentameter/instrument'
 *
 * console.log(uniformSnapshot([1, 2, 3]).median)
 * ```
 */
export function uniformSnapshot(values: Iterable<number>): Snapshot {
  const sorted = Float64Array.from(values).sort()
  const n = sorted.length
  if (n === 0) return EMPTY
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const stddev = n === 1 ? 0 : Math.sqrt(squares / (n - 1))
  return fields(sorted[0]!, sorted[n - 1]!, mean, stddev, (q) => uniformQuantile(sorted, q))
}

/** Computes a quantile at position q * (n + 1), counted from 1, linear between the neighbours. */
function uniformQuantile(sorted: Float64Array, q: number): number {
  const n = sorted.length
  const position = q * (n + 1)
  const index = Math.floor(position)
  if (position < 1) return sorted[0]!
  if (index >= n) return sorted[n - 1]!
  const low = sorted[index - 1]!
  return low + (position - index) * (sorted[index]! - low)
}

/**
 * Gives the statistics of values that count by their weights; percentiles are values, none in
 * between.
 * @example
 * ```ts
 * import { weightedSnapshot } from 'pentameter/instrument'
 *
 * console.log(weightedSnapshot([{ value: 1, weight: 2 }]).mean)
 * ```
 */
export function weightedSnapshot(values: Iterable<WeightedValue>): Snapshot {
  const sorted = [...values].sort((a, b) => a.value - b.value)
  const sum = sorted.reduce((total, { weight }) => total + weight, 0)
  if (sorted.length === 0) return EMPTY
  const shares = sorted.map(({ weight }) => (sum === 0 ? 0 : weight / sum))
  const mean = sorted.reduce((total, { value }, i) => total + value * shares[i]!, 0)
  const squares = sorted.reduce(
    (total, { value }, i) => total + shares[i]! * (value - mean) ** 2,
    0,
  )
  const { value: min } = sorted[0]!
  const { value: max } = sorted.at(-1)!
  return fields(min, max, mean, Math.sqrt(squares), (q) => weightedQuantile(sorted, shares, q))
}

/** Finds the value at the largest i whose cumulative share C_i, with C_0 = 0, is at most q. */
function weightedQuantile(
  sorted: readonly WeightedValue[],
  shares: readonly number[],
  q: number,
): number {
  let cumulative = 0
  let found = 0
  for (let i = 1; i < sorted.length; i++) {
    cumulative += shares[i - 1]!
    if (cumulative > q) break
    found = i
  }
  return sorted[found]!.value
}

function fields(
  min: number,
  max: number,
  mean: number,
  stddev: number,
  quantile: (q: number) => number,
): Snapshot {
  return {
    min,
    max,
    mean,
    stddev,
    median: quantile(0.5),
    p75: quantile(0.75),
    p95: quantile(0.95),
    p98: quantile(0.98),
    p99: quantile(0.99),
    p999: quantile(0.999),
  }
}
