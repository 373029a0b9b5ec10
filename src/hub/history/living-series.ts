/**
 * Series that a store has as living, when it is opened: those that the hub goes on with are told
 * under their ids, the others have ended, so that their next total begins at nothing as it does in
 * the hub.
 */
import type {
  ClosedSecond,
  HistoryStore,
  SeriesDefinition,
  StoredSeries,
} from '../../history/store.ts'

/** Series that are read and told at once. */
const PAGE = 4096
/** Refs of series that the hub does not go on with, from here down: no id is as high. */
const ENDED_REFS = 2 ** 32 - 1

/**
 * Tells a store of all its living series.
 * @param idOf gives the id by which the hub goes on with one; undefined for one that has ended
 * @returns ids of those that are gone on with
 */
export async function tellLiving(
  store: Pick<HistoryStore, 'list' | 'append'>,
  endS: number,
  idOf: (stored: StoredSeries) => number | undefined,
): Promise<Set<number>> {
  const known = new Set<number>()
  const pageAfter = (after: number): Promise<readonly StoredSeries[]> => {
    const page = store.list({ isLiving: true, limit: PAGE, after })
    page.catch(() => {}) // who waits for it is told
    return page
  }
  for (let next = pageAfter(0); ; ) {
    const page = await next
    if (page.length === 0) return known
    // the store reads the next one while these are gone on with
    next = pageAfter(page.at(-1)!.number)
    const defined: SeriesDefinition[] = []
    const ended: number[] = []
    for (const stored of page) {
      const id = idOf(stored)
      if (id !== undefined) known.add(id)
      const ref = id ?? ENDED_REFS - ended.length
      if (id === undefined) ended.push(ref)
      const { key, metadata, origin } = stored
      defined.push({ ref, key, metadata, ...(origin === undefined ? {} : { origin }) })
    }
    await store.append({ ...nothingAt(endS), defined, ended })
  }
}

/** Gives a second without cells, which does not say that a hub ran. */
function nothingAt(endS: number): ClosedSecond {
  const refs = new Uint32Array(0)
  const values = new Float64Array(0)
  return {
    ...{ endS, seconds: 0, defined: [], ended: [] },
    counters: { refs, deltas: values, wide: new Map() },
    gauges: { refs, values, wide: new Map(), spreads: new Map() },
    histograms: { refs, places: refs, packed: { chunks: [], places: [], bounds: [] } },
    summaries: { refs, cells: [] },
  }
}
