/**
 * What windows add up: moments for the Mean kinds (eventcounters.md §4.4), a total for the Sum
 * kinds. Moments are taken block after block: mean and squares of a block in two rounds over it,
 * which wait for no division, and then Chan's formula. Rounded as it is, the result depends on
 * where blocks begin, so their owner counts them from a window's own beginning. The deviation is
 * that of the whole population: never NaN, 0 for constant samples.
 */
import type { MeanStatistics, SumStatistics } from '../../dialects/eventcounters/window.ts'
import { mergeSummaries, type Summary } from '../../model/index.ts'

const { MAX_VALUE, POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number

export class Moments {
  #count = 0
  #mean = 0
  #squares = 0
  #min = POSITIVE_INFINITY
  #max = NEGATIVE_INFINITY

  /** Adds `values[from]` to `values[to - 1]`, which are finite, as one block. */
  take(values: Float64Array, from: number, to: number): void {
    if (from >= to) return
    // Distances from one of the samples: those of constant ones are exactly 0.
    const pivot = values[from]!
    let even = 0
    let odd = 0
    let min = this.#min
    let max = this.#max
    const paired = to - ((to - from) & 1)
    for (let i = from; i < paired; i += 2) {
      const one = values[i]!
      const two = values[i + 1]!
      even += one - pivot
      odd += two - pivot
      if (one < min) min = one
      if (one > max) max = one
      if (two < min) min = two
      if (two > max) max = two
    }
    if (paired < to) {
      const last = values[paired]!
      even += last - pivot
      if (last < min) min = last
      if (last > max) max = last
    }
    // Chan's formula, here: numbers that are handed to a function may become objects.
    const added = to - from
    const held = this.#count
    const count = held + added
    const theirs = pivot + (even + odd) / added
    const distance = theirs - this.#mean
    const mean = held === 0 ? theirs : this.#mean + distance * (added / count)
    const between = distance * distance * ((held * added) / count)
    const squares = this.#squares + squaresAround(theirs, values, from, to) + between
    // Beyond the doubles neither comes back.
    if (!(Number.isFinite(mean) && Number.isFinite(squares))) {
      this.#takeHuge(values, from, to)
      return
    }
    this.#count = count
    this.#mean = mean
    this.#squares = squares
    this.#min = min
    this.#max = max
  }

  /** Adds sample by sample (Welford), each step within the doubles: squares stop at the largest. */
  #takeHuge(values: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const value = values[i]!
      const count = ++this.#count
      const distance = value - this.#mean
      this.#mean = Number.isFinite(distance)
        ? this.#mean + distance / count
        : this.#mean + (value / 2 - this.#mean / 2) / (count / 2)
      const squares = this.#squares + distance * (value - this.#mean)
      this.#squares = Math.min(squares, MAX_VALUE)
      if (value < this.#min) this.#min = value
      if (value > this.#max) this.#max = value
    }
  }

  /** Adds the closed window of another thread. */
  merge(part: Summary | number): void {
    if (typeof part === 'number') return
    const { count, mean, squares, min, max } = mergeSummaries(
      {
        count: this.#count,
        mean: this.#mean,
        squares: this.#squares,
        min: this.#min,
        max: this.#max,
      },
      part,
    )
    if (count === 0) return
    this.#count = count
    this.#mean = mean
    this.#squares = squares
    this.#min = min
    this.#max = max
  }

  clear(): void {
    this.#count = 0
    this.#mean = 0
    this.#squares = 0
    this.#min = POSITIVE_INFINITY
    this.#max = NEGATIVE_INFINITY
  }

  /** Computes what {@link take} would lead to; the sums stay as they are. */
  statisticsWith(values: Float64Array, from: number, to: number): MeanStatistics {
    all.#copy(this)
    all.take(values, from, to)
    return all.#statistics()
  }

  #copy(from: Moments): void {
    this.#count = from.#count
    this.#mean = from.#mean
    this.#squares = from.#squares
    this.#min = from.#min
    this.#max = from.#max
  }

  #statistics(): MeanStatistics {
    const count = this.#count
    const min = this.#min
    const max = this.#max
    return {
      kind: 'mean',
      count,
      // Rounding may leave it beyond the outermost sample.
      mean: count === 0 ? 0 : Math.min(Math.max(this.#mean, min), max),
      deviation: count === 0 ? 0 : Math.sqrt(this.#squares / count),
      min,
      max,
    }
  }
}

/** Sums, where they are added up for statistics. */
const all = new Moments()

function squaresAround(mean: number, values: Float64Array, from: number, to: number): number {
  let even = 0
  let odd = 0
  const paired = to - ((to - from) & 1)
  for (let i = from; i < paired; i += 2) {
    const one = values[i]! - mean
    const two = values[i + 1]! - mean
    even += one * one
    odd += two * two
  }
  if (paired < to) {
    const last = values[paired]! - mean
    even += last * last
  }
  return even + odd
}

/** The sum of IncrementingEventCounter (eventcounters.md §4.5), in order of writing. */
export class Total {
  #sum = 0

  /** Adds `values[from]` to `values[to - 1]`, which are finite. */
  take(values: Float64Array, from: number, to: number): void {
    let sum = this.#sum
    for (let i = from; i < to; i++) sum += values[i]!
    this.#sum = sum
  }

  /** Adds the sum of another thread. */
  merge(part: Summary | number): void {
    if (typeof part === 'number') this.#sum += part
  }

  clear(): void {
    this.#sum = 0
  }

  /** Computes what {@link take} would lead to; the sum stays as it is. */
  statisticsWith(values: Float64Array, from: number, to: number): SumStatistics {
    let sum = this.#sum
    for (let i = from; i < to; i++) sum += values[i]!
    return { kind: 'sum', increment: finite(sum) }
  }
}

/** Limits a sum: one that has left the doubles is the last number on its side. */
export function finite(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE)
}
