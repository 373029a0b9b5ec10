/** The list of series as the hub has it, with what the page adds to each entry: text and group. */
import { signal } from '@preact/signals-core'
import type { SeriesInfo, SeriesPage } from '../../http/api.ts'
import { describeSeries } from '../../model/index.ts'
import { compareKeys, orderKey } from '../format/order.ts'

export interface Entry {
  /** Id of the hub; below zero for a series that a restarted hub does not know yet. */
  readonly id: number
  /** Newest reading of it. */
  readonly info: SeriesInfo
  /** Identity: the same for the same series, also across hubs, whose ids differ. */
  readonly identity: string
  /** `name{key=value,…}`, as in the URL. */
  readonly text: string
  /** Key of the text for orders: see `orderKey`. */
  readonly order: string
  /** `key=value key=value`, as under the title. */
  readonly labels: string
  /** Lower case, for the filter. */
  readonly search: string
  readonly group: string
}

/** The hub's own metrics: left out of the overview unless they are asked for. */
export const OWN_DIALECT = 'hub'

/**
 * Gives the namespace, or first part of a name that is longer than itself: `checkout` of
 * `checkout.p99`.
 */
function prefixOf({ name, namespace }: SeriesInfo): string {
  if (namespace !== undefined) return namespace
  const end = name.search(/[._/:]/)
  return end > 0 ? name.slice(0, end) : name
}

/** Series with its texts; what few of very many need is made when it is asked for. */
class CatalogueEntry implements Entry {
  readonly id: number
  readonly text: string
  readonly order: string
  readonly group: string
  info: SeriesInfo
  #identity: string | undefined
  #labels: string | undefined
  #search: string | undefined

  constructor(id: number, info: SeriesInfo) {
    this.id = id
    this.info = info
    this.text = describeSeries(info)
    this.order = orderKey(this.text)
    this.group = prefixOf(info)
  }

  get identity(): string {
    const { dialect, kind, type, name, labels } = this.info
    this.#identity ??= JSON.stringify([dialect, kind, type, name, labels])
    return this.#identity
  }

  get labels(): string {
    this.#labels ??= this.info.labels.map(([key, value]) => `${key}=${value}`).join(' ')
    return this.#labels
  }

  get search(): string {
    this.#search ??= `${this.text} ${this.info.displayName ?? ''}`.toLowerCase()
    return this.#search
  }

  /** Tells whether a listed series is this one. */
  is({ dialect, kind, type, name, labels }: SeriesInfo): boolean {
    const { info } = this
    return (
      info.name === name &&
      info.kind === kind &&
      info.dialect === dialect &&
      info.type === type &&
      info.labels.length === labels.length &&
      labels.every(([key, value], i) => info.labels[i]![0] === key && info.labels[i]![1] === value)
    )
  }

  /** Takes a newer reading. @returns whether it is shown otherwise: the entry is to be made anew */
  take(info: SeriesInfo): boolean {
    const { displayName, namespace, unit } = this.info
    this.info = withDetails(info, this.info)
    return displayName !== info.displayName || namespace !== info.namespace || unit !== info.unit
  }
}

/**
 * Keeps what only the answer of a single series has: the list, which leaves it out, is read again
 * and again.
 */
function withDetails(info: SeriesInfo, known: SeriesInfo): SeriesInfo {
  if (known.firstSeenMs !== info.firstSeenMs) return info
  const { statistics, rates } = known
  if (statistics === undefined && rates === undefined) return info
  return { ...(statistics && { statistics }), ...(rates && { rates }), ...info }
}

/** Renumbering by a new list of what is kept by id. */
export interface Renumbering {
  readonly gone: ReadonlySet<number>
  /** Old id to new one. */
  readonly moved: ReadonlyMap<number, number>
}

/** Follows a new numbering; all at once, because two series may have changed places. */
export function renumber<T>(kept: Map<number, T>, { gone, moved }: Renumbering): void {
  if (gone.size === 0 && moved.size === 0) return
  const all = [...kept]
  kept.clear()
  for (const [id, value] of all) if (!gone.has(id)) kept.set(moved.get(id) ?? id, value)
}

export class Catalogue {
  /** Rises with every list that was read. */
  readonly version = signal(0)
  revision = -1
  /** Rises when an id gets another meaning. */
  numbering = 0
  isLoaded = false
  /** The hub's reason why it gave no list when it was last asked; absent once it has. */
  readonly refusal = signal<string | undefined>(undefined)
  /** All entries, those of the past too, in the order of their texts. */
  entries: readonly Entry[] = []
  /** Highest id that was listed, but for those of the past. */
  lastId = 0
  /** Whether series are kept that the hub does not list. */
  hasDeparted = false
  readonly #byId = new Map<number, CatalogueEntry>()
  readonly #ambiguous = new Set<string>()
  #departed = 0

  /** @param isKept whether a series that is not in the list stays, under an id below zero */
  replace(page: SeriesPage, isKept: (entry: Entry) => boolean = () => false): Renumbering {
    const next = new Map<number, CatalogueEntry>()
    const newcomers: CatalogueEntry[] = []
    for (const info of page.series) {
      const known = this.#byId.get(info.id)
      const entry =
        known?.is(info) === true ? taken(known, info) : new CatalogueEntry(info.id, info)
      next.set(info.id, entry)
      if (entry !== known) newcomers.push(entry)
    }
    const gone = new Set<number>()
    const moved = new Map<number, number>()
    const idOf = new Map(newcomers.map(({ identity, id }) => [identity, id]))
    for (const [id, entry] of this.#byId) {
      if (next.get(id)?.is(entry.info) === true) continue
      if (entry.info.isPast === true && !idOf.has(entry.identity)) {
        next.set(id, entry)
        continue
      }
      const newId = idOf.get(entry.identity) ?? (isKept(entry) ? this.#departedId(id) : undefined)
      if (newId === undefined) gone.add(id)
      else if (newId !== id) moved.set(id, newId)
      if (newId !== undefined && newId < 0) next.set(newId, new CatalogueEntry(newId, entry.info))
    }
    if (gone.size > 0 || moved.size > 0) this.numbering += 1
    this.#take(next)
    this.revision = page.revision
    this.isLoaded = true
    this.refusal.value = undefined
    this.version.value += 1
    return { gone, moved }
  }

  /** Adds series that have come since, all with ids above the last one. */
  add(series: readonly SeriesInfo[]): void {
    const newcomers = series.filter(({ id }) => !this.#byId.has(id))
    if (newcomers.length === 0) return
    const next = new Map(this.#byId)
    for (const info of newcomers) next.set(info.id, new CatalogueEntry(info.id, info))
    this.#take(next)
    this.version.value += 1
  }

  /** Takes series that the hub has no more, in place of those of before. */
  setPast(series: readonly SeriesInfo[]): void {
    const next = new Map([...this.#byId].filter(([, { info }]) => info.isPast !== true))
    if (series.length === 0 && next.size === this.#byId.size) return
    for (const info of series) {
      const known = this.#byId.get(info.id)
      next.set(
        info.id,
        known?.is(info) === true ? taken(known, info) : new CatalogueEntry(info.id, info),
      )
    }
    this.#take(next)
    this.version.value += 1
  }

  #departedId(id: number): number {
    if (id < 0) return id
    this.#departed -= 1
    return this.#departed
  }

  #take(next: ReadonlyMap<number, CatalogueEntry>): void {
    this.#byId.clear()
    this.#ambiguous.clear()
    this.lastId = 0
    this.hasDeparted = false
    for (const [id, entry] of next) {
      this.#byId.set(id, entry)
      if (entry.info.isPast !== true) this.lastId = Math.max(this.lastId, id)
      if (id < 0) this.hasDeparted = true
    }
    const entries = [...next.values()].sort((a, b) => compareEntries(a, b))
    entries.forEach(({ text }, i) => {
      if (text === entries[i - 1]?.text) this.#ambiguous.add(text)
    })
    this.entries = entries
  }

  /** Takes newer readings of some entries. */
  update(series: readonly SeriesInfo[]): void {
    for (const info of series) {
      const known = this.#byId.get(info.id)
      if (known?.is(info) === true) known.take(info)
    }
  }

  get(id: number): Entry | undefined {
    return this.#byId.get(id)
  }

  /** Tells whether another series has the same name and labels, but another kind or type. */
  isAmbiguous(text: string): boolean {
    return this.#ambiguous.has(text)
  }

  /** Finds the series that a URL names. `kind` and `type` decide between namesakes. */
  find(text: string, kind = '', type = ''): Entry | undefined {
    const named = this.entries.filter((entry) => entry.text === text)
    return (
      named.find(({ info }) => info.kind === kind && (info.type ?? '') === type) ??
      named.find(({ info }) => info.kind === kind) ??
      named[0]
    )
  }

  /** Finds the series that are called so beside their labels, where a URL names none. */
  namesakes(text: string): readonly Entry[] {
    const brace = text.indexOf('{')
    const names = brace > 0 ? [text, text.slice(0, brace)] : [text]
    return this.entries.filter(
      ({ info: { name, displayName = name } }) =>
        names.includes(name) || names.includes(displayName),
    )
  }
}

/** Gives the entry with a newer reading; a new one where that is shown otherwise. */
function taken(entry: CatalogueEntry, info: SeriesInfo): CatalogueEntry {
  return entry.take(info) ? new CatalogueEntry(entry.id, entry.info) : entry
}

/** Compares by text, and by id where texts are equal. */
function compareEntries(a: Entry, b: Entry): number {
  return compareKeys(a.order, b.order) || compareKeys(a.text, b.text) || a.id - b.id
}
