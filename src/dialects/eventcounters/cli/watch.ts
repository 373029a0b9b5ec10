/**
 * One session for as long as a command runs: it begins with the first answer, goes on through
 * restarts of the server, and ends when it is asked to, when its time is over, or when there never
 * was an answer.
 */

import { CommandError } from '../../../terminal/exit.ts'
import type { Clock } from '../../../time/clock.ts'
import type { CounterFeed, FeedError, FeedWindow } from '../../command-line.ts'
import { matchesCounter } from '../codec/filter.ts'
import type { CounterDescription } from '../window.ts'
import type { CounterRequest } from './request.ts'

interface WatchObserver {
  /** Takes what is waited for, before the first answer. */
  onWait(text: string): void
  onOpen(): void
  onWindow(window: FeedWindow): void
  /** Takes note that the session is lost; the values stay, the gap is not filled. */
  onLost(error: FeedError, retryInMs: number): void
  /** Takes what the other side says of the session. */
  onNote(text: string): void
}

export interface WatchContext {
  readonly clock: Clock
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
  readonly #feed: CounterFeed
  readonly #ended = Promise.withResolvers<FeedError | undefined>()
  #openedNs: bigint | undefined
  #lost = 0
  #hasWindow = false
  #cancelEnd: (() => void) | undefined
  #closed: Promise<void> | undefined
  #endMessage: string | undefined

  /** @throws {CommandError} of wrong usage, for an address that is none */
  constructor(request: CounterRequest, { clock }: WatchContext, observer: WatchObserver) {
    this.#request = request
    this.#clock = clock
    const { filter } = request
    const own = {
      onWait: (text: string) => observer.onWait(text),
      onOpen: () => {
        this.#onOpen()
        observer.onOpen()
      },
      onWindow: (window: FeedWindow) => {
        const { provider, name } = window.counter
        // A body without envelope has no provider: only the server could sort it out.
        if (provider !== '' && !matchesCounter(filter, provider, name)) return
        this.#hasWindow = true
        observer.onWindow(window)
      },
      onNote: (text: string) => observer.onNote(text),
      onError: (error: FeedError, retryInMs: number) => {
        if (this.#openedNs === undefined) this.#finish(error)
        else {
          this.#lost++
          observer.onLost(error, retryInMs)
        }
      },
      onEnd: (message: string) => {
        this.#endMessage = message
        this.#finish(undefined)
      },
    }
    this.#feed = request.open(own, clock)
  }

  /** Name of what is watched: `host:port`. */
  get target(): string {
    return this.#feed.target
  }

  /** Name of it in a document. */
  get name(): string {
    return this.#feed.name
  }

  /** Sessions lost, and payloads that could not be read. */
  get errors(): number {
    return this.#lost + this.#feed.errors
  }

  /** Troubles besides errors, in words. */
  get troubles(): readonly string[] {
    return this.#feed.troubles
  }

  /** Milliseconds since the first answer. */
  get elapsedMs(): number {
    if (this.#openedNs === undefined) return 0
    return Number(this.#clock.monotonicNs() - this.#openedNs) / 1e6
  }

  /** Advises where nothing has come so far; undefined where that is no wonder. */
  adviceOnSilence(): string | undefined {
    if (this.#hasWindow || this.#openedNs === undefined) return undefined
    const { intervalMs } = this.#request
    const passed = (this.elapsedMs - lastPayloadMs(intervalMs)) / intervalMs
    return this.#feed.silence(Math.max(0, Math.floor(passed)))
  }

  /** Lists what there is to say when it is over, for people. */
  get lastWords(): readonly string[] {
    return [this.#endMessage, this.adviceOnSilence()].filter((text) => text !== undefined)
  }

  /** Resolves when it is over. @throws {CommandError} when there never was a session */
  async run(): Promise<void> {
    await this.#feed.start()
    const error = await this.#ended.promise
    if (error === undefined) return
    const { message, advice } = error
    throw new CommandError(advice === undefined ? message : `${message}\n  ${advice}`)
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
    this.#cancelEnd = this.#clock.after(durationMs + lastPayloadMs(intervalMs), () => this.end())
  }

  #finish(error: FeedError | undefined): void {
    this.#cancelEnd?.()
    this.#closed ??= this.#feed.close()
    void this.#closed.then(() => this.#ended.resolve(error))
  }
}

function lastPayloadMs(intervalMs: number): number {
  return Math.min(LAST_PAYLOAD_MS, intervalMs * LAST_PAYLOAD_PART)
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
