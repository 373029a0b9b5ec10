/**
 * All sessions of a registry and the series behind them (eventcounters.md §4.2): who joins, who
 * leaves, and the one timer. Every session of `deliver: 'own'` has a series of its own; those of
 * `all` share one per interval and source.
 */
import type { Boundary } from '../../dialects/eventcounters/server/counter-source.ts'
import type { Clock } from '../../time/clock.ts'
import { errorText, type Report } from '../reports.ts'
import type { ListeningWatcher } from '../threads/home.ts'
import { Alarm } from './alarm.ts'
import { Collections } from './collections.ts'
import { type Member, Series, SeriesWindow, type SourceEntry } from './members.ts'
import { type OpenRequest, OpenSession, type SessionOwner } from './open-session.ts'
import { Schedule } from './schedule.ts'
import type { Collection } from './served-counter.ts'

/** Largest interval of both grammars, 2^32 - 1 s (eventcounters.md §2): 136 years. */
export const INTERVAL_MS_MAX = 4_294_967_295_000

interface SessionsOptions {
  readonly clock: Clock
  readonly limit: number
  readonly report: Report
}

export class Sessions {
  readonly #limit: number
  readonly #report: Report
  readonly #alarm: Alarm
  readonly #collections: Collections
  readonly #entries = new Set<SourceEntry>()
  readonly #sessions = new Set<OpenSession>()
  readonly #series = new Set<Series>()
  readonly #watchers: ListeningWatcher[] = []
  readonly #owner: SessionOwner = {
    close: (session) => this.#close(session),
    collect: (session) => {
      if (session.own !== undefined) this.#collections.serve([session.own], [session])
    },
  }

  constructor(options: SessionsOptions) {
    this.#limit = options.limit
    this.#report = options.report
    this.#collections = new Collections(options.clock, options.report)
    this.#alarm = new Alarm(options.clock, (reachedNs) => {
      this.#collections.run(this.#series, this.#sessions, reachedNs)
      this.#arm()
    })
  }

  get size(): number {
    return this.#sessions.size
  }

  onCollection(callback: (collection: Collection) => void): () => void {
    return this.#collections.onCollection(callback)
  }

  /** Tells a watcher, which keeps samples outside of this thread, whether they are wanted. */
  onListening(watcher: ListeningWatcher): void {
    this.#watchers.push(watcher)
    if (this.#sessions.size > 0) watcher.begin()
  }

  /** @throws {RangeError} for an interval that is no whole number of milliseconds in range */
  open(request: OpenRequest, onBoundary: (boundary: Boundary) => unknown): OpenSession | undefined {
    const { intervalMs } = request
    if (!Number.isInteger(intervalMs) || intervalMs < 0 || intervalMs > INTERVAL_MS_MAX) {
      throw new RangeError(`interval of ${intervalMs} ms, want 0 to ${INTERVAL_MS_MAX}`)
    }
    if (this.#sessions.size >= this.#limit) {
      this.#report('refused_sessions')
      return undefined
    }
    const session = new OpenSession(request, onBoundary, this.#owner)
    this.#sessions.add(session)
    // Sources come first: they may make counters when they are enabled, and even end the session.
    for (const entry of [...this.#entries]) this.#want(session, entry)
    for (const entry of [...session.entries]) entry.settle()
    if (session.isOpen && intervalMs > 0) this.#begin(session)
    this.#arm()
    return session
  }

  #want(session: OpenSession, entry: SourceEntry): void {
    if (!entry.isLive || session.entries.has(entry) || !session.wantsSource(entry)) return
    session.entries.add(entry)
    entry.want()
  }

  #begin(session: OpenSession): void {
    if (!this.#collections.isClosing) for (const watcher of this.#watchers) watcher.begin()
    const collection = this.#collections.current()
    const { intervalMs, deliver, hasBuckets = false } = session.request
    session.openNs = collection.nowNs
    if (deliver === 'own') {
      const schedule = new Schedule(collection.nowNs, intervalMs)
      session.own = this.#openSeries(intervalMs, schedule, hasBuckets)
    }
    // A shared series that is new is also for those who were there before.
    const receivers = deliver === 'all' ? this.#sharing() : [session]
    for (const entry of [...session.entries]) {
      if (deliver === 'all') this.#share(session, entry, collection)
      for (const member of [...entry.members]) this.#joinAll(member, receivers, collection)
    }
  }

  #sharing(): OpenSession[] {
    return [...this.#sessions].filter(({ request }) => request.deliver === 'all')
  }

  #openSeries(intervalMs: number, schedule: Schedule, hasBuckets: boolean): Series {
    const series = new Series(intervalMs, schedule, hasBuckets)
    this.#series.add(series)
    return series
  }

  /** Opens the series of this interval and source, on the asker's schedule, unless it runs. */
  #share(session: OpenSession, entry: SourceEntry, collection: Collection): void {
    const { intervalMs } = session.request
    if (entry.shared.has(intervalMs) || session.openNs === undefined) return
    const schedule = new Schedule(session.openNs, intervalMs, collection.nowNs)
    // one that joins later may want buckets: what it gets must not depend on who came first
    entry.shared.set(intervalMs, this.#openSeries(intervalMs, schedule, true))
  }

  /** Opens the windows of a counter in every series of these sessions that lacks one. */
  #joinAll(member: Member, sessions: Iterable<OpenSession>, collection: Collection): void {
    for (const session of [...sessions]) {
      if (session.openNs === undefined || !session.isOpen || !session.wants(member)) continue
      if (session.own !== undefined) this.#join(member, session.own, collection)
      else for (const series of member.entry.shared.values()) this.#join(member, series, collection)
    }
  }

  #join(member: Member, series: Series, collection: Collection): void {
    if (!member.isLive || !series.isOpen || member.isIn(series)) return
    try {
      const window = member.counter.open(collection)
      // A baseline poll is application code: it may have ended either, or brought them together.
      const isWanted = member.isLive && series.isOpen && !member.isIn(series)
      if (isWanted) series.add(new SeriesWindow(member, series, window, collection))
      else window.end()
    } catch (error) {
      this.#report('callback_errors', `${member.title}: ${errorText(error)}`)
    }
  }

  #close(session: OpenSession): void {
    this.#sessions.delete(session)
    const entries = [...session.entries]
    session.entries.clear()
    if (session.own !== undefined) this.#endSeries(session.own)
    for (const entry of entries) {
      if (session.request.deliver === 'all') this.#narrow(entry)
      entry.unwant()
    }
    this.#arm()
    if (this.#sessions.size === 0) for (const watcher of this.#watchers) watcher.end()
    for (const entry of entries) entry.settle()
  }

  /** Ends what no session asks for any more: whole intervals, and counters of those that stay. */
  #narrow(entry: SourceEntry): void {
    const receivers = this.#sharing().filter(({ entries }) => entries.has(entry))
    for (const [intervalMs, series] of [...entry.shared]) {
      if (!receivers.some(({ request }) => request.intervalMs === intervalMs)) {
        entry.shared.delete(intervalMs)
        this.#endSeries(series)
      }
      for (const member of [...series.members]) {
        if (!receivers.some((session) => session.wants(member))) series.drop(member)
      }
    }
  }

  #endSeries(series: Series): void {
    this.#series.delete(series)
    series.end()
  }

  /** Adds a source: a new one joins the sessions that want it; it is told in the next microtask. */
  addSource(entry: SourceEntry): void {
    this.#entries.add(entry)
    const collection = this.#collections.current()
    for (const session of this.#sessions) {
      this.#want(session, entry)
      const isAll = session.request.deliver === 'all' && session.entries.has(entry)
      if (isAll) this.#share(session, entry, collection)
    }
    this.#arm()
    queueMicrotask(() => entry.settle())
  }

  removeSource(entry: SourceEntry): void {
    if (!entry.isLive) return
    entry.isLive = false
    this.#entries.delete(entry)
    for (const member of [...entry.members]) this.removeCounter(member)
    for (const session of this.#sessions) session.entries.delete(entry)
    for (const series of entry.shared.values()) this.#endSeries(series)
    entry.shared.clear()
    this.#arm()
    entry.settle()
  }

  /** Adds a counter: a new one joins the open series that want it, all by one baseline. */
  addCounter(member: Member): void {
    member.entry.members.add(member)
    if (this.#sessions.size > 0) this.#joinAll(member, this.#sessions, this.#collections.current())
  }

  removeCounter(member: Member): void {
    if (!member.isLive) return
    member.isLive = false
    member.entry.members.delete(member)
    for (const { series } of [...member.windows]) series.drop(member)
  }

  closeAll(): void {
    for (const session of [...this.#sessions]) session.close()
  }

  #arm(): void {
    if (this.#collections.isRunning) return
    let nextNs: bigint | undefined
    for (const { schedule } of this.#series) {
      if (nextNs === undefined || schedule.deadlineNs < nextNs) nextNs = schedule.deadlineNs
    }
    this.#alarm.set(nextNs)
  }
}
