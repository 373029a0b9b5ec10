/** Which series the overview shows, in which groups, in which order. */
import { compileGlob } from '../../model/text/glob.ts'
import { compareKeys, orderKey } from '../format/order.ts'
import { type Entry, OWN_DIALECT } from '../store/catalogue.ts'

export interface Choice {
  readonly q: string
  readonly kind: string
  readonly source: string
}

/** Measures that the order depends on, as they are now. */
interface Measures {
  /** Distance from the usual in spreads; 0 for everyday series. */
  readonly score: (id: number) => number
  readonly ratio: (id: number) => number
  /** Rate per second: increments of a counter, observations of a distribution. */
  readonly rate: (id: number) => number
  readonly p99: (id: number) => number
}

export interface Group {
  readonly key: string
  readonly entries: readonly Entry[]
}

const OWN_PREFIX = 'pentameter'

/** Tells whether the filter asks for the hub's own series, which are left out otherwise. */
export function asksForOwn({ q, source }: Choice): boolean {
  const words = q.toLowerCase()
  return (
    source === OWN_DIALECT ||
    words.includes(OWN_PREFIX) ||
    words.split(/\s+/).some((word) => word === `dialect=${OWN_DIALECT}` || word === 'source=hub')
  )
}

/**
 * Makes a test of entries: whether every word of the filter matches the name, or, as `label=value`,
 * one label.
 */
function matcher(choice: Choice): (entry: Entry) => boolean {
  const { kind, source } = choice
  const words = choice.q.toLowerCase().split(/\s+/).filter(Boolean)
  const isOwnShown = asksForOwn(choice)
  return (entry) => {
    const { info } = entry
    if (kind !== '' && info.kind !== kind) return false
    if (source !== '' && info.dialect !== source) return false
    if (!isOwnShown && info.dialect === OWN_DIALECT) return false
    return words.every((word) => matchesWord(entry, word))
  }
}

/** Tells whether a text has a word in it, in which `*` stands for any run of characters. */
function holds(text: string, word: string): boolean {
  return word.includes('*') ? compileGlob(`*${word}*`)(text) : text.includes(word)
}

function matchesWord({ info, search }: Entry, word: string): boolean {
  const at = word.indexOf('=')
  if (at <= 0) return holds(search, word)
  const key = word.slice(0, at)
  const value = word.slice(at + 1)
  if (key === 'dialect') return info.dialect.toLowerCase().startsWith(value)
  if (key === 'kind') return info.kind.startsWith(value)
  if (key === 'type') return (info.type ?? '').toLowerCase() === value
  if (key === 'source') return `${info.dialect} ${info.source}`.toLowerCase().includes(value)
  return info.labels.some(
    ([name, content]) => name.toLowerCase() === key && holds(content.toLowerCase(), value),
  )
}

/** Longest filter that the hub takes. */
const WORDS_LENGTH = 1000

/**
 * Gives words by which the hub finds all that a filter matches, and more: it knows no `*`, and
 * looks for a value of a label where that begins.
 */
export function hubWords(q: string): string {
  const words = q.split(/\s+/).flatMap((word) => {
    const at = word.indexOf('=')
    const key = word.slice(0, Math.max(0, at)).toLowerCase()
    if (key === 'dialect' || key === 'kind') return word
    if (key === 'type' || key === 'source') return []
    const texts = at <= 0 ? [word] : [`${key}=`, word.slice(at + 1)]
    return texts.flatMap((text) => text.split(/[*{},]/))
  })
  return words.filter(Boolean).join(' ').slice(0, WORDS_LENGTH)
}

/** Selects what matches; a series that is idle is found by words of the filter only. */
export function selectEntries(
  entries: readonly Entry[],
  choice: Choice,
  isIdle: (id: number) => boolean,
): Entry[] {
  const isSearch = choice.q.trim() !== ''
  const matches = matcher(choice)
  return entries.filter((entry) => matches(entry) && (isSearch || !isIdle(entry.id)))
}

function order(sort: string, measures: Measures): (entry: Entry) => number {
  const size = (value: number): number => (Number.isNaN(value) ? 0 : value)
  if (sort === 'unusual') return ({ id }) => size(measures.score(id))
  if (sort === 'rate') return ({ id }) => size(measures.rate(id))
  if (sort === 'p99') return ({ id }) => size(measures.p99(id))
  if (sort === 'change') return ({ id }) => changeSize(measures.ratio(id))
  return () => 0
}

/** Computes the size of a change: a half is as much of one as a double. */
function changeSize(ratio: number): number {
  if (Number.isNaN(ratio)) return 0
  return ratio > 0 ? Math.abs(Math.log2(ratio)) : Number.POSITIVE_INFINITY
}

/**
 * Puts the largest first.
 * @param entries in the order of their texts, which those of one weight keep
 */
export function sortEntries(entries: readonly Entry[], sort: string, measures: Measures): Entry[] {
  const weight = order(sort, measures)
  const weighed = entries.map((entry) => ({ entry, weight: weight(entry) }))
  weighed.sort((a, b) => compareWeights(b.weight, a.weight))
  return weighed.map(({ entry }) => entry)
}

/** Compares weights: infinity minus infinity is no order. */
function compareWeights(a: number, b: number): number {
  return a === b ? 0 : a - b
}

/** Orders that put groups by their largest member; the others keep them by name. */
const GROUPS_BY_SIZE: ReadonlySet<string> = new Set(['rate', 'change', 'p99'])

/**
 * Puts series into groups, which stand by name or in the order of their first members.
 * @param entries in the order in which they are to stand in their groups
 * @param titleOf a dialect's name for people
 */
export function groupEntries(
  entries: readonly Entry[],
  by: string,
  titleOf: (dialect: string) => string,
  sort = 'name',
): Group[] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const key = groupKey(entry, by, titleOf)
    const list = groups.get(key)
    if (list === undefined) groups.set(key, [entry])
    else list.push(entry)
  }
  const list = [...groups].map(([key, members]) => ({ key, entries: members }))
  if (GROUPS_BY_SIZE.has(sort)) return list
  return list
    .map((each) => ({ each, order: orderKey(each.key) }))
    .sort((a, b) => compareKeys(a.order, b.order))
    .map(({ each }) => each)
}

function groupKey(entry: Entry, by: string, titleOf: (dialect: string) => string): string {
  if (by === 'source') return titleOf(entry.info.dialect)
  if (by === 'kind') return entry.info.kind
  if (by === 'none') return 'All series'
  if (by.startsWith('label:')) {
    const label = by.slice('label:'.length)
    return entry.info.labels.find(([key]) => key === label)?.[1] ?? `without ${label}`
  }
  return entry.group
}

/** A group is worth a warning when one label alone has more values than this. */
const LABEL_VALUES_NAMED = 200

/** Finds the label that makes a group large. */
export function crowdedLabel(
  group: Group,
): { readonly key: string; readonly count: number } | undefined {
  if (group.entries.length <= LABEL_VALUES_NAMED) return undefined
  const values = new Map<string, Set<string>>()
  for (const { info } of group.entries) {
    for (const [key, value] of info.labels) {
      const set = values.get(key) ?? new Set()
      values.set(key, set.add(value))
    }
  }
  const [key, set] = [...values].sort((a, b) => b[1].size - a[1].size)[0] ?? []
  if (key === undefined || set === undefined || set.size <= LABEL_VALUES_NAMED) return undefined
  return { key, count: set.size }
}

/** Lists label names that are worth grouping by, the most frequent first. */
export function labelNames(entries: readonly Entry[], limit = 12): string[] {
  const counts = new Map<string, number>()
  for (const { info } of entries) {
    for (const [key] of info.labels) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const names = [...counts].sort(
    (a, b) => b[1] - a[1] || compareKeys(orderKey(a[0]), orderKey(b[0])),
  )
  return names.slice(0, limit).map(([key]) => key)
}

export function groupAnchor(key: string): string {
  return `group-${encodeURIComponent(key)}`
}

export interface Selection {
  /** All series that the page would show without a filter. */
  readonly all: readonly Entry[]
  readonly found: readonly Entry[]
  /** Unusual ones among the found, the newest first. */
  readonly odd: readonly Entry[]
  readonly groups: readonly Group[]
}
