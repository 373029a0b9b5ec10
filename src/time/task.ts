/** Long work as a generator: at each yield the rest of the event loop may run. */

/** Work that yields wherever it may pause: after about half a millisecond at most. */
export type Task<T = void> = Generator<undefined, T>

/** Runs what is left of a task at once, for callers that may not wait. */
export function runNow<T>(task: Task<T>): T {
  let step = task.next()
  while (step.done !== true) step = task.next()
  return step.value
}

/** Makes a task that does not pause within its work. */
export function* inOnePart<T>(work: () => T): Task<T> {
  yield
  return work()
}
