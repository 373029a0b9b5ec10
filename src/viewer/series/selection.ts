/** The selection of series that a viewer shows, by what its store knows now. */
import { dialectTitle } from '../format/status.ts'
import { OWN_DIALECT } from '../store/catalogue.ts'
import type { Store } from '../store/store.ts'
import {
  asksForOwn,
  type Choice,
  groupEntries,
  type Selection,
  selectEntries,
  sortEntries,
} from './select.ts'

export const SORTS = ['unusual', 'name', 'rate', 'change', 'p99'] as const
export type Sort = (typeof SORTS)[number]

interface SelectionChoice extends Choice {
  readonly sort: Sort
  /** `prefix`, `source`, `kind`, `none`, or `label:KEY`. */
  readonly group: string
}

/** Orders by values of all series; the others need those that are unusual. */
const ORDERS_OF_ALL: ReadonlySet<Sort> = new Set(['rate', 'change', 'p99'])

export function selectSeries(store: Store, choice: SelectionChoice): Selection {
  const { watch, catalogue } = store
  const isIdle = (id: number): boolean => store.isIdle(id)
  const isOwnShown = asksForOwn(choice)
  const all = catalogue.entries.filter((entry) => isOwnShown || entry.info.dialect !== OWN_DIALECT)
  const found = selectEntries(catalogue.entries, choice, isIdle)
  const unusual = new Set(watch.unusual())
  watch.needAll(ORDERS_OF_ALL.has(choice.sort))
  const sorted = sortEntries(found, choice.sort, {
    score: (id) => (unusual.has(id) ? watch.finding(id).score : 0),
    ratio: (id) => watch.finding(id).ratio,
    rate: (id) => watch.rate(id),
    p99: (id) => (catalogue.get(id)?.info.kind === 'histogram' ? watch.lastValue(id) : Number.NaN),
  })
  const odd = found
    .filter(({ id }) => unusual.has(id))
    .sort((a, b) => watch.finding(b.id).since - watch.finding(a.id).since || a.id - b.id)
  const titleOf = (dialect: string): string => dialectTitle(store.sources.peek(), dialect)
  return { all, found, odd, groups: groupEntries(sorted, choice.group, titleOf, choice.sort) }
}
