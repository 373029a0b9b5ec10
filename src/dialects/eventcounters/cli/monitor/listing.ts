/**
 * The order of a monitor's lines, as dotnet-counters has it: providers by name, below each its
 * counters by label, and where a counter has labels of its own, one line per set of values under a
 * line with the keys. What all series of a provider have alike stands beside its name alone: of a
 * hub that is the endpoint, for one.
 */
import { textWidth } from '../../../../terminal/index.ts'
import type { CounterDescription } from '../../window.ts'
import type { Series } from './board.ts'
import { labelOf, type ValueView } from './figures.ts'

export const SORTS = ['name', 'value', 'change'] as const
export type Sort = (typeof SORTS)[number]

export type Line =
  /** Line of a provider, with the labels that all its series have alike. */
  | { readonly kind: 'provider'; readonly provider: string; readonly shared: string }
  /** Line of a counter; without series it is the name above those with labels. */
  | { readonly kind: 'counter'; readonly label: Label; readonly series?: Series }
  | { readonly kind: 'keys'; readonly columns: readonly LabelColumn[] }
  | { readonly kind: 'labels'; readonly columns: readonly LabelColumn[]; readonly series: Series }

interface Label {
  readonly text: string
  /** Columns it takes. */
  readonly width: number
}

export interface LabelColumn {
  readonly key: string
  /** Columns that the widest of the key and its values takes. */
  readonly width: number
}

/** The series of one counter; `plain` has no labels. */
interface Group {
  readonly label: Label
  readonly plain?: Series
  readonly labelled: readonly Series[]
  readonly columns: readonly LabelColumn[]
}

interface Provider {
  readonly provider: string
  readonly shared: string
  readonly groups: readonly Group[]
}

type Pair = CounterDescription['metaData'][number]

const collator = new Intl.Collator('en')

/**
 * List of counters, sorted anew only for a new series or a new label: names of 10,000 series sort
 * slowly.
 */
export class Listing {
  readonly #view: ValueView
  #providers: readonly Provider[] = []
  #version: string | undefined

  constructor(view: ValueView) {
    this.#view = view
  }

  /** @param version of the series: the same text = the same names and labels */
  lines(version: string, series: Iterable<Series>, sort: Sort): Line[] {
    if (version !== this.#version) {
      this.#providers = providersOf(series, this.#view)
      this.#version = version
    }
    const rank = this.#rank(sort)
    return this.#providers.flatMap(({ provider, shared, groups }): Line[] => [
      { kind: 'provider', provider, shared },
      ...ranked(groups, (group) => highest(group, rank), sort).flatMap((group) =>
        linesOf(group, rank, sort),
      ),
    ])
  }

  #rank(sort: Sort): (series: Series) => number {
    if (sort === 'value') return ({ figures }) => figures[this.#view] ?? Number.NEGATIVE_INFINITY
    return ({ delta }) => (delta === undefined ? Number.NEGATIVE_INFINITY : Math.abs(delta))
  }
}

function linesOf(group: Group, rank: (series: Series) => number, sort: Sort): Line[] {
  const { label, plain, labelled, columns } = group
  const name: Line = { kind: 'counter', label, ...(plain === undefined ? {} : { series: plain }) }
  if (labelled.length === 0) return [name]
  const rows = ranked(labelled, rank, sort)
  return [
    ...[name, { kind: 'keys', columns } as const],
    ...rows.map((series) => ({ kind: 'labels', columns, series }) as const),
  ]
}

function providersOf(series: Iterable<Series>, view: ValueView): readonly Provider[] {
  const providers = Map.groupBy(series, ({ counter }) => counter.provider)
  return [...providers]
    .sort(([a], [b]) => collator.compare(a, b))
    .map(([provider, all]) => {
      const shared = sharedPairs(all)
      const groups = Map.groupBy(all, ({ counter }) => counter.name)
      const named = [...groups.values()].map((group) => groupOf(group, view, shared))
      return {
        provider,
        shared: textOf(shared),
        groups: named.sort((a, b) => collator.compare(a.label.text, b.label.text)),
      }
    })
}

/** Lists the labels that all of several series have, with the same values. */
function sharedPairs(all: readonly Series[]): readonly Pair[] {
  if (all.length < 2) return []
  return all[0]!.counter.metaData.filter(([key, value]) =>
    all.every(({ counter }) =>
      counter.metaData.some((pair) => pair[0] === key && pair[1] === value),
    ),
  )
}

function groupOf(all: readonly Series[], view: ValueView, shared: readonly Pair[]): Group {
  const plain = all.find(({ counter }) => counter.metaData.length === shared.length)
  const labelled = all
    .filter((series) => series !== plain)
    .map((series) => ({ series, text: pairsText(series) }))
    .sort((a, b) => collator.compare(a.text, b.text))
    .map(({ series }) => series)
  const text = labelOf(all[0]!, view)
  const label = { text, width: textWidth(text) }
  const base = { label, labelled, columns: columnsOf(labelled, shared) }
  return plain === undefined ? base : { ...base, plain }
}

/** Lists keys in the order in which they are met. */
function columnsOf(labelled: readonly Series[], shared: readonly Pair[]): LabelColumn[] {
  const left = new Set(shared.map(([key]) => key))
  const widths = new Map<string, number>()
  for (const { counter } of labelled) {
    for (const [key, value] of counter.metaData) {
      if (left.has(key)) continue
      widths.set(key, Math.max(widths.get(key) ?? textWidth(key), textWidth(value)))
    }
  }
  return [...widths].map(([key, width]) => ({ key, width }))
}

export function pairsText({ counter }: Series): string {
  return textOf(counter.metaData)
}

function textOf(pairs: readonly Pair[]): string {
  return pairs.map(([key, value]) => `${key}=${value}`).join(',')
}

function highest({ plain, labelled }: Group, rank: (series: Series) => number): number {
  let most = plain === undefined ? Number.NEGATIVE_INFINITY : rank(plain)
  for (const series of labelled) most = Math.max(most, rank(series))
  return most
}

/** Sorts the largest first; of equals the one whose name comes first. */
function ranked<T>(all: readonly T[], rank: (each: T) => number, sort: Sort): readonly T[] {
  if (sort === 'name') return all
  const ranks = new Map(all.map((each) => [each, rank(each)]))
  return [...all].sort((a, b) => {
    const [left, right] = [ranks.get(a)!, ranks.get(b)!]
    return left === right ? 0 : right - left
  })
}
