/**
 * A task whose result several callers want: it is done once, each of them doing steps of it in its
 * own turns, and given up when the last of them goes away.
 */
import type { Task } from './task.ts'

export class SharedTask<T> {
  readonly #task: Task<T>
  #callers = 0
  #result: { readonly value: T } | { readonly error: unknown } | undefined
  #isGivenUp = false

  constructor(task: Task<T>) {
    this.#task = task
  }

  /** False once it has ended, in whatever way: who wants the result of now needs a new one. */
  get isRunning(): boolean {
    return this.#result === undefined && !this.#isGivenUp
  }

  /**
   * Gives the result, or throws what the task threw; to be begun while it is running. Who does not
   * go on to the end must return the generator.
   */
  *join(): Task<T> {
    this.#callers++
    try {
      while (this.#result === undefined) {
        this.#step()
        if (this.#result === undefined) yield
      }
      if ('error' in this.#result) throw this.#result.error
      return this.#result.value
    } finally {
      this.#callers--
      if (this.#callers === 0 && this.#result === undefined) this.#giveUp()
    }
  }

  #step(): void {
    try {
      const step = this.#task.next()
      if (step.done === true) this.#result = { value: step.value }
    } catch (error) {
      this.#result = { error }
    }
  }

  #giveUp(): void {
    this.#isGivenUp = true
    this.#task.return(undefined as T)
  }
}
