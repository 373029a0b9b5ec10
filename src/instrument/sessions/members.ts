/** A counter as the sessions hold it. */
import type { CounterWindow, Statistics } from '../../dialects/eventcounters/window.ts'
import type { Series } from './series.ts'
import type { OpenWindow, Pass, ServedCounter } from './served-counter.ts'
import type { SourceEntry } from './source-entry.ts'

/** What a registry gives for a source or counter that it has taken. */
export interface Membership {
  /** False once removed, and from the start where a limit was reached. */
  readonly isLive: boolean
  /** Idempotent; open windows end without a payload. */
  remove(): void
}

export class Member {
  /** Grows with every counter that is made. */
  readonly order: number
  readonly entry: SourceEntry
  readonly counter: ServedCounter
  readonly name: string
  isLive = true
  /** In the order in which the series were opened; replaced, never shortened, when one ends. */
  windows: SeriesWindow[] = []
  /** Number of the last pass that has found it due. */
  passNumber = 0
  /** Of its windows those that this pass closes. */
  readonly due: SeriesWindow[] = []
  /** What a session was told last. */
  #told: CounterWindow | undefined

  constructor(order: number, entry: SourceEntry, counter: ServedCounter) {
    this.order = order
    this.entry = entry
    this.counter = counter
    this.name = counter.description.name
  }

  /** For messages. */
  get title(): string {
    return `counter "${this.name}" of source "${this.entry.source.name}"`
  }

  isIn(series: Series): boolean {
    return this.windows.some((window) => window.series === series)
  }

  /** The same object for all sessions that are told the same. */
  windowOf(seriesMs: number, intervalSec: number, statistics: Statistics): CounterWindow {
    const counter = this.counter.description
    const told = this.#told
    if (
      told !== undefined &&
      told.statistics === statistics &&
      told.counter === counter &&
      told.seriesMs === seriesMs &&
      told.intervalSec === intervalSec
    ) {
      return told
    }
    this.#told = { counter, seriesMs, intervalSec, statistics }
    return this.#told
  }
}

/** The window of one counter in one series. */
export class SeriesWindow {
  readonly member: Member
  readonly series: Series
  readonly #window: OpenWindow
  /** The last boundary, or when the window was opened. */
  #since: Pass
  isOpen = true

  constructor(member: Member, series: Series, window: OpenWindow, pass: Pass) {
    this.member = member
    this.series = series
    this.#window = window
    this.#since = pass
  }

  /** Ends the window and begins the next; undefined where this boundary has no payload. */
  close(pass: Pass): CounterWindow | undefined {
    if (!this.isOpen) return undefined
    const { member, series } = this
    const elapsedSec = series.secondsBetween(this.#since, pass)
    // A window that began in this very moment goes on: an interval of 0 s has no rate.
    if (elapsedSec <= 0) return undefined
    this.#since = pass
    const closed = this.#window.close(pass)
    // The counter's callback may have disposed of it, or closed the session.
    if (closed === undefined || !this.isOpen) return undefined
    const { statistics, sinceNs } = closed
    let intervalSec = elapsedSec
    // Sum kinds alone say that they came late, or that a poll had failed (eventcounters.md §4.5).
    if (statistics.kind === 'mean') intervalSec = series.elapsedSec
    else if (sinceNs !== undefined) intervalSec = Number(pass.nowNs - sinceNs) / 1e9
    return member.windowOf(series.intervalMs, intervalSec, statistics)
  }

  end(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.member.windows = this.member.windows.filter((each) => each !== this)
    this.#window.end()
  }
}
