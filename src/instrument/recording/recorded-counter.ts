/**
 * Samples that are written in this thread, for any number of windows. Writing puts the sample into
 * a small buffer, from which the windows take whole blocks, each counted from the window's own
 * beginning, and what is left when it closes. So what a session gets is, bit for bit, what it would
 * get alone, and with nobody listening writing is one check.
 *
 * Windows that began between the same two samples hold the same until one of them closes: they
 * share one {@link Cell}. What they close together is one object, which nobody may change.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { Summary } from '../../model/index.ts'
import type { ClosedWindow, OpenWindow, ServedCounter } from '../sessions/served-counter.ts'
import { Cell } from './counter-slot.ts'
import { Moments } from './moments.ts'
import { BUFFER_LENGTH, giveBack, NO_BUFFER, takeBuffer } from './sample-buffers.ts'
import { Total } from './total.ts'

/** Whoever takes samples outside of the sessions: a histogram, a writer of the zone. */
export interface SampleTaker {
  /** Gets `values[from]` to `values[to - 1]`; the array is only lent. Must not throw or write. */
  take(values: Float64Array, from: number, to: number): void
}

export interface RecordedCounterOptions {
  readonly kind: 'mean' | 'sum'
  readonly describe: () => CounterDescription
  /** Told of every argument that is no finite number. */
  readonly onRefused: () => void
}

export class RecordedCounter implements ServedCounter {
  // What every sample asks for comes first, and so lies together.
  #isListened = false
  /** Where in the array the next sample goes, and at which place the buffer is to be drained. */
  #end = 0
  #drainAt = 0
  #array = NO_BUFFER.array
  #buffer = NO_BUFFER
  readonly kind: 'mean' | 'sum'
  readonly #describe: () => CounterDescription
  readonly #onRefused: () => void
  #onListened: (isListened: boolean) => void = () => {}
  /** Of all samples that were ever in the buffer: the number of one at place 0. */
  #first = 0
  /** Where in the array begins what the takers have not got yet. */
  #handed = 0
  #takers: SampleTaker[] = []
  #isAtOnce = false
  /** With open windows; in no order. */
  readonly #cells: Cell[] = []
  /** The cell that began last. */
  #newest: Cell | undefined
  /** One that nobody uses any more. */
  #spare: Cell | undefined
  #heir: RecordedCounter | undefined

  constructor(options: RecordedCounterOptions) {
    this.kind = options.kind
    this.#describe = options.describe
    this.#onRefused = options.onRefused
  }

  get description(): CounterDescription {
    return this.#heir?.description ?? this.#describe()
  }

  /** Has somebody told, now and at every change, whether anybody wants samples. */
  onListened(callback: (isListened: boolean) => void): void {
    this.#onListened = callback
    callback(this.#isListened)
  }

  /** The hot path: never throws, allocates or blocks. */
  record(value: number): void {
    if (!this.#isListened) return
    if (!Number.isFinite(value)) {
      this.#onRefused()
      return
    }
    const end = this.#end
    this.#array[end] = value
    this.#end = end + 1
    if (end + 1 === this.#drainAt) this.#drain()
  }

  /** As {@link record}, for who asks whether it was taken. */
  observe(value: number): boolean {
    this.record(value)
    return true
  }

  open(): OpenWindow {
    if (this.#heir !== undefined) return this.#heir.open()
    this.#listen()
    return new RecordedWindow(this.#cellFromHere())
  }

  /**
   * Hands every sample from now on to a taker, in rounds.
   * @param isAtOnce whether samples are handed over one by one as they are written, to all takers
   * @returns a function that ends it
   */
  listen(taker: SampleTaker, isAtOnce = false): () => void {
    this.#handOver()
    this.#listen()
    this.#takers.push(taker)
    if (isAtOnce) this.#isAtOnce = true
    this.#drain()
    return () => this.#leave(taker)
  }

  #leave(taker: SampleTaker): void {
    if (this.#heir !== undefined) {
      this.#heir.#leave(taker)
      return
    }
    if (!this.#takers.includes(taker)) return
    this.#handOver()
    this.#takers = this.#takers.filter((each) => each !== taker)
    this.#rest()
  }

  #listen(): void {
    if (this.#isListened) return
    this.#isListened = true
    this.#buffer = takeBuffer()
    const { array, base } = this.#buffer
    this.#array = array
    this.#first += this.#end - base
    this.#end = base
    this.#handed = base
    this.#drainAt = base + BUFFER_LENGTH
    this.#onListened(true)
  }

  /** Keeps nothing any more once nobody listens. */
  #rest(): void {
    if (this.#cells.length > 0 || this.#takers.length > 0) return
    this.#isListened = false
    this.#isAtOnce = false
    giveBack(this.#buffer)
    this.#buffer = NO_BUFFER
    this.#array = NO_BUFFER.array
    this.#newest = undefined
    this.#spare = undefined
    this.#onListened(false)
  }

  /** Hands over to the takers what is still in the buffer. */
  flush(): void {
    if (this.#heir === undefined) this.#handOver()
    else this.#heir.flush()
  }

  /** Adds what another thread has recorded meanwhile to every open window. */
  absorb(part: Summary | number): void {
    for (const cell of this.#cells) {
      // What is added in which order depends on this window alone, not on when the buffer was full.
      cell.takeBlocks(this.#array, this.#end)
      cell.merge(part)
    }
  }

  /** Takes over the open windows of a counter that has stood in for this one. */
  inherit(from: RecordedCounter): void {
    from.#handOver()
    from.#heir = this
    for (const taker of from.#takers.splice(0)) this.listen(taker)
    if (from.#cells.length > 0) this.#listen()
    for (const cell of from.#cells.splice(0)) {
      cell.takeBlocks(from.#array, from.#end)
      cell.take(from.#array, from.#end)
      cell.move(this, this.#end)
      this.#cells.push(cell)
    }
    if (from.#isListened) from.#rest()
  }

  /** For a window: a cell of what is recorded from now on. */
  #cellFromHere(): Cell {
    const written = this.#first + this.#end
    if (this.#newest?.begin === written) return this.#newest
    const cell = this.#spare ?? new Cell(this, this.kind === 'mean' ? new Moments() : new Total())
    this.#spare = undefined
    cell.restart(written, this.#end)
    this.#cells.push(cell)
    this.#newest = cell
    return cell
  }

  /** For a window: what was recorded since it began; it goes on in the cell that begins here. */
  close(cell: Cell): ClosedWindow {
    return cell.closedAt(this.#first + this.#end, this.#array, this.#end)
  }

  /** For a window that closes. */
  next(cell: Cell): Cell {
    // In this order: an empty cell may be the one that begins here.
    const next = this.#cellFromHere()
    next.users++
    this.release(cell)
    return next
  }

  /** For a window that goes away. */
  release(cell: Cell): void {
    cell.users--
    if (cell.users > 0) return
    const cells = this.#cells
    const at = cells.indexOf(cell)
    cells[at] = cells.at(-1)!
    cells.pop()
    if (this.#newest === cell) this.#newest = undefined
    this.#spare = cell
    this.#rest()
  }

  #drain(): void {
    this.#handOver()
    const end = this.#end
    let kept = end
    for (const cell of this.#cells) {
      cell.takeBlocks(this.#array, end)
      if (cell.at < kept) kept = cell.at
    }
    this.#drop(kept - this.#buffer.base)
    this.#drainAt = this.#isAtOnce ? this.#end + 1 : this.#buffer.base + BUFFER_LENGTH
  }

  #handOver(): void {
    const end = this.#end
    if (this.#handed < end) {
      for (const taker of this.#takers) taker.take(this.#array, this.#handed, end)
    }
    this.#handed = end
  }

  /** Forgets the buffer's first samples, which everybody has taken. */
  #drop(count: number): void {
    if (count === 0) return
    const { array, base } = this.#buffer
    if (base + count < this.#end) array.copyWithin(base, base + count, this.#end)
    this.#first += count
    this.#end -= count
    this.#handed -= count
    for (const cell of this.#cells) cell.at -= count
  }
}

class RecordedWindow implements OpenWindow {
  #cell: Cell | undefined

  constructor(cell: Cell) {
    this.#cell = cell
    cell.users++
  }

  close(): ClosedWindow | undefined {
    const cell = this.#cell
    if (cell === undefined) return undefined
    const closed = cell.owner.close(cell)
    this.#cell = cell.owner.next(cell)
    return closed
  }

  end(): void {
    this.#cell?.owner.release(this.#cell)
    this.#cell = undefined
  }
}
