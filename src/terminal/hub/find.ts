/** The series of a hub that a selector matches: those of now, and those of a time that is over. */
import type { SeriesPage } from '../../http/api.ts'
import { hubWords, selectEntries } from '../../viewer/series/select.ts'
import { Catalogue, type Entry } from '../../viewer/store/catalogue.ts'
import type { Hub } from './connect.ts'

/** Series of the past that are told of at most. */
const PAST_LIMIT = 1000

export interface Found {
  /** The list of all series of now, as the hub gave it. */
  readonly page: SeriesPage
  readonly living: readonly Entry[]
  readonly past: readonly Entry[]
  /** Words for what is not told of the past; undefined where all is. */
  readonly note?: string
}

/** @param sinceMs start of a time of which those that are no more are found, too */
export async function findSeries(
  hub: Pick<Hub, 'api'>,
  filter: string,
  sinceMs?: number,
): Promise<Found> {
  const page = await hub.api.listSeries()
  const living = matching(page, filter)
  if (sinceMs === undefined) return { page, living, past: [] }
  return { page, living, ...(await findPast(hub, filter, sinceMs)) }
}

function matching(page: SeriesPage, filter: string): readonly Entry[] {
  const catalogue = new Catalogue()
  catalogue.replace(page)
  const isStale = (id: number): boolean => catalogue.get(id)?.info.isStale === true
  return selectEntries(catalogue.entries, { q: filter, kind: '', source: '' }, isStale)
}

/** Finds series that are no more, of those that lived since a time. */
async function findPast(
  { api }: Pick<Hub, 'api'>,
  filter: string,
  sinceMs: number,
): Promise<Pick<Found, 'past' | 'note'>> {
  const span = { fromMs: Math.floor(sinceMs), toMs: Date.now() }
  const asked = { words: hubWords(filter), limit: PAST_LIMIT, ...span }
  try {
    const { series, total } = await api.listPast(asked)
    const more = total - series.length
    return {
      past: matching({ series, total, revision: 0 }, filter),
      ...(more > 0 ? { note: `${more} more series of that time: narrow the words` } : {}),
    }
  } catch (error) {
    const note = `series that are no more are not told: ${(error as Error).message}`
    return { past: [], note }
  }
}
