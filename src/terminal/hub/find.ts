/** The series of a hub that a selector matches: those of now, and those of a time that is over. */
import { hubWords, selectEntries } from '../../viewer/series/select.ts'
import { Catalogue, type Entry } from '../../viewer/store/catalogue.ts'
import type { Hub } from './connect.ts'

/** Series of the past that are told of at most. */
const PAST_LIMIT = 1000

/** @param sinceMs start of a time of which those that are no more are found, too */
export async function findSeries(hub: Hub, filter: string, sinceMs?: number): Promise<Entry[]> {
  const catalogue = new Catalogue()
  catalogue.replace(await hub.api.listSeries())
  const isStale = (id: number): boolean => catalogue.get(id)?.info.isStale === true
  const found = selectEntries(catalogue.entries, choiceOf(filter), isStale)
  if (sinceMs === undefined) return found
  const past = await findPast(hub, filter, sinceMs).catch(() => undefined)
  return [...found, ...(past?.entries ?? [])]
}

function choiceOf(filter: string) {
  return { q: filter, kind: '', source: '' }
}

interface FoundPast {
  readonly entries: readonly Entry[]
  /** Number of those that match besides. */
  readonly more: number
}

/** Finds series that are no more, of those that lived since a time. */
export async function findPast(
  { api }: Pick<Hub, 'api'>,
  filter: string,
  sinceMs: number,
): Promise<FoundPast> {
  const span = { fromMs: Math.floor(sinceMs), toMs: Date.now() }
  const { series, total } = await api.listPast({
    ...{ words: hubWords(filter), limit: PAST_LIMIT },
    ...span,
  })
  const catalogue = new Catalogue()
  catalogue.replace({ series, total, revision: 0 })
  const entries = selectEntries(catalogue.entries, choiceOf(filter), () => false)
  return { entries, more: total - series.length }
}
