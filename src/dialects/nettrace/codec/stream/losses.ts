/**
 * Events that a process has dropped (nettrace.md §4): each thread numbers its own from 1 on, and a
 * sequence point says how far it came. A number that falls is a new thread with an old id.
 */
import { THREADS_LIMIT } from '../../spec.ts'

const HALF = 2_147_483_648

export class Losses {
  /** Events that never came, as far as their numbers say. */
  lost = 0
  /** Last number by thread; threads beyond the limit are not watched. */
  readonly #last = new Map<number, number>()

  /** Takes the number of one event. */
  event(thread: number, sequence: number): void {
    const last = this.#last.get(thread)
    if (last === undefined && this.#last.size >= THREADS_LIMIT) return
    const gap = last === undefined ? sequence - 1 : (sequence - last - 1) >>> 0
    // a number of the past: the thread that counts now began at 1
    if (gap < HALF) this.lost += Math.max(0, gap)
    else this.lost += Math.max(0, sequence - 1)
    this.#last.set(thread, sequence)
  }

  /** Takes the number that a sequence point, or the end of a thread, says of it. */
  point(thread: number, sequence: number): void {
    const last = this.#last.get(thread)
    if (last === undefined && this.#last.size >= THREADS_LIMIT) return
    const gap = (sequence - (last ?? 0)) >>> 0
    if (gap < HALF) this.lost += gap
    this.#last.set(thread, sequence)
  }

  forget(thread: number): void {
    this.#last.delete(thread)
  }

  forgetAll(): void {
    this.#last.clear()
  }
}
