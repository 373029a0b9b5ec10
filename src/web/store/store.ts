/**
 * The one store of the page: clock, cache, and the sources that fill it. The stream brings what is
 * on screen, history what it lacks, polling the hub's other answers; components read signals.
 */
import { signal } from '@preact/signals'
import type {
  CellsEvent,
  DeletionAnswer,
  HelloEvent,
  SeriesInfo,
  SourcesAnswer,
} from '../../http/api.ts'
import { SeriesCache, secondsOf } from './cache.ts'
import { Catalogue, OWN_DIALECT } from './catalogue.ts'
import { Clock } from './clock.ts'
import { type HubApi, RefusedRequest } from './hub-api.ts'
import { Polling, type Visibility } from './polling.ts'
import { type SeriesData, secondOf } from './series-data.ts'
import { LiveStream } from './stream.ts'
import { Subscriptions } from './subscriptions.ts'
import { Watch } from './usual/watch.ts'

/** The list is read again this often even without news, for totals and silence. */
const CATALOGUE_MS = 30_000
/** News of the list come in bursts when a sender starts. */
const CATALOGUE_SETTLE_MS = 150
/** Seconds between two computations of what is unusual. */
const WATCH_SECONDS = 5
/** Statistics of one series since its start are read again this often. */
const STATISTICS_MS = 5000

export class Store {
  readonly catalogue = new Catalogue()
  readonly cache = new SeriesCache()
  readonly sources = signal<SourcesAnswer | undefined>(undefined)
  readonly clock: Clock
  readonly screen: Subscriptions
  readonly polling: Polling
  readonly watch: Watch
  hello: HelloEvent | undefined
  /** Time when the hub was found to have started anew, Unix ms; undefined until it has. */
  readonly restartedMs = signal<number | undefined>(undefined)
  readonly #api: HubApi
  readonly #stream: LiveStream
  #catalogueTimer: ReturnType<typeof setTimeout> | undefined
  #lastWatch = 0
  #isReconnected = false
  #readings = 0

  /** @param page whether it can be seen; without, it always can */
  constructor(api: HubApi, page?: Visibility) {
    const { cache, catalogue } = this
    this.#api = api
    this.watch = new Watch(api)
    this.polling = new Polling(api, page)
    this.#stream = new LiveStream(api, {
      hello: (hello) => this.#greet(hello),
      cells: (cells) => this.#takeCells(cells),
      series: (event) => {
        // Until the first list is here, it is on its way.
        if (!catalogue.isLoaded || event.revision === catalogue.revision) return
        this.#readCatalogueSoon()
      },
      sources: (answer, endMs) => this.#takeSources(answer, endMs),
    })
    const clock = new Clock(this.#stream.connection)
    this.clock = clock
    const want = (ids: readonly number[]): void => this.#stream.want(ids)
    this.screen = new Subscriptions({
      ...{ api, cache, catalogue, clock, want },
      take: (answer, asked, from) => {
        cache.takeRange(answer, asked, from, (id) => catalogue.get(id)?.info.firstSeenMs ?? 0)
      },
    })
  }

  start(): void {
    this.#stream.open()
    void this.#readCatalogue()
    setInterval(() => void this.#readCatalogue(), CATALOGUE_MS)
    // While nothing arrives the picture moves by itself, so that the gap grows visibly.
    setInterval(() => {
      if (this.clock.connection.peek().state === 'lost') this.clock.tick.value += 1
    }, 1000)
  }

  retryNow(): void {
    if (this.clock.connection.peek().state === 'lost') this.#stream.open()
  }

  data(id: number): SeriesData | undefined {
    return this.cache.shown(id)
  }

  /** Gives Unix ms of the newest thing known to have arrived for a series. */
  lastDataMs(id: number): number {
    const listed = this.catalogue.get(id)?.info.lastDataMs ?? 0
    return Math.max(listed, (this.cache.live(id)?.lastData ?? 0) * 1000)
  }

  isStale(id: number): boolean {
    const limit = this.hello?.staleAfterMs
    const entry = this.catalogue.get(id)
    if (entry === undefined) return true
    if (limit === undefined) return entry.info.isStale
    return this.clock.silenceEndMs() - this.lastDataMs(id) > limit
  }

  /** Tells whether the peer that a series comes from is not there. */
  isAway(id: number): boolean {
    const peers = this.sources.peek()?.peers
    if (peers === undefined) return false
    const source = this.catalogue.get(id)?.info.source
    return peers.some((peer) => peer.source === source && peer.state !== 'connected')
  }

  setWindow(seconds: number): void {
    if (seconds === this.clock.window.peek()) return
    this.clock.window.value = seconds
    this.screen.fillAll()
  }

  /** @param at Unix second of a picture from history; absent for the one that is on screen */
  pause(at = this.clock.edge()): void {
    this.cache.freeze(this.screen.ids())
    this.clock.pausedAt.value = at
    this.screen.fillAll()
  }

  resume(): void {
    this.cache.thaw()
    this.clock.pausedAt.value = undefined
    this.screen.fillAll()
  }

  /** Keeps the entry of one series new: statistics, totals, rates. Call the answer to end it. */
  follow(id: number): () => void {
    // A series that a restarted hub does not know yet has no address.
    if (id < 0) return () => {}
    return this.polling.read<SeriesInfo>(`/series/${id}`, { leastMs: STATISTICS_MS }, (next) => {
      if (next.answer === undefined || this.screen.areIdsUnsure) return
      this.catalogue.update(next.answer)
      this.cache.version.value += 1
    })
  }

  /** Deletes one series on the hub, and reads the list again, which lacks it then. */
  async deleteSeries(id: number): Promise<DeletionAnswer> {
    const answer = await this.#api.deleteSeries(id)
    if (answer.deleted > 0) void this.#readCatalogue()
    return answer
  }

  #greet(hello: HelloEvent): void {
    const isAgain = this.hello !== undefined
    if (isAgain && this.hello?.startId !== hello.startId) this.restartedMs.value = hello.nowMs
    this.hello = hello
    // Another hello may be another hub, where the same ids mean other series.
    if (isAgain) {
      this.#isReconnected = true
      this.screen.distrust()
      void this.#readCatalogue()
    } else {
      // A series that came between the first list and this stream was in neither.
      this.#readCatalogueSoon()
    }
    // What was missed up to the second that is closed now can be read back.
    if (this.clock.set(hello.nowMs)) {
      this.cache.forget()
      this.#lastWatch = 0
    }
    this.screen.fillAll()
  }

  #takeCells(event: CellsEvent): void {
    const second = secondOf(event.endMs)
    if (this.screen.areIdsUnsure) {
      // What this second brought is read back once the list is here.
      if (this.#readings === 0) void this.#readCatalogue()
    }
    const isKnown = !this.screen.areIdsUnsure
    const seen = isKnown ? this.cache.takeCells(event, this.screen.has) : undefined
    this.clock.pass(second)
    if (seen !== undefined) {
      for (const id of this.screen.ids()) this.#close(id, second, secondsOf(event), seen.has(id))
    }
    this.clock.tick.value += 1
    if (isKnown && second - this.#lastWatch >= WATCH_SECONDS) void this.#lookAround(second)
  }

  /** Marks a second as known, or asks for what is missing before it. */
  #close(id: number, second: number, seconds: number, hasCell: boolean): void {
    const data = this.cache.live(id)
    if (id < 0) return
    if (data === undefined || !this.#stream.carries(id, second)) {
      this.screen.fill(id)
      return
    }
    if (!hasCell) {
      for (let at = second - seconds + 1; at <= second; at += 1) {
        data.writeQuiet(at, this.isStale(id), this.isAway(id))
      }
    }
    if (data.coveredTo >= second - seconds) data.coveredTo = Math.max(data.coveredTo, second)
    else this.screen.fill(id)
  }

  #takeSources(answer: SourcesAnswer, endMs: number): void {
    const second = Number.isFinite(endMs) && endMs > 0 ? secondOf(endMs) : this.clock.edge()
    this.cache.takeRates(second, answer.dialects)
    this.sources.value = answer
  }

  #readCatalogueSoon(): void {
    this.#catalogueTimer ??= setTimeout(() => void this.#readCatalogue(), CATALOGUE_SETTLE_MS)
  }

  async #readCatalogue(): Promise<void> {
    clearTimeout(this.#catalogueTimer)
    this.#catalogueTimer = undefined
    const { hello } = this
    this.#readings += 1
    const page = await this.#api.listSeries().catch((error: unknown) => this.#noList(error))
    this.#readings -= 1
    // Asked of the hub before the last hello, the list may be that of another one.
    if (page === undefined || (this.screen.areIdsUnsure && hello !== this.hello)) return
    // What a restarted hub does not know yet stays until it is silent for long.
    const isReconnected = this.#isReconnected
    const change = this.catalogue.replace(
      page,
      ({ id }) => (isReconnected || id < 0) && !this.isStale(id),
    )
    this.cache.renumber(change)
    if (change.gone.size > 0 || change.moved.size > 0) this.watch.renumber(change)
    this.screen.areIdsUnsure = false
    this.#isReconnected = false
    for (const id of this.screen.ids()) {
      if (isReconnected || !this.data(id)) this.screen.fill(id)
    }
    const { newest } = this.clock
    if (this.#lastWatch === 0 && newest > 0) void this.#lookAround(newest)
  }

  /** Tells why there is no list, and asks for it again. */
  #noList(error: unknown): undefined {
    // Without a connection the stream's state says so, and its next hello asks again.
    if (!(error instanceof RefusedRequest)) return
    this.catalogue.refusal.value = error.reason
    const afterMs = Math.max(CATALOGUE_SETTLE_MS, error.retryAfterMs ?? CATALOGUE_MS)
    this.#catalogueTimer ??= setTimeout(() => void this.#readCatalogue(), afterMs)
  }

  async #lookAround(second: number): Promise<void> {
    this.#lastWatch = second
    const entries = this.catalogue.entries.filter(
      ({ id, info }) => id > 0 && (info.dialect !== OWN_DIALECT || this.screen.has(id)),
    )
    await this.watch.round(entries, (id) => this.cache.live(id), this.screen.has, second)
  }
}
