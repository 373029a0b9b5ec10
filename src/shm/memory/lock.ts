/**
 * The zone's lock word: a futex in the manner of Drepper's mutex 2, so that a free lock costs no
 * wake-up. The word itself says who holds it, so that no moment is left in which a thread could
 * die as an unknown holder:
 *
 *   0 free | (threadId + 1) << 1 held | … + 1 held and waited for | -1 replaced: held for ever
 *
 * A thread that dies in a wait may have swallowed the wake-up of another; waits are therefore cut
 * into slices, after which the word is looked at again.
 */
import { threadId } from 'node:worker_threads'
import { HEADER } from '../layout.ts'

const FREE = 0
const WAITED_FOR = 1
const REPLACED = -1
const MINE = (threadId + 1) << 1

/** A definition takes microseconds; who waits this long waits for a thread that died. */
const LOCK_TIMEOUT_MS = 2_000
const SLICE_MS = 50

/** `replaced` = the zone has a successor, whose lock is the one to take. */
type LockAnswer = 'taken' | 'stuck' | 'replaced'

/** One thread's view of the lock of one memory. */
export class ZoneLock {
  readonly #ints: Int32Array
  /** Holder that kept it for too long, and maybe still does: any other one is waited for. */
  #stuckHolder: number | undefined

  constructor(ints: Int32Array) {
    this.#ints = ints
  }

  get isReplaced(): boolean {
    return Atomics.load(this.#ints, HEADER.lock) === REPLACED
  }

  /**
   * Takes the lock; `stuck` when one thread has held it for LOCK_TIMEOUT_MS, and then at once while
   * that thread does; sooner if asked so.
   */
  take(timeoutMs = LOCK_TIMEOUT_MS): LockAnswer {
    const ints = this.#ints
    const seen = Atomics.compareExchange(ints, HEADER.lock, FREE, MINE)
    if (seen === FREE) return this.#taken()
    if (seen === REPLACED) return 'replaced'
    let holder = seen & ~WAITED_FOR
    if (holder === this.#stuckHolder) return 'stuck'
    Atomics.add(ints, HEADER.lockWaits, 1)
    let until = performance.now() + timeoutMs
    for (;;) {
      const word = Atomics.load(ints, HEADER.lock)
      if (word === REPLACED) return 'replaced'
      if ((word & ~WAITED_FOR) !== holder && timeoutMs === LOCK_TIMEOUT_MS) {
        holder = word & ~WAITED_FOR
        until = performance.now() + timeoutMs
      }
      if (word === FREE) {
        // Others may wait as well, which only this thread knows now.
        if (Atomics.compareExchange(ints, HEADER.lock, FREE, MINE | WAITED_FOR) === FREE) break
        continue
      }
      const left = until - performance.now()
      if (left <= 0) {
        if (timeoutMs === LOCK_TIMEOUT_MS) this.#stuckHolder = holder
        return 'stuck'
      }
      const waited = word | WAITED_FOR
      if (Atomics.compareExchange(ints, HEADER.lock, word, waited) !== word) continue
      Atomics.wait(ints, HEADER.lock, waited, Math.min(left, SLICE_MS))
    }
    return this.#taken()
  }

  #taken(): LockAnswer {
    this.#stuckHolder = undefined
    return 'taken'
  }

  release(): void {
    const word = Atomics.exchange(this.#ints, HEADER.lock, FREE)
    if ((word & WAITED_FOR) !== 0) Atomics.notify(this.#ints, HEADER.lock, 1)
  }

  /**
   * Closes the lock, the holder's last act when the zone has been replaced: no thread takes it any
   * more.
   */
  close(): void {
    Atomics.store(this.#ints, HEADER.lock, REPLACED)
    Atomics.notify(this.#ints, HEADER.lock)
  }

  /** Takes the lock from a thread that is known to be dead; false when it did not hold it. */
  takeFrom(deadThread: number): boolean {
    const word = Atomics.load(this.#ints, HEADER.lock)
    if (word === REPLACED || word >>> 1 !== deadThread + 1) return false
    const mine = MINE | WAITED_FOR
    if (Atomics.compareExchange(this.#ints, HEADER.lock, word, mine) !== word) return false
    this.#taken()
    return true
  }
}
