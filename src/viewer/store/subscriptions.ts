/**
 * What is on screen decides what is read: the stream carries those series, and what it did not
 * bring of their window is read back. Requests of one moment are joined into few.
 */
import type { RangeAnswer } from '../../http/api.ts'
import type { SeriesCache, Shelf } from './cache.ts'
import type { Catalogue } from './catalogue.ts'
import type { Clock } from './clock.ts'
import { Fills } from './fills.ts'
import type { HubApi } from './hub-api.ts'

/** Seconds that are kept of the newest while a picture shows wider steps: for its numbers. */
const LIVE_SECONDS = 60
/** Seconds between two readings of a step that is still open. */
const OPEN_S = 5
/** Seconds, or steps, that are read ahead of an earlier time, which is all there already. */
const AHEAD = 60

export class Subscriptions {
  readonly #parts: Parts
  readonly #fills = new Map<Shelf, Fills>()
  /** Charts on screen of each series. */
  readonly #charts = new Map<number, number>()
  /** Seconds of those that show a longer past than the others. */
  readonly #long = new Map<number, number>()
  /** Series that the stream carries besides, of which nothing is kept here. */
  #carried: readonly number[] = []
  #intervalS = 1
  /** Whether ids may be those of another hub: after a reconnect, until the list is read. */
  areIdsUnsure = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  readonly has = (id: number): boolean => this.#charts.has(id)

  ids(): Iterable<number> {
    return this.#charts.keys()
  }

  /** Counts a chart of this series that came on screen; call the answer when it leaves. */
  show(id: number): () => void {
    const count = this.#charts.get(id) ?? 0
    this.#charts.set(id, count + 1)
    if (count === 0) {
      this.#subscribe()
      this.fill(id)
      this.#parts.shown()
    }
    return () => {
      const left = (this.#charts.get(id) ?? 1) - 1
      if (left > 0) this.#charts.set(id, left)
      else {
        this.#charts.delete(id)
        this.#subscribe()
      }
    }
  }

  /** Shows as `show` does, with a past longer than the shared window. */
  showLong(id: number, seconds: number): () => void {
    this.#long.set(id, seconds)
    this.fill(id)
    return () => this.#long.delete(id)
  }

  /**
   * Has the stream carry series for what keeps them itself.
   * @param intervalS seconds between two events with samples of them; 1 for none
   */
  carry(ids: readonly number[], intervalS: number): void {
    this.#carried = ids
    this.#intervalS = intervalS
    this.#subscribe()
  }

  fillAll(): void {
    for (const id of this.#charts.keys()) this.fill(id)
  }

  /** Asks for what the shown window of a series lacks. */
  fill(id: number): void {
    const { cache, clock, catalogue, earlier } = this.#parts
    const kind = catalogue.get(id)?.info.kind
    if (this.areIdsUnsure || kind === undefined) return
    cache.make(id, kind, this.has)
    if (id < 0) return
    const edge = clock.edge()
    const window = clock.window.peek()
    const { live, picture } = cache
    const from = edge - Math.max(window, this.#long.get(id) ?? 0)
    if (clock.pausedAt.peek() === undefined && !this.#isPast(id)) {
      this.#complete(live, id, picture === undefined ? from : edge - LIVE_SECONDS, edge)
    }
    if (picture !== undefined) this.#complete(picture, id, from, edge)
    const compared = earlier()
    if (cache.earlier === undefined || compared?.id !== id) return
    const to = edge - compared.before
    const ahead = Math.min(edge, to + AHEAD * cache.earlier.step)
    this.#complete(cache.earlier, id, to - window, to, ahead)
  }

  /**
   * Asks for what the seconds (from, to] lack on a shelf; a step that is open is read again.
   * @param ahead second up to which is asked where something lacks
   */
  #complete(shelf: Shelf, id: number, from: number, to: number, ahead = to): void {
    const { step } = shelf
    const first = Math.floor(from / step) * step
    let data = shelf.get(id)!
    // Of the live seconds what is beyond the ring is not shown.
    if (shelf !== this.#parts.cache.live && data.isBeyond(first + 1)) data = shelf.renew(id)
    const { coveredFrom, coveredTo } = data
    const fills = this.#fillsOf(shelf)
    const isApart = coveredTo === 0 || coveredTo < first || coveredFrom > to
    if (isApart || (coveredFrom > first && coveredTo < to)) fills.ask(id, first, ahead)
    else if (coveredFrom > first) fills.ask(id, first, coveredFrom)
    else if (to - coveredTo >= Math.min(step, OPEN_S)) {
      fills.ask(id, Math.floor(coveredTo / step) * step, ahead)
    }
  }

  /** Gives the requests of a shelf; those of shelves that are no more are forgotten. */
  #fillsOf(shelf: Shelf): Fills {
    const { api, cache, take } = this.#parts
    for (const [other, fills] of this.#fills) {
      if (other === cache.live || other === cache.picture || other === cache.earlier) continue
      fills.drop()
      this.#fills.delete(other)
    }
    const known = this.#fills.get(shelf)
    if (known !== undefined) return known
    const fills = new Fills({
      api,
      step: shelf.step,
      isShown: this.has,
      take: (answer, asked, from) => take(shelf, answer, asked, from),
      askAgain: (id) => {
        if (this.has(id)) this.fill(id)
      },
    })
    this.#fills.set(shelf, fills)
    return fills
  }

  /** Forgets what is asked for by id: another hub may answer from now on. */
  distrust(): void {
    this.areIdsUnsure = true
    for (const fills of this.#fills.values()) fills.drop()
  }

  /** Tells whether the hub has a series no more: the stream brings nothing of it. */
  #isPast(id: number): boolean {
    return this.#parts.catalogue.get(id)?.info.isPast === true
  }

  #subscribe(): void {
    const ids = new Set([...this.#charts.keys(), ...this.#carried])
    this.#parts.want(
      [...ids].filter((id) => id > 0 && !this.#isPast(id)),
      this.#intervalS,
    )
  }
}

/** Series of which an earlier time is shown besides. */
export interface Compared {
  readonly id: number
  /** Seconds that it lies before. */
  readonly before: number
}

interface Parts {
  readonly api: HubApi
  readonly cache: SeriesCache
  readonly catalogue: Catalogue
  readonly clock: Clock
  /** Series that the stream is to carry. */
  readonly want: (ids: readonly number[], intervalS: number) => void
  /** @param from start of what was asked for, Unix second: an answer may begin later */
  readonly take: (shelf: Shelf, answer: RangeAnswer, asked: readonly number[], from: number) => void
  /** Gives the series of which an earlier time is compared, and how many seconds before. */
  readonly earlier: () => Compared | undefined
  /** Called when a series came on screen that was not there. */
  readonly shown: () => void
}

/** Series of one screen that shows now these, now those: the ones that stay are not begun anew. */
export class ShownSeries {
  readonly #screen: Pick<Subscriptions, 'show'>
  readonly #ends = new Map<number, () => void>()

  constructor(screen: Pick<Subscriptions, 'show'>) {
    this.#screen = screen
  }

  /** Has the stream carry these, and of the screen nothing else. */
  choose(entries: readonly { readonly id: number }[]): void {
    const ids = new Set(entries.map(({ id }) => id))
    for (const [id, end] of this.#ends) {
      if (ids.has(id)) continue
      this.#ends.delete(id)
      end()
    }
    for (const id of ids) {
      if (!this.#ends.has(id)) this.#ends.set(id, this.#screen.show(id))
    }
  }
}
