/**
 * `pentameter top` at a terminal: the list of series and, opened from it, one of them. The store is
 * the page's; what it learns is drawn, at most ten times a second, and keys at once.
 */

import type { NamesAnswer, SeriesNameJson } from '../../http/api.ts'
import { countText, seenLine } from '../../viewer/format/seen.ts'
import { errorCount } from '../../viewer/format/status.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { Store } from '../../viewer/store/store.ts'
import { ShownSeries } from '../../viewer/store/subscriptions.ts'
import type { Hub } from '../hub/connect.ts'
import { drawKeys, keyLine } from '../key-help.ts'
import type { Key } from '../keys.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { drawSeries } from '../series/series-picture.ts'
import { type TerminalParts, TerminalSession } from '../session.ts'
import { drawFirstLine } from './head.ts'
import { TOP_KEYS } from './help.ts'
import { contextOf, SeriesList } from './list.ts'
import { RowCache } from './rows.ts'
import { drawSmall } from './small.ts'
import { type TopChoice, TopState } from './state.ts'

/** Pause between two readings of names, which hardly ever change. */
const NAMES_MS = 30_000
const LEAST_COLUMNS = 60
const LEAST_ROWS = 12

export interface TopOptions extends TopChoice {
  /** Seconds that pictures show. */
  readonly window: number
  /** Identity of the series that is opened once it is listed. */
  readonly opened?: string
}

/** @returns when it is over; the terminal is as it was before, with one line more */
export async function topOnScreen(
  hub: Hub,
  options: TopOptions,
  parts: TerminalParts,
): Promise<void> {
  const screen = new TopScreen(hub, options, parts)
  await screen.run()
}

class TopScreen {
  readonly #hub: Hub
  readonly #parts: TerminalParts
  readonly #beganNs: bigint
  readonly #store: Store
  readonly #state: TopState
  readonly #rows: RowCache
  readonly #list = new SeriesList()
  readonly #session: TerminalSession
  readonly #ended = Promise.withResolvers<void>()
  /** Series that the stream carries for the screen, with what ends it. */
  readonly #shown: ShownSeries
  #opened: Entry | undefined
  /** Identity of a series that waits for the first list. */
  #opening: string | undefined
  #endFollow = (): void => {}
  #names: readonly SeriesNameJson[] = []

  constructor(hub: Hub, options: TopOptions, parts: TerminalParts) {
    this.#hub = hub
    this.#parts = parts
    this.#beganNs = parts.clock.monotonicNs()
    this.#store = new Store(hub.api)
    this.#shown = new ShownSeries(this.#store.screen)
    this.#store.setWindow(options.window)
    this.#state = new TopState(this.#store, options)
    this.#rows = new RowCache(this.#store)
    this.#opening = options.opened
    this.#session = new TerminalSession(parts, {
      draw: (buffer) => this.#draw(buffer),
      onKey: (key) => this.#onKey(key),
      end: () => this.#ended.resolve(),
      seen: () => this.#seen(),
    })
  }

  async run(): Promise<void> {
    const store = this.#store
    const running = this.#session.run(this.#ended.promise)
    this.#session.open()
    const signals = [store.clock.tick, store.cache.version, store.sources, store.clock.connection]
    const changes = [...signals, store.catalogue.version, store.watch.version]
    const offs = changes.map((each) => each.subscribe(() => this.#session.refresh()))
    store.start()
    try {
      await running
    } finally {
      for (const off of offs) off()
      this.#endFollow()
      store.stop()
    }
  }

  #seen(): string {
    const ms = Number(this.#parts.clock.monotonicNs() - this.#beganNs) / 1e6
    const series = countText(this.#rows.rows(this.#state).total, 'series', 'series')
    const errors = countText(errorCount(this.#store.sources.peek()), 'error')
    return seenLine(ms, [series, errors])
  }

  #onKey(key: Key): boolean {
    const state = this.#state
    if (state.type(key)) return true
    if (key === 'enter' && state.screen === 'list' && !state.isHelp) this.#open(this.#list.chosen)
    else if (key === 'u' || key === 'U') state.screen = 'list'
    else if (this.#moves(key)) return true
    else return state.press(key)
    return true
  }

  /** Takes keys that choose a series, in the list and in one that was opened. */
  #moves(key: Key): boolean {
    if (this.#state.isHelp || !this.#list.move(key.toLowerCase())) return false
    if (this.#state.screen === 'series') this.#open(this.#list.chosen)
    return true
  }

  #open(entry: Entry | undefined): void {
    if (entry === undefined) return
    this.#state.screen = 'series'
    this.#state.page = 0
    this.#opened = entry
    this.#endFollow()
    this.#names = []
    const endStatistics = this.#store.follow(entry.id)
    const endNames = this.#readNames(entry)
    this.#endFollow = () => {
      endStatistics()
      endNames()
    }
  }

  #readNames({ id }: Entry): () => void {
    // a series that a restarted hub does not know yet has no address
    if (id < 0) return () => {}
    const path = `/series/${id}/names`
    return this.#store.polling.read<NamesAnswer>(path, { leastMs: NAMES_MS }, ({ answer }) => {
      this.#names = answer?.names ?? this.#names
      this.#session.refresh()
    })
  }

  #draw(buffer: ScreenBuffer): void {
    const store = this.#store
    const state = this.#state
    const rows = this.#rows.rows(state)
    const hub = this.#hub.address.name
    this.#openFirst()
    const entry = this.#openedEntry()
    if (buffer.columns < LEAST_COLUMNS || buffer.rows < LEAST_ROWS) {
      const least = `${LEAST_COLUMNS} x ${LEAST_ROWS}`
      this.#shown.choose(drawSmall(buffer, { store, rows, least }))
    } else if (state.isHelp) {
      drawFirstLine(buffer, { store, hub, cursor: state.cursor, seen: '' })
      drawKeys(buffer, 2, buffer.rows - 2, TOP_KEYS)
    } else if (state.screen === 'series' && entry !== undefined) {
      this.#drawOpened(buffer, entry)
      this.#shown.choose([entry])
    } else {
      this.#list.draw(buffer, { store, hub, state, rows })
      this.#shown.choose(this.#list.shown)
    }
  }

  /** Opens what was asked for, once it is listed. */
  #openFirst(): void {
    const { catalogue } = this.#store
    if (this.#opening === undefined || !catalogue.isLoaded) return
    this.#open(catalogue.entries.find(({ identity }) => identity === this.#opening))
    this.#opening = undefined
  }

  /** Finds the opened series in the newest list: a hub that began anew gives it another number. */
  #openedEntry(): Entry | undefined {
    const opened = this.#opened
    if (opened === undefined) return undefined
    const { catalogue } = this.#store
    const same = catalogue.get(opened.id)
    if (same?.identity === opened.identity) return same
    return catalogue.entries.find(({ identity }) => identity === opened.identity) ?? opened
  }

  #drawOpened(buffer: ScreenBuffer, entry: Entry): void {
    const store = this.#store
    const { cursor, page } = this.#state
    const hub = this.#hub.address.name
    drawFirstLine(buffer, { store, hub, cursor, seen: '' })
    const second = cursor ?? store.clock.readingSecond()
    const context = contextOf(store, entry, second, cursor !== null)
    const box = { row: 1, column: 0, rows: buffer.rows - 3, columns: buffer.columns }
    const pages = drawSeries(buffer, box, {
      store,
      entry,
      context,
      cursor,
      page,
      names: this.#names,
    })
    const row = buffer.rows - 1
    buffer.write(row - 1, 0, '─'.repeat(buffer.columns), 'faint')
    const further = pages > 1 ? `Tab facts ${(page % pages) + 1}/${pages}` : ''
    const keys = ['←→ cursor', 'J K next', 'U up', further, 'P pause', '1-6 window', '? keys', 'q']
    buffer.write(row, 1, keyLine(keys.filter(Boolean), buffer.columns - 2))
  }
}
