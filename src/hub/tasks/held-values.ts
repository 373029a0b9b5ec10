/**
 * Values made of something that changes, held by key until it has changed: one task brings a value
 * up to date for all who ask for it meanwhile.
 */
import { SharedTask } from './shared-task.ts'
import type { Task } from './task.ts'

interface Revised {
  /** Number of changes to what the value is made of, as of that value. */
  readonly revision: number
}

/**
 * Task that makes the value of a key.
 * @param held the last one, which may be brought up to date instead
 * @returns a value of the revision at which it was begun, or of a later one
 */
type Make<K, V> = (key: K, held: V | undefined) => Task<V>

export class HeldValues<K, V extends Revised> {
  readonly #make: Make<K, V>
  readonly #held = new Map<K, V>()
  /** Tasks that bring them up to date. */
  readonly #updates = new Map<K, SharedTask<void>>()

  constructor(make: Make<K, V>) {
    this.#make = make
  }

  /** Gives a value of this revision or of a later one. */
  *get(key: K, revision: number): Task<V> {
    for (;;) {
      const held = this.#held.get(key)
      if (held !== undefined && held.revision >= revision) return held
      let update = this.#updates.get(key)
      if (!update?.isRunning) {
        update = new SharedTask(this.#update(key))
        this.#updates.set(key, update)
      }
      // one that others began before may lack what came meanwhile: then there is another one
      yield* update.join()
    }
  }

  *#update(key: K): Task {
    this.#held.set(key, yield* this.#make(key, this.#held.get(key)))
  }
}
