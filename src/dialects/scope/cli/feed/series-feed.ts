/** Series of a hub, of any dialect: those that match, their past first, then sample by sample. */
import { effect, untracked } from '@preact/signals-core'
import type { HubAddress } from '../../../../terminal/hub/address.ts'
import { connectHub } from '../../../../terminal/hub/connect.ts'
import { type Clock, nsOfMs } from '../../../../time/clock.ts'
import { HubFeed } from '../../../../viewer/board/hub-feed.ts'
import { type BoardSeries, boardSeries, type Statistic } from '../../../../viewer/board/measures.ts'
import { counted } from '../../../../viewer/format/number.ts'
import { selectEntries } from '../../../../viewer/series/select.ts'
import type { Entry } from '../../../../viewer/store/catalogue.ts'
import { Store } from '../../../../viewer/store/store.ts'
import type { FeedBoard, FeedStatus, ScopeFeed } from './feed.ts'

interface SeriesOptions {
  readonly hub: HubAddress
  /** Words that series have to match, as the filter of the page. */
  readonly selector: string
  readonly intervalS: number
  readonly statistics: readonly Statistic[]
}

/** Series that are followed at most: those beyond are said to be there. */
const SERIES_LIMIT = 1000
const lines = counted('series', 'series')

export class SeriesFeed implements ScopeFeed {
  readonly title: string
  readonly whenEmpty: string
  readonly #options: SeriesOptions
  readonly #board: FeedBoard
  readonly #clock: Clock
  readonly #onChange: () => void
  #store: Store | undefined
  #feed: HubFeed | undefined
  #stops: readonly (() => void)[] = []
  #isClosed = false
  /** Series that match, of which those beyond the limit are not followed. */
  #total = 0
  #key = ''
  #losses = 0

  /** @param onChange called when samples came, or the state is another one */
  constructor(options: SeriesOptions, board: FeedBoard, clock: Clock, onChange: () => void) {
    const { hub, selector } = options
    this.title = selector === '' ? hub.name : `${hub.name}  ${selector}`
    const which = selector === '' ? 'The hub has no series' : `No series matches “${selector}”`
    this.whenEmpty = `${which} so far. One that comes appears here by itself.`
    this.#options = options
    this.#board = board
    this.#clock = clock
    this.#onChange = onChange
  }

  get errors(): number {
    return this.#losses
  }

  /** @throws {CommandError} where no hub answers, or something that is none */
  async start(): Promise<void> {
    const { api } = await connectHub(this.#options.hub)
    if (this.#isClosed) return
    const store = new Store(api)
    const board = this.#board
    this.#store = store
    const onFed = this.#onChange
    this.#feed = new HubFeed({ store, board, windowS: () => board.windowS, onFed })
    this.#stops = [
      effect(() => {
        store.catalogue.version.value
        untracked(() => this.#choose(store))
      }),
      effect(() => {
        if (store.clock.connection.value.state === 'lost') this.#losses++
        untracked(this.#onChange)
      }),
    ]
    store.start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#stops) stop()
    this.#feed?.close()
    this.#store?.stop()
  }

  status(): FeedStatus {
    const { intervalS } = this.#options
    const followed = Math.min(this.#total, SERIES_LIMIT)
    const facts = [`${Number((1000 * intervalS).toPrecision(6))} ms`, lines(followed)]
    const beyond = this.#total - followed
    const troubles = beyond > 0 ? [`${lines(beyond)} beyond ${SERIES_LIMIT}`] : []
    const connection = this.#store?.clock.connection.peek() ?? { state: 'connecting' as const }
    if (connection.state === 'lost') {
      const waitMs = connection.retryAtMs - Date.now()
      const retryAtNs = this.#clock.monotonicNs() + nsOfMs(Math.max(0, waitMs))
      const lastError = 'no connection to the hub'
      return { state: 'offline', facts, troubles, lastError, retryAtNs }
    }
    const state = connection.state === 'live' ? 'online' : 'connecting'
    return { state, facts, troubles, lastError: undefined, retryAtNs: undefined }
  }

  /** Follows what matches now; nothing changes for those that did before. */
  #choose(store: Store): void {
    if (!store.catalogue.isLoaded) return
    const { selector, intervalS, statistics } = this.#options
    const found = chosen(store.catalogue.entries, selector, (id) => store.isStale(id))
    this.#total = found.length
    const series: readonly BoardSeries[] = boardSeries(found.slice(0, SERIES_LIMIT), statistics)
    const key = JSON.stringify(series)
    if (key === this.#key) return
    this.#key = key
    this.#feed?.follow(series, intervalS)
    this.#onChange()
  }
}

/** Selects by the whole text of a series where one has it, else by words. */
function chosen(
  all: readonly Entry[],
  selector: string,
  isStale: (id: number) => boolean,
): readonly Entry[] {
  const named = all.filter(({ text }) => text === selector)
  if (named.length > 0) return named
  return selectEntries(all, { q: selector, kind: '', source: '' }, isStale)
}
