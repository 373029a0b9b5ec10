/**
 * All sources and counters of one thread, and the sessions on them (eventcounters.md §4.2): limits,
 * numbers of what went wrong, and the places where other makes of counters join in.
 */

import type { Profile } from '../dialects/decoder.ts'
import type {
  Boundary,
  CounterSource,
  SessionRequest,
} from '../dialects/eventcounters/server/counter-source.ts'
import { LIMITS } from '../dialects/eventcounters/spec.ts'
import type { ZoneOptions } from '../shm/index.ts'
import { backgroundClock } from '../time/background-clock.ts'
import type { Clock } from '../time/clock.ts'
import type { EventSource } from './event-source.ts'
import {
  type CounterEvent,
  type EventSession,
  openEventSession,
  type SessionArguments,
} from './sessions/event-session.ts'
import { Identities } from './sessions/identities.ts'
import { Member, type Membership } from './sessions/member.ts'
import type { LiveSession } from './sessions/open-session.ts'
import type { RegistryCounts, Report } from './sessions/report.ts'
import type { Pass, ServedCounter } from './sessions/served-counter.ts'
import { type ListeningWatcher, Sessions } from './sessions/sessions.ts'
import {
  type SourceCallbacks,
  SourceEntry,
  type SourceMembership,
} from './sessions/source-entry.ts'
import { joinRegistry, type SharedRegistry, shareRegistry } from './threads/share.ts'

export interface RegistryLimits {
  readonly sources: number
  readonly countersPerSource: number
  /** Of one plain instrument. */
  readonly labelSets: number
  readonly sessions: number
}

export interface RegistryOptions {
  /** One whose timers do not keep the process alive by default. */
  readonly clock?: Clock
  /** Gets a line for each thing that is wrong, not for each time; default: a process warning. */
  readonly log?: (message: string) => void
  /** Whose rules addMetaData keeps to (eventcounters.md §4.7); `document` by default. */
  readonly profile?: Profile
  readonly limits?: Partial<RegistryLimits>
  /** Of the shared memory that plain instruments and other threads write; made on first use. */
  readonly zone?: ZoneOptions
}

/** Gives the place of a counter that stood in for the one that is added; undefined = none did. */
export type Adopt = (source: EventSource, counter: ServedCounter) => Membership | undefined

export interface CounterChange {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly source: EventSource
  readonly counter: ServedCounter
}

/** Sets of label values that one instrument may have, unless it is given. */
const LABEL_SETS = 1_000

/** What a limit has refused: its constructor works, and it does nothing. */
const INERT = Object.freeze({ isLive: false, isEnabled: false, remove: () => {} })

export class CounterRegistry implements CounterSource {
  readonly profile: Profile
  readonly limits: RegistryLimits
  readonly #log: (message: string) => void
  readonly #sessions: Sessions
  readonly #entries = new Map<EventSource, SourceEntry>()
  readonly #identities = new Identities()
  /** Sources that have refused a counter, which is logged once for each. */
  readonly #refusing = new WeakSet<EventSource>()
  readonly #watchers = new Set<(change: CounterChange) => void>()
  readonly #counts: RegistryCounts = {
    nonfinite_samples: 0,
    callback_errors: 0,
    duplicate_counters: 0,
    dropped_counters: 0,
    dropped_sources: 0,
    listener_errors: 0,
    invalid_intervals: 0,
    refused_sessions: 0,
    refused_values: 0,
    dropped_label_sets: 0,
  }
  #order = 0
  #isJoined = false
  #adopt: Adopt | undefined
  /** As given. */
  readonly zoneOptions: ZoneOptions

  constructor(options: RegistryOptions = {}) {
    const { clock = backgroundClock, limits, profile = 'document' } = options
    this.profile = profile
    this.zoneOptions = options.zone ?? {}
    this.limits = {
      sources: limits?.sources ?? LIMITS.sourcesPerProcess,
      countersPerSource: limits?.countersPerSource ?? LIMITS.countersPerSource,
      labelSets: limits?.labelSets ?? LABEL_SETS,
      sessions: limits?.sessions ?? LIMITS.sessions,
    }
    this.#log = options.log ?? warn
    this.#sessions = new Sessions({ clock, limit: this.limits.sessions, report: this.report })
  }

  /** Of eventcounters.md §6, by the names there, and of the registry's own limits. */
  get counts(): Readonly<RegistryCounts> {
    return this.#counts
  }

  /** In the order in which they were made. */
  get sources(): readonly EventSource[] {
    return [...this.#entries.keys()]
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  /** Whether another thread serves what is recorded in this registry. */
  get isJoined(): boolean {
    return this.#isJoined
  }

  /**
   * @throws {RangeError} for an interval that is no whole number of milliseconds
   * @throws {TypeError} in a registry that another thread serves
   */
  open(request: SessionRequest, onBoundary: (boundary: Boundary) => void): LiveSession | undefined {
    if (this.#isJoined) {
      throw new TypeError('sessions belong to the thread that shared the registry')
    }
    return this.#sessions.open(request, onBoundary)
  }

  /**
   * Opens a session by the texts of the document (eventcounters.md §4.1); its listener gets events
   * spelled by its profile.
   * @returns undefined when the limit of sessions is reached
   * @throws {FilterError} for a list of counters that is none
   */
  openSession(
    args: SessionArguments,
    listener: (event: CounterEvent) => void,
  ): EventSession | undefined {
    return openEventSession(this, args, listener)
  }

  /** For EventSource; an application makes one of those instead. */
  addSource(source: EventSource, callbacks: SourceCallbacks): SourceMembership {
    if (this.#entries.size >= this.limits.sources) {
      const isFirst = this.#counts.dropped_sources === 0
      const why = `source "${source.name}" is inert: limit of ${this.limits.sources} sources`
      this.report('dropped_sources', isFirst ? why : undefined)
      return INERT
    }
    const entry = new SourceEntry(source, callbacks, this.report)
    this.#entries.set(source, entry)
    this.#sessions.addSource(entry)
    const remove = () => this.#removeSource(entry)
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

  #removeSource(entry: SourceEntry): void {
    this.#entries.delete(entry.source)
    for (const member of [...entry.members]) this.#removeCounter(member)
    this.#sessions.removeSource(entry)
  }

  /** Takes a counter of any make into the sessions that want it, from now on. */
  addCounter(source: EventSource, counter: ServedCounter): Membership {
    const adopted = this.#adopt?.(source, counter)
    if (adopted !== undefined) {
      this.#tell({ kind: 'added', source, counter })
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
    this.#tell({ kind: 'added', source, counter })
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
      : 'the source is disposed of, or inert itself'
    const message = `counter "${name}" of source "${provider}" is inert: ${why}`
    this.report('dropped_counters', isFirst ? message : undefined)
  }

  #removeCounter(member: Member): void {
    if (!member.isLive) return
    this.#identities.remove(member)
    this.#sessions.removeCounter(member)
    this.#tell({ kind: 'removed', source: member.entry.source, counter: member.counter })
  }

  /** The oldest live counter of that name; the case of the source's name does not matter. */
  findCounter(provider: string, name: string): ServedCounter | undefined {
    const wanted = provider.toLowerCase()
    for (const entry of this.#entries.values()) {
      if (entry.source.name.toLowerCase() !== wanted) continue
      for (const member of entry.members) if (member.name === name) return member.counter
    }
    return undefined
  }

  /**
   * Calls back at the beginning of every pass, before any window is closed.
   * @returns a function that takes the callback away again
   */
  onPass(callback: (pass: Pass) => void): () => void {
    return this.#sessions.onPass(callback)
  }

  /** For the counters of other threads: hears whether anybody listens, stands in for counters. */
  connect(watcher: ListeningWatcher, adopt: Adopt): void {
    this.#adopt = adopt
    this.#sessions.onListening(watcher)
  }

  /**
   * What to hand to a worker thread, by workerData or postMessage: there, `CounterRegistry.open`
   * makes a registry of it, whose counters this registry serves.
   * @throws {TypeError} in a registry that was joined itself
   */
  share(): SharedRegistry {
    return shareRegistry(this)
  }

  /**
   * The registry of another thread: sources and counters made in it are served by the sessions of
   * that thread, together with its own of the same source and name. Sessions, and counters that
   * poll, belong to that thread alone.
   * @throws {ZoneFullError} when too many threads have joined
   */
  static open(shared: SharedRegistry, options: RegistryOptions = {}): CounterRegistry {
    const registry = new CounterRegistry(options)
    joinRegistry(registry, shared)
    registry.#isJoined = true
    return registry
  }

  /** Calls back for every counter that is added, removed, or describes itself anew. */
  onCounter(callback: (change: CounterChange) => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }

  /** For counters: their description is another one from now on. */
  changed(source: EventSource, counter: ServedCounter): void {
    this.#tell({ kind: 'changed', source, counter })
  }

  #tell(change: CounterChange): void {
    for (const callback of this.#watchers) callback(change)
  }

  /** For counters: counts one, and logs the message where there is one. Never throws. */
  readonly report: Report = (count, message) => {
    this.#counts[count]++
    if (message === undefined) return
    try {
      this.#log(message)
    } catch {
      // A log that fails must not fail what it reports on; the count stands.
    }
  }

  /** Closes all sessions; sources and counters stay, and new sessions can be opened. */
  closeSessions(): void {
    this.#sessions.closeAll()
  }
}

function warn(message: string): void {
  process.emitWarning(message, 'CounterWarning')
}

let shared: CounterRegistry | undefined

/** The registry of sources that name none: one per thread, made on first use. */
export function defaultRegistry(): CounterRegistry {
  shared ??= new CounterRegistry()
  return shared
}
