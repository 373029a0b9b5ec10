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
  /** Whether ids may be those of another hub: after a reconnect, until the list is read. */
  areIdsUnsure = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#fills = new Fills(parts.api, parts.take)
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
    const lacksStart = data === undefined || data.coveredTo === 0 || data.coveredFrom > from
    if (lacksStart || data.coveredTo < from) this.#fills.ask(id, from, to)
    else if (data.coveredTo < to) this.#fills.ask(id, data.coveredTo, to)
  }

  /** Forgets what is asked for by id: another hub may answer from now on. */
  distrust(): void {
    this.areIdsUnsure = true
    this.#fills.drop()
  }

  #subscribe(): void {
    this.#parts.want([...this.#charts.keys()].filter((id) => id > 0))
  }
}

interface Parts {
  readonly api: HubApi
  readonly cache: SeriesCache
  readonly catalogue: Catalogue
  readonly clock: Clock
  /** Series that the stream is to carry. */
  readonly want: (ids: readonly number[]) => void
  readonly take: TakeAnswer
}

/** Pause, ms, long enough to join the charts of one scroll step. */
const JOIN_MS = 40
/** Series per request: a minute of fifty histograms is some 700 KB of JSON at worst. */
const BATCH = 50
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
  readonly #waiting = new Map<number, Span>()
  readonly #asked = new Set<number>()
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: HubApi, take: TakeAnswer) {
    this.#api = api
    this.#take = take
  }

  /** Asks for seconds (from, to] of a series, once at a time: the answer shows what is missing. */
  ask(id: number, from: number, to: number): void {
    if (to <= from || this.#asked.has(id)) return
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
    const spans = [...this.#waiting]
    this.#waiting.clear()
    const isShort = ([, span]: [number, Span]): boolean => span.to - span.from <= SHORT_SECONDS
    for (const group of [spans.filter(isShort), spans.filter((span) => !isShort(span))]) {
      for (let i = 0; i < group.length; i += BATCH) void this.#read(group.slice(i, i + BATCH))
    }
  }

  async #read(spans: readonly (readonly [number, Span])[]): Promise<void> {
    const series = spans.map(([id]) => id)
    const from = spans.reduce((least, [, span]) => Math.min(least, span.from), Infinity)
    const to = spans.reduce((most, [, span]) => Math.max(most, span.to), 0)
    const generation = this.#generation
    for (const id of series) this.#asked.add(id)
    const answer = await this.#api
      .range({ series, fromMs: from * 1000, toMs: to * 1000, stepMs: 1000 })
      // The stream says that the hub is away; the gap is asked for again when it is back.
      .catch(() => undefined)
    if (generation !== this.#generation) return
    for (const id of series) this.#asked.delete(id)
    if (answer !== undefined) this.#take(answer, series, from)
  }
}
