/**
 * Samples below a second, of all sources that measure faster than the hub closes its cells: kept
 * for as long as its fine cells are, within a bound of bytes. Where that is reached the largest log
 * gives its oldest rows first, so that no source takes the past of another.
 */
import { NumberedInts } from '../../series/numbered-list.ts'
import type { Task } from '../../tasks/task.ts'
import type { PlainSpread } from '../packed-spreads.ts'
import { SampleLog, type SampleSlice } from './sample-log.ts'

/** Values between two looks at the clock: some tenths of a millisecond. */
const VALUES_PER_STEP = 65_536

interface SamplesOptions {
  readonly keepMs: number
  readonly bytesLimit: number
}

export const SAMPLES_DEFAULTS: SamplesOptions = { keepMs: 600_000, bytesLimit: 134_217_728 }

export class Samples {
  readonly options: SamplesOptions
  readonly #logs: SampleLog[] = []
  /** Rows that each log had when the last second was closed. */
  readonly #closed = new WeakMap<SampleLog, number>()
  #evicted = 0
  readonly spreads = new Spreads()

  constructor(options: SamplesOptions = SAMPLES_DEFAULTS) {
    this.options = options
  }

  /** Logs of all sources; one that was opened stays. */
  get logs(): readonly SampleLog[] {
    return this.#logs
  }

  get bytes(): number {
    return this.#logs.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Rows dropped before their time because of the bound. */
  get evictedRows(): number {
    return this.#evicted
  }

  /** Opens the log of one more source. */
  open(): SampleLog {
    const log = new SampleLog(() => this.#enforceLimit())
    this.#logs.push(log)
    return log
  }

  /** Tells whether samples of a series come from its source. */
  isSampled(id: number, except?: SampleLog): boolean {
    return this.#logs.some((log) => log !== except && log.layout.columnOf(id) >= 0)
  }

  /** Sums up what came since the last second was closed, and lets go of what is too old. */
  *closing(endMs: number): Task {
    this.spreads.clear()
    for (const log of this.#logs) {
      const slices = log.since(this.#closed.get(log) ?? 0)
      this.#closed.set(log, log.rows)
      for (const slice of slices) yield* this.spreads.adding(slice)
      log.age(endMs - this.options.keepMs)
    }
  }

  #enforceLimit(): void {
    while (this.bytes > this.options.bytesLimit) {
      const largest = this.#logs.reduce((a, b) => (b.bytes > a.bytes ? b : a))
      const rows = largest.evict()
      if (rows === 0) return
      this.#evicted += rows
    }
  }
}

/** Spreads of sampled gauges over the second that is being closed. */
export class Spreads {
  readonly #indexes = new NumberedInts()
  readonly #ids: number[] = []
  #numbers = new Float64Array(0)

  clear(): void {
    for (const id of this.#ids) this.#indexes.set(id, -1)
    this.#ids.length = 0
  }

  /**
   * Gives the spread of a series; undefined where no more than one value is known.
   * @param last value of the interval, which may be newer than the samples
   */
  of(id: number, last: number): PlainSpread | undefined {
    const index = this.#ids.length === 0 ? -1 : this.#indexes.get(id)
    const count = index < 0 ? 0 : this.#numbers[4 * index + 3]!
    if (count < 2) return undefined
    const [first, min, max] = this.#numbers.subarray(4 * index, 4 * index + 3)
    if (Number.isNaN(last)) return { first: first!, min: min!, max: max!, count }
    return { first: first!, min: Math.min(min!, last), max: Math.max(max!, last), count }
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
    if (count > 0) this.#merge(this.#at(id), first, min, max, count)
  }

  #merge(at: number, first: number, min: number, max: number, count: number): void {
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
