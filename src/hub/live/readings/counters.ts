/** The last readings of counters, and the cells of those that have grown since. */
import { type Exact, exact } from '../../../model/index.ts'
import type { ZoneReader } from '../../../shm/index.ts'
import type { CounterRecord } from '../../series/record.ts'
import type { SeriesStore } from '../../series/series.ts'
import type { Task } from '../../tasks/task.ts'
import type { Cells } from '../cell-column.ts'
import type { FrameBuilder } from '../frame.ts'
import { type IsKept, lastBelow } from './column.ts'

const FIRST_ROWS = 64
const PAGE_SHIFT = 12
const PAGE_ROWS = 1 << PAGE_SHIFT
const ROW_MASK = PAGE_ROWS - 1

type Store = Pick<SeriesStore, 'get' | 'heard' | 'isWaiting'>

/** Rows of some counters, ids rising; a first page grows, and is never moved when it is full. */
class CounterPage {
  count = 0
  ids = new Uint32Array(FIRST_ROWS)
  metrics = new Uint32Array(FIRST_ROWS)
  last = new BigUint64Array(FIRST_ROWS)
  /** Totals of now; once a second is closed, the deltas of its cells, one behind the other. */
  totals = new BigUint64Array(FIRST_ROWS)
  /** Rows of the cells. */
  readonly cells: Uint16Array = new Uint16Array(PAGE_ROWS)
  cellCount = 0

  add(id: number, metric: number, last = 0n): void {
    const row = this.count++
    if (row === this.ids.length) this.#grow()
    this.ids[row] = id
    this.metrics[row] = metric
    this.last[row] = last
  }

  #grow(): void {
    const [{ ids, metrics, last }, length] = [this, 2 * this.ids.length]
    this.ids = new Uint32Array(length)
    this.metrics = new Uint32Array(length)
    this.last = new BigUint64Array(length)
    this.totals = new BigUint64Array(length)
    this.ids.set(ids)
    this.metrics.set(metrics)
    this.last.set(last)
  }
}

/** Second that is being closed. */
interface Closing {
  readonly reader: ZoneReader
  readonly endMs: number
  /** Rows of cells that the whole part of the total does not show. */
  readonly fractionRows: Set<number>
  readonly fractions: Map<number, Exact>
}

/**
 * Readings of counters, a page at a time, into typed arrays that stay: a tick makes no garbage per
 * counter. Totals are compared and subtracted in halves of 32 bits, which needs no BigInt.
 *
 * The second of a counter ends when its page is read, and its windows are closed with it, so that
 * the two agree whatever comes between two pages.
 */
export class CounterReadings {
  readonly #store: Store
  readonly #pages: CounterPage[] = []
  #count = 0
  #cumulative: CounterRecord[] = []

  constructor(store: Store) {
    this.#store = store
  }

  add(record: CounterRecord): void {
    this.#addRow(record, this.#count)
    this.#count++
    if (record.reading !== undefined) this.#cumulative.push(record)
  }

  #addRow({ id, metric, begun }: CounterRecord, row: number): void {
    const index = row >>> PAGE_SHIFT
    this.#pages[index] ??= new CounterPage()
    this.#pages[index].add(id, metric, begun)
  }

  /**
   * Takes note that the total of a counter has grown by what a cell of another second tells of.
   * @returns false where it has no row yet
   */
  tellApart(id: number, whole: bigint): boolean {
    const page = this.#pages[lastBelow(this.#pages.length, (i) => this.#pages[i]!.ids[0]! <= id)]
    if (page === undefined) return false
    const row = lastBelow(page.count, (i) => page.ids[i]! <= id)
    if (page.ids[row] !== id) return false
    page.last[row] = page.last[row]! + whole
    return true
  }

  /** Moves the rows that are kept together, in steps. */
  *retain(isKept: IsKept): Task {
    let kept = 0
    for (const page of this.#pages) {
      const { count, ids, metrics, last } = page
      page.count = 0
      for (let row = 0; row < count; row++) {
        if (!isKept(ids[row]!)) continue
        const target = this.#pages[kept >>> PAGE_SHIFT]!
        const [id, metric, total] = [ids[row]!, metrics[row]!, last[row]!]
        target.add(id, metric)
        target.last[kept++ & ROW_MASK] = total
      }
      yield
    }
    this.#count = kept
    this.#pages.length = Math.ceil(kept / PAGE_ROWS)
    this.#cumulative = this.#cumulative.filter(({ id }) => isKept(id))
  }

  /**
   * Closes cells in steps, each counter with what it holds when its turn comes.
   * @param hasWindows tells whether any counter may have had windows
   */
  *close(
    reader: ZoneReader,
    builder: FrameBuilder,
    endMs: number,
    hasWindows: () => boolean,
  ): Task {
    const closing = { reader, endMs, fractionRows: new Set<number>(), fractions: new Map() }
    let count = 0
    for (const [index, page] of this.#pages.entries()) {
      this.#closePage(page, index << PAGE_SHIFT, closing, hasWindows())
      count += page.cellCount
      yield
    }
    builder.counters(yield* this.#joined(count), closing.fractions)
    for (const record of this.#cumulative) {
      if (record.reading!.takeFreshness()) record.lastDataMs = endMs
    }
  }

  #closePage(page: CounterPage, firstRow: number, closing: Closing, hasWindows: boolean): void {
    const { count, metrics, totals } = page
    closing.reader.counters(metrics.subarray(0, count), totals)
    if (hasWindows) this.#closeWindows(page, firstRow, closing)
    this.#findCells(page, firstRow, closing)
    page.totals = page.last
    page.last = totals
  }

  /** Closes windows; those in which nothing happened only tell that the series lives. */
  #closeWindows(page: CounterPage, firstRow: number, closing: Closing): void {
    const { count, ids, totals, last } = page
    for (let row = 0; row < count; row++) {
      if (!this.#store.isWaiting(ids[row]!)) continue
      const record = this.#store.get(ids[row]!)
      if (record?.kind !== 'counter') continue
      record.isWaiting = false
      record.lastDataMs = closing.endMs
      const { windows } = record
      if (windows?.isOpen !== true) continue
      const whole = grownBy(totals[row]!, last[row]!)
      const isFractional = windows.hasFractions
      const delta = windows.close(whole)
      if (whole === 0n && !isFractional) continue
      if (isFractional) closing.fractionRows.add(firstRow + row)
      if (delta !== exact(whole)) closing.fractions.set(record.id, delta)
    }
  }

  /**
   * Finds the rows of a page that have grown. Their deltas take the place of what was read last,
   * from the front, where nothing is needed any more.
   */
  #findCells(page: CounterPage, firstRow: number, { endMs, fractionRows }: Closing): void {
    const { count, ids, cells } = page
    const totals = new Uint32Array(page.totals.buffer)
    const last = new Uint32Array(page.last.buffer)
    const hasFractions = fractionRows.size > 0
    let found = 0
    for (let row = 0; row < count; row++) {
      const low = totals[2 * row]!
      const high = totals[2 * row + 1]!
      let lastLow = last[2 * row]!
      let lastHigh = last[2 * row + 1]!
      if (low === lastLow && high === lastHigh) {
        if (!hasFractions || !fractionRows.has(firstRow + row)) continue
      }
      const id = ids[row]!
      if (high < lastHigh || (high === lastHigh && low < lastLow)) {
        this.#noteFall(id, endMs, page.last[row]!)
        lastLow = 0
        lastHigh = 0
      }
      this.#store.heard(id, endMs)
      cells[found] = row
      last[2 * found] = low - lastLow
      last[2 * found + 1] = high - lastHigh - (low < lastLow ? 1 : 0)
      found++
    }
    page.cellCount = found
  }

  /** Puts the cells of all pages together. */
  *#joined(count: number): Task<Cells<BigUint64Array>> {
    const joined = { ids: new Uint32Array(count), values: new BigUint64Array(count) }
    let at = 0
    for (const { ids, cells, cellCount, totals } of this.#pages) {
      joined.values.set(totals.subarray(0, cellCount), at)
      for (let i = 0; i < cellCount; i++) joined.ids[at++] = ids[cells[i]!]!
      yield
    }
    return joined
  }

  /** Notes a fall. Only a wrapping counter can: it began anew, and counts from 0. */
  #noteFall(id: number, endMs: number, lost: bigint): void {
    const record = this.#store.get(id)
    if (record?.kind !== 'counter') return
    const { falls } = record
    record.falls = {
      count: (falls?.count ?? 0) + 1,
      lastMs: endMs,
      lost: BigInt.asUintN(64, (falls?.lost ?? 0n) + lost),
    }
  }
}

function grownBy(total: bigint, last: bigint): bigint {
  return total < last ? total : total - last
}
