/**
 * The counters and meters of a process: one session, of which only what is ours is handed on (§7,
 * §9). Every session at a process gets what all of them asked for, and an interval that one of them
 * lowers is lowered for all: what came of that is counted, and can be told.
 */
import type { Clock } from '../../../time/clock.ts'
import type { DecodeErrorFields } from '../../../wire/decode-error.ts'
import type { SharedReads } from '../../endpoints.ts'
import type { NetTraceEvent } from '../codec/event.ts'
import { METRICS_PROVIDER } from '../codec/layouts.ts'
import { type Reading, readingOf } from '../map.ts'
import { Duplicates } from './counters/duplicates.ts'
import { Instruments } from './counters/instruments.ts'
import { MeterNotes } from './counters/meter-notes.ts'
import { type CollectRequest, type CounterRequest, collectRequest } from './counters/providers.ts'
import type { ProcessDoor } from './door.ts'
import { EventPipeSession, type SessionEnd } from './session.ts'

/** Counts of what a session has brought, and of what was left out. */
export interface CounterSessionCounts {
  /** Readings that were handed on. */
  readings: number
  /** Payloads of counters of another interval than ours. */
  foreignIntervals: number
  /** Values of meters of another tool's collection. */
  foreignSessions: number
  /** Values of a second counter or instrument of one name. */
  duplicates: number
  /** Values of counters that were not asked for. */
  unwanted: number
  /** Events that could not be read. */
  bad: number
}

/** Callbacks of a session; they must not throw. */
interface CounterObserver {
  /** Called when the process has opened the session. */
  onOpen?(session: string): void
  /**
   * Takes one interval of one counter or instrument.
   * @param timeMs time of its end by the clock of the process, Unix ms with fractions
   */
  onReading?(reading: Reading, event: NetTraceEvent, timeMs: number): void
  /** Takes every event, those that are no readings and those of others too. */
  onEvent?(event: NetTraceEvent, timeMs: number): void
  /** Takes what could not be read; the stream goes on where `resync` says so. */
  onError?(error: DecodeErrorFields): void
  /** Takes the reason of the end: called once, and nothing after it. */
  onEnd?(end: SessionEnd): void
}

export interface CounterSessionOptions extends CounterObserver {
  readonly door: ProcessDoor
  readonly request: CounterRequest
  readonly clock?: Clock
  /** Budget within which what comes is read; none unless given. */
  readonly reads?: SharedReads | undefined
}

/**
 * A session of counters and instruments at a process, from the moment it is made.
 *
 * @example
 * import { CounterSession, socketDoor } from 'pentameter/nettrace'
 *
 * const session = new CounterSession({
 *   door: socketDoor('/tmp/dotnet-diagnostic-1-2-socket'),
 *   request: { providers: ['System.Runtime'], intervalMs: 1000, clrVersion: '10.0.0' },
 *   onReading: ({ identity, values }) => console.log(identity.name, values),
 *   onEnd: ({ message }) => console.log(message),
 * })
 * setTimeout(() => session.stop(), 1000)
 */
export class CounterSession {
  readonly counts: CounterSessionCounts = {
    ...{ readings: 0, foreignIntervals: 0, foreignSessions: 0, duplicates: 0, unwanted: 0 },
    bad: 0,
  }
  /** Intervals of event sources that come in another one than ours, ms: each has its own. */
  readonly otherIntervals: ReadonlyMap<string, number>
  readonly #otherIntervals = new Map<string, number>()
  #hasCounters = false
  readonly #options: CounterSessionOptions
  readonly #request: CollectRequest
  readonly #session: EventPipeSession
  readonly #duplicates = new Duplicates()
  readonly #instruments = new Instruments()
  readonly #notes: MeterNotes
  /** Names of the counters that are wanted of each event source; undefined for all. */
  readonly #wanted: ReadonlyMap<string, ReadonlySet<string> | undefined>

  /**
   * @throws {TypeError} for a provider that makes no sense
   * @throws {EncodeError} for a name that cannot be said
   */
  constructor(options: CounterSessionOptions) {
    this.#options = options
    this.otherIntervals = this.#otherIntervals
    this.#request = collectRequest(options.request)
    this.#notes = new MeterNotes(this.#request)
    this.#wanted = wantedNames(this.#request)
    const { door, clock, reads } = options
    this.#session = new EventPipeSession({
      ...{ door, reads, providers: this.#request.providers },
      ...(clock === undefined ? {} : { clock }),
      onOpen: (session) => options.onOpen?.(session),
      onEvent: (event, timeMs) => this.#onEvent(event, timeMs),
      onError: (error) => {
        this.counts.bad++
        options.onError?.(error)
      },
      onEnd: (end) => options.onEnd?.(end),
    })
  }

  /** Whether the process has opened it, and it has not ended. */
  get isOpen(): boolean {
    return this.#session.isOpen
  }

  /** Events that the process has dropped, as far as their numbers say. */
  get lost(): number {
    return this.#session.lost
  }

  /** Interval that was asked for as the process says it, ms. */
  get seriesMs(): number {
    return this.#request.seriesMs
  }

  /**
   * Interval that counters come in, ms; NaN before the first. Where those of several sources
   * differ, one that is not ours.
   */
  get intervalInForceMs(): number {
    const [other] = this.#otherIntervals.values()
    return other ?? (this.#hasCounters ? this.seriesMs : Number.NaN)
  }

  /** Words of the process on its meters that a person should know, by what they are about. */
  get notes(): ReadonlyMap<string, string> {
    return this.#notes.texts
  }

  /** Tells the process to stop, and reads what still comes, for 5 s at most. Never throws. */
  stop(): Promise<void> {
    return this.#session.stop()
  }

  /** Ends it at once. Nothing is called back. */
  abort(): void {
    this.#session.abort()
  }

  #onEvent(event: NetTraceEvent, timeMs: number): void {
    this.#options.onEvent?.(event, timeMs)
    this.#instruments.take(event)
    const reading = readingOf(event, this.#instruments.of(event))
    if (reading === undefined) {
      if (event.metadata.provider === METRICS_PROVIDER) this.#notes.take(event)
    } else if (this.#isOurs(reading, event, timeMs)) {
      this.counts.readings++
      this.#options.onReading?.(reading, event, timeMs)
    }
  }

  /** Tells whether a reading is handed on, and counts it where it is not. */
  #isOurs(reading: Reading, event: NetTraceEvent, timeMs: number): boolean {
    const { counts } = this
    const takesAny = this.#options.request.intervals === 'any'
    if (reading.sessionId === undefined) {
      if (!this.#isWanted(event.metadata.provider, reading.identity.name)) {
        counts.unwanted++
        return false
      }
      this.#noteInterval(event.metadata.provider, reading.seriesMs)
      if (reading.seriesMs !== this.seriesMs && !takesAny) {
        counts.foreignIntervals++
        return false
      }
    } else if (reading.sessionId !== this.#request.sessionId && !takesAny) {
      counts.foreignSessions++
      return false
    }
    if (!this.#duplicates.has(reading, event, timeMs)) return true
    counts.duplicates++
    return false
  }

  #noteInterval(provider: string, seriesMs: number): void {
    if (Number.isNaN(seriesMs)) return
    this.#hasCounters = true
    if (seriesMs === this.seriesMs) this.#otherIntervals.delete(provider)
    else this.#otherIntervals.set(provider, seriesMs)
  }

  #isWanted(provider: string, counter: string): boolean {
    if (!this.#wanted.has(provider)) return false
    return this.#wanted.get(provider)?.has(counter) ?? true
  }
}

/** Joins what is wanted of each source; one that is named without counters is wanted whole. */
function wantedNames({ wanted }: CollectRequest): Map<string, Set<string> | undefined> {
  const names = new Map<string, Set<string> | undefined>()
  for (const { name, counters } of wanted) {
    const known = names.get(name)
    const isWhole = counters === undefined || (names.has(name) && known === undefined)
    names.set(name, isWhole ? undefined : new Set([...(known ?? []), ...counters]))
  }
  return names
}
