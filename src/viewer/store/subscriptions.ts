/**
 * What is on screen decides what is read: the stream carries those series, and what it did not
 * bring of their window is read back. Requests of one moment are joined into few.
 */
import type { RangeAnswer } from '../../http/api.ts'
import type { SeriesCache } from './cache.ts'
import type { Catalogue } from './catalogue.ts'
import type { Clock } from './clock.ts'
import type { HubApi } from './hub-api.ts'

export class Subscriptions {
  readonly #parts: Parts
  readonly #fills: Fills
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
    this.#fills = new Fills(parts.api, parts.take, this.has, (id) => {
      if (this.has(id)) this.fill(id)
    })
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
    const { cache, clock, catalogue } = this.#parts
    const kind = catalogue.get(id)?.info.kind
    if (this.areIdsUnsure || kind === undefined) return
    cache.make(id, kind, this.has)
    if (id < 0) return
    const to = clock.edge()
    const from = to - Math.max(clock.window.peek(), this.#long.get(id) ?? 0)
    const data = cache.shown(id)
    const { coveredFrom = 0, coveredTo = 0 } = data ?? {}
    const isApart = coveredTo === 0 || coveredTo < from || coveredFrom > to
    if (isApart || (coveredFrom > from && coveredTo < to)) this.#fills.ask(id, from, to)
    else if (coveredFrom > from) this.#fills.ask(id, from, coveredFrom)
    else if (coveredTo < to) this.#fills.ask(id, coveredTo, to)
  }

  /** Forgets what is asked for by id: another hub may answer from now on. */
  distrust(): void {
    this.areIdsUnsure = true
    this.#fills.drop()
  }

  #subscribe(): void {
    const ids = new Set([...this.#charts.keys(), ...this.#carried])
    this.#parts.want(
      [...ids].filter((id) => id > 0),
      this.#intervalS,
    )
  }
}

interface Parts {
  readonly api: HubApi
  readonly cache: SeriesCache
  readonly catalogue: Catalogue
  readonly clock: Clock
  /** Series that the stream is to carry. */
  readonly want: (ids: readonly number[], intervalS: number) => void
  readonly take: TakeAnswer
  /** Called when a series came on screen that was not there. */
  readonly shown: () => void
}

/** Pause, ms, long enough to join the charts of one scroll step. */
const JOIN_MS = 40
/** Series per request: a minute of fifty histograms is some 700 KB of JSON at worst. */
const BATCH = 50
/** Seconds of all series in a request; of a longer past it has fewer series. */
const BATCH_SECONDS = 6000
/** Longer spans are asked for apart from shorter ones, so that a gap of 2 s costs 2 s. */
const SHORT_SECONDS = 15

/** @param from start of what was asked for, Unix second: an answer may begin later */
type TakeAnswer = (answer: RangeAnswer, asked: readonly number[], from: number) => void

interface Span {
  readonly from: number
  readonly to: number
}

/** Requests for seconds of the past. */
class Fills {
  readonly #api: HubApi
  readonly #take: TakeAnswer
  readonly #isShown: (id: number) => boolean
  readonly #waiting = new Map<number, Span>()
  /** Series whose answers are under way; true where more has been asked for since. */
  readonly #asked = new Map<number, boolean>()
  readonly #askAgain: (id: number) => void
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param isShown whether a series is on screen: what left before it was asked for is not read */
  constructor(
    api: HubApi,
    take: TakeAnswer,
    isShown: (id: number) => boolean,
    askAgain: (id: number) => void,
  ) {
    this.#api = api
    this.#take = take
    this.#isShown = isShown
    this.#askAgain = askAgain
  }

  /** Asks for seconds (from, to] of a series, once at a time: then it is seen what is missing. */
  ask(id: number, from: number, to: number): void {
    if (to <= from) return
    if (this.#asked.has(id)) {
      this.#asked.set(id, true)
      return
    }
    this.#waiting.set(id, { from, to })
    this.#timer ??= setTimeout(() => this.#flush(), JOIN_MS)
  }

  /** Forgets what is asked for: its ids may mean other series by now. */
  drop(): void {
    this.#waiting.clear()
    this.#asked.clear()
    this.#generation += 1
  }

  #flush(): void {
    this.#timer = undefined
    const spans = [...this.#waiting].filter(([id]) => this.#isShown(id))
    this.#waiting.clear()
    const isShort = ([, span]: [number, Span]): boolean => span.to - span.from <= SHORT_SECONDS
    for (const group of [spans.filter(isShort), spans.filter((span) => !isShort(span))]) {
      const longest = group.reduce((most, [, { from, to }]) => Math.max(most, to - from), 1)
      const size = Math.max(1, Math.min(BATCH, Math.floor(BATCH_SECONDS / longest)))
      for (let i = 0; i < group.length; i += size) void this.#read(group.slice(i, i + size))
    }
  }

  async #read(spans: readonly (readonly [number, Span])[]): Promise<void> {
    const series = spans.map(([id]) => id)
    const from = spans.reduce((least, [, span]) => Math.min(least, span.from), Infinity)
    const to = spans.reduce((most, [, span]) => Math.max(most, span.to), 0)
    const generation = this.#generation
    for (const id of series) this.#asked.set(id, false)
    const answer = await this.#api
      .range({ series, fromMs: from * 1000, toMs: to * 1000, stepMs: 1000 })
      // The stream says that the hub is away; the gap is asked for again when it is back.
      .catch(() => undefined)
    if (generation !== this.#generation) return
    const moved = series.filter((id) => this.#asked.get(id))
    for (const id of series) this.#asked.delete(id)
    if (answer !== undefined) this.#take(answer, series, from)
    for (const id of moved) this.#askAgain(id)
  }
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
