/** Spreads of gauges over the second that is being closed, as samples and writes tell of them. */
import type { WrittenValues } from '../../ingest/gauges/written-values.ts'
import { NumberedInts } from '../../series/numbered-list.ts'
import type { Task } from '../../tasks/task.ts'
import type { PlainSpread } from '../packed-spreads.ts'
import type { SampleSlice } from './sample-log.ts'

/** Values between two looks at the clock: some tenths of a millisecond. */
const VALUES_PER_STEP = 65_536

/**
 * Spreads by series, from samples of a gauge, from the values that were set, or from both: a source
 * that is sampled sets each sample, too, and a viewer has others sampled. So the least and the
 * largest are of all, and the count is the larger of the two.
 */
export class Spreads {
  readonly #sampled = new SpreadTable()
  readonly #written = new SpreadTable()

  clear(): void {
    this.#sampled.clear()
    this.#written.clear()
  }

  /**
   * Gives the spread of a series; undefined where no more than one value is known.
   * @param last value of the interval, which may be newer than the samples
   */
  of(id: number, last: number): PlainSpread | undefined {
    let count = Math.max(this.#sampled.countOf(id), this.#written.countOf(id))
    // set once, and again when the window had ended: no other cell would tell of the first one
    if (count === 1 && this.goesBeyond(id, last) && !Number.isNaN(last)) count = 2
    if (count < 2) return undefined
    const [sampled, written] = [this.#sampled.of(id), this.#written.of(id)]
    const { first } = (sampled ?? written)!
    const least = Math.min(
      sampled?.min ?? Number.POSITIVE_INFINITY,
      written?.min ?? Number.POSITIVE_INFINITY,
    )
    const largest = Math.max(
      sampled?.max ?? Number.NEGATIVE_INFINITY,
      written?.max ?? Number.NEGATIVE_INFINITY,
    )
    if (Number.isNaN(last)) return { first, min: least, max: largest, count }
    return { first, min: Math.min(least, last), max: Math.max(largest, last), count }
  }

  /** Tells whether values of a series were set within the interval. */
  isWritten(id: number): boolean {
    return this.#written.countOf(id) > 0
  }

  /** Tells whether a value was set that is not between itself and `last`. */
  goesBeyond(id: number, last: number): boolean {
    const written = this.#written.of(id)
    return written !== undefined && !(written.min === last && written.max === last)
  }

  *adding({ block, from, to }: SampleSlice): Task {
    const { ids } = block.layout
    const stride = block.times.length
    let looked = 0
    for (let column = 0; column < ids.length; column++) {
      this.#add(ids[column]!, block.values, column * stride + from, column * stride + to)
      looked += to - from
      if (looked < VALUES_PER_STEP) continue
      looked = 0
      yield
    }
  }

  /**
   * Adds the values that were set in the window of an epoch.
   * @param idOf finds the series of a metric; negative for none
   */
  *addingWritten(values: WrittenValues, epoch: number, idOf: (metric: number) => number): Task {
    yield* values.reading(epoch, (metric, first, least, largest, count) => {
      const id = idOf(metric)
      if (id >= 0) this.#written.add(id, first, least, largest, count)
      return id >= 0
    })
  }

  #add(id: number, values: Float64Array, from: number, to: number): void {
    let [first, min, max] = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    let count = 0
    for (let i = from; i < to; i++) {
      const value = values[i]!
      if (Number.isNaN(value)) continue
      if (count++ === 0) first = value
      if (value < min) min = value
      if (value > max) max = value
    }
    if (count > 0) this.#sampled.add(id, first, min, max, count)
  }
}

/** Spreads by series: four numbers each. */
class SpreadTable {
  readonly #indexes = new NumberedInts()
  readonly #ids: number[] = []
  #numbers = new Float64Array(0)

  clear(): void {
    for (const id of this.#ids) this.#indexes.set(id, -1)
    this.#ids.length = 0
  }

  countOf(id: number): number {
    const index = this.#ids.length === 0 ? -1 : this.#indexes.get(id)
    return index < 0 ? 0 : this.#numbers[4 * index + 3]!
  }

  of(id: number): PlainSpread | undefined {
    if (this.countOf(id) === 0) return undefined
    const at = 4 * this.#indexes.get(id)
    const [first, min, max, count] = this.#numbers.subarray(at, at + 4)
    return { first: first!, min: min!, max: max!, count: count! }
  }

  add(id: number, first: number, min: number, max: number, count: number): void {
    const at = this.#at(id)
    const numbers = this.#numbers
    if (numbers[at + 3] === 0) numbers[at] = first
    numbers[at + 1] = Math.min(numbers[at + 1]!, min)
    numbers[at + 2] = Math.max(numbers[at + 2]!, max)
    numbers[at + 3]! += count
  }

  /** Finds the place of a series' four numbers, or makes one. */
  #at(id: number): number {
    const known = this.#indexes.get(id)
    if (known >= 0) return 4 * known
    const index = this.#ids.push(id) - 1
    this.#indexes.set(id, index)
    const at = 4 * index
    if (at + 4 > this.#numbers.length) {
      const larger = new Float64Array(Math.max(256, 2 * this.#numbers.length))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0], at)
    return at
  }
}
