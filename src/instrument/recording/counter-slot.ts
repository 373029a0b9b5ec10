/**
 * The slot that those windows of a counter share that began between the same two samples: its own
 * blocks of the counter's buffer, added up, and what the windows close with.
 */
import type { Summary } from '../../model/index.ts'
import type { ClosedWindow } from '../sessions/served-counter.ts'
import { BUFFER_LENGTH } from './sample-buffers.ts'
import type { Moments } from './sums.ts'
import { Total } from './sums.ts'

/** Samples of a block: the buffer's half, so that there is room for another one beside any rest. */
const BLOCK = BUFFER_LENGTH / 2

/** The counter of the windows that share a slot. */
interface CounterSlotOwner {
  /** Closes a window: what was recorded since the slot began; a window goes on in {@link next}. */
  close(slot: CounterSlot): ClosedWindow
  next(slot: CounterSlot): CounterSlot
  release(slot: CounterSlot): void
}

export class CounterSlot {
  owner: CounterSlotOwner
  readonly #sums: Moments | Total
  /** Open windows. */
  users = 0
  /** Number of the first sample that belongs to it; -1 where more than the samples is in it. */
  begin = 0
  /** Place in the owner's array where begins what it has not taken yet. */
  at = 0
  /** Number of the sample that its sums were closed at; -1 = not known. */
  #closedAt = -1
  #closed: ClosedWindow | undefined

  constructor(owner: CounterSlotOwner, sums: Moments | Total) {
    this.owner = owner
    this.#sums = sums
  }

  /** Moves what it holds to another counter's buffer. */
  move(owner: CounterSlotOwner, at: number): void {
    this.owner = owner
    this.at = at
    this.begin = -1
    this.#closedAt = -1
  }

  restart(begin: number, at: number): void {
    this.#sums.clear()
    this.begin = begin
    this.at = at
    this.#closedAt = -1
    this.#closed = undefined
  }

  takeBlocks(array: Float64Array, end: number): void {
    // A sum has no use for blocks.
    if (this.#sums instanceof Total) this.take(array, end)
    else while (end - this.at >= BLOCK) this.take(array, this.at + BLOCK)
  }

  take(array: Float64Array, to: number): void {
    this.#sums.take(array, this.at, to)
    this.at = to
  }

  merge(part: Summary | number): void {
    this.#sums.merge(part)
    this.begin = -1
    this.#closedAt = -1
  }

  /** Closes without moving its blocks: windows that do not close now go on counting them. */
  closedAt(written: number, array: Float64Array, end: number): ClosedWindow {
    if (this.#closed !== undefined && this.#closedAt === written) return this.#closed
    this.takeBlocks(array, end)
    const closed = { statistics: this.#sums.statisticsWith(array, this.at, end) }
    this.#closedAt = written
    // Without other users it is not held: garbage that dies young costs least.
    this.#closed = this.users > 1 ? closed : undefined
    return closed
  }
}
