/**
 * The column of one kind in a frame that is being built: ids with a number each, in pages that are
 * never moved, so that one cell more costs the same whether there are ten or a million. It becomes
 * two arrays, ids rising, in steps.
 */
import type { Task } from '../tasks/task.ts'

type Numbers = Float64Array | BigUint64Array | Uint32Array

const FIRST_ROWS = 64
const PAGE_ROWS = 4096
/** Rows between two looks at the clock: a tenth of a millisecond. */
const ROWS_PER_STEP = 16_384

/** Ids and their numbers, as many of both. */
export interface Cells<A extends Numbers> {
  readonly ids: Uint32Array
  readonly values: A
}

export class CellColumn<A extends Numbers> {
  readonly #Values: new (
    length: number,
  ) => A
  #pages: Cells<A>[] = []
  /** The last page, and how much of it is filled. */
  #page: Cells<A>
  #filled = 0
  #length = 0
  /** Rows at which an id is not higher than the one before: another run of rising ones begins. */
  readonly #runs: number[] = []
  #lastId = -1

  constructor(Values: new (length: number) => A) {
    this.#Values = Values
    this.#page = this.#cells(FIRST_ROWS)
  }

  #cells(length: number): Cells<A> {
    return { ids: new Uint32Array(length), values: new this.#Values(length) }
  }

  add(id: number, value: A[number]): void {
    if (this.#filled === this.#page.ids.length) {
      this.#pages.push(this.#page)
      this.#page = this.#cells(PAGE_ROWS)
      this.#filled = 0
    }
    if (id <= this.#lastId) this.#runs.push(this.#length)
    this.#lastId = id
    this.#page.ids[this.#filled] = id
    this.#page.values[this.#filled++] = value
    this.#length++
  }

  /** Takes all cells, ids rising. */
  *joined(): Task<Cells<A>> {
    const cells = this.#cells(this.#length)
    let at = 0
    for (const { ids, values } of this.#pages) {
      cells.ids.set(ids, at)
      cells.values.set(values as never, at)
      at += ids.length
      yield
    }
    cells.ids.set(this.#page.ids.subarray(0, this.#filled), at)
    cells.values.set(this.#page.values.subarray(0, this.#filled) as never, at)
    this.#pages = []
    let sorted = cells
    for (let i = 0; i < this.#runs.length; i++) {
      sorted = yield* this.#merged(sorted, this.#runs[i]!, this.#runs[i + 1] ?? this.#length)
    }
    return sorted
  }

  /** Merges the two runs that end at two rows: few columns have more than these. */
  *#merged({ ids, values }: Cells<A>, middle: number, end: number): Task<Cells<A>> {
    const merged = this.#cells(this.#length)
    let [left, right] = [0, middle]
    for (let row = 0; row < end; row++) {
      const isLeft = right === end || (left < middle && ids[left]! <= ids[right]!)
      const from = isLeft ? left++ : right++
      merged.ids[row] = ids[from]!
      merged.values[row] = values[from]!
      if (row % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield
    }
    merged.ids.set(ids.subarray(end), end)
    merged.values.set(values.subarray(end) as never, end)
    return merged
  }
}
