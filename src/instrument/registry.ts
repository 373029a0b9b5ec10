/**
 * All sources and counters of one thread, and the sessions on them (eventcounters.md §4.2): limits,
 * numbers of what went wrong, and the places where other makes of counters join in. A source knows
 * its registry and is known to it: both stand here.
 */

import type { Profile } from '../dialects/decoder.ts'
import { matchesCounter, matchesProvider } from '../dialects/eventcounters/codec/filter.ts'
import { counterEventsOf } from '../dialects/eventcounters/server/counter-events.ts'
import type {
  Boundary,
  CounterSource,
  CounterSession as OpenedSession,
  SessionRequest,
} from '../dialects/eventcounters/server/counter-source.ts'
import { LIMITS } from '../dialects/eventcounters/spec.ts'
import type { DotnetSocket } from '../dialects/nettrace/server.ts'
import type { CounterEventSource } from '../dialects/snapshot-source.ts'
import type { ZoneOptions } from '../shm/index.ts'
import type { Clock } from '../time/clock.ts'
import { backgroundClock } from '../time/system-clock.ts'
import { checkName } from './counters/attributes.ts'
import { openDotnetSocket } from './dotnet-socket.ts'
import { IncludedSources } from './included/included-sources.ts'
import { KeptExemplars } from './recording/kept-exemplars.ts'
import { noCounts, type RegistryCounts, type Report, reportTo } from './reports.ts'
import { Identities } from './sessions/identities.ts'
import {
  Member,
  type Membership,
  type SourceCallbacks,
  SourceEntry,
  type SourceMembership,
} from './sessions/members.ts'
import type { CounterMatch, OpenRequest, OpenSession } from './sessions/open-session.ts'
import type { Collection, ServedCounter } from './sessions/served-counter.ts'
import {
  type CounterSession,
  openSession,
  type SessionOptions,
  type SessionWindow,
} from './sessions/session.ts'
import { INTERVAL_MS_MAX, Sessions } from './sessions/sessions.ts'
import { Collector } from './threads/collector.ts'
import type {
  Adopt,
  CounterChange,
  CounterHome,
  ListeningWatcher,
  SharedRegistry,
} from './threads/home.ts'
import { Reporter } from './threads/reporter.ts'

export interface RegistryLimits {
  readonly sources: number
  readonly countersPerSource: number
  /** Limit of label sets of one plain instrument. */
  readonly labelSets: number
  readonly sessions: number
}

export interface RegistryOptions {
  /** One whose timers do not keep the process alive by default. */
  readonly clock?: Clock
  /** Gets a line for each thing that is wrong, not for each time; default: a process warning. */
  readonly log?: (message: string) => void
  /** Rules that addMetaData keeps to (eventcounters.md §4.7); `document` by default. */
  readonly profile?: Profile
  readonly limits?: Partial<RegistryLimits>
  /**
   * Options of the shared memory that plain instruments and other threads write; made on first use.
   */
  readonly zone?: ZoneOptions
  /**
   * Whether the tools of .NET find this process, and read the counters of this registry: by a
   * socket as a .NET process has one, {@link CounterRegistry.dotnetSocket}. False by default.
   */
  readonly dotnetSocket?: boolean
}

/** Sets of label values that one instrument may have, unless it is given. */
const LABEL_SETS = 1_000

/** Place of what a limit has refused: its constructor works, and it does nothing. */
const INERT = Object.freeze({ isLive: false, isEnabled: false, remove: () => {} })

/**
 * The sources and counters of a thread, and the sessions on them. An application that makes none
 * uses the default one.
 * @example
 * ```ts
 * import { CounterRegistry, EventSource } from 'pentameter/instrument'
 *
 * const registry = new CounterRegistry({ limits: { sessions: 8 } })
 * const shop = new EventSource('Shop.Web', { registry })
 * console.log(registry.sources.length, shop.isLive)
 * ```
 */
export class CounterRegistry implements CounterSource, CounterEventSource {
  readonly profile: Profile
  readonly limits: RegistryLimits
  /**
   * Socket for the tools of .NET, where the options ask for it; settles when it is bound. It is
   * rejected where it cannot be, which is logged and harms nothing else.
   */
  readonly dotnetSocket: Promise<DotnetSocket> | undefined
  /** Opens a session as the tools of .NET ask for it; for a {@link DotnetSocket}. */
  readonly openEvents: CounterEventSource['openEvents'] = counterEventsOf(this).openEvents
  /**
   * Metrics of other libraries, shown with those of the registry.
   * @internal
   */
  readonly included: IncludedSources
  /** @internal */
  readonly exemplars: KeptExemplars
  /** @internal */
  readonly clock: Clock
  readonly #sessions: Sessions
  readonly #entries = new Map<EventSource, SourceEntry>()
  readonly #identities = new Identities()
  /** Sources that have refused a counter, which is logged once for each. */
  readonly #refusing = new WeakSet<EventSource>()
  readonly #watchers = new Set<(change: CounterChange) => void>()
  readonly #counts = noCounts()
  #order = 0
  #home: Collector | Reporter | undefined
  #adopt: Adopt | undefined
  /**
   * Options as given.
   * @internal
   */
  readonly zoneOptions: ZoneOptions

  constructor(options: RegistryOptions = {}) {
    const { clock = backgroundClock, limits, profile = 'document' } = options
    this.clock = clock
    this.profile = profile
    this.zoneOptions = options.zone ?? {}
    this.limits = {
      sources: limits?.sources ?? LIMITS.sourcesPerProcess,
      countersPerSource: limits?.countersPerSource ?? LIMITS.countersPerSource,
      labelSets: limits?.labelSets ?? LABEL_SETS,
      sessions: limits?.sessions ?? LIMITS.sessions,
    }
    this.report = reportTo(this.#counts, options.log)
    this.included = new IncludedSources(this.report)
    this.exemplars = new KeptExemplars(() => clock.wallMs())
    this.#sessions = new Sessions({ clock, limit: this.limits.sessions, report: this.report })
    this.dotnetSocket = options.dotnetSocket === true ? openDotnetSocket(this) : undefined
  }

  /** Counts of eventcounters.md §6, by the names there, and of the registry's own limits. */
  get counts(): Readonly<RegistryCounts> {
    return this.#counts
  }

  /** Sources in the order in which they were made. */
  get sources(): readonly EventSource[] {
    return [...this.#entries.keys()]
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  /** Whether another thread serves what is recorded in this registry. */
  get isJoined(): boolean {
    return this.#home instanceof Reporter
  }

  /**
   * Opens a session that is collected by hand; undefined when the limit of sessions is reached.
   * @internal
   */
  openByHand(onBoundary: (boundary: Boundary) => void): OpenSession | undefined {
    return this.#open({ intervalMs: INTERVAL_MS_MAX, deliver: 'own' }, onBoundary)
  }

  /**
   * Lists all that is served, source after source.
   * @internal
   */
  *counters(): Iterable<ServedCounter> {
    for (const { members } of this.#entries.values()) {
      for (const { counter } of members) yield counter
    }
  }

  /**
   * @throws {RangeError} for an interval that is no whole number of milliseconds
   * @throws {TypeError} in a registry that another thread serves
   */
  open(
    request: SessionRequest,
    onBoundary: (boundary: Boundary) => void,
  ): OpenedSession | undefined {
    const { filter, ...rest } = request
    if (filter === undefined) return this.#open(rest, onBoundary)
    const wanted: CounterMatch = {
      source: (name) => matchesProvider(filter, name),
      counter: (source, name) => matchesCounter(filter, source, name),
    }
    return this.#open({ ...rest, wanted }, onBoundary)
  }

  #open(request: OpenRequest, onBoundary: (boundary: Boundary) => unknown) {
    if (this.isJoined) {
      throw new TypeError('sessions belong to the thread that shared the registry')
    }
    return this.#sessions.open(request, onBoundary)
  }

  /**
   * Opens a session: calls back with every window of the counters asked for, one per counter and
   * interval, until it is closed. It does not keep the process alive.
   * @param onWindow one that throws, or whose promise is rejected, closes this session alone
   * @throws {RangeError} for an interval that is no whole number of milliseconds of 1 or more, and
   *   when the limit of sessions is reached
   * @throws {FilterError} for a text of counters that is no list
   * @throws {TypeError} in a registry that another thread serves
   * @example
   * ```ts
   * import { defaultRegistry } from 'pentameter/instrument'
   *
   * const session = defaultRegistry().session(
   *   { intervalMs: 1000, counters: 'Shop.*' },
   *   (window) => {
   *     if (window.kind === 'mean') console.log(window.name, window.mean, window.unit)
   *     else console.log(window.name, window.perSecond)
   *   },
   * )
   * session.close()
   * ```
   */
  session(options: SessionOptions, onWindow: (window: SessionWindow) => unknown): CounterSession {
    return openSession((request, onBoundary) => this.#open(request, onBoundary), options, onWindow)
  }

  /**
   * Takes a source in; an application makes an EventSource instead.
   * @internal
   */
  addSource(source: EventSource, callbacks: SourceCallbacks): SourceMembership {
    if (this.#entries.size >= this.limits.sources) {
      const isFirst = this.#counts.dropped_sources === 0
      const why = `source "${source.name}" is inert: limit of ${this.limits.sources} sources`
      this.report('dropped_sources', isFirst ? why : undefined)
      return INERT
    }
    const entry = new SourceEntry(source.name, callbacks, this.report)
    this.#entries.set(source, entry)
    this.#sessions.addSource(entry)
    const remove = () => this.#removeSource(source, entry)
    return {
      get isLive() {
        return entry.isLive
      },
      get isEnabled() {
        return entry.isEnabled
      },
      remove,
    }
  }

  #removeSource(source: EventSource, entry: SourceEntry): void {
    this.#entries.delete(source)
    for (const member of [...entry.members]) this.#removeCounter(member)
    this.#sessions.removeSource(entry)
  }

  /**
   * Takes a counter of any make into the sessions that want it, from now on.
   * @internal
   */
  addCounter(source: EventSource, counter: ServedCounter): Membership {
    const adopted = this.#adopt?.(counter)
    if (adopted !== undefined) {
      this.#tell({ kind: 'added', counter })
      return adopted
    }
    const entry = this.#entries.get(source)
    if (entry === undefined || entry.members.size >= this.limits.countersPerSource) {
      this.#refuse(source, entry !== undefined, counter)
      return INERT
    }
    const member = new Member(++this.#order, entry, counter)
    if (this.#identities.add(member)) {
      this.report('duplicate_counters', `${member.title} has the identity of another one`)
    }
    this.#sessions.addCounter(member)
    this.#tell({ kind: 'added', counter })
    return {
      get isLive() {
        return member.isLive
      },
      remove: () => this.#removeCounter(member),
    }
  }

  #refuse(source: EventSource, isKnown: boolean, counter: ServedCounter): void {
    const isFirst = !this.#refusing.has(source)
    this.#refusing.add(source)
    const { name, provider } = counter.description
    const why = isKnown
      ? `limit of ${this.limits.countersPerSource} counters`
      : 'the source is closed, or inert itself'
    const message = `counter "${name}" of source "${provider}" is inert: ${why}`
    this.report('dropped_counters', isFirst ? message : undefined)
  }

  #removeCounter(member: Member): void {
    if (!member.isLive) return
    this.#identities.remove(member)
    this.#sessions.removeCounter(member)
    this.#tell({ kind: 'removed', counter: member.counter })
  }

  /** @internal */
  addStandIn(provider: string, counter: ServedCounter): Membership {
    const known = this.sources.find(({ name }) => name === provider)
    return this.addCounter(known ?? new EventSource(provider, { registry: this }), counter)
  }

  /**
   * Finds the oldest live counter of that name; the case of the source's name does not matter.
   * @internal
   */
  findCounter(provider: string, name: string): ServedCounter | undefined {
    const wanted = provider.toLowerCase()
    for (const entry of this.#entries.values()) {
      if (entry.name.toLowerCase() !== wanted) continue
      for (const member of entry.members) if (member.name === name) return member.counter
    }
    return undefined
  }

  /**
   * Calls back at the beginning of every collection, before any window is closed.
   * @returns a function that takes the callback away again
   * @internal
   */
  onCollection(callback: (collection: Collection) => void): () => void {
    return this.#sessions.onCollection(callback)
  }

  /**
   * Connects the home of counters in the zone: it hears whether a session is open, and stands in
   * for counters.
   * @internal
   */
  connect(watcher: ListeningWatcher, adopt: Adopt): void {
    this.#adopt = adopt
    this.#sessions.onListening(watcher)
  }

  /**
   * Gives what to hand to a worker thread, by workerData or postMessage: there,
   * `CounterRegistry.open` makes a registry of it, whose counters this registry serves.
   * @throws {TypeError} in a registry that was joined itself
   */
  share(): SharedRegistry {
    return this.#collector().share()
  }

  /**
   * Opens the registry of another thread: sources and counters made in it are served by the
   * sessions of that thread, together with its own of the same source and name. Sessions, and
   * counters that poll, belong to that thread alone.
   * @throws {ZoneFullError} when too many threads have joined
   */
  static open(shared: SharedRegistry, options: RegistryOptions = {}): CounterRegistry {
    const registry = new CounterRegistry(options)
    registry.#home = new Reporter(registry, shared)
    return registry
  }

  /**
   * Place of the counters that are in the zone, which is made on first use.
   * @internal
   */
  get home(): CounterHome {
    return this.#home ?? this.#collector()
  }

  #collector(): Collector {
    this.#home ??= new Collector(this)
    if (this.#home instanceof Collector) return this.#home
    throw new TypeError('a registry that another thread serves is shared by that thread')
  }

  /**
   * Calls back for every counter that is added, removed, or describes itself anew.
   * @internal
   */
  onCounter(callback: (change: CounterChange) => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }

  /**
   * Tells that a counter describes itself anew.
   * @internal
   */
  changed(counter: ServedCounter): void {
    this.#tell({ kind: 'changed', counter })
  }

  #tell(change: CounterChange): void {
    for (const callback of this.#watchers) callback(change)
  }

  /**
   * Counts one, and logs the message where there is one. Never throws.
   * @internal
   */
  readonly report: Report

  /** Closes all sessions; sources and counters stay, and new sessions can be opened. */
  closeSessions(): void {
    this.#sessions.closeAll()
  }
}

let shared: CounterRegistry | undefined

/**
 * Gives the registry of sources that name none: one per thread, made on first use.
 * @example
 * ```ts
 * import { defaultRegistry } from 'pentameter/instrument'
 *
 * console.log(defaultRegistry().counts.dropped_counters)
 * ```
 */
export function defaultRegistry(): CounterRegistry {
  shared ??= new CounterRegistry()
  return shared
}

export interface EventSourceOptions {
  /** The thread's default one when not given. */
  readonly registry?: CounterRegistry | undefined
  /**
   * Called when the first session that wants this source opens, before its windows begin; for a
   * source made while sessions are open, in the next microtask. An error is counted and logged.
   */
  readonly onEnable?: ((source: EventSource) => void) | undefined
  /** Called when the last such session has left, and on close while enabled. */
  readonly onDisable?: ((source: EventSource) => void) | undefined
}

/**
 * A named group of counters that sessions are opened on (eventcounters.md §3.3). What costs
 * something to measure can wait until a session wants it: onEnable, onDisable.
 * @example
 * ```ts
 * import { EventCounter, EventSource } from 'pentameter/instrument'
 *
 * const shop = new EventSource('Shop.Search')
 * const latency = new EventCounter('request-time', shop, { displayUnits: 'ms' })
 * latency.writeMetric(12.5)
 * shop.close()
 * ```
 */
export class EventSource {
  readonly name: string
  readonly registry: CounterRegistry
  readonly #membership: SourceMembership

  /**
   * @param name 1 to 512 UTF-16 units without U+0000; sessions match it without regard to case
   * @throws {TypeError | RangeError} for any other name
   */
  constructor(name: string, options: EventSourceOptions = {}) {
    const { registry = defaultRegistry(), onEnable, onDisable } = options
    checkName('source name', name)
    this.name = name
    this.registry = registry
    this.#membership = registry.addSource(this, {
      onEnable: () => onEnable?.(this),
      onDisable: () => onDisable?.(this),
    })
  }

  /** False once closed, and from the start where the limit of sources was reached. */
  get isLive(): boolean {
    return this.#membership.isLive
  }

  /** Whether a session wants this source at this moment. */
  get isEnabled(): boolean {
    return this.#membership.isEnabled
  }

  /** Takes the source and its counters out of all sessions, without a last payload. Idempotent. */
  close(): void {
    this.#membership.remove()
  }
}
