/**
 * Labels of a series as they tell it from its neighbours: those that all of a group share say
 * nothing there, and the one that differs most comes first.
 */
import { describeSeries } from '../../model/index.ts'
import type { Entry } from '../store/catalogue.ts'
import type { Group } from './select.ts'

type Labels = Entry['info']['labels']

interface GroupLabels {
  /** Labels that all have alike, `key=value key=value`; of one series alone it has none. */
  readonly shared: string
  /** Labels of a series of the group, without those. */
  of(entry: Entry): string
  /** Gives the same as pairs. */
  own(entry: Entry): Labels
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
  const write = (labels: Labels): string =>
    labels.map(([key, value]) => `${key}=${value}`).join(' ')
  const own = ({ info }: Entry): Labels => {
    const { values } = byName.get(info.name) ?? whole
    const variety = (key: string): number => values.get(key)?.size ?? 0
    const labels = info.labels.filter(([key]) => !isShared(key))
    return labels.toSorted((a, b) => variety(b[0]) - variety(a[0]))
  }
  const [first] = entries
  return {
    shared: write(first?.info.labels.filter(([key]) => isShared(key)) ?? []),
    of: (entry) => write(own(entry)),
    own,
  }
}

/**
 * Names series of a list as shortly as they can be told apart: `name{key=value,…}` without the
 * labels that all of their group share, but for names that other groups have, too.
 */
export function shortNames(groups: readonly Group[]): (entry: Entry) => string {
  const groupOf = new Map<Entry, Group>()
  const groupsOfName = new Map<string, Group | undefined>()
  for (const group of groups) {
    for (const entry of group.entries) {
      const { name } = entry.info
      const isElsewhere = groupsOfName.has(name) && groupsOfName.get(name) !== group
      groupsOfName.set(name, isElsewhere ? undefined : group)
      groupOf.set(entry, group)
    }
  }
  return (entry) => {
    const group = groupOf.get(entry)
    if (group === undefined || groupsOfName.get(entry.info.name) !== group) return entry.text
    return describeSeries({ ...entry.info, labels: groupLabels(group).own(entry) })
  }
}

/** Puts series into groups by the first parts of their names, whatever their order is. */
export function prefixGroups(entries: readonly Entry[]): readonly Group[] {
  const groups = Map.groupBy(entries, ({ group }) => group)
  return Array.from(groups, ([key, members]) => ({ key, entries: members }))
}

function note({ values }: Siblings, key: string, value: string): void {
  const known = values.get(key)
  if (known === undefined) values.set(key, new Set([value]))
  else known.add(value)
}
