/**
 * Every series of the hub as an EventCounter, whatever dialect brought it, in sessions that are
 * isolated from each other (eventcounters.md §4.2). Windows begin and end on the hub's ticks: a
 * session's first one begins at the first tick after it opened, so that nothing older is in it.
 * Sessions whose grids fall together share one running series; none of them can notice. Those of
 * `deliver: 'all'` have one series per interval and source in common, as in an application.
 */

import type { Frame } from '../../../hub/live/frame.ts'
import { mergeSteps } from '../../../hub/live/merge-frames.ts'
import { type Session, Sessions } from '../../../hub/live/sessions.ts'
import type { Resident, ResidentContext } from '../../../hub/resident.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import { ANSWER_BUDGET_NS } from '../../../hub/tasks/loop-budget.ts'
import { forEachItem, type Task } from '../../../hub/tasks/task.ts'
import { TaskQueue } from '../../../hub/tasks/task-queue.ts'
import type { HubView } from '../../../hub/view.ts'
import { NO_REPORTS, type PeerConnection, type Reports } from '../../endpoints.ts'
import type { CounterEventSource } from '../../snapshot-source.ts'
import { type CounterFilter, matchesCounter, matchesProvider } from '../codec/filter.ts'
import { counterEventsOf } from '../server/counter-events.ts'
import type {
  Boundary,
  CounterSession,
  CounterSource,
  SessionRequest,
} from '../server/counter-source.ts'
import { NAME } from '../spec.ts'
import { ClosedWindows, ServedList, type ServedSeries } from './closed-windows.ts'

/** Length of a tick: whatever interval is no longer has a boundary at each. */
const TICK_MS = 1000

interface EventCountersResidentOptions {
  /** Sessions at once; further ones are refused. */
  readonly sessionsLimit: number
  readonly reports?: Pick<Reports, 'count' | 'log'>
}

/** Part of the hub that is served, and whose ticks serve it. */
type CountedHub = Pick<HubView, 'clock' | 'series' | 'sessions' | 'total' | 'wasAway'>

export class EventCountersResident implements CounterSource, Resident {
  readonly limit: number
  readonly counterEvents: CounterEventSource = counterEventsOf(this)
  /** Tells who reads; set by the routes that serve it. */
  clients: () => readonly PeerConnection[] = () => []
  readonly #hub: CountedHub
  readonly #reports: Pick<Reports, 'count' | 'log'>
  readonly #served: ServedList
  readonly #open = new Set<OpenSession>()
  /** Opened since the last tick: their grids begin at the next one. */
  #waiting: OpenSession[] = []
  readonly #running = new Set<RunningSeries>()
  /** Ticks that are not served yet; more than one where the last one took longer than a second. */
  #ticks: Tick[] = []
  /** Time that all ticks served so far stand for, ms: the wall clock may be set in between. */
  #servedMs = 0
  /** Windows that the tick at hand has closed. */
  #closed: Closed[] = []
  readonly #tasks: TaskQueue
  /** The grids of the running series; bounded by the sessions that want them. */
  readonly #grids = new Sessions(Number.POSITIVE_INFINITY)
  #pulse: Session | undefined
  #refused = 0
  #windowsServed = 0

  constructor(hub: CountedHub, options: EventCountersResidentOptions) {
    this.#hub = hub
    this.limit = options.sessionsLimit
    this.#reports = options.reports ?? NO_REPORTS
    this.#served = new ServedList(hub.series)
    this.#tasks = new TaskQueue(hub.clock, { budgetNs: ANSWER_BUDGET_NS })
  }

  get size(): number {
    return this.#open.size
  }

  /** Sessions refused because of a limit. */
  get refused(): number {
    return this.#refused
  }

  /** Windows handed to sessions so far. */
  get valuesSent(): number {
    return this.#windowsServed
  }

  get connectionCount(): number {
    return this.size
  }

  connections(): readonly PeerConnection[] {
    return this.clients()
  }

  limits(): readonly LimitStatus[] {
    return [
      {
        name: 'eventcounters.sessionsLimit',
        limit: this.limit,
        used: this.size,
        refused: this.refused,
        behaviour: 'The address with most makes room for others; or a further session is refused.',
      },
    ]
  }

  open(
    request: SessionRequest,
    onBoundary: (boundary: Boundary) => void,
  ): CounterSession | undefined {
    if (this.#open.size >= this.limit || !this.#startPulse()) {
      this.#refused++
      return undefined
    }
    const session = new OpenSession(request, onBoundary)
    this.#open.add(session)
    if (request.intervalMs > 0) this.#place(session)
    const open = this.#open
    return {
      get isOpen() {
        return open.has(session)
      },
      close: () => this.#close(session),
    }
  }

  /** Ends every session, without a last window. */
  async stop(): Promise<void> {
    for (const session of [...this.#open]) this.#close(session)
  }

  #close(session: OpenSession): void {
    if (!this.#open.delete(session)) return
    this.#waiting = this.#waiting.filter((each) => each !== session)
    const { series } = session
    session.series = undefined
    if (series !== undefined && ![...this.#open].some((each) => each.series === series)) {
      series.grid.close()
      this.#running.delete(series)
    }
    if (this.#open.size > 0) return
    this.#pulse?.close()
    this.#pulse = undefined
  }

  /** Starts the one session of the hub that ticks for all. */
  #startPulse(): boolean {
    this.#pulse ??= this.#hub.sessions.open({
      intervalMs: TICK_MS,
      onFrame: (frame) => this.#tick(frame),
    })
    return this.#pulse !== undefined
  }

  /** Notes who waits for this tick; windows are closed in turns of the event loop. */
  #tick(frame: Frame): void {
    this.#ticks.push({ frame, timeMs: this.#timeOf(frame), opened: this.#waiting })
    this.#waiting = []
    if (this.#tasks.isRunning) return
    this.#tasks.run(this.#ticking()).catch((error: unknown) => {
      this.#reports.log('error', 'a tick of sessions failed', { error: String(error) })
    })
  }

  /**
   * Ticks in steps. Where a tick takes longer than a second, those that came meanwhile are one, as
   * long as all.
   */
  *#ticking(): Task {
    while (this.#ticks.length > 0) {
      const ticks = this.#ticks
      this.#ticks = []
      const frame = yield* mergeSteps(ticks.map((tick) => tick.frame))
      yield* this.#grids.pushing(frame)
      this.#servedMs += frame.seconds * 1000
      for (const session of ticks.flatMap(({ opened }) => opened)) {
        if (this.#open.has(session)) session.series = this.#seriesBegunNow(session)
      }
      // one interval after the other, as an application tells them
      const closed = this.#closed.sort((a, b) => a.intervalMs - b.intervalMs)
      this.#closed = []
      const { timeMs } = ticks.at(-1)!
      for (const each of closed) yield* this.#delivering(each, timeMs)
    }
  }

  /** Places a session; with `all`, it joins the series of its interval that runs already. */
  #place(session: OpenSession): void {
    const { deliver, intervalMs } = session.request
    session.series = deliver === 'all' ? this.#sharedOf(intervalMs) : undefined
    if (session.series === undefined) this.#waiting.push(session)
  }

  /** Finds the series whose grid has a point at this tick, or begins one. */
  #seriesBegunNow({ request }: OpenSession): RunningSeries {
    const { intervalMs, deliver } = request
    const isShared = deliver === 'all'
    const running = isShared ? this.#sharedOf(intervalMs) : this.#onGrid(intervalMs)
    return running ?? this.#run(intervalMs, isShared)
  }

  /** Finds the series of an interval that those have in common who get all. */
  #sharedOf(intervalMs: number): RunningSeries | undefined {
    for (const series of this.#running) {
      if (series.isShared && series.intervalMs === intervalMs) return series
    }
    return undefined
  }

  #onGrid(intervalMs: number): RunningSeries | undefined {
    for (const series of this.#running) {
      if (series.isShared || series.intervalMs !== intervalMs) continue
      if (intervalMs <= TICK_MS || (this.#servedMs - series.beganMs) % intervalMs === 0)
        return series
    }
    return undefined
  }

  #run(intervalMs: number, isShared: boolean): RunningSeries {
    const grid = this.#grids.open({
      intervalMs,
      onFrame: (frame) => this.#closed.push({ intervalMs, frame, ...this.#audienceOf(series) }),
    })!
    const series: RunningSeries = { intervalMs, isShared, beganMs: this.#servedMs, grid }
    this.#running.add(series)
    return series
  }

  #audienceOf(series: RunningSeries): Pick<Closed, 'sessions' | 'sources'> {
    const open = [...this.#open]
    const asking = open.filter((session) => session.series === series)
    if (!series.isShared) return { sessions: asking, sources: undefined }
    return { sessions: open.filter((session) => session.wantsAll), sources: sourcesOf(asking) }
  }

  *#delivering({ intervalMs, frame, sessions, sources }: Closed, timeMs: number): Task {
    const rows = yield* this.#served.rows()
    const windows = new ClosedWindows(rows, frame, intervalMs, this.#hub)
    for (const session of sessions) {
      if (!this.#open.has(session)) continue
      const wanted = yield* session.placesIn(rows)
      const places = sources === undefined ? wanted : yield* placesOf(sources, rows, wanted)
      const boundary = { timeMs, windows: yield* windows.of(places) }
      if (this.#open.has(session)) this.#hand(session, boundary)
      yield
    }
  }

  #hand(session: OpenSession, boundary: Boundary): void {
    this.#windowsServed += boundary.windows.length
    try {
      session.onBoundary(boundary)
    } catch (error) {
      this.#close(session)
      this.#reports.count('listener_errors', 'thrown')
      this.#reports.log('error', 'session closed: its listener failed', { error: String(error) })
    }
  }

  /**
   * Gives the tick's time, moved by the whole seconds that the wall clock was set since
   * (eventcounters.md §6).
   */
  #timeOf({ endMs }: Frame): number {
    const aheadMs = this.#hub.clock.wallMs() - endMs
    return endMs + Math.floor((aheadMs + ROUNDING_MS) / TICK_MS) * TICK_MS
  }
}

/** Makes the resident of a hub. */
export function createResident({ hub, options, reports }: ResidentContext): EventCountersResident {
  const sessionsLimit = options.sessionsLimit as number
  return new EventCountersResident(hub, { sessionsLimit, reports: reports.for(NAME) })
}

/** Finds the resident of a hub; undefined where its registry has no EventCounters. */
export function eventCountersOf(hub: Pick<HubView, 'resident'>): EventCountersResident | undefined {
  return hub.resident(NAME) as EventCountersResident | undefined
}

/** Time that the wall clock may seem to be behind the tick when it is not, ms. */
const ROUNDING_MS = 50

/** Windows that one running series brought, and for whom. */
interface Closed {
  readonly intervalMs: number
  readonly frame: Frame
  /** Sessions as they were when it closed: one that begins now gets the next. */
  readonly sessions: readonly OpenSession[]
  /** Filter of the sources that its interval was asked of; undefined for every one. */
  readonly sources: CounterFilter | undefined
}

/** One tick of the hub. */
interface Tick {
  readonly frame: Frame
  /** Time of the tick as the wall clock had it. */
  readonly timeMs: number
  /** Sessions whose grids begin at it. */
  readonly opened: readonly OpenSession[]
}

/** One interval on one grid. */
interface RunningSeries {
  readonly intervalMs: number
  /** Whether it belongs to all who get all; no other session joins it. */
  readonly isShared: boolean
  /** Time served when the grid began. */
  readonly beganMs: number
  readonly grid: Session
}

/** Joins the filters of sessions; undefined where one of them has none. */
function sourcesOf(sessions: readonly OpenSession[]): CounterFilter | undefined {
  const isLimited = sessions.every(({ request }) => request.filter !== undefined)
  return isLimited ? sessions.flatMap(({ request }) => request.filter ?? []) : undefined
}

/** Lists those of the wanted rows whose source a filter lets through. */
function* placesOf(
  sources: CounterFilter,
  rows: readonly ServedSeries[],
  wanted: readonly number[] | undefined,
): Task<readonly number[]> {
  const places: number[] = []
  yield* forEachItem(wanted ?? rows.keys(), (row) => {
    const { provider } = rows[row]!.description
    if (matchesProvider(sources, provider)) places.push(row)
  })
  return places
}

class OpenSession {
  readonly request: SessionRequest
  readonly onBoundary: (boundary: Boundary) => void
  /** The one it asked for; undefined until its first tick. */
  series: RunningSeries | undefined
  #rows: readonly ServedSeries[] | undefined
  #places: readonly number[] = []

  constructor(request: SessionRequest, onBoundary: (boundary: Boundary) => void) {
    this.request = request
    this.onBoundary = onBoundary
  }

  /** A session without an interval gets nothing, whatever it wants delivered. */
  get wantsAll(): boolean {
    return this.request.deliver === 'all' && this.request.intervalMs > 0
  }

  /** Lists rows that the filter takes; undefined for every one. */
  *placesIn(rows: readonly ServedSeries[]): Task<readonly number[] | undefined> {
    const { filter } = this.request
    if (filter === undefined) return undefined
    if (this.#rows === rows) return this.#places
    const places: number[] = []
    yield* forEachItem(
      rows.entries(),
      ([
        row,
        {
          description: { provider, name },
        },
      ]) => {
        if (matchesCounter(filter, provider, name)) places.push(row)
      },
    )
    this.#rows = rows
    this.#places = places
    return places
  }
}
