/**
 * Some series of a hub at an interval of one's own: which they are is looked up again whenever the
 * hub's list changes, and a stream that was cut goes on where it ended.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { HelloEvent, SeriesPage } from '../../http/api.ts'
import { selectEntries } from '../../viewer/series/select.ts'
import { Catalogue, type Entry } from '../../viewer/store/catalogue.ts'
import { addressOf } from '../../viewer/store/hub-api.ts'
import { LiveStream } from '../../viewer/store/stream.ts'
import type { Hub } from '../hub/connect.ts'
import { type Found, findSeries } from '../hub/find.ts'
import type { WatchedEvent } from './cell-lanes.ts'
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
  /** The series, where they were looked for already. */
  readonly found?: Found
}

interface FollowEvents {
  /** Tells which series there are; again whenever they change. */
  onSeries(entries: readonly Entry[]): void
  /** Tells an interval that was closed. */
  onCells(event: WatchedEvent): void
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
    const { intervalS } = this.#options
    const { onNoPast } = this.#events
    const found = this.#options.found ?? (await this.#find(sinceMs))
    if (found === undefined || this.#isEnded) return
    const { page, past, note } = found
    if (note !== undefined) onNoPast?.(note)
    this.#list(page)
    const living = this.entries
    this.#show([...living, ...past])
    const ids = this.entries.map(({ id }) => id)
    const asked = { ids, sinceMs, intervalS, nowMs: Date.now() }
    try {
      for await (const event of pastCells(this.#hub.api, asked)) {
        if (this.#isEnded) return
        this.#take(event)
        await this.#events.isReady?.()
      }
    } catch (error) {
      onNoPast?.(`the past is not told: ${(error as Error).message}`)
    }
    if (this.#isEnded) return
    if (past.length > 0) this.#show(living)
    this.#stream.open()
  }

  /** Finds the series of now and of the past; a hub that does not answer yet is asked again. */
  async #find(sinceMs: number): Promise<Found | undefined> {
    for (let losses = 0; !this.#isEnded; losses++) {
      try {
        return await findSeries(this.#hub, this.#options.filter, sinceMs)
      } catch {
        if (losses === 0) this.#events.onLost()
        await pause(RETRY_LIST_MS)
      }
    }
    return undefined
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

  #take(event: WatchedEvent): void {
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
    this.#list(page)
    this.#events.onSeries(this.entries)
  }

  #list(page: SeriesPage): void {
    this.catalogue.replace(page)
    const choice = { q: this.#options.filter, kind: '', source: '' }
    const found = selectEntries(this.catalogue.entries, choice, (id) => this.#isStale(id))
    this.entries = found.slice(0, SERIES_LIMIT)
    this.#areIdsUnsure = false
    this.#stream.want(this.entries.map(({ id }) => id))
  }

  #isStale(id: number): boolean {
    return this.catalogue.get(id)?.info.isStale === true
  }
}
