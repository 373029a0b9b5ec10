/**
 * Sessions by function call, with the texts of the document (eventcounters.md §3.1): what an
 * in-process listener opens, changes and closes.
 */

import type { Profile } from '../../decoder.ts'
import { type CounterFilter, parseFilter } from '../codec/filter.ts'
import { parseInterval, seriesText } from '../codec/interval.ts'
import { type PayloadObject, toPayload } from '../codec/payload.ts'
import { EVENT_NAME, INTERVAL_ARGUMENT } from '../spec.ts'
import type { Boundary, CounterSession, CounterSource } from './counter-source.ts'

export interface SessionArguments {
  /** Interval as text, by the grammar of the profile; missing = none. */
  readonly EventCounterIntervalSec?: string | undefined
  /** List of counters (eventcounters.md §4.8); missing or empty = every counter of every source. */
  readonly counters?: string | undefined
  /** `document` by default. */
  readonly profile?: Profile | undefined
  /** `own` by default. */
  readonly deliver?: 'own' | 'all' | undefined
}

/** One event per counter, interval and session, as it would stand in a line of the endpoint. */
export interface CounterEvent {
  readonly event: typeof EVENT_NAME
  readonly provider: string
  /** End of the interval, RFC 3339, UTC, milliseconds. */
  readonly time: string
  /** Numbers are as they are: an empty interval's Min is Infinity, not null. */
  readonly Payload: PayloadObject
}

export interface EventSession {
  /** Nominal interval in force, milliseconds; 0 = none. */
  readonly intervalMs: number
  /** `Interval=…` as the profile spells it; undefined while there is no interval. */
  readonly series: string | undefined
  /** False once closed, also by an error of its listener. */
  readonly isOpen: boolean
  /**
   * Changes the arguments that are named; the others stay. That is to close and to open again,
   * with a fresh schedule and fresh windows; only where a `peer` interval is to be ignored, and
   * nothing else changes, all goes on.
   * @throws {FilterError} for a list of counters that is none; the session goes on as it was
   */
  set(args: Omit<SessionArguments, 'profile'>): void
  /** Ends the session; idempotent. */
  close(): void
}

/**
 * Opens a session on counters by the texts of the document; its listener gets events spelled by the
 * profile. One that throws, or whose promise is rejected, closes this session alone.
 * @param source a registry of `pentameter/instrument`, or what else holds counters
 * @returns undefined when the limit of sessions is reached
 * @throws {FilterError} for a list of counters that is none
 * @example
 * ```ts
 * import { openEventSession } from 'pentameter/eventcounters'
 * import { defaultRegistry } from 'pentameter/instrument'
 *
 * const args = { EventCounterIntervalSec: '1' }
 * const session = openEventSession(defaultRegistry(), args, ({ provider, Payload }) => {
 *   console.log(provider, Payload.Name, Payload.Mean ?? Payload.Increment)
 * })
 * session?.close()
 * ```
 */
export function openEventSession(
  source: CounterSource,
  args: SessionArguments,
  listener: (event: CounterEvent) => void,
): EventSession | undefined {
  const session = new TextSession(source, args, listener)
  return session.isOpen ? session : undefined
}

class TextSession implements EventSession {
  readonly #source: CounterSource
  readonly #listener: (event: CounterEvent) => unknown
  readonly #profile: Profile
  #deliver: 'own' | 'all'
  #filter: CounterFilter | undefined
  #intervalMs = 0
  #session: CounterSession | undefined
  #isClosed = false

  constructor(
    source: CounterSource,
    args: SessionArguments,
    listener: (event: CounterEvent) => unknown,
  ) {
    this.#source = source
    this.#listener = listener
    this.#profile = args.profile ?? 'document'
    this.#deliver = args.deliver ?? 'own'
    this.#filter = readFilter(args.counters)
    this.#intervalMs = this.#readInterval(args.EventCounterIntervalSec) ?? 0
    this.#open()
  }

  get isOpen(): boolean {
    return this.#session?.isOpen ?? false
  }

  get intervalMs(): number {
    return this.#intervalMs
  }

  get series(): string | undefined {
    return this.#intervalMs === 0 ? undefined : seriesText(this.#intervalMs, this.#profile)
  }

  set(args: Omit<SessionArguments, 'profile'>): void {
    if (!this.isOpen) return
    if ('counters' in args) this.#filter = readFilter(args.counters)
    const intervalMs =
      INTERVAL_ARGUMENT in args ? this.#readInterval(args.EventCounterIntervalSec) : undefined
    const isOther = Object.keys(args).some((name) => name !== INTERVAL_ARGUMENT)
    if (intervalMs === undefined && !isOther) return
    this.#intervalMs = intervalMs ?? this.#intervalMs
    this.#deliver = args.deliver ?? this.#deliver
    this.#session?.close()
    this.#open()
    // A source that was told of either may have closed it meanwhile.
    if (this.#isClosed) this.close()
  }

  /** Reads an interval; undefined = the session keeps what it has. */
  #readInterval(text: string | undefined): number | undefined {
    const argument = parseInterval(text, this.#profile)
    const isBad = argument.kind === 'stop' ? argument.isInvalid === true : argument.kind !== 'run'
    if (isBad && text !== undefined) this.#source.report?.('invalid_intervals')
    if (argument.kind === 'run') return argument.intervalMs
    return argument.kind === 'stop' ? 0 : undefined
  }

  #open(): void {
    const filter = this.#filter
    const request = { intervalMs: this.#intervalMs, deliver: this.#deliver }
    this.#session = this.#source.open(
      filter === undefined ? request : { ...request, filter },
      (boundary) => this.#tell(boundary),
    )
  }

  /** Tells the listener one event per window, until it has closed or changed the session. */
  #tell({ timeMs, windows }: Boundary): unknown {
    const time = new Date(timeMs).toISOString()
    const session = this.#session
    const answers: unknown[] = []
    for (const window of windows) {
      const { provider } = window.counter
      const Payload = toPayload(window, this.#profile)
      const answer = this.#listener({ event: EVENT_NAME, provider, time, Payload })
      if (typeof answer === 'object' && answer !== null) answers.push(answer)
      if (this.#session !== session) break
    }
    // A listener is not waited for; one that is async fails later than one that is not.
    return answers.length === 0 ? undefined : Promise.all(answers)
  }

  close(): void {
    this.#isClosed = true
    this.#session?.close()
    this.#session = undefined
  }
}

function readFilter(list: string | undefined): CounterFilter | undefined {
  return list === undefined || list === '' ? undefined : parseFilter(list)
}
