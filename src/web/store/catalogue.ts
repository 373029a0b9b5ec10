/** The list of series as the hub has it, with what the page adds to each entry: text and group. */
import { signal } from '@preact/signals'
import type { SeriesInfo, SeriesPage } from '../../http/api.ts'
import { describeSeries } from '../../model/index.ts'

export interface Entry {
  /** The hub's; below zero for a series that a restarted hub does not know yet. */
  readonly id: number
  readonly info: SeriesInfo
  /** Identity: the same for the same series, also across hubs, whose ids differ. */
  readonly identity: string
  /** `name{key=value,…}`, as in the URL. */
  readonly text: string
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

function createEntry(info: SeriesInfo): Entry {
  const labels = info.labels.map(([key, value]) => `${key}=${value}`).join(' ')
  const text = describeSeries(info)
  const search = `${text} ${info.displayName ?? ''}`.toLowerCase()
  const identity = JSON.stringify([info.dialect, info.kind, info.type, info.name, info.labels])
  return { id: info.id, info, identity, text, labels, search, group: prefixOf(info) }
}

/**
 * Keeps what only the answer of a single series has: the list, which leaves it out, is read again
 * and again.
 */
function withDetails(info: SeriesInfo, known: SeriesInfo | undefined): SeriesInfo {
  const isSame =
    known !== undefined &&
    known.firstSeenMs === info.firstSeenMs &&
    known.kind === info.kind &&
    describeSeries(known) === describeSeries(info)
  if (!isSame) return info
  const { statistics, rates } = known
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
  entries: readonly Entry[] = []
  readonly #byId = new Map<number, Entry>()
  readonly #ambiguous = new Set<string>()
  #departed = 0

  /** @param isKept whether a series that is not in the list stays, under an id below zero */
  replace(page: SeriesPage, isKept: (entry: Entry) => boolean = () => false): Renumbering {
    const next = new Map<number, Entry>()
    const idOf = new Map<string, number>()
    for (const info of page.series) {
      const entry = createEntry(withDetails(info, this.#byId.get(info.id)?.info))
      next.set(info.id, entry)
      if (!idOf.has(entry.identity)) idOf.set(entry.identity, info.id)
    }
    const gone = new Set<number>()
    const moved = new Map<number, number>()
    for (const [id, entry] of this.#byId) {
      if (next.get(id)?.identity === entry.identity) continue
      const newId = idOf.get(entry.identity) ?? (isKept(entry) ? this.#departedId(id) : undefined)
      if (newId === undefined) gone.add(id)
      else if (newId !== id) moved.set(id, newId)
      if (newId !== undefined && newId < 0) next.set(newId, { ...entry, id: newId })
    }
    if (gone.size > 0 || moved.size > 0) this.numbering += 1
    this.#take(next)
    this.revision = page.revision
    this.isLoaded = true
    this.refusal.value = undefined
    this.version.value += 1
    return { gone, moved }
  }

  #departedId(id: number): number {
    if (id < 0) return id
    this.#departed -= 1
    return this.#departed
  }

  #take(next: ReadonlyMap<number, Entry>): void {
    this.#byId.clear()
    this.#ambiguous.clear()
    const texts = new Set<string>()
    for (const [id, entry] of next) {
      this.#byId.set(id, entry)
      if (texts.has(entry.text)) this.#ambiguous.add(entry.text)
      texts.add(entry.text)
    }
    this.entries = [...next.values()]
  }

  /** Takes a newer reading of one entry. */
  update(info: SeriesInfo): void {
    const known = this.#byId.get(info.id)
    if (known === undefined || describeSeries(info) !== known.text) return
    const entry = { ...known, info }
    this.#byId.set(info.id, entry)
    this.entries = this.entries.map((other) => (other === known ? entry : other))
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
}
