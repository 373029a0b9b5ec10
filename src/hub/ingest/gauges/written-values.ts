/** The main thread's side of the rows of gauges: what all threads have noted in a window. */
import type { Task } from '../../tasks/task.ts'
import { ValuePage, ValueRows } from './value-pages.ts'

/** Number of the main thread among those that have pages; ingest threads count from 0. */
const MAIN = -1

/** Values of a gauge in a window, as one thread has seen them. */
type Written = readonly [
  metric: number,
  first: number,
  least: number,
  largest: number,
  count: number,
]

/** Taker of that; false where the series is not known yet. */
type TakeWritten = (...written: Written) => boolean

export class WrittenValues {
  readonly #pages = new Map<number, ValuePage[]>()
  /** Pages that no window was read of yet: the one before may be in them, too. */
  #fresh = new Set<ValuePage>()
  /** Pages of threads that have ended: they are read once more. */
  #left: ValuePage[] = []
  /** Values of series that were not known when their window was read. */
  #early: Written[] = []
  /** Rows of the main thread's own gauges. */
  readonly rows = new ValueRows((page) => this.add(MAIN, page))

  /** Takes note of a page of a thread. */
  add(thread: number, buffer: SharedArrayBuffer): void {
    const page = new ValuePage(buffer)
    const pages = this.#pages.get(thread)
    if (pages === undefined) this.#pages.set(thread, [page])
    else pages.push(page)
    this.#fresh.add(page)
  }

  /** Takes note that a thread has ended. */
  release(thread: number): void {
    this.#left.push(...(this.#pages.get(thread) ?? []))
    this.#pages.delete(thread)
  }

  /**
   * Reads the windows of an epoch that has ended, and the next one has not. What a thread says of a
   * series, or a page of it, may arrive a tick late: then that tick has what was before, too.
   */
  *reading(epoch: number, take: TakeWritten): Task {
    const [early, fresh, left] = [this.#early, this.#fresh, this.#left]
    this.#early = []
    this.#fresh = new Set()
    this.#left = []
    for (const each of early) take(...each)
    const takeOrKeep: TakeWritten = (...written) => {
      const isTaken = take(...written)
      if (!isTaken) this.#early.push(written)
      return isTaken
    }
    for (const pages of [...this.#pages.values(), left]) {
      for (const page of pages) {
        if (fresh.has(page)) page.read(epoch - 1, takeOrKeep)
        page.read(epoch, takeOrKeep)
        yield
      }
    }
  }
}
