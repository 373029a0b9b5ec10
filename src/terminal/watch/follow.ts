/**
 * Some series of a hub at an interval of one's own: which they are is looked up again whenever the
 * hub's list changes, and a stream that was cut goes on where it ended.
 */
import type { CellsEvent, HelloEvent } from '../../http/api.ts'
import { selectEntries } from '../../viewer/series/select.ts'
import { Catalogue, type Entry } from '../../viewer/store/catalogue.ts'
import { addressOf } from '../../viewer/store/hub-api.ts'
import { LiveStream } from '../../viewer/store/stream.ts'
import type { Hub } from '../hub/connect.ts'
import { findPast } from '../hub/find.ts'
import { pastCells } from './past.ts'

/** Series of one stream, as the hub takes them; and in an address. */
const SERIES_LIMIT = 5000
const ADDRESS_LIMIT = 1000
/** News of the list come in bursts when a sender starts. */
const SETTLE_MS = 150
const RETRY_LIST_MS = 2000
/** Silence beyond an interval after which a stream is taken for lost. */
const SILENCE_MS = 6000

interface FollowOptions {
  /** Words of the filter. */
  readonly filter: string
  readonly intervalS: number
  /** Unix ms of the time that is told of first; only what comes unless given. */
  readonly sinceMs?: number
}

interface FollowEvents {
  /** Tells which series there are; again whenever they change. */
  onSeries(entries: readonly Entry[]): void
  /** Tells an interval that was closed. */
  onCells(event: CellsEvent): void
  /** Tells that the stream is cut; it is opened again. */
  onLost(): void
  /** Waits until more of the past can be told. */
  isReady?(): Promise<void>
  /** Tells what of the past is not told, and why; what comes goes on. */
  onNoPast?(reason: string): void
}

export class Follow {
  readonly catalogue = new Catalogue()
  /** The series that match, at most as many as a stream carries. */
  entries: readonly Entry[] = []
  /** Number of times that the stream was cut. */
  losses = 0
  readonly #hub: Hub
  readonly #options: FollowOptions
  readonly #events: FollowEvents
  readonly #stream: LiveStream
  readonly #endConnection: () => void
  #lastEndMs: number | undefined
  #startId: string | undefined
  /** Whether ids may be those of a hub that was there before. */
  #areIdsUnsure = true
  #timer: ReturnType<typeof setTimeout> | undefined
  #isEnded = false

  constructor(hub: Hub, options: FollowOptions, events: FollowEvents) {
    this.#hub = hub
    this.#options = options
    this.#events = events
    const api = {
      // its interval is that of its address
      setSeries: (stream: string, series: readonly number[]) => hub.api.setSeries(stream, series),
      openStream: (series: readonly number[]) => this.#open(series),
    }
    const silenceMs = SILENCE_MS + 2000 * options.intervalS
    this.#stream = new LiveStream(
      api,
      {
        hello: (hello) => this.#greet(hello),
        cells: (event) => this.#take(event),
        series: ({ revision }) => {
          if (revision !== this.catalogue.revision) this.#readSoon(SETTLE_MS)
        },
        sources() {},
        samples() {},
        carried() {},
      },
      silenceMs,
    )
    const { connection } = this.#stream
    let wasLive = false
    this.#endConnection = connection.subscribe(({ state }) => {
      if (state === 'lost' && wasLive) {
        this.losses++
        events.onLost()
      }
      wasLive = state === 'live'
    })
  }

  start(): void {
    const { sinceMs } = this.#options
    if (sinceMs === undefined) this.#stream.open()
    else void this.#tellPast(sinceMs)
  }

  /** Tells of the past up to the newest whole interval, from which the stream goes on. */
  async #tellPast(sinceMs: number): Promise<void> {
    await this.#read()
    const { intervalS } = this.#options
    const living = this.entries
    const past = await this.#findPast(sinceMs)
    if (past.length > 0) this.#show([...living, ...past])
    const ids = this.entries.map(({ id }) => id)
    try {
      for await (const event of pastCells(this.#hub.api, { ids, sinceMs, intervalS })) {
        if (this.#isEnded) return
        this.#take(event)
        await this.#events.isReady?.()
      }
    } catch (error) {
      this.#events.onNoPast?.(`the past is not told: ${(error as Error).message}`)
    }
    if (this.#isEnded) return
    if (past.length > 0) this.#show(living)
    this.#stream.open()
  }

  /** Finds series that are no more, and says how many besides are not told. */
  async #findPast(sinceMs: number): Promise<readonly Entry[]> {
    const { onNoPast } = this.#events
    try {
      const { entries, more } = await findPast(this.#hub, this.#options.filter, sinceMs)
      if (more > 0) onNoPast?.(`${more} more series of that time: narrow the words`)
      return entries
    } catch (error) {
      onNoPast?.(`series that are no more are not told: ${(error as Error).message}`)
      return []
    }
  }

  #show(entries: readonly Entry[]): void {
    this.entries = entries
    this.#events.onSeries(entries)
  }

  stop(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#endConnection()
    this.#stream.close()
  }

  #open(series: readonly number[]) {
    const ids = series.slice(0, ADDRESS_LIMIT).join(',')
    const path = addressOf(`/live?series=${ids}&interval=${this.#options.intervalS}`)
    const lastEventId = this.#lastEndMs === undefined ? undefined : String(this.#lastEndMs)
    return this.#hub.connection.openStream(path, { lastEventId })
  }

  #greet({ startId }: HelloEvent): void {
    // what was listed before the first stream is this hub's
    const isListed = this.#startId === undefined && this.catalogue.isLoaded
    if (startId !== this.#startId && !isListed) this.#areIdsUnsure = true
    this.#startId = startId
    if (!isListed) void this.#read()
  }

  #take(event: CellsEvent): void {
    this.#lastEndMs = event.endMs
    if (!this.#areIdsUnsure) this.#events.onCells(event)
  }

  #readSoon(afterMs: number): void {
    if (this.#isEnded) return
    this.#timer ??= setTimeout(() => void this.#read(), afterMs)
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const startId = this.#startId
    const page = await this.#hub.api.listSeries().catch(() => undefined)
    if (this.#isEnded || startId !== this.#startId) return
    if (page === undefined) {
      this.#readSoon(RETRY_LIST_MS)
      return
    }
    this.catalogue.replace(page)
    const choice = { q: this.#options.filter, kind: '', source: '' }
    const found = selectEntries(this.catalogue.entries, choice, (id) => this.#isStale(id))
    this.entries = found.slice(0, SERIES_LIMIT)
    this.#areIdsUnsure = false
    this.#stream.want(this.entries.map(({ id }) => id))
    this.#events.onSeries(this.entries)
  }

  #isStale(id: number): boolean {
    return this.catalogue.get(id)?.info.isStale === true
  }
}
