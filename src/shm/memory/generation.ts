/**
 * The generation: how those who take no lock notice that something moved (docs/formats/zone.md,
 * "Memory order"). It is odd while a segment is folded or moved, a metric retired or the index laid
 * out anew; a reading or a probe during which it was odd or changed is taken again.
 */
import { HEADER } from '../layout.ts'

/** Number of changes met by a reader after which it waits for the lock; folds take milliseconds. */
const READ_TRIES = 8
const PAUSE_MS = 5

const fence = new Int32Array(1)

/** Part of the zone's memory that it needs. */
interface LockedMemory {
  readonly ints: Int32Array
  readonly isReplaced: boolean
  /** @returns whether the successor is read from here on */
  follow(): boolean
  lock(): boolean
  unlock(): void
}

export class Generation {
  readonly #memory: LockedMemory
  /** Generation that a thread left that died in a change; odd, -1 = none known. */
  #dead = -1
  #depth = 0

  constructor(memory: LockedMemory) {
    this.#memory = memory
  }

  /**
   * Begins a change; under the lock. Changes may lie within each other: the outermost counts. The
   * load after the addition keeps the following plain stores behind it on processors that reorder
   * stores. Where a dead thread has left the number odd, it stays so until {@link end}.
   */
  begin(): void {
    this.#depth++
    const { ints } = this.#memory
    if (this.#depth > 1 || (Atomics.load(ints, HEADER.generation) & 1) !== 0) return
    Atomics.add(ints, HEADER.generation, 1)
    Atomics.load(ints, HEADER.generation)
  }

  end(): void {
    this.#depth--
    if (this.#depth > 0) return
    Atomics.add(this.#memory.ints, HEADER.generation, 1)
    Atomics.notify(this.#memory.ints, HEADER.generation)
  }

  /** Begins the change that a replaced zone never ends: who reads it looks for the successor. */
  close(): void {
    this.begin()
    this.#depth--
    Atomics.notify(this.#memory.ints, HEADER.generation)
  }

  /**
   * Reads until nothing moved meanwhile; after READ_TRIES under the lock, which keeps changes away.
   * When the lock cannot be had either, a thread died in a change: what is there is read as it is.
   * Not to be called with the lock held. In a zone that was replaced, the successor is read.
   * @param read may be called several times, and see things half moved in all but the last
   */
  consistently<A, T>(read: (argument: A) => T, argument: A): T {
    for (let tries = 0; tries < READ_TRIES; tries++) {
      const { ints } = this.#memory
      const generation = Atomics.load(ints, HEADER.generation)
      if (generation === this.#dead) break
      if ((generation & 1) !== 0) {
        if (this.#memory.isReplaced && this.#memory.follow()) tries = 0
        else Atomics.wait(ints, HEADER.generation, generation, PAUSE_MS)
        continue
      }
      const result = read(argument)
      // A store between plain loads and an atomic load keeps the former from passing the latter.
      Atomics.store(fence, 0, 0)
      if (Atomics.load(ints, HEADER.generation) === generation) return result
    }
    return this.#readLocked(read, argument)
  }

  #readLocked<A, T>(read: (argument: A) => T, argument: A): T {
    const isLocked = this.#memory.lock()
    const generation = Atomics.load(this.#memory.ints, HEADER.generation)
    if ((generation & 1) !== 0) this.#dead = generation
    try {
      return read(argument)
    } finally {
      if (isLocked) this.#memory.unlock()
    }
  }
}
