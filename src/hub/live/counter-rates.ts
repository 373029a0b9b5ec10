/**
 * Dropwizard's moving averages of every counter, fed with closed seconds on the scale of the time
 * that they took: a wall clock that is set changes no rate. Kept from a counter's first increase
 * on, a row of numbers each; ticks are made up for lazily.
 */
import {
  AVERAGES_LENGTH,
  addToAverages,
  advanceAverages,
  beginAverages,
  readAverages,
} from '../../model/averages.ts'
import type { SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { Rates } from '../view.ts'
import type { Frame } from './frame.ts'

const MS_NS = 1e6
/** Counters between two looks at the clock: half a millisecond. */
const ROWS_PER_STEP = 4096
const PAGE_SHIFT = 10
const PAGE_ROWS = 1 << PAGE_SHIFT

// Row of a counter: `[began, ms][count][averages]`; it begins with the time before its first frame.
const BEGAN = 0
const COUNT = 1
const AVERAGES = 2
const ROW_LENGTH = AVERAGES + AVERAGES_LENGTH
const EMPTY = Number.NaN

/** Rows of the counters whose ids are neighbours. */
interface RatesPage {
  readonly numbers: Float64Array
  rows: number
}

export class CounterRates {
  /** Pages by `id >>> PAGE_SHIFT`, given back when no counter is left. */
  readonly #pages: (RatesPage | undefined)[] = []
  /** Closed so far. */
  #nowMs = 0

  constructor(store: SeriesStore) {
    store.onRemove(({ id }) => this.#remove(id))
  }

  /** Takes a frame in steps; rates of a second may be read after its last step only. */
  *take(frame: Frame): Task {
    const beganMs = this.#nowMs
    this.#nowMs += frame.seconds * 1000
    const { counterIds } = frame
    for (let row = 0; row < counterIds.length; row++) {
      if (row % ROWS_PER_STEP === 0) yield
      const id = counterIds[row]!
      const page = this.#pages[id >>> PAGE_SHIFT] ?? this.#addPage(id >>> PAGE_SHIFT)
      const { numbers } = page
      const at = (id & (PAGE_ROWS - 1)) * ROW_LENGTH
      if (Number.isNaN(numbers[at + BEGAN]!)) begin(page, at, beganMs)
      const delta = frame.deltaNumberAt(row)
      advanceAverages(numbers, at + AVERAGES, (this.#nowMs - numbers[at + BEGAN]!) * MS_NS)
      addToAverages(numbers, at + AVERAGES, delta)
      numbers[at + COUNT]! += delta
    }
  }

  #addPage(index: number): RatesPage {
    while (this.#pages.length <= index) this.#pages.push(undefined)
    const page = { numbers: new Float64Array(PAGE_ROWS * ROW_LENGTH).fill(EMPTY), rows: 0 }
    this.#pages[index] = page
    return page
  }

  /**
   * Reads rates per second at the last closed second; undefined for a series that is no counter.
   */
  read(record: SeriesRecord): Rates | undefined {
    if (record.kind !== 'counter') return undefined
    const numbers = this.#pages[record.id >>> PAGE_SHIFT]?.numbers
    const at = (record.id & (PAGE_ROWS - 1)) * ROW_LENGTH
    const beganMs = numbers?.[at + BEGAN] ?? EMPTY
    if (numbers === undefined || Number.isNaN(beganMs)) return { mean: 0, m1: 0, m5: 0, m15: 0 }
    const ageMs = this.#nowMs - beganMs
    advanceAverages(numbers, at + AVERAGES, ageMs * MS_NS)
    const mean = ageMs > 0 ? (numbers[at + COUNT]! * 1000) / ageMs : 0
    const [m1, m5, m15] = readAverages(numbers, at + AVERAGES)
    return { mean, m1, m5, m15 }
  }

  #remove(id: number): void {
    const page = this.#pages[id >>> PAGE_SHIFT]
    const at = (id & (PAGE_ROWS - 1)) * ROW_LENGTH
    if (page === undefined || Number.isNaN(page.numbers[at + BEGAN]!)) return
    page.numbers[at + BEGAN] = EMPTY
    page.rows--
    if (page.rows === 0) this.#pages[id >>> PAGE_SHIFT] = undefined
  }
}

function begin(page: RatesPage, at: number, beganMs: number): void {
  page.rows++
  page.numbers[at + BEGAN] = beganMs
  page.numbers[at + COUNT] = 0
  beginAverages(page.numbers, at + AVERAGES, 0)
}
