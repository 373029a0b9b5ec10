/**
 * One session for as long as a command runs: it begins with the first answer, goes on through
 * restarts of the server, and ends when it is asked to, when its time is over, or when there never
 * was an answer.
 */

import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import type { Clock } from '../../../time/clock.ts'
import type { ClientError, Opened } from '../client/attempt.ts'
import type { ClientCounts } from '../client/session-reader.ts'
import {
  EventCountersClient,
  type EventCountersClientOptions,
  type EventCountersClientStatus,
  type EventCountersObserver,
} from '../client.ts'
import { matchesCounter } from '../codec/filter.ts'
import { seriesText } from '../codec/interval.ts'
import type { ReadWindow } from '../codec/read.ts'
import type { CounterDescription } from '../window.ts'
import type { CounterRequest } from './request.ts'

interface WatchObserver {
  onOpen(opened: Opened): void
  onWindow(window: ReadWindow): void
  /** Takes note that the session is lost; the values stay, the gap is not filled. */
  onLost(error: ClientError, retryInMs: number): void
}

/** The part of a client that is needed. */
interface CounterClient {
  readonly status: Pick<EventCountersClientStatus, 'endpoint'>
  readonly counts: Readonly<ClientCounts>
  start(): Promise<void>
  close(): Promise<void>
}

/** Makes the client; a parameter, so that tests need no socket. */
type Connect = (
  options: EventCountersClientOptions,
  observer: EventCountersObserver,
  clock: Clock,
) => CounterClient

const connectOverHttp: Connect = (options, observer, clock) =>
  new EventCountersClient({ ...options, ...observer, clock })

export interface WatchContext {
  readonly clock: Clock
  readonly connect?: Connect
}

/**
 * The server's grid begins a little after the client sees the session open, and payloads take their
 * way: the last one is waited for by this part of an interval, at most so many milliseconds.
 */
const LAST_PAYLOAD_PART = 0.25
const LAST_PAYLOAD_MS = 250

export class Watch {
  readonly #request: CounterRequest
  readonly #clock: Clock
  readonly #client: CounterClient
  readonly #ended = Promise.withResolvers<ClientError | undefined>()
  #openedNs: bigint | undefined
  #lost = 0
  /** Series as the server names it. */
  #series: string | undefined
  #hasWindow = false
  #cancelEnd: (() => void) | undefined

  /** @throws {CommandError} of wrong usage, for an address that is none */
  constructor(request: CounterRequest, context: WatchContext, observer: WatchObserver) {
    this.#request = request
    this.#clock = context.clock
    const { filter } = request
    this.#client = createClient(request, context, {
      onOpen: (opened) => {
        this.#series = opened.series
        this.#onOpen()
        observer.onOpen(opened)
      },
      onWindow: (window) => {
        const { provider, name } = window.counter
        // A body without envelope has no provider: only the server could sort it out.
        if (provider !== '' && !matchesCounter(filter, provider, name)) return
        this.#hasWindow = true
        observer.onWindow(window)
      },
      onError: (error, retryInMs) => {
        if (this.#openedNs === undefined) this.#finish(error)
        else {
          this.#lost++
          observer.onLost(error, retryInMs)
        }
      },
    })
  }

  /** `host:port`. */
  get endpoint(): string {
    return this.#client.status.endpoint
  }

  /** Sessions lost, and lines that could not be read. */
  get errors(): number {
    const { badPayloads, linesTooLong } = this.#client.counts
    return this.#lost + badPayloads + linesTooLong
  }

  /** Milliseconds since the first answer. */
  get elapsedMs(): number {
    if (this.#openedNs === undefined) return 0
    return Number(this.#clock.monotonicNs() - this.#openedNs) / 1e6
  }

  /** Advises where nothing has come for so many intervals; undefined where that is no wonder. */
  adviceOnSilence(intervals: number): string | undefined {
    if (this.#hasWindow || this.#openedNs === undefined) return undefined
    if (this.#series === 'none') return 'the address asks for no interval: nothing will come'
    const { client, filter, intervalMs } = this.#request
    const asked = seriesText(intervalMs, client.profile ?? 'document')
    if (this.#series !== asked || this.elapsedMs < intervals * intervalMs) return undefined
    return filter === undefined
      ? 'no counters there so far'
      : 'no counter of the names in --counters'
  }

  /** Resolves when it is over. @throws {CommandError} when there never was a session */
  async run(): Promise<void> {
    await this.#client.start()
    const error = await this.#ended.promise
    if (error !== undefined) throw new CommandError(`${error.message}${adviceFor(error)}`)
  }

  /** Ends it; a second call does nothing. */
  end(): void {
    this.#finish(undefined)
  }

  #onOpen(): void {
    if (this.#openedNs !== undefined) return
    this.#openedNs = this.#clock.monotonicNs()
    const { durationMs, intervalMs } = this.#request
    if (durationMs === undefined) return
    const extraMs = Math.min(LAST_PAYLOAD_MS, intervalMs * LAST_PAYLOAD_PART)
    this.#cancelEnd = this.#clock.after(durationMs + extraMs, () => this.end())
  }

  #finish(error: ClientError | undefined): void {
    this.#cancelEnd?.()
    void this.#client.close()
    this.#ended.resolve(error)
  }
}

function createClient(
  { client }: CounterRequest,
  { clock, connect = connectOverHttp }: WatchContext,
  observer: EventCountersObserver,
): CounterClient {
  try {
    return connect(client, observer, clock)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw new CommandError(error.message, EXIT_USAGE)
    throw error
  }
}

/** Advises what to do about an error, where that can be known. */
function adviceFor({ reason, status }: ClientError): string {
  const at = (text: string): string => `\n  ${text}`
  if (reason === 'connect') {
    return at('is it running, and does it serve its counters there (EventCountersServer)?')
  }
  if (reason === 'content_type' || reason === 'bad_answer' || reason === 'timeout') {
    return at('something else answers there: check host and port')
  }
  if (reason === 'redirect') return at('give the address that it redirects to')
  if (status === 404) return at('check the path; without one it is /api/v1/eventcounters')
  if (status === 503) return at('too many viewers: end one, or raise the limit of sessions there')
  return ''
}

/** Names the series that a window is part of (eventcounters.md §7.1); pairs count in any order. */
export function seriesKey({ provider, name, metaData }: CounterDescription): string {
  const pairs = metaData.length > 1 ? [...metaData].sort(byKey) : metaData
  return JSON.stringify([provider, name, pairs])
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
