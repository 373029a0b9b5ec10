/**
 * The one store of the page. The stream feeds it, the components read it; what is on screen decides
 * what is subscribed. Pausing stops the picture, not the reading: a paused picture is a copy.
 */
import type { CellsEvent, HelloEvent, RangeAnswer, SourcesAnswer } from '../../http/api.ts'
import { Catalogue, OWN_DIALECT, renumber } from './catalogue.ts'
import { Fills, firstSecond } from './fills.ts'
import type { HubApi } from './hub-api.ts'
import { MeterRates } from './meter-rates.ts'
import { type CellJson, SeriesData, secondOf } from './series-data.ts'
import { type Connection, LiveStream } from './stream.ts'
import { Topics } from './topics.ts'
import { Watch } from './watch.ts'

/** The list is read again this often even without news, for totals and silence. */
const CATALOGUE_MS = 30_000
/** News of the list come in bursts when a sender starts. */
const CATALOGUE_SETTLE_MS = 150
/** Series whose seconds are kept although they are off screen: some 100 KB each at most. */
const KEPT_LIMIT = 400
/** Seconds between two computations of what is unusual. */
const WATCH_SECONDS = 5

export class LiveStore {
  readonly topics = new Topics()
  readonly catalogue = new Catalogue()
  readonly watch: Watch
  sources: SourcesAnswer | undefined
  hello: HelloEvent | undefined
  /** Unix second of the newest closed second the stream brought. */
  newest = 0
  /** Seconds that charts show; a longer one makes what is on screen be read back. */
  window = 60
  /** Unix second the picture ends at while paused. */
  pausedAt: number | undefined
  readonly #api: HubApi
  readonly #stream: LiveStream
  readonly #fills: Fills
  readonly #live = new Map<number, SeriesData>()
  #frozen = new Map<number, SeriesData>()
  readonly #meters = new Map<string, MeterRates>()
  readonly #visible = new Map<number, number>()
  readonly #long = new Map<number, number>()
  #hubAheadMs = 0
  #catalogueTimer: ReturnType<typeof setTimeout> | undefined
  #lastWatch = 0
  /** After a reconnect, until the list is read: the ids may be those of another hub. */
  #areIdsUnsure = false
  #isReconnected = false
  #readings = 0

  constructor(api: HubApi) {
    this.#api = api
    this.watch = new Watch(api)
    this.#fills = new Fills(api, (answer, asked, from) => {
      this.#takeRange(answer, asked, from)
    })
    this.#stream = new LiveStream(api, {
      hello: (hello) => this.#greet(hello),
      cells: (cells) => this.#takeCells(cells),
      series: (event) => {
        // Until the first list is here, it is on its way.
        if (!this.catalogue.isLoaded || event.revision === this.catalogue.revision) return
        this.#readCatalogueSoon()
      },
      sources: (answer, endMs) => this.#takeSources(answer, endMs),
      connection: () => this.topics.emit('connection'),
    })
  }

  start(): void {
    this.#stream.open()
    void this.#readCatalogue()
    setInterval(() => void this.#readCatalogue(), CATALOGUE_MS)
    // While nothing arrives the picture moves by itself, so that the gap grows visibly.
    setInterval(() => {
      if (this.connection.state === 'lost') this.topics.emit('tick')
    }, 1000)
  }

  get connection(): Connection {
    return this.#stream.connection
  }

  retryNow(): void {
    if (this.connection.state === 'lost') this.#stream.open()
  }

  /** The hub's clock. */
  nowMs(): number {
    return Date.now() + this.#hubAheadMs
  }

  /** Right edge of every chart, a whole second. */
  edge(): number {
    if (this.pausedAt !== undefined) return this.pausedAt
    const now = Math.floor(this.nowMs() / 1000)
    if (this.newest > 0 && this.connection.state === 'live') return this.newest
    return Math.max(now - 1, this.newest)
  }

  /** Last second of which anything can be known now: values are read there without a cursor. */
  readingSecond(): number {
    const edge = this.edge()
    return this.newest === 0 ? edge : Math.min(edge, this.newest)
  }

  /** Data of the picture that is shown: the live one, or the copy made when it was paused. */
  data(id: number): SeriesData | undefined {
    return this.pausedAt === undefined ? this.#live.get(id) : this.#frozen.get(id)
  }

  liveData(id: number): SeriesData | undefined {
    return this.#live.get(id)
  }

  meter(dialect: string): MeterRates | undefined {
    return this.#meters.get(dialect)
  }

  /** Unix ms of the newest thing known to have arrived for a series. */
  lastDataMs(id: number): number {
    const listed = this.catalogue.get(id)?.info.lastDataMs ?? 0
    return Math.max(listed, (this.#live.get(id)?.lastData ?? 0) * 1000)
  }

  isStale(id: number): boolean {
    const limit = this.hello?.staleAfterMs
    const entry = this.catalogue.get(id)
    if (entry === undefined) return true
    if (limit === undefined) return entry.info.isStale
    // While nothing can arrive nothing grows stale: values stay at the last known.
    const now = this.connection.state === 'lost' ? this.newest * 1000 : this.nowMs()
    return now - this.lastDataMs(id) > limit
  }

  /** A chart of this series came on screen; call the answer when it leaves. */
  show(id: number): () => void {
    const count = this.#visible.get(id) ?? 0
    this.#visible.set(id, count + 1)
    if (count === 0) {
      this.#subscribe()
      this.#fillWindow(id)
    }
    return () => {
      const left = (this.#visible.get(id) ?? 1) - 1
      if (left > 0) this.#visible.set(id, left)
      else {
        this.#visible.delete(id)
        this.#subscribe()
      }
    }
  }

  /** As `show`, with a past longer than the shared window. */
  showLong(id: number, seconds: number): () => void {
    this.#long.set(id, seconds)
    this.#fillWindow(id)
    return () => this.#long.delete(id)
  }

  setWindow(seconds: number): void {
    if (seconds === this.window) return
    this.window = seconds
    for (const id of this.#visible.keys()) this.#fillWindow(id)
  }

  /** @param at Unix second of a picture from history; absent for the one that is on screen */
  pause(at = this.edge()): void {
    this.#frozen = new Map()
    for (const [id, data] of this.#live) {
      if (this.#visible.has(id)) this.#frozen.set(id, data.clone())
    }
    this.pausedAt = at
    for (const id of this.#visible.keys()) this.#fillWindow(id)
    this.topics.emit('picture')
  }

  resume(): void {
    this.pausedAt = undefined
    this.#frozen = new Map()
    for (const id of this.#visible.keys()) this.#fillWindow(id)
    this.topics.emit('picture')
  }

  /** The newest entry of one series: statistics, totals, rates. */
  async refresh(id: number): Promise<void> {
    if (id < 0 || this.#areIdsUnsure) return
    const info = await this.#api.series(id).catch(() => undefined)
    if (info === undefined) return
    this.catalogue.update(info)
    this.topics.emit('data')
  }

  #subscribe(): void {
    this.#stream.want([...this.#visible.keys()].filter((id) => id > 0))
  }

  /** Asks for what the shown window of a series lacks. */
  #fillWindow(id: number): void {
    if (this.#areIdsUnsure || !this.#ensure(id) || id < 0) return
    const to = this.edge()
    const from = to - Math.max(this.window, this.#long.get(id) ?? 0)
    const data = this.data(id)
    const lacksStart = data === undefined || data.coveredTo === 0 || data.coveredFrom > from
    if (lacksStart || data.coveredTo < from) this.#fills.ask(id, from, to)
    else if (data.coveredTo < to) this.#fills.ask(id, data.coveredTo, to)
  }

  #ensure(id: number): boolean {
    const kind = this.catalogue.get(id)?.info.kind
    if (kind === undefined) return false
    const data = this.#live.get(id) ?? new SeriesData(kind)
    this.#live.delete(id)
    this.#live.set(id, data)
    this.#evict()
    if (this.pausedAt !== undefined && !this.#frozen.has(id)) {
      this.#frozen.set(id, new SeriesData(kind))
    }
    return true
  }

  /** Forgets those that have been off screen the longest. */
  #evict(): void {
    for (const id of this.#live.keys()) {
      if (this.#live.size <= KEPT_LIMIT) return
      if (!this.#visible.has(id)) this.#live.delete(id)
    }
  }

  #greet(hello: HelloEvent): void {
    const isAgain = this.hello !== undefined
    this.hello = hello
    // Another hello may be another hub, where the same ids mean other series.
    if (isAgain) {
      this.#areIdsUnsure = true
      this.#isReconnected = true
      this.#fills.drop()
      void this.#readCatalogue()
    } else {
      // A series that came between the first list and this stream was in neither.
      this.#readCatalogueSoon()
    }
    this.#hubAheadMs = hello.nowMs - Date.now()
    // The second before the present one is closed: what was missed up to it can be read back.
    this.newest = Math.max(this.newest, Math.floor(hello.nowMs / 1000) - 1)
    for (const id of this.#visible.keys()) this.#fillWindow(id)
  }

  #takeCells(event: CellsEvent): void {
    const second = secondOf(event.endMs)
    const seconds = Math.max(1, Math.round(event.intervalMs / 1000))
    if (this.#areIdsUnsure) {
      // What this second brought is read back once the list is here.
      this.newest = Math.max(this.newest, second)
      if (this.#readings === 0) void this.#readCatalogue()
      this.topics.emit('tick')
      return
    }
    const seen = new Set<number>()
    const take = ([id, cell]: readonly [number, CellJson]): void => {
      seen.add(id)
      const data = this.#live.get(id)
      if (data === undefined || !this.#visible.has(id)) return
      data.write(second, cell, seconds)
      data.lastData = Math.max(data.lastData, second)
    }
    for (const list of [event.counters, event.gauges, event.histograms, event.summaries]) {
      for (const pair of list) take(pair)
    }
    this.newest = Math.max(this.newest, second)
    for (const id of this.#visible.keys()) this.#close(id, second, seconds, seen.has(id))
    this.topics.emit('tick')
    if (second - this.#lastWatch >= WATCH_SECONDS) void this.#lookAround(second)
  }

  /** Marks a second as known, or asks for what is missing before it. */
  #close(id: number, second: number, seconds: number, hasCell: boolean): void {
    const data = this.#live.get(id)
    if (id < 0) return
    if (data === undefined || !this.#stream.carries(id, second)) {
      this.#fillWindow(id)
      return
    }
    if (!hasCell) {
      for (let at = second - seconds + 1; at <= second; at += 1) {
        data.writeQuiet(at, this.isStale(id))
      }
    }
    if (data.coveredTo >= second - seconds) data.coveredTo = Math.max(data.coveredTo, second)
    else this.#fillWindow(id)
  }

  #takeRange(answer: RangeAnswer, asked: readonly number[], from: number): void {
    const first = firstSecond(answer)
    const last = first + answer.length - 1
    const columns = new Map(answer.columns.map((column) => [column.id, column]))
    for (const id of asked) {
      const data = this.data(id)
      if (data === undefined) continue
      const column = columns.get(id)
      if (column !== undefined && column.kind === data.kind) {
        const since = this.catalogue.get(id)?.info.firstSeenMs ?? 0
        data.writeColumn(first, column, secondOf(since))
      }
      data.cover(Math.min(from, first - 1), last)
    }
    this.topics.emit('data')
  }

  #takeSources(answer: SourcesAnswer, endMs: number): void {
    this.sources = answer
    const second = Number.isFinite(endMs) && endMs > 0 ? secondOf(endMs) : this.edge()
    for (const dialect of answer.dialects) {
      let rates = this.#meters.get(dialect.name)
      if (rates === undefined) {
        rates = new MeterRates()
        this.#meters.set(dialect.name, rates)
      }
      rates.merge(second, dialect.recent)
    }
    this.topics.emit('sources')
  }

  #readCatalogueSoon(): void {
    this.#catalogueTimer ??= setTimeout(() => void this.#readCatalogue(), CATALOGUE_SETTLE_MS)
  }

  async #readCatalogue(): Promise<void> {
    clearTimeout(this.#catalogueTimer)
    this.#catalogueTimer = undefined
    const { hello } = this
    this.#readings += 1
    // Without an answer the stream's state says so already; the next news or minute tries again.
    const page = await this.#api.listSeries().catch(() => undefined)
    this.#readings -= 1
    // Asked of the hub before the last hello, the list may be that of another one.
    if (page === undefined || (this.#areIdsUnsure && hello !== this.hello)) return
    // What a restarted hub does not know yet stays until it is silent for long.
    const isReconnected = this.#isReconnected
    const change = this.catalogue.replace(
      page,
      ({ id }) => (isReconnected || id < 0) && !this.isStale(id),
    )
    for (const kept of [this.#live, this.#frozen]) renumber(kept, change)
    if (change.gone.size > 0 || change.moved.size > 0) this.watch.renumber(change)
    this.#areIdsUnsure = false
    this.#isReconnected = false
    this.topics.emit('catalogue')
    for (const id of this.#visible.keys()) {
      if (isReconnected || !this.data(id)) this.#fillWindow(id)
    }
    if (this.#lastWatch === 0 && this.newest > 0) void this.#lookAround(this.newest)
  }

  async #lookAround(second: number): Promise<void> {
    this.#lastWatch = second
    const entries = this.catalogue.entries.filter(
      ({ id, info }) => id > 0 && (info.dialect !== OWN_DIALECT || this.#visible.has(id)),
    )
    const isVisible = (id: number): boolean => this.#visible.has(id)
    await this.watch.round(entries, (id) => this.#live.get(id), isVisible, second)
    this.topics.emit('unusual')
  }
}
