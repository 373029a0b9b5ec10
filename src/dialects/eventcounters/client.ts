/**
 * The client: one session at an endpoint, kept for as long as it is wanted through restarts of the
 * server; every window that belongs to the series asked for is handed over (eventcounters.md §2,
 * §4.2, §6).
 */

import { Backoff } from '../../time/backoff.ts'
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import type { Reports } from '../reports.ts'
import { NO_REPORTS } from '../reports.ts'
import {
  type EndpointAddress,
  type EventCountersClientOptions,
  endpointAddress,
} from './client/address.ts'
import { Attempt, type ClientError, type Opened } from './client/attempt.ts'
import { type ClientCounts, SessionReader } from './client/session-reader.ts'
import type { ReadWindow } from './codec/read.ts'
import { LIMITS } from './spec.ts'

export type { EventCountersClientOptions } from './client/address.ts'
export type { ClientError, ClientErrorReason, Opened } from './client/attempt.ts'
export type { ClientCounts } from './client/session-reader.ts'

/** What a client tells; every call is over before the client reads on, and must not throw. */
export interface EventCountersObserver {
  /** A session is open: the server has answered. */
  onOpen?(opened: Opened): void
  /** A window of the series asked for. */
  onWindow?(window: ReadWindow): void
  /** A session, or the attempt to open one, has ended; the next attempt comes after this pause. */
  onError?(error: ClientError, retryInMs: number): void
}

export type ClientState = 'connecting' | 'online' | 'offline' | 'stopped'

export interface ClientStatus {
  readonly state: ClientState
  /** Address as it is asked, query included. */
  readonly url: string
  /** `host:port`. */
  readonly endpoint: string
  /** What the server says it serves: `Interval=1` or `none`; undefined before the first answer. */
  readonly series: string | undefined
  readonly counts: Readonly<ClientCounts>
  readonly lastError: ClientError | undefined
  /** Pause until the next attempt, while offline. */
  readonly retryMs: number | undefined
}

export interface EventCountersClientContext {
  readonly clock?: Clock
  readonly reports?: Reports
}

/** Exactly the pauses of eventcounters.md §6: an endpoint has few clients, none need spreading. */
const BACKOFF = {
  reconnectFirstMs: LIMITS.reconnectMsMin,
  reconnectLimitMs: LIMITS.reconnectMsMax,
  reconnectJitter: 0,
}

export class EventCountersClient {
  readonly #address: EndpointAddress
  readonly #observer: EventCountersObserver
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #backoff = new Backoff(BACKOFF, () => 0)
  readonly #counts: ClientCounts = {
    windows: 0,
    foreignSeries: 0,
    badPayloads: 0,
    otherEvents: 0,
    linesTooLong: 0,
    keepAlives: 0,
    reconnects: 0,
  }
  #state: ClientState = 'offline'
  #isStarted = false
  #series: string | undefined
  #lastError: ClientError | undefined
  #retryMs: number | undefined
  #attempt: Attempt | undefined
  #cancelRetry: () => void = () => {}

  /** @throws {TypeError} for an address or option that cannot be used */
  constructor(
    options: EventCountersClientOptions,
    observer: EventCountersObserver,
    context: EventCountersClientContext = {},
  ) {
    this.#address = endpointAddress(options)
    this.#observer = observer
    this.#clock = context.clock ?? systemClock
    this.#reports = context.reports ?? NO_REPORTS
  }

  /** Begins to connect; returns at once. A client that was stopped stays so. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#begin()
  }

  /** Ends the session and all timers, for good. */
  stop(): void {
    this.#isStarted = true
    this.#state = 'stopped'
    this.#cancelRetry()
    this.#retryMs = undefined
    this.#attempt?.stop()
    this.#attempt = undefined
  }

  get status(): ClientStatus {
    return {
      state: this.#state,
      url: this.#address.url.href,
      endpoint: this.#address.endpoint,
      series: this.#series,
      counts: { ...this.#counts },
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
    this.#attempt = new Attempt(this.#address, this.#clock, {
      opened: (opened) => this.#onOpened(opened),
      bytes: (bytes) => reader.push(bytes),
      end: (error) => {
        reader.end()
        this.#onEnd(error)
      },
    })
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
    this.#reports.log('warn', `session ended: ${error.message}`, { endpoint, retryMs })
    this.#cancelRetry = this.#clock.after(retryMs, () => this.#begin())
    this.#observer.onError?.(error, retryMs)
  }
}
