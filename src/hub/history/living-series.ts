/**
 * Series that a store has as living, when it is opened: those that the hub goes on with are told
 * under their ids, the others have ended, so that their next total begins at nothing as it does in
 * the hub.
 */
import type { ClosedSecond, HistoryStore, LivingSeries } from '../../history/store.ts'
import { type Cell, KINDS } from '../../model/index.ts'
import { unpackHistogram } from '../../model/packed/packed-histogram.ts'
import { type FormerSeries, type Origin, readOrigin } from './restore-series.ts'

/** Series that are read and told at once. */
const PAGE = 4096
/** Refs of series that the hub does not go on with, from here down: no id is as high. */
const ENDED_REFS = 2 ** 32 - 1

/** Page of living series, of which each is made when it is asked for. */
class LivingPage {
  readonly #columns: LivingSeries
  /** Origins that were read, by their places. */
  readonly #origins: (Origin | undefined)[] = []

  constructor(columns: LivingSeries) {
    this.#columns = columns
  }

  key(row: number): Uint8Array {
    const { keys, keyEnds } = this.#columns
    return keys.subarray(row === 0 ? 0 : keyEnds[row - 1], keyEnds[row])
  }

  /** Gives the end of the last cell, or the time when one without any began, Unix seconds. */
  lastS(row: number): number {
    return this.#columns.lastS[row]! || Math.ceil((this.#originOf(row)?.beganMs ?? 0) / 1000)
  }

  series(row: number): FormerSeries {
    const { metadata, metadataPlaces } = this.#columns
    return {
      key: this.key(row),
      metadata: metadata[metadataPlaces[row]!]!,
      origin: this.#originOf(row),
      lastS: this.lastS(row),
      total: this.#total(row),
    }
  }

  #originOf(row: number): Origin | undefined {
    const { origins, originPlaces } = this.#columns
    const place = originPlaces[row]!
    if (!(place in this.#origins)) this.#origins[place] = readOrigin(origins[place]!)
    return this.#origins[place]
  }

  #total(row: number): Cell | undefined {
    const { kinds, totals, wide, histograms, summaries } = this.#columns
    const kind = KINDS[kinds[row]!]
    if (kind === 'counter') return { kind, delta: wide.get(row) ?? totals[row]! }
    const bytes = histograms.get(row)
    if (bytes !== undefined) return { kind: 'histogram', histogram: unpackHistogram(bytes) }
    const summary = summaries.get(row)
    return summary && { kind: 'summary', summary }
  }
}

/**
 * Tells a store of all its living series.
 * @param idOf gives the id by which the hub goes on with one; undefined for one that has ended
 * @returns ids of those that are gone on with
 */
export async function tellLiving(
  store: Pick<HistoryStore, 'living' | 'bind' | 'append'>,
  endS: number,
  idOf: (page: LivingPage, row: number) => number | undefined,
): Promise<Set<number>> {
  const known = new Set<number>()
  const pageAfter = (after: number): Promise<LivingSeries> => {
    const page = store.living({ limit: PAGE, after })
    page.catch(() => {}) // who waits for it is told
    return page
  }
  for (let next = pageAfter(0); ; ) {
    const columns = await next
    const { numbers } = columns
    if (numbers.length === 0) return known
    // the store reads the next one while these are gone on with
    next = pageAfter(numbers.at(-1)!)
    const page = new LivingPage(columns)
    const ended: number[] = []
    const refs = numbers.map((_, row) => {
      const id = idOf(page, row)
      const ref = id ?? ENDED_REFS - ended.length
      if (id === undefined) ended.push(ref)
      else known.add(id)
      return ref
    })
    await store.bind({ numbers, refs })
    if (ended.length > 0) await store.append({ ...nothingAt(endS), ended })
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
