/**
 * Families and rows that want the same name: settled here for all formats, never by merging or
 * dropping. The outcome does not depend on the order in which series appeared.
 */
import type { WindowPart } from '../../../dialects/export-rules.ts'
import { KIND_SUFFIXES, SAMPLE_SUFFIXES, withLabel } from '../../../exposition/names.ts'
import { labelText } from '../../../exposition/text.ts'
import type { SeriesRecord } from '../../../hub/series/record.ts'
import { sorted, type Task } from '../../../hub/tasks/task.ts'
import { compareUtf8, type Kind, type Labels } from '../../../model/index.ts'
import { ROWS_PER_STEP } from '../../pieces.ts'

export type RateField = 'm1' | 'm5' | 'm15'
/** `native`: the native form of a distribution whose classic one is in another unit. */
export type RowPart = RateField | WindowPart | 'native'

export interface Entry {
  readonly record: SeriesRecord
  readonly part: RowPart | undefined
  readonly shift: number
  readonly isTimed: boolean
  readonly unit: string | undefined
  labels: Labels
}

/** Series that want to be one family. */
export interface Group {
  readonly type: Kind
  name: string
  readonly entries: Entry[]
}

/**
 * Makes the names of all families differ, with every suffix their samples may have: beside another
 * kind a gauge gets `_gauge`, a histogram `_hist`, a summary `_summary`; a counter keeps its name.
 * @param taken gets the sample names that groups in contest wanted and got
 * @returns the groups that were renamed
 */
export function* separateFamilies(groups: readonly Group[], taken: Set<string>): Task<Set<Group>> {
  const { owners, contested } = yield* findContested(groups)
  const renamed = new Set<Group>()
  let count = 0
  for (const group of contested) {
    if (++count % ROWS_PER_STEP === 0) yield
    for (const suffix of SAMPLE_SUFFIXES[group.type]) {
      owners.delete(group.name + suffix)
      taken.add(group.name + suffix)
    }
    if (group.type === 'counter') continue
    group.name += KIND_SUFFIXES[group.type]
    renamed.add(group)
  }
  const order = yield* sorted(
    [...contested],
    (a, b) =>
      Number(renamed.has(a)) - Number(renamed.has(b)) ||
      Number(b.type === 'counter') - Number(a.type === 'counter') ||
      compareUtf8(a.name, b.name),
  )
  for (const group of order) {
    if (++count % ROWS_PER_STEP === 0) yield
    const suffixes = SAMPLE_SUFFIXES[group.type]
    while (suffixes.some((suffix) => owners.has(group.name + suffix))) {
      group.name += KIND_SUFFIXES[group.type]
      renamed.add(group)
    }
    for (const suffix of suffixes) {
      owners.set(group.name + suffix, group)
      taken.add(group.name + suffix)
    }
  }
  return renamed
}

/** Groups that want a name that another one wants too, and who wants which. */
function* findContested(
  groups: readonly Group[],
): Task<{ owners: Map<string, Group>; contested: Set<Group> }> {
  const owners = new Map<string, Group>()
  const contested = new Set<Group>()
  let count = 0
  for (const group of groups) {
    if (++count % ROWS_PER_STEP === 0) yield
    for (const suffix of SAMPLE_SUFFIXES[group.type]) {
      const owner = owners.get(group.name + suffix)
      if (owner === undefined) owners.set(group.name + suffix, group)
      else contested.add(owner).add(group)
    }
  }
  return { owners, contested }
}

/**
 * Makes the label sets within a family differ: equal ones get `metric` with the raw name, and where
 * that is equal too, `series` with the number of the series.
 * @returns the entries that got a label
 */
function* separateRows(entries: readonly Entry[]): Task<Set<Entry>> {
  const changed = new Set<Entry>()
  let clashing = yield* findClashing(entries)
  let count = 0
  for (const entry of clashing) {
    if (++count % ROWS_PER_STEP === 0) yield
    addLabel(entry, 'metric', entry.record.identity.name)
  }
  for (; clashing.length > 0; clashing = yield* findClashing(entries)) {
    for (const entry of clashing) {
      if (++count % ROWS_PER_STEP === 0) yield
      if (changed.has(entry)) addLabel(entry, 'series', String(entry.record.id))
      changed.add(entry)
    }
  }
  return changed
}

function* findClashing(entries: readonly Entry[]): Task<Entry[]> {
  const first = new Map<string, Entry>()
  const clashing = new Set<Entry>()
  let count = 0
  for (const entry of entries) {
    if (++count % ROWS_PER_STEP === 0) yield
    const text = labelText(entry.labels)
    const other = first.get(text)
    if (other === undefined) first.set(text, entry)
    else clashing.add(other).add(entry)
  }
  return [...clashing]
}

/** Adds a label; to Prometheus an empty value is the same as none. */
function addLabel(entry: Entry, key: string, value: string): void {
  if (value !== '') entry.labels = withLabel(entry.labels, key, value)
}

/** @returns the series whose names or labels changed */
export function* separateLabels(
  groups: readonly Group[],
  renamed: ReadonlySet<Group>,
): Task<Map<number, 'label' | 'family'>> {
  const conflicts = new Map<number, 'label' | 'family'>()
  let count = 0
  for (const { entries } of renamed) {
    for (const { record } of entries) {
      conflicts.set(record.id, 'family')
      if (++count % ROWS_PER_STEP === 0) yield
    }
  }
  for (const { entries } of groups) {
    if (++count % ROWS_PER_STEP === 0) yield
    if (entries.length < 2) continue
    for (const { record } of yield* separateRows(entries)) {
      conflicts.set(record.id, 'label')
      if (++count % ROWS_PER_STEP === 0) yield
    }
  }
  return conflicts
}
