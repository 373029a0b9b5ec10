/** Long work of the hub, in steps: what many of its tasks do. */
import type { Task } from '../../time/task.ts'

export { runNow, type Task } from '../../time/task.ts'

/** Items of one step, where each costs about a microsecond. */
const ITEMS_PER_STEP = 256

/** Calls back for every item, in steps of so many. */
export function* forEachItem<T>(
  items: Iterable<T>,
  visit: (item: T) => void,
  itemsPerStep = ITEMS_PER_STEP,
): Task {
  let count = 0
  for (const item of items) {
    visit(item)
    if (++count % itemsPerStep === 0) yield
  }
}

/** Makes a sorted copy: short runs, merged two by two. */
export function* sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Task<T[]> {
  let runs: T[][] = []
  for (let i = 0; i < items.length; i += ITEMS_PER_STEP) {
    runs.push(items.slice(i, i + ITEMS_PER_STEP).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      const [left, right] = [runs[i]!, runs[i + 1]]
      merged.push(right === undefined ? left : yield* mergedRuns(left, right, compare))
      yield
    }
    runs = merged
  }
  return runs[0] ?? []
}

function* mergedRuns<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Task<T[]> {
  const merged: T[] = []
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    const isLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0)
    merged.push(isLeft ? left[l++]! : right[r++]!)
    if (merged.length % (2 * ITEMS_PER_STEP) === 0) yield
  }
  return merged
}
