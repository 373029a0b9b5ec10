/** The lines of the list: what is unusual first, then everything, in groups where asked for. */
import { groupLabels, prefixGroups, shortNames } from '../../viewer/series/labels.ts'
import type { Selection } from '../../viewer/series/select.ts'
import { selectSeries } from '../../viewer/series/selection.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { Store } from '../../viewer/store/store.ts'
import type { TopChoice } from './state.ts'

export type ListRow =
  | {
      readonly kind: 'heading'
      readonly text: string
      readonly count: number
      /** Whether something in the group is unusual. */
      readonly isUnusual: boolean
      /** Labels that all of the group share. */
      readonly labels: string
    }
  | { readonly kind: 'series'; readonly entry: Entry }

export interface ListRows {
  readonly rows: readonly ListRow[]
  readonly found: number
  /** All series that would be shown without a filter. */
  readonly total: number
  /** Names a series, without labels that say nothing beside its neighbours. */
  readonly nameOf: (entry: Entry) => string
}

/** The rows for a choice, made anew only when list, findings or choice have changed. */
export class RowCache {
  readonly #store: Store
  #key = ''
  #rows: ListRows = { rows: [], found: 0, total: 0, nameOf: ({ text }) => text }

  constructor(store: Store) {
    this.#store = store
  }

  rows(choice: TopChoice): ListRows {
    const { catalogue, watch } = this.#store
    const versions = [catalogue.version.peek(), watch.version.peek()]
    const key = JSON.stringify([...versions, choice.filter, choice.sort, choice.group])
    if (key !== this.#key) {
      const { filter: q, sort, group } = choice
      const selection = selectSeries(this.#store, { q, kind: '', source: '', sort, group })
      this.#rows = {
        rows: group === 'none' ? flat(selection, sort) : grouped(selection, this.#store),
        found: selection.found.length,
        total: selection.all.length,
        nameOf: shortNames(group === 'none' ? prefixGroups(selection.found) : selection.groups),
      }
      this.#key = key
    }
    return this.#rows
  }
}

function rowOf(entry: Entry): ListRow {
  return { kind: 'series', entry }
}

/** Lists the series once each; ordered by what is unusual, the newest comes first. */
function flat({ odd, groups }: Selection, sort: string): ListRow[] {
  const sorted = groups.flatMap(({ entries }) => entries)
  if (sort !== 'unusual' || odd.length === 0) return sorted.map(rowOf)
  const first = new Set(odd)
  return [...odd, ...sorted.filter((entry) => !first.has(entry))].map(rowOf)
}

function grouped({ odd, groups }: Selection, { watch }: Store): ListRow[] {
  const rows: ListRow[] = []
  if (odd.length > 0) {
    const heading = { text: 'Unusual now', count: odd.length, isUnusual: true, labels: '' }
    rows.push({ kind: 'heading', ...heading })
    rows.push(...odd.map(rowOf))
  }
  for (const group of groups) {
    const { key, entries } = group
    const isUnusual = entries.some(({ id }) => watch.finding(id).since > 0)
    const labels = groupLabels(group).shared
    rows.push({ kind: 'heading', text: key, count: entries.length, isUnusual, labels })
    for (const entry of entries) rows.push(rowOf(entry))
  }
  return rows
}
