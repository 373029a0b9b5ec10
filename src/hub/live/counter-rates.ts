/**
 * Dropwizard's moving averages of every counter, fed with closed seconds on the scale of the time
 * that they took: a wall clock that is set changes no rate. Kept from a counter's first increase
 * or decrease on, a row of numbers each, net of decrements; ticks are made up for lazily.
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
// That of a second part, whose numbers are its counter's, has `-1 - id` of that one in place of it.
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

type Records = Pick<SeriesStore, 'get' | 'onRemove'>

export class CounterRates {
  readonly #store: Records
  /** Pages by `id >>> PAGE_SHIFT`, given back when no counter is left. */
  readonly #pages: (RatesPage | undefined)[] = []
  /** Closed so far. */
  #nowMs = 0

  constructor(store: Records) {
    this.#store = store
    store.onRemove(({ id }) => this.#remove(id))
  }

  /** Takes a frame in steps; rates of a second may be read after its last step only. */
  *take(frame: Frame): Task {
    const openedMs = this.#nowMs
    this.#nowMs += frame.seconds * 1000
    const { counterIds } = frame
    for (let row = 0; row < counterIds.length; row++) {
      if (row % ROWS_PER_STEP === 0) yield
      const id = counterIds[row]!
      const delta = frame.deltaNumberAt(row)
      const beganMs = this.#add(id, delta, openedMs)
      if (beganMs < 0) this.#add(-1 - beganMs, -delta, openedMs)
    }
  }

  /** Adds to the row of a counter, which begins with it. @returns what stands for its beginning */
  #add(id: number, delta: number, openedMs: number): number {
    const { numbers } = this.#pages[id >>> PAGE_SHIFT] ?? this.#addPage(id >>> PAGE_SHIFT)
    const at = (id & (PAGE_ROWS - 1)) * ROW_LENGTH
    if (Number.isNaN(numbers[at + BEGAN]!)) this.#begin(id, at, openedMs)
    const beganMs = numbers[at + BEGAN]!
    if (beganMs < 0) return beganMs
    advanceAverages(numbers, at + AVERAGES, (this.#nowMs - beganMs) * MS_NS)
    addToAverages(numbers, at + AVERAGES, delta)
    numbers[at + COUNT]! += delta
    return beganMs
  }

  #begin(id: number, at: number, openedMs: number): void {
    const page = this.#pages[id >>> PAGE_SHIFT]!
    const record = this.#store.get(id)
    const wholeId = record?.kind === 'counter' ? record.wholeId : undefined
    page.rows++
    page.numbers[at + BEGAN] = wholeId === undefined ? openedMs : -1 - wholeId
    page.numbers[at + COUNT] = 0
    beginAverages(page.numbers, at + AVERAGES, 0)
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
    if (numbers === undefined || !(beganMs >= 0)) return { mean: 0, m1: 0, m5: 0, m15: 0 }
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
