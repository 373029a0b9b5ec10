/**
 * What the sessions hold: sources, their counters, and the windows of these in every series. They
 * point at each other in all directions, and so stand together.
 */
import type { CounterWindow, Statistics } from '../../dialects/eventcounters/window.ts'
import { Histogram, histogramGain } from '../../model/index.ts'
import { errorText, ignoreRejection, type Report } from '../reports.ts'
import type { Schedule } from './schedule.ts'
import type { Collection, OpenWindow, ServedCounter } from './served-counter.ts'

/** Membership of a source or counter that a registry has taken. */
export interface Membership {
  /** False once removed, and from the start where a limit was reached. */
  readonly isLive: boolean
  /** Removes it; idempotent. Open windows end without a payload. */
  remove(): void
}

export class Member {
  /** Order of creation: grows with every counter that is made. */
  readonly order: number
  readonly entry: SourceEntry
  readonly counter: ServedCounter
  readonly name: string
  isLive = true
  /**
   * Windows in the order in which the series were opened; replaced, never shortened, when one ends.
   */
  windows: SeriesWindow[] = []
  /** Number of the last collection that has found it due. */
  collectionNumber = 0
  /** Windows that this collection closes. */
  readonly due: SeriesWindow[] = []
  /** The window that a session got last. */
  #lastWindow: CounterWindow | undefined
  /** The distribution as it was read last, and the number of that collection. */
  #reading: Histogram | undefined
  #readingNumber = -1
  /** Gain between two readings, the one that was computed last. */
  #gain: BucketGain | undefined

  constructor(order: number, entry: SourceEntry, counter: ServedCounter) {
    this.order = order
    this.entry = entry
    this.counter = counter
    this.name = counter.description.name
  }

  /** Title for messages. */
  get title(): string {
    return `counter "${this.name}" of source "${this.entry.name}"`
  }

  isIn(series: Series): boolean {
    return this.windows.some((window) => window.series === series)
  }

  /** Gives the same object to all sessions that get the same. */
  windowOf(
    seriesMs: number,
    intervalSec: number,
    statistics: Statistics,
    histogram: Histogram | undefined,
  ): CounterWindow {
    const counter = this.counter.description
    const last = this.#lastWindow
    if (
      last !== undefined &&
      last.statistics === statistics &&
      last.counter === counter &&
      last.seriesMs === seriesMs &&
      last.intervalSec === intervalSec &&
      last.histogram === histogram
    ) {
      return last
    }
    const buckets = histogram === undefined ? {} : { histogram }
    this.#lastWindow = { counter, seriesMs, intervalSec, statistics, ...buckets }
    return this.#lastWindow
  }

  /** Reads the distribution, once in a collection; undefined for a counter that is none. */
  readingAt({ number }: Collection): Histogram | undefined {
    const { counter } = this
    if (number !== this.#readingNumber && counter.modelKind === 'histogram') {
      this.#reading = counter.readTotal?.() as Histogram | undefined
      this.#readingNumber = number
    }
    return this.#reading
  }

  /** Computes what was gained between two readings; windows that have these share the object. */
  gained(from: Histogram, to: Histogram): Histogram {
    const last = this.#gain
    if (last?.from === from && last.to === to) return last.histogram
    const histogram = histogramGain(to, from)
    this.#gain = { from, to, histogram }
    return histogram
  }
}

interface BucketGain {
  readonly from: Histogram
  readonly to: Histogram
  readonly histogram: Histogram
}

/** Buckets of a window without samples. */
const NO_BUCKETS = new Histogram()

/** The window of one counter in one series. */
export class SeriesWindow {
  readonly member: Member
  readonly series: Series
  readonly #window: OpenWindow
  /** The last boundary, or when the window was opened. */
  #since: Collection
  /** Reading up to which its buckets are told; undefined where none are wanted. */
  #told: Histogram | undefined
  isOpen = true

  constructor(member: Member, series: Series, window: OpenWindow, collection: Collection) {
    this.member = member
    this.series = series
    this.#window = window
    this.#since = collection
    if (series.hasBuckets) this.#told = member.counter.baseline ?? member.readingAt(collection)
  }

  /** Ends the window and begins the next; undefined where this boundary has no payload. */
  close(collection: Collection): CounterWindow | undefined {
    if (!this.isOpen) return undefined
    const { member, series } = this
    const elapsedSec = series.secondsBetween(this.#since, collection)
    // A window that began in this very moment goes on: an interval of 0 s has no rate.
    if (elapsedSec <= 0) return undefined
    this.#since = collection
    const closed = this.#window.close(collection)
    // The counter's callback may have closed it, or closed the session.
    if (closed === undefined || !this.isOpen) return undefined
    const { statistics, sinceNs } = closed
    let intervalSec = elapsedSec
    // Sum kinds alone say that they came late, or that a poll had failed (eventcounters.md §4.5).
    if (statistics.kind === 'mean') intervalSec = series.elapsedSec
    else if (sinceNs !== undefined) intervalSec = Number(collection.nowNs - sinceNs) / 1e9
    const histogram = this.#bucketsOf(statistics, collection)
    return member.windowOf(series.intervalMs, intervalSec, statistics, histogram)
  }

  /**
   * Gives the buckets since the last reading. One of a window without samples is not read: what
   * another thread has just put into the buckets has its least and most in the next window.
   */
  #bucketsOf(statistics: Statistics, collection: Collection): Histogram | undefined {
    const from = this.#told
    if (from === undefined || statistics.kind !== 'mean') return undefined
    const to = statistics.count === 0 ? undefined : this.member.readingAt(collection)
    if (to === undefined) return NO_BUCKETS
    this.#told = to
    return this.member.gained(from, to)
  }

  end(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.member.windows = this.member.windows.filter((each) => each !== this)
    this.#window.end()
  }
}

/** The windows of one interval on one schedule: of one session, or of those that share it. */
export class Series {
  readonly intervalMs: number
  readonly schedule: Schedule
  /** Whether windows of distributions have their buckets. */
  readonly hasBuckets: boolean
  isOpen = true
  /** Number of the collection in which it was due last. */
  collectionNumber = 0
  /** Windows closed by that collection so far, and their members, in the order of creation. */
  closed: CounterWindow[] = []
  closedOf: Member[] = []
  /** Length of the interval that ended last. */
  elapsedSec = 0
  /** Monotonic time of the last boundary, or of the opening. */
  #boundaryNs: bigint
  readonly #windows = new Map<Member, SeriesWindow>()
  /** Moments between which the last interval lay, and how long it was. */
  #from: Collection | undefined
  #to: Collection | undefined
  #seconds = 0

  constructor(intervalMs: number, schedule: Schedule, hasBuckets: boolean) {
    this.intervalMs = intervalMs
    this.schedule = schedule
    this.hasBuckets = hasBuckets
    this.#boundaryNs = schedule.beginNs
  }

  /** Computes the seconds; most windows of a collection began at the same moment, too. */
  secondsBetween(from: Collection, to: Collection): number {
    if (from !== this.#from || to !== this.#to) {
      this.#from = from
      this.#to = to
      this.#seconds = Number(to.nowNs - from.nowNs) / 1e9
    }
    return this.#seconds
  }

  /** Members in no order. */
  get members(): Iterable<Member> {
    return this.#windows.keys()
  }

  /** Windows in no order. */
  get windows(): Iterable<SeriesWindow> {
    return this.#windows.values()
  }

  add(window: SeriesWindow): void {
    this.#windows.set(window.member, window)
    window.member.windows.push(window)
  }

  /** Ends the window of a counter. */
  drop(member: Member): void {
    const window = this.#windows.get(member)
    this.#windows.delete(member)
    window?.end()
  }

  begin(collectionNumber: number, nowNs: bigint): void {
    this.collectionNumber = collectionNumber
    this.elapsedSec = Number(nowNs - this.#boundaryNs) / 1e9
    this.#boundaryNs = nowNs
    this.schedule.serve(nowNs)
  }

  push(member: Member, window: CounterWindow): void {
    this.closed.push(window)
    this.closedOf.push(member)
  }

  /** Lets go of what the collection has closed; the sessions that got it may keep it. */
  forget(): void {
    this.closed = []
    this.closedOf = []
  }

  end(): void {
    this.isOpen = false
    for (const member of [...this.#windows.keys()]) this.drop(member)
  }
}

/** An event source as the sessions hold it: its counters, and whether a session wants it. */
export interface SourceCallbacks {
  /** Called when it is enabled; what it returns is ignored, also a promise that is rejected. */
  onEnable(): unknown
  onDisable(): unknown
}

export interface SourceMembership extends Membership {
  readonly isEnabled: boolean
}

export class SourceEntry {
  readonly name: string
  readonly members = new Set<Member>()
  /** Series of `deliver: 'all'`, by interval in milliseconds. */
  readonly shared = new Map<number, Series>()
  isLive = true
  isEnabled = false
  readonly #callbacks: SourceCallbacks
  readonly #report: Report
  #wanted = 0

  constructor(name: string, callbacks: SourceCallbacks, report: Report) {
    this.name = name
    this.#callbacks = callbacks
    this.#report = report
  }

  /** Counts the sessions that want this source; settle() tells it. */
  want(): void {
    this.#wanted++
  }

  unwant(): void {
    this.#wanted--
  }

  /** Tells the source whether it is wanted, if that has changed. */
  settle(): void {
    const isWanted = this.isLive && this.#wanted > 0
    if (isWanted === this.isEnabled) return
    this.isEnabled = isWanted
    const callback = isWanted ? 'onEnable' : 'onDisable'
    const fail = (error: unknown) => {
      this.#report('callback_errors', `${callback} of source "${this.name}": ${errorText(error)}`)
    }
    try {
      ignoreRejection(this.#callbacks[callback](), fail)
    } catch (error) {
      fail(error)
    }
  }
}
