/**
 * The client: one session at an endpoint, kept for as long as it is wanted through restarts of the
 * server; every window that belongs to the series asked for is handed over (eventcounters.md §2,
 * §4.2, §6).
 */

import { Backoff } from '../../time/backoff.ts'
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import { NO_REPORTS, type Reports, type SharedReads } from '../endpoints.ts'
import { checkOptions } from '../options.ts'
import { type EndpointAddress, type EndpointOptions, endpointAddress } from './client/address.ts'
import { Attempt, type ClientError, type Opened } from './client/attempt.ts'
import { type ClientCounts, SessionReader } from './client/session-reader.ts'
import type { ReadWindow } from './codec/read.ts'
import { OWN_CLIENT_OPTIONS } from './options.ts'

/** Callbacks of a client; every call is over before the client reads on, and must not throw. */
export interface EventCountersObserver {
  /** Called when a session is open: the server has answered. */
  onOpen?(opened: Opened): void
  /** Takes a window of the series asked for. */
  onWindow?(window: ReadWindow): void
  /**
   * Called when a session, or the attempt to open one, has ended; the next attempt comes after this
   * pause.
   */
  onError?(error: ClientError, retryInMs: number): void
}

export type EventCountersClientState = 'connecting' | 'online' | 'offline' | 'stopped'

/** State of a client. */
export interface EventCountersClientStatus {
  readonly state: EventCountersClientState
  /** Address as it is asked, query included. */
  readonly url: string
  /** `host:port`. */
  readonly endpoint: string
  /**
   * Series that the server says it serves: `Interval=1` or `none`; undefined before the first
   * answer.
   */
  readonly series: string | undefined
  readonly lastError: ClientError | undefined
  /** Pause until the next attempt, while offline. */
  readonly retryMs: number | undefined
}

/** Options of a client: endpoint, request and callbacks. */
export interface EventCountersClientOptions extends EndpointOptions, EventCountersObserver {
  readonly clock?: Clock
  readonly reports?: Reports
}

/**
 * One session at an endpoint (eventcounters.md §2), kept through restarts of its server until it is
 * closed.
 *
 * @example
 * import { EventCountersClient } from 'pentameter/eventcounters'
 *
 * const client = new EventCountersClient({
 *   url: 'eventcounters://127.0.0.1:4000',
 *   intervalMs: 1000,
 *   counters: 'Node.Runtime',
 *   onWindow: ({ counter, statistics }) => console.log(counter.name, statistics),
 *   onError: ({ message }) => console.log(message),
 * })
 * await client.start()
 * setTimeout(() => client.close(), 1000)
 */
export class EventCountersClient {
  readonly #address: EndpointAddress
  readonly #observer: EventCountersObserver
  readonly #reads: SharedReads | undefined
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #backoff: Backoff
  readonly #counts: ClientCounts = {
    windows: 0,
    foreignSeries: 0,
    badPayloads: 0,
    otherEvents: 0,
    linesTooLong: 0,
    keepAlives: 0,
    reconnects: 0,
  }
  #state: EventCountersClientState = 'offline'
  #isStarted = false
  #series: string | undefined
  #lastError: ClientError | undefined
  #retryMs: number | undefined
  #attempt: Attempt | undefined
  #cancelRetry: () => void = () => {}

  /**
   * @param reads budget within which what comes is read; none unless given
   * @throws {TypeError} for an address that cannot be used
   * @throws {RangeError} for an option that cannot be used
   */
  constructor(options: EventCountersClientOptions, reads?: SharedReads) {
    this.#reads = reads
    this.#address = endpointAddress(options)
    this.#observer = options
    this.#clock = options.clock ?? systemClock
    this.#reports = options.reports ?? NO_REPORTS
    this.#backoff = new Backoff(checkOptions(OWN_CLIENT_OPTIONS, options), Math.random)
  }

  /**
   * Begins to connect; does not wait for the server, which is tried until it is there. A client
   * that was closed stays so.
   */
  async start(): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#begin()
  }

  /** Ends the session and all timers, for good. */
  async close(): Promise<void> {
    this.#isStarted = true
    this.#state = 'stopped'
    this.#cancelRetry()
    this.#retryMs = undefined
    this.#attempt?.stop()
    this.#attempt = undefined
  }

  /** Whether a session is open. */
  get isConnected(): boolean {
    return this.#state === 'online'
  }

  get counts(): Readonly<ClientCounts> {
    return this.#counts
  }

  get status(): EventCountersClientStatus {
    return {
      state: this.#state,
      url: this.#address.url.href,
      endpoint: this.#address.endpoint,
      series: this.#series,
      lastError: this.#lastError,
      retryMs: this.#retryMs,
    }
  }

  #begin(): void {
    this.#state = 'connecting'
    this.#retryMs = undefined
    const reader = new SessionReader(this.#address, this.#counts, this.#reports, {
      window: (window) => {
        if (this.#state === 'online') this.#observer.onWindow?.(window)
      },
      life: () => this.#backoff.reset(),
    })
    const sink = {
      opened: (opened: Opened) => this.#onOpened(opened),
      read: (bytes: Uint8Array) => reader.read(bytes),
      end: (error: ClientError) => {
        reader.end()
        this.#onEnd(error)
      },
    }
    this.#attempt = new Attempt(this.#address, this.#clock, sink, this.#reads)
  }

  #onOpened(opened: Opened): void {
    this.#state = 'online'
    this.#series = opened.series
    this.#lastError = undefined
    this.#reports.log('info', 'session opened', { ...opened })
    this.#observer.onOpen?.(opened)
  }

  #onEnd(error: ClientError): void {
    this.#attempt = undefined
    const wasOpen = this.#state === 'online'
    this.#state = 'offline'
    this.#lastError = error
    if (wasOpen) this.#counts.reconnects++
    this.#reports.count(wasOpen ? 'reconnects' : 'connect_failed', error.reason)
    const retryMs = this.#backoff.nextMs()
    this.#retryMs = retryMs
    const { endpoint } = this.#address
    const detail = error.message
    const facts = { detail, endpoint, retryMs: Math.round(retryMs) }
    this.#reports.log('warn', wasOpen ? 'session ended' : 'no session', facts)
    this.#cancelRetry = this.#clock.after(retryMs, () => this.#begin())
    this.#observer.onError?.(error, retryMs)
  }
}
