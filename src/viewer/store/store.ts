/**
 * The one store of the page: clock, cache, and the sources that fill it. The stream brings what is
 * on screen, history what it lacks, polling the hub's other answers; components read signals.
 */
import { signal } from '@preact/signals-core'
import type {
  CellsEvent,
  DeletionAnswer,
  HelloEvent,
  RangeAnswer,
  SamplesEvent,
  SeriesInfo,
  SourcesAnswer,
} from '../../http/api.ts'
import { MEMORY_S, stepOf } from '../chart/time-window.ts'
import { PastList, type PastSpan } from '../series/past-list.ts'
import { SeriesCache, Shelf, secondsOf } from './cache.ts'
import { Catalogue } from './catalogue.ts'
import { Clock } from './clock.ts'
import { type HubApi, RefusedRequest } from './hub-api.ts'
import { Polling, type Visibility } from './polling.ts'
import { Readings } from './readings.ts'
import { type SeriesData, secondOf } from './series-data.ts'
import { LiveStream } from './stream.ts'
import { type Compared, Subscriptions } from './subscriptions.ts'
import { Watch } from './usual/watch.ts'

/** Totals of what is shown are looked after this often. */
const ROUND_MS = 10_000
/** A list that is refused without a time to ask again is asked for after so long. */
const REFUSED_MS = 30_000
/** Pause after a list that did not come. */
const LATE_MS = 2000
/** News of the list come in bursts when a sender starts. */
const SETTLE_MS = 150
/** Share of the time in which the whole list is read at most, however often it changes. */
const LIST_SHARE = 0.05
/** Seconds between two computations of what is unusual. */
const WATCH_SECONDS = 5
/** Statistics of one series since its start are read again this often. */
const STATISTICS_MS = 5000

/** Viewer that keeps what the stream brings itself, while the ids of the stream are certain. */
export interface StreamTap {
  /** Says that a stream has begun: what was missed can be read back. */
  hello(event: HelloEvent): void
  /** Says that the stream carries what was asked for last, or some of it. */
  carried(): void
  /** @param isWhole tells of a series whether the stream has all there is of this second */
  cells(event: CellsEvent, isWhole: (id: number) => boolean): void
  samples(event: SamplesEvent): void
}

export class Store {
  readonly catalogue = new Catalogue()
  readonly cache = new SeriesCache()
  readonly sources = signal<SourcesAnswer | undefined>(undefined)
  readonly clock: Clock
  readonly screen: Subscriptions
  readonly polling: Polling
  readonly watch: Watch
  readonly past: PastList
  hello: HelloEvent | undefined
  /** Time when the hub was found to have started anew, Unix ms; undefined until it has. */
  readonly restartedMs = signal<number | undefined>(undefined)
  readonly api: HubApi
  readonly #stream: LiveStream
  readonly #readings: Readings
  readonly #taps = new Set<StreamTap>()
  #listTimer: ReturnType<typeof setTimeout> | undefined
  /** Time of the newest whole list, and what it took to read it. */
  #listMs = 0
  #listTookMs = 0
  #lastWatch = 0
  #isReconnected = false
  /** Series of which an earlier time is shown besides. */
  #compared: Compared | undefined
  /** Seconds of the steps that were found to be all there is, with the time before which. */
  readonly #coarse = new Map<number, number>()
  #stopTimers = (): void => {}
  /** Lists that are being read. */
  #lists = 0

  /** @param page whether it can be seen; without, it always can */
  constructor(api: HubApi, page?: Visibility) {
    const { cache, catalogue } = this
    this.api = api
    this.past = new PastList(api, catalogue)
    this.watch = new Watch(
      api,
      {
        kindOf: (id) => catalogue.get(id)?.info.kind,
        dataOf: (id) => cache.live.get(id),
        shown: () => this.screen.ids(),
      },
      page,
    )
    this.polling = new Polling(api, page)
    this.#stream = new LiveStream(api, {
      hello: (hello) => this.#greet(hello),
      cells: (cells) => this.#takeCells(cells),
      samples: (samples) => {
        if (this.screen.areIdsUnsure) return
        for (const tap of this.#taps) tap.samples(samples)
      },
      carried: () => {
        for (const tap of this.#taps) tap.carried()
      },
      series: (event) => {
        // Until the first list is here, it is on its way.
        if (!catalogue.isLoaded || event.revision === catalogue.revision) return
        this.#readNewsSoon()
      },
      sources: (answer, endMs) => this.#takeSources(answer, endMs),
    })
    const clock = new Clock(this.#stream.connection)
    this.clock = clock
    const want = (ids: readonly number[], intervalS: number): void =>
      this.#stream.want(ids, intervalS)
    this.#readings = new Readings(
      api,
      () => this.screen.ids(),
      (series) => this.#takeReadings(series),
    )
    this.screen = new Subscriptions({
      ...{ api, cache, catalogue, clock, want },
      shown: () => {
        this.#readings.refresh()
        this.watch.shownChanged()
      },
      earlier: () => this.#compared,
      take: (shelf, answer, asked, from) => this.#takeRange(shelf, answer, asked, from),
    })
  }

  start(): void {
    this.#stream.open()
    this.watch.restart()
    void this.#readCatalogue()
    const timers = [
      setInterval(() => {
        // What the hub does not list leaves once it is silent for long.
        if (this.catalogue.hasDeparted) void this.#readCatalogue()
        else this.#readings.refresh()
      }, ROUND_MS),
      // While nothing arrives the picture moves by itself, so that the gap grows visibly.
      setInterval(() => {
        if (this.#isLost) this.clock.tick.value += 1
      }, 1000),
    ]
    this.#stopTimers = () => {
      for (const timer of timers) clearInterval(timer)
    }
  }

  /** Stops asking and listening; what is known stays. */
  stop(): void {
    this.#stopTimers()
    clearTimeout(this.#listTimer)
    this.#readings.stop()
    this.past.stop()
    this.watch.stop()
    this.#stream.close()
  }

  retryNow(): void {
    if (this.#isLost) this.#stream.open()
  }

  /** Hands on what the stream brings. @returns a function that ends it */
  tap(tap: StreamTap): () => void {
    this.#taps.add(tap)
    return () => {
      this.#taps.delete(tap)
    }
  }

  /** Tells whether the stream carries a series by now. */
  carries(id: number): boolean {
    return this.#stream.has(id)
  }

  /** Finds data of the picture that is shown. */
  data(id: number): SeriesData | undefined {
    return this.cache.shown(id)
  }

  /** Finds data of the earlier time that is compared. */
  earlier(id: number): SeriesData | undefined {
    return this.cache.earlier?.get(id)
  }

  /** Finds the data that numbers are read from: of now those of the newest seconds. */
  readings(id: number, hasCursor: boolean): SeriesData | undefined {
    const isNow = !hasCursor && this.clock.pausedAt.peek() === undefined
    return isNow ? this.cache.live.get(id) : this.cache.shown(id)
  }

  /** Gives Unix ms of the newest thing known to have arrived for a series. */
  lastDataMs(id: number): number {
    const listed = this.catalogue.get(id)?.info.lastDataMs ?? 0
    return Math.max(listed, (this.cache.live.get(id)?.lastData ?? 0) * 1000)
  }

  isStale(id: number): boolean {
    const limit = this.hello?.staleAfterMs
    const entry = this.catalogue.get(id)
    if (entry === undefined) return true
    if (limit === undefined) return entry.info.isStale
    const told = this.screen.has(id) ? undefined : this.watch.isStale(id)
    if (told !== undefined) return told
    return this.clock.silenceEndMs() - this.lastDataMs(id) > limit
  }

  /** Tells whether a series is silent, and has nothing in the time that is shown. */
  isIdle(id: number): boolean {
    const span = this.#pastSpan()
    return this.isStale(id) && !(span !== undefined && this.lastDataMs(id) > span.from * 1000)
  }

  /** Lists the series besides that lived in the time that is shown, where that may be over. */
  lookBack(words: string): void {
    this.past.show(words, this.#pastSpan())
  }

  /** Gives the time that is shown, where it is held or longer than what the hub has in memory. */
  #pastSpan(): PastSpan | undefined {
    const { pausedAt, window } = this.clock
    const [at, seconds] = [pausedAt.peek(), window.peek()]
    if (at === undefined && seconds <= MEMORY_S) return undefined
    const to = at ?? this.clock.liveEdge()
    return { from: to - seconds, to }
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
    this.#frame()
  }

  /** @param at Unix second of a picture from history; absent for the one that is on screen */
  pause(at = this.clock.edge()): void {
    this.clock.pausedAt.value = at
    this.#frame()
  }

  resume(): void {
    this.clock.pausedAt.value = undefined
    this.#frame()
  }

  /** Shows an earlier time of one series besides. @returns a function that ends it */
  compare(id: number, before: number): () => void {
    const compared = { id, before }
    this.#compared = compared
    this.cache.earlier = undefined
    this.#frame()
    return () => {
      if (this.#compared !== compared) return
      this.#compared = undefined
      this.#frame()
    }
  }

  /** Chooses the step of what is shown, begins the pictures of it, and asks for what they lack. */
  #frame(): void {
    const { cache, clock } = this
    const at = clock.pausedAt.peek()
    const window = clock.window.peek()
    const from = (at ?? clock.liveEdge()) - window - (this.#compared?.before ?? 0)
    let step = stepOf(window)
    for (const [wide, before] of this.#coarse) if (from < before) step = Math.max(step, wide)
    clock.step.value = step
    // What is held already is moved: a pause is one picture, however far one looks back in it.
    if (at === undefined && step === 1) cache.showLive()
    else if (cache.picture?.step !== step) cache.begin(step, this.screen.ids())
    if (this.#compared === undefined) cache.earlier = undefined
    else if (cache.earlier?.step !== step) cache.earlier = new Shelf(step)
    this.screen.fillAll()
  }

  #takeRange(shelf: Shelf, answer: RangeAnswer, asked: readonly number[], from: number): void {
    const { cache, catalogue } = this
    const isLive = shelf === cache.live
    const stepS = answer.stepMs / 1000
    if (!isLive && stepS > shelf.step) {
      this.#coarse.set(stepS, Math.max(from + 1, this.#coarse.get(stepS) ?? 0))
      this.#frame()
      return
    }
    shelf.take(answer, asked, from, (id) => catalogue.get(id)?.info, isLive)
    cache.version.value += 1
  }

  /** Keeps the entry of one series new: statistics, totals, rates. Call the answer to end it. */
  follow(id: number): () => void {
    // A series that a restarted hub does not know yet has no address.
    if (id < 0) return () => {}
    return this.polling.read<SeriesInfo>(`/series/${id}`, { leastMs: STATISTICS_MS }, (next) => {
      if (next.answer === undefined || this.screen.areIdsUnsure) return
      this.#takeReadings([next.answer])
    })
  }

  /** Deletes one series on the hub, and reads the list again, which lacks it then. */
  async deleteSeries(id: number): Promise<DeletionAnswer> {
    const answer = await this.api.deleteSeries(id)
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
      this.past.renew()
      this.watch.stop()
      void this.#readCatalogue()
    } else {
      // A series that came between the first list and this stream was in neither.
      this.#readNewsSoon()
    }
    // What was missed up to the second that is closed now can be read back.
    if (this.clock.set(hello.nowMs)) {
      this.cache.forget()
      this.#lastWatch = 0
    }
    this.screen.fillAll()
    for (const tap of this.#taps) tap.hello(hello)
  }

  #takeCells(event: CellsEvent): void {
    const second = secondOf(event.endMs)
    if (this.screen.areIdsUnsure) {
      // What this second brought is read back once the list is here.
      if (this.#lists === 0) void this.#readCatalogue()
    }
    const isKnown = !this.screen.areIdsUnsure
    const seen = isKnown ? this.cache.takeCells(event, this.screen.has) : undefined
    this.clock.pass(second)
    if (seen !== undefined) {
      for (const id of this.screen.ids()) this.#close(id, second, secondsOf(event), seen.has(id))
      if (this.cache.picture !== undefined || this.cache.earlier !== undefined) {
        this.screen.fillAll()
      }
    }
    if (isKnown) {
      const isWhole = (id: number): boolean => this.#stream.carries(id, second)
      for (const tap of this.#taps) tap.cells(event, isWhole)
    }
    this.clock.tick.value += 1
    if (isKnown && second - this.#lastWatch >= WATCH_SECONDS) this.#lookAround(second)
  }

  /** Marks a second as known, or asks for what is missing before it. */
  #close(id: number, second: number, seconds: number, hasCell: boolean): void {
    const data = this.cache.live.get(id)
    if (id < 0 || this.catalogue.get(id)?.info.isPast === true) return
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

  #takeReadings(series: readonly SeriesInfo[]): void {
    this.catalogue.update(series)
    this.cache.version.value += 1
  }

  #readNewsSoon(): void {
    this.#listTimer ??= setTimeout(() => void this.#readNews(), SETTLE_MS)
  }

  /**
   * Reads what has come since the list was read. Where that does not explain the hub's revision,
   * something left or changed: the whole list is read again, but it may be long, and not too often.
   */
  async #readNews(): Promise<void> {
    this.#listTimer = undefined
    const { catalogue, screen, hello } = this
    const isSure = catalogue.isLoaded && !screen.areIdsUnsure && !catalogue.hasDeparted
    if (!isSure || this.#isLost) return this.#readCatalogue()
    const { revision, lastId } = catalogue
    const news = await this.api.listSeries({ after: lastId }).catch(() => undefined)
    const isOld = hello !== this.hello || catalogue.revision !== revision
    if (isOld || screen.areIdsUnsure) return
    catalogue.add(news?.series ?? [])
    this.#fillShown((id) => this.data(id) === undefined)
    if (news !== undefined && news.revision - revision === news.series.length) {
      catalogue.revision = news.revision
      return
    }
    const pauseMs = this.#listTookMs / LIST_SHARE - (Date.now() - this.#listMs)
    this.#listTimer ??= setTimeout(() => void this.#readCatalogue(), Math.max(SETTLE_MS, pauseMs))
  }

  async #readCatalogue(): Promise<void> {
    clearTimeout(this.#listTimer)
    this.#listTimer = undefined
    const { hello } = this
    const startMs = Date.now()
    this.#lists += 1
    const page = await this.api.listSeries().catch((error: unknown) => this.#noList(error))
    this.#lists -= 1
    // Asked of the hub before the last hello, the list may be that of another one.
    if (page === undefined || (this.screen.areIdsUnsure && hello !== this.hello)) return
    this.#listMs = Date.now()
    this.#listTookMs = this.#listMs - startMs
    this.#readings.haveAll()
    // What a restarted hub does not know yet stays until it is silent for long. It may have
    // answered before its stream does.
    const isReconnected = this.#isReconnected
    const isKept = isReconnected || this.#isLost
    const change = this.catalogue.replace(page, ({ id }) => {
      return (isKept || id < 0) && !this.isStale(id)
    })
    this.cache.renumber(change)
    if (isReconnected || change.moved.size > 0) this.watch.restart()
    this.screen.areIdsUnsure = false
    this.#isReconnected = false
    this.#fillShown((id) => isReconnected || this.data(id) === undefined)
    for (const tap of this.#taps) tap.carried()
    const { newest } = this.clock
    if (this.#lastWatch === 0 && newest > 0) this.#lookAround(newest)
  }

  get #isLost(): boolean {
    return this.clock.connection.peek().state === 'lost'
  }

  #fillShown(isLacking: (id: number) => boolean): void {
    for (const id of this.screen.ids()) if (isLacking(id)) this.screen.fill(id)
  }

  /** Tells why there is no list, and asks for it again. */
  #noList(error: unknown): undefined {
    const refused = error instanceof RefusedRequest ? error : undefined
    // Without a connection the stream's state says so, and its next hello asks again.
    if (!refused && this.#isLost) return
    this.catalogue.refusal.value = refused?.reason
    const askedMs = refused ? (refused.retryAfterMs ?? REFUSED_MS) : LATE_MS
    const afterMs = Math.max(SETTLE_MS, askedMs)
    this.#listTimer ??= setTimeout(() => void this.#readCatalogue(), afterMs)
  }

  #lookAround(second: number): void {
    this.#lastWatch = second
    this.watch.round(second)
  }
}
