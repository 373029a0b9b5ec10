/**
 * Families and rows that want the same name: settled here for all formats, never by merging or
 * dropping. The outcome does not depend on the order in which series appeared, nor on the names
 * that were given before.
 */
import type { WindowPart } from '../../../../dialects/export-rules.ts'
import { KIND_SUFFIXES, SAMPLE_SUFFIXES, withLabel } from '../../../../exposition/names.ts'
import { labelText } from '../../../../exposition/text.ts'
import type { SeriesRecord } from '../../../../hub/series/record.ts'
import { sorted, type Task } from '../../../../hub/tasks/task.ts'
import { compareUtf8, type Kind, type Labels } from '../../../../model/index.ts'
import { ROWS_PER_STEP } from '../../../pieces.ts'

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
  /** Name that they want. */
  readonly name: string
  /** Name that they get. */
  shown: string
}

/** Names of samples beside those of the groups in contest. */
interface OtherNames {
  /** Tells whether a family that is in no contest has samples of a name. */
  has(sample: string): boolean
  /** Takes note of a name that the outcome depends on. */
  noteTried(sample: string): void
}

/**
 * Makes the names of all families differ, with every suffix their samples may have: beside another
 * kind a gauge gets `_gauge`, a histogram `_hist`, a summary `_summary`; a counter keeps its name.
 * @param groups all that want a name that another one wants, and maybe others
 */
export function* separateFamilies(groups: readonly Group[], others: OtherNames): Task {
  for (const group of groups) group.shown = group.name
  const { owners, contested } = yield* findContested(groups)
  let count = 0
  for (const group of contested) {
    if (++count % ROWS_PER_STEP === 0) yield
    for (const sample of samplesOf(group)) {
      owners.delete(sample)
      others.noteTried(sample)
    }
    if (group.type !== 'counter') group.shown += KIND_SUFFIXES[group.type]
  }
  const isRenamed = (group: Group): number => Number(group.shown !== group.name)
  const order = yield* sorted(
    [...contested],
    (a, b) =>
      isRenamed(a) - isRenamed(b) ||
      Number(b.type === 'counter') - Number(a.type === 'counter') ||
      compareUtf8(a.shown, b.shown),
  )
  const isOwned = (sample: string): boolean => {
    others.noteTried(sample)
    return owners.has(sample) || others.has(sample)
  }
  for (const group of order) {
    if (++count % ROWS_PER_STEP === 0) yield
    while (samplesOf(group).some(isOwned)) group.shown += KIND_SUFFIXES[group.type]
    for (const sample of samplesOf(group)) owners.set(sample, group)
  }
}

/** Lists the names that samples of a group may have. */
function samplesOf({ type, shown }: Group): string[] {
  return SAMPLE_SUFFIXES[type].map((suffix) => shown + suffix)
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
    for (const sample of samplesOf(group)) {
      const owner = owners.get(sample)
      if (owner === undefined) owners.set(sample, group)
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
export function* separateRows(entries: readonly Entry[]): Task<Set<Entry>> {
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
