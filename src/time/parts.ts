/**
 * Reading in parts: who reads what a peer has sent goes on with its task as far as the budget of a
 * turn of the event loop goes (docs/decisions/0015-slices.md).
 */
import type { Budget } from './budget.ts'
import type { Task } from './task.ts'

/** Work of one reader, one piece after another; without a budget each is done at once. */
export class PartedWork {
  readonly #budget: Budget | undefined
  readonly #onGoOn: () => void
  #task: Task | undefined

  /** @param onGoOn called whenever work that has waited goes on */
  constructor(budget: Budget | undefined, onGoOn: () => void = () => {}) {
    this.#budget = budget
    this.#onGoOn = onGoOn
  }

  /** Whether a part waits for {@link goOn}: the next piece has to wait as well. */
  get hasRest(): boolean {
    return this.#task !== undefined
  }

  /** Begins a piece, behind what waits. */
  begin(task: Task): void {
    const before = this.#task
    this.#task = before === undefined ? task : oneAfterAnother(before, task)
    if (before === undefined) this.#run()
  }

  /** Goes on until the work is done or the budget is spent. */
  goOn(): void {
    this.#onGoOn()
    this.#run()
  }

  #run(): void {
    for (let task = this.#task; task !== undefined; task = this.#task) {
      if (task.next().done === true) this.#task = undefined
      else if (this.#budget?.isSpent === true) return
    }
  }

  /** Gives up what waits; what runs ends at its next part. */
  drop(): void {
    this.#task = undefined
  }
}

function* oneAfterAnother(first: Task, second: Task): Task {
  yield* first
  yield* second
}
