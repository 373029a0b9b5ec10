/**
 * The grammar of `--counters` and of the query parameter (eventcounters.md §4.8), in the reading of
 * dotnet-counters; pure:
 *
 *   list := provider (',' provider)*      provider := name ['[' counter (',' counter)* ']']
 */

/** One provider of a list, occurrences of the same text united. */
interface CounterGroup {
  readonly provider: string
  /** Empty = all. */
  readonly counters: readonly string[]
  /** `EventCounter` where the prefix `EventCounters\` says so. */
  readonly type: 'All' | 'EventCounter'
}

export type CounterFilter = readonly CounterGroup[]

/** Messages for a wrong list, in the words of dotnet-counters. */
const FILTER_ERRORS = {
  empty: 'Expected non-empty counter_provider',
  open: "Expected to find closing ']' in counter_provider",
  trailing: "Unexpected characters after closing ']' in counter_provider",
  twice: "Expected at most one '[' in counter_provider",
  prefix:
    'Using the same provider name with and without the EventCounters\\ prefix in the counter list' +
    ' is not supported.',
} as const

export class FilterError extends Error {
  override readonly name = 'FilterError'
}

/** @throws {FilterError} in the words of dotnet-counters */
export function parseFilter(text: string): CounterFilter {
  const groups = new Map<string, GatheredGroup>()
  for (const provider of splitProviders(text)) addProvider(groups, provider)
  return [...groups.values()].map(({ provider, counters, type }) => {
    return { provider, counters: [...counters], type }
  })
}

interface GatheredGroup {
  readonly provider: string
  /** Counters as listed; a set once a second occurrence was united with the first. */
  counters: string[] | Set<string>
  readonly type: CounterGroup['type']
}

/**
 * Splits at commas outside of brackets; spaces before a provider are skipped, all others are its
 * own.
 */
function splitProviders(text: string): string[] {
  const providers: string[] = []
  let start = -1
  let isInside = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (isInside) {
      isInside = letter !== ']'
    } else if (letter === ',') {
      if (start === -1) throw new FilterError(FILTER_ERRORS.empty)
      providers.push(text.slice(start, at))
      start = -1
    } else if (letter === '[') {
      if (start === -1) throw new FilterError(FILTER_ERRORS.empty)
      isInside = true
    } else if (start === -1 && letter !== ' ') start = at
  }
  if (isInside) throw new FilterError(FILTER_ERRORS.open)
  if (start === -1) throw new FilterError(FILTER_ERRORS.empty)
  return [...providers, text.slice(start)]
}

const PREFIX = 'EventCounters\\'

function addProvider(groups: Map<string, GatheredGroup>, text: string): void {
  const [head = '', list, ...more] = text.split('[')
  if (more.length > 0) throw new FilterError(FILTER_ERRORS.twice)
  const isPrefixed = head.startsWith(PREFIX)
  const provider = isPrefixed ? head.slice(PREFIX.length) : head
  const type = isPrefixed ? 'EventCounter' : 'All'
  if (provider === '') throw new FilterError(FILTER_ERRORS.empty)
  const known = groups.get(provider)
  if (known !== undefined && known.type !== type) throw new FilterError(FILTER_ERRORS.prefix)
  const counters = list === undefined ? [] : readList(list)
  if (known === undefined) groups.set(provider, { provider, counters, type })
  else unite(known, counters)
}

/** Reads what follows the opening bracket; empty items are dropped. */
function readList(text: string): string[] {
  if (text.endsWith(']'))
    return text
      .slice(0, -1)
      .split(',')
      .filter((name) => name !== '')
  throw new FilterError(text.includes(']') ? FILTER_ERRORS.trailing : FILTER_ERRORS.open)
}

/** Adds the counters of one occurrence; no list in either means all counters. */
function unite(group: GatheredGroup, counters: readonly string[]): void {
  const size = Array.isArray(group.counters) ? group.counters.length : group.counters.size
  if (size === 0 || counters.length === 0) {
    group.counters = []
    return
  }
  const united = Array.isArray(group.counters) ? new Set(group.counters) : group.counters
  for (const name of counters) united.add(name)
  group.counters = united
}

/** Names of counters by provider in lower case; undefined = all of them. */
type FilterIndex = ReadonlyMap<string, ReadonlySet<string> | undefined>

/** Indexes made at the first look, so that a list of any length costs a counter one look. */
const indexes = new WeakMap<CounterFilter, FilterIndex>()

function indexOf(filter: CounterFilter): FilterIndex {
  const known = indexes.get(filter)
  if (known !== undefined) return known
  const index = new Map<string, Set<string> | undefined>()
  for (const { provider, counters } of filter) {
    const key = provider.toLowerCase()
    const others = index.get(key)
    if (counters.length === 0 || (index.has(key) && others === undefined)) index.set(key, undefined)
    else index.set(key, new Set([...(others ?? []), ...counters]))
  }
  indexes.set(filter, index)
  return index
}

/**
 * Tells whether any counter of a provider can match; its name is compared without regard to case.
 */
export function matchesProvider(filter: CounterFilter | undefined, provider: string): boolean {
  return filter === undefined || indexOf(filter).has(provider.toLowerCase())
}

/**
 * Tells whether a counter matches; its name is compared exactly. Without a filter all do. Undefined
 * as filter lets everything through.
 */
export function matchesCounter(
  filter: CounterFilter | undefined,
  provider: string,
  name: string,
): boolean {
  if (filter === undefined) return true
  const index = indexOf(filter)
  const key = provider.toLowerCase()
  return index.get(key)?.has(name) ?? index.has(key)
}

/** Tells whether there can be a counter that both let through. */
export function sharesCounters(
  one: CounterFilter | undefined,
  other: CounterFilter | undefined,
): boolean {
  if (one === undefined || other === undefined) return true
  return one.some(({ provider, counters }) => {
    if (counters.length === 0) return matchesProvider(other, provider)
    return counters.some((name) => matchesCounter(other, provider, name))
  })
}
