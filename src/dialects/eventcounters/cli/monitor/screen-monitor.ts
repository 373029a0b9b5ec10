/**
 * `counters monitor` at a terminal: one screen that follows the session, with keys. The board goes
 * on while the screen is paused, so that resuming shows what came last.
 */

import { escapeUnseen } from '../../../../model/text/unseen.ts'
import {
  type Key,
  type ScreenBuffer,
  type TerminalParts,
  TerminalSession,
} from '../../../../terminal/index.ts'
import { countText, seenLine } from '../../../../viewer/format/seen.ts'
import type { FeedError, FeedWindow } from '../../../command-line.ts'
import type { CounterRequest } from '../request.ts'
import { intervalText } from '../span-text.ts'
import { Watch, type WatchContext } from '../watch.ts'
import { Board, type Series } from './board.ts'
import type { ValueView } from './figures.ts'
import { Listing, SORTS, type Sort } from './listing.ts'
import { MonitorPicture, type MonitorStatus } from './picture.ts'
import { CounterSelection, type Selected } from './selection.ts'
import { isOver, type Threshold } from './threshold.ts'

export interface MonitorOptions {
  /** Views, at least one; the first is what sparks, changes and thresholds are about. */
  readonly views: readonly ValueView[]
  readonly showDeltas: boolean
  readonly isAbbreviated: boolean
  readonly sort: Sort
  /** Words that the counters shown have in them; all of them unless given. */
  readonly filter?: string
  readonly thresholds: readonly Threshold[]
}

interface MonitorParts extends TerminalParts, WatchContext {}

/** The screen as it stood when it was paused. */
interface Pause {
  readonly series: readonly Series[]
  readonly listing: Listing
  readonly nowNs: bigint
  /** Reason for the hold, where it was not the key. */
  readonly reason: string | undefined
}

interface Loss {
  readonly message: string
  readonly retryNs: bigint
}

const NS_PER_MS = 1_000_000n
const TICK_MS = 1000
/** A series is stale when so many of its intervals went by without a payload. */
const STALE_INTERVALS = 3n
/** Notes that are kept; further ones are left out. */
const NOTES_LIMIT = 10

/** @returns when it is over; the terminal is as it was before, with one line more */
export async function monitorOnScreen(
  request: CounterRequest,
  options: MonitorOptions,
  parts: MonitorParts,
): Promise<void> {
  await new ScreenMonitor(request, options, parts).run()
}

class ScreenMonitor {
  readonly #parts: MonitorParts
  readonly #board: Board
  readonly #listing: Listing
  readonly #view: ValueView
  readonly #picture: MonitorPicture
  readonly #session: TerminalSession
  readonly #watch: Watch
  #sort: Sort
  readonly #selection: CounterSelection
  #pause: Pause | undefined
  #loss: Loss | undefined
  /** Words of the other side about the session, each text once, in order. */
  readonly #notes = new Set<string>()
  #isHelp = false
  /** Time of the newest payload, as it states it, and when it came. */
  #lastMs: number | undefined
  #heardNs = 0n
  /** Interval that the payloads state: an address may have asked for another one than the flag. */
  #intervalMs: number
  #cancelTick: (() => void) | undefined

  constructor(request: CounterRequest, options: MonitorOptions, parts: MonitorParts) {
    const { views, sort, thresholds, filter = '' } = options
    this.#parts = parts
    this.#sort = sort
    this.#selection = new CounterSelection(filter, request.namesCounters)
    this.#intervalMs = request.intervalMs
    this.#view = views[0]!
    this.#board = new Board({
      seriesLimit: request.seriesLimit,
      view: this.#view,
      isOver: (counter, value) => isOver(thresholds, counter, value),
    })
    this.#listing = new Listing(this.#view)
    this.#picture = new MonitorPicture(options)
    this.#watch = new Watch(request, parts, {
      onWait: (text) => parts.output.write(`${escapeUnseen(text)}\n`),
      onOpen: () => this.#onOpen(),
      onWindow: (window) => this.#onWindow(window),
      onLost: (error, retryInMs) => this.#onLost(error, retryInMs),
      onNote: (text) => this.#onNote(text),
    })
    this.#session = new TerminalSession(parts, {
      draw: (buffer) => this.#draw(buffer),
      onKey: (key) => this.#onKey(key),
      end: () => this.#watch.end(),
      seen: () => this.#seen(),
    })
  }

  async run(): Promise<void> {
    try {
      await this.#session.run(this.#watch.run())
    } finally {
      this.#cancelTick?.()
    }
  }

  #seen(): string {
    const errors = countText(this.#watch.errors, 'error')
    const series = countText(this.#selected().total, 'series', 'series')
    const { elapsedMs, troubles, lastWords } = this.#watch
    const words = [...this.#notes, ...lastWords].map((text) => `  ${escapeUnseen(text)}\n`)
    return seenLine(elapsedMs, [series, errors, ...troubles]) + words.join('')
  }

  /** Enters the screen once there is something to show: a refusal belongs on the user's own. */
  #onOpen(): void {
    this.#loss = undefined
    if (this.#cancelTick === undefined) {
      this.#session.open()
      this.#tick()
    } else this.#session.refresh()
  }

  #onWindow(window: FeedWindow): void {
    const { clock } = this.#parts
    this.#lastMs = window.timeMs ?? clock.wallMs()
    this.#intervalMs = window.seriesMs ?? this.#intervalMs
    this.#heardNs = clock.monotonicNs()
    const series = this.#board.take(window, this.#heardNs)
    if (series?.hasCrossed && this.#pause === undefined) {
      // The windows that came with it are to be seen as well.
      queueMicrotask(() => this.#hold(series.counter.name))
    }
    if (this.#pause === undefined) this.#session.refresh()
  }

  #onLost({ message }: FeedError, retryInMs: number): void {
    const retryNs = this.#parts.clock.monotonicNs() + BigInt(Math.round(retryInMs)) * NS_PER_MS
    this.#loss = { message, retryNs }
    this.#board.gap()
    this.#session.refresh()
  }

  #onNote(text: string): void {
    if (this.#notes.size < NOTES_LIMIT) this.#notes.add(text)
    this.#session.refresh()
  }

  #onKey(key: Key): boolean {
    if (this.#selection.type(key)) {
      this.#picture.scroll('home')
      return true
    }
    if (key === 'p' || key === 'P') this.#hold()
    else if (key === 'r' || key === 'R') this.#pause = undefined
    else if (key === 's' || key === 'S') this.#sortNext()
    else if (key === '?') this.#isHelp = !this.#isHelp
    else if (key === '/') this.#beginFilter()
    else if (key === 'escape') this.#escape()
    else return this.#picture.scroll(key)
    return true
  }

  #beginFilter(): void {
    this.#isHelp = false
    this.#selection.begin()
  }

  #escape(): void {
    if (this.#isHelp) this.#isHelp = false
    else this.#selection.text = ''
  }

  /** Finds the series to show: those of the moment of the pause, if there is one. */
  #selected(): Selected {
    const pause = this.#pause
    const key = pause === undefined ? `${this.#board.version}` : `paused ${pause.nowNs}`
    return this.#selection.select(key, pause?.series ?? this.#board.series)
  }

  /** Changes the order, and shows its first lines. */
  #sortNext(): void {
    this.#sort = SORTS[(SORTS.indexOf(this.#sort) + 1) % SORTS.length]!
    this.#picture.scroll('home')
  }

  #hold(reason?: string): void {
    this.#pause ??= {
      series: this.#board.snapshot(),
      listing: new Listing(this.#view),
      nowNs: this.#parts.clock.monotonicNs(),
      reason,
    }
    this.#session.refresh()
  }

  /** Draws what time alone changes: the pause before the next attempt, and series fallen silent. */
  #tick(): void {
    this.#cancelTick = this.#parts.clock.after(TICK_MS, () => {
      if (this.#pause === undefined || this.#loss !== undefined) this.#session.refresh()
      this.#tick()
    })
  }

  #draw(buffer: ScreenBuffer): void {
    const pause = this.#pause
    const { version, leftOut } = this.#board
    const { series, total } = this.#selected()
    const filter = this.#selection.text
    const { errors, target } = this.#watch
    const troubles = [...this.#watch.troubles]
    if (errors > 0) troubles.push(countText(errors, 'error'))
    if (leftOut > 0) troubles.push('not all: --max-time-series')
    const listing = pause?.listing ?? this.#listing
    this.#picture.draw(buffer, {
      target,
      interval: intervalText(this.#intervalMs),
      status: this.#status(),
      seriesCount: series.length,
      seriesTotal: total,
      filter,
      isTyping: this.#selection.isTyping,
      emptyText: this.#emptyText(),
      troubles,
      lines: listing.lines(`${pause ? 0 : version} ${filter}`, series, this.#sort),
      sort: this.#sort,
      isHelp: this.#isHelp,
      isStale: (series) => this.#isStale(series, pause?.nowNs),
    })
  }

  /** Says why there is no line though payloads have come. */
  #emptyText(): string {
    if (this.#board.size === 0) return ''
    const { text } = this.#selection
    if (text !== '') return `No counter matches “${text}”. Esc clears the filter.`
    return "Only the hub's own counters so far: / pentameter shows them."
  }

  #status(): MonitorStatus {
    if (this.#loss !== undefined) {
      const leftNs = this.#loss.retryNs - this.#parts.clock.monotonicNs()
      const seconds = Math.max(0, Math.ceil(Number(leftNs) / 1e9))
      return { text: `■ retry in ${seconds} s: ${this.#loss.message}`, style: 'lost' }
    }
    if (this.#pause !== undefined) {
      const { reason } = this.#pause
      const why = reason === undefined ? '' : ` ◆ ${reason} passed its threshold, r resumes`
      return { text: `Paused${why}`, style: 'unusual' }
    }
    if (this.#lastMs === undefined) {
      const advice = this.#watch.adviceOnSilence()
      const why = advice === undefined ? '' : ` ${advice}`
      return { text: `Waiting for initial payload...${why}`, style: 'plain' }
    }
    if (this.#isStale({ seenNs: this.#heardNs, seriesMs: this.#intervalMs })) {
      return { text: `■ no payload since ${timeText(this.#lastMs)}`, style: 'lost' }
    }
    const note = [...this.#notes].at(-1)
    const said = note === undefined ? '' : `  ◆ ${note}`
    const style = note === undefined ? 'plain' : 'unusual'
    return { text: `Running  ${timeText(this.#lastMs)}${said}`, style }
  }

  #isStale(
    { seenNs, seriesMs }: Pick<Series, 'seenNs' | 'seriesMs'>,
    nowNs = this.#parts.clock.monotonicNs(),
  ): boolean {
    const intervalNs = BigInt(seriesMs ?? this.#intervalMs) * NS_PER_MS
    return nowNs - seenNs > STALE_INTERVALS * intervalNs
  }
}

/** Writes `14:03:22`, in the time zone of this machine. */
function timeText(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8)
}
