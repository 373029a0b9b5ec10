/** Series grouped by the labels in which rows of a table differ. */

import { forEachItem, sorted, type Task } from '../../../../hub/tasks/task.ts'
import type { ViewKey } from '../../http/api.ts'
import type { SeriesReading } from './readings.ts'

export type KeyLabel = 'category' | 'pipeline' | 'worker' | 'name'

/** Labels in the order in which rows are sorted by them. */
const KEY_LABELS: readonly KeyLabel[] = ['category', 'pipeline', 'worker', 'name']

export interface Group {
  readonly key: ViewKey
  readonly readings: SeriesReading[]
}

type Branch = Map<string, Branch | Group>

/**
 * Makes one group for each value of the labels, sorted by them.
 * @param key what all have in common
 */
export function* groupsOf(
  readings: readonly SeriesReading[],
  key: ViewKey,
  by: readonly KeyLabel[],
): Task<Group[]> {
  const root: Branch = new Map()
  const groups: Group[] = []
  yield* forEachItem(readings, (reading) => {
    const branch = branchOf(root, reading, by)
    const value = reading.names[by.at(-1)!]
    let group = branch.get(value) as Group | undefined
    if (group === undefined) {
      const labels = by.map((label) => [label, reading.names[label]] as const)
      group = { key: { ...key, ...Object.fromEntries(labels) }, readings: [] }
      branch.set(value, group)
      groups.push(group)
    }
    group.readings.push(reading)
  })
  return yield* sorted(groups, (a, b) => compareKeys(a.key, b.key))
}

/** Finds the branch where the groups of a series' last label are. */
function branchOf(root: Branch, { names }: SeriesReading, by: readonly KeyLabel[]): Branch {
  let branch = root
  for (let i = 0; i < by.length - 1; i++) {
    const value = names[by[i]!]
    let next = branch.get(value) as Branch | undefined
    if (next === undefined) {
      next = new Map()
      branch.set(value, next)
    }
    branch = next
  }
  return branch
}

export function compareKeys(a: ViewKey, b: ViewKey): number {
  for (const label of KEY_LABELS) {
    const order = compareTexts(a[label] ?? '', b[label] ?? '')
    if (order !== 0) return order
  }
  return 0
}

/** Compares by UTF-16 units, the same everywhere. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
