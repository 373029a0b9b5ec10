/**
 * Labels of a series as they tell it from its neighbours: those that all of a group share say
 * nothing there, and the one that differs most comes first.
 */
import type { Entry } from '../store/catalogue.ts'
import type { Group } from './select.ts'

interface GroupLabels {
  /** Labels that all have alike, `key=value key=value`; of one series alone it has none. */
  readonly shared: string
  /** Labels of a series of the group, without those. */
  of(entry: Entry): string
}

/** Values of the labels of series with one name. */
interface Siblings {
  readonly values: Map<string, Set<string>>
}

const known = new WeakMap<Group, GroupLabels>()

/** Gives the labels of a group, which are looked through once: there may be very many series. */
export function groupLabels(group: Group): GroupLabels {
  const labels = known.get(group) ?? labelsOf(group.entries)
  known.set(group, labels)
  return labels
}

function labelsOf(entries: readonly Entry[]): GroupLabels {
  const byName = new Map<string, Siblings>()
  const whole: Siblings = { values: new Map() }
  const inAll = new Map<string, number>()
  for (const { info } of entries) {
    const siblings = byName.get(info.name) ?? { values: new Map() }
    byName.set(info.name, siblings)
    for (const [key, value] of info.labels) {
      note(siblings, key, value)
      note(whole, key, value)
      inAll.set(key, (inAll.get(key) ?? 0) + 1)
    }
  }
  const isShared = (key: string): boolean =>
    entries.length > 1 && inAll.get(key) === entries.length && whole.values.get(key)!.size === 1
  const write = (labels: readonly (readonly [string, string])[]): string =>
    labels.map(([key, value]) => `${key}=${value}`).join(' ')
  const [first] = entries
  return {
    shared: write(first?.info.labels.filter(([key]) => isShared(key)) ?? []),
    of({ info }) {
      const { values } = byName.get(info.name) ?? whole
      const variety = (key: string): number => values.get(key)?.size ?? 0
      const own = info.labels.filter(([key]) => !isShared(key))
      return write(own.toSorted((a, b) => variety(b[0]) - variety(a[0])))
    },
  }
}

function note({ values }: Siblings, key: string, value: string): void {
  const known = values.get(key)
  if (known === undefined) values.set(key, new Set([value]))
  else known.add(value)
}
