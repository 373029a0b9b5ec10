/**
 * Answers of the hub that are read again and again while they are shown: one reading for all
 * components that show the same, never faster than the hub and this page can take.
 */
import { type HubApi, RefusedRequest } from './hub-api.ts'

/** Windows end at whole seconds: asking more often would show nothing new. */
const POLL_MS = 1000
/** Pause after a refusal, ms: what is not known now may come, but not every second. */
const REFUSED_MS = 5000
/** A large answer costs the hub a third of its time at most. */
const REST_FACTOR = 2
const LONGEST_MS = 30_000
/** Answers that are kept of paths without a reader: one who goes back finds what was there. */
const LEFT_MOST = 4

export interface Answered<T> {
  /** Answer; undefined where the hub refused. */
  readonly answer: T | undefined
  /** The hub's words, where it knows nothing under the path. */
  readonly refusal: string | undefined
}

export interface Pace {
  /** The picture stands still: the answer is asked for once. */
  readonly isHeld?: boolean
  /** Least pause between two requests. */
  readonly leastMs?: number
}

/** Whether the page can be seen; nothing is asked for while it is hidden. `document` is one. */
export interface Visibility {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange', listener: () => void): void
}

interface Reader extends Pace {
  readonly take: (answered: Answered<unknown>) => void
}

export class Polling {
  readonly #api: Pick<HubApi, 'get'>
  readonly #page: Visibility | undefined
  readonly #polls = new Map<string, Poll>()
  /** Last answers of the paths that were left last, oldest first. */
  readonly #left = new Map<string, Answered<unknown>>()

  constructor(api: Pick<HubApi, 'get'>, page?: Visibility) {
    this.#api = api
    this.#page = page
    page?.addEventListener('visibilitychange', () => {
      for (const poll of this.#polls.values()) poll.wake()
    })
  }

  /**
   * Reads a path again and again.
   * @param path below the API's own, with its query
   * @param take gets every answer, and at once the last one that there was
   * @returns a function that ends it; with its last reader a path is read no more
   */
  read<T>(path: string, pace: Pace, take: (answered: Answered<T>) => void): () => void {
    const poll = this.#polls.get(path) ?? this.#begin(path)
    const reader: Reader = { ...pace, take: (answered) => take(answered as Answered<T>) }
    poll.add(reader)
    return () => {
      if (poll.remove(reader)) this.#leave(path, poll)
    }
  }

  #begin(path: string): Poll {
    const isHidden = (): boolean => this.#page?.hidden ?? false
    const poll = new Poll(this.#api, path, isHidden, this.#left.get(path))
    this.#left.delete(path)
    this.#polls.set(path, poll)
    return poll
  }

  #leave(path: string, { last }: Poll): void {
    this.#polls.delete(path)
    if (last === undefined) return
    this.#left.set(path, last)
    const [oldest] = this.#left.keys()
    if (this.#left.size > LEFT_MOST) this.#left.delete(oldest!)
  }
}

/** One path; nothing is asked for twice at a time. */
class Poll {
  readonly #api: Pick<HubApi, 'get'>
  readonly #path: string
  readonly #isHidden: () => boolean
  readonly #readers = new Set<Reader>()
  readonly #abort = new AbortController()
  /** Answer that came last. */
  last: Answered<unknown> | undefined
  #state: 'idle' | 'reading' | 'hidden' = 'idle'
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param last one that was read before */
  constructor(
    api: Pick<HubApi, 'get'>,
    path: string,
    isHidden: () => boolean,
    last?: Answered<unknown>,
  ) {
    this.#api = api
    this.#path = path
    this.#isHidden = isHidden
    this.last = last
  }

  add(reader: Reader): void {
    this.#readers.add(reader)
    if (this.last !== undefined) reader.take(this.last)
    if (this.#state === 'idle') void this.#read()
  }

  /** @returns whether it was the last one */
  remove(reader: Reader): boolean {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return false
    this.#abort.abort()
    clearTimeout(this.#timer)
    return true
  }

  wake(): void {
    if (this.#state === 'hidden') void this.#read()
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer)
    this.#state = this.#isHidden() ? 'hidden' : 'reading'
    if (this.#state === 'hidden') return
    const restMs = await this.#readOnce()
    this.#state = 'idle'
    const readers = [...this.#readers]
    if (readers.length === 0 || restMs === undefined) return
    const leastMs = Math.min(...readers.map(({ leastMs = 0 }) => leastMs))
    this.#timer = setTimeout(() => void this.#read(), Math.max(leastMs, restMs))
  }

  /** @returns time until the next one, in ms; undefined where there is to be none */
  async #readOnce(): Promise<number | undefined> {
    const startMs = performance.now()
    const { signal } = this.#abort
    try {
      const answer = await this.#api.get(this.#path, signal)
      if (signal.aborted) return undefined
      this.#show({ answer, refusal: undefined })
      // The next turn begins when this answer has been rendered.
      await new Promise((resolve) => setTimeout(resolve))
      const isHeld = [...this.#readers].every((reader) => reader.isHeld === true)
      return isHeld ? undefined : restAfter(performance.now() - startMs)
    } catch (error) {
      if (signal.aborted) return undefined
      // Without a connection the banner says so, and what was known stays.
      if (!(error instanceof RefusedRequest)) return restAfterRefusal(undefined)
      const { reason, retryAfterMs } = error
      // A hub that is busy has not said that there is nothing.
      if (retryAfterMs === undefined) this.#show({ answer: undefined, refusal: reason })
      return restAfterRefusal(retryAfterMs)
    }
  }

  #show(answered: Answered<unknown>): void {
    this.last = { ...answered, answer: answered.answer ?? this.last?.answer }
    for (const { take } of [...this.#readers]) take(answered)
  }
}

/** @param tookMs from asking until the answer was shown */
function restAfter(tookMs: number): number {
  return Math.min(LONGEST_MS, Math.max(POLL_MS, tookMs * REST_FACTOR))
}

/** @param retryAfterMs as the hub asked for */
function restAfterRefusal(retryAfterMs: number | undefined): number {
  return retryAfterMs === undefined
    ? REFUSED_MS
    : Math.min(LONGEST_MS, Math.max(POLL_MS, retryAfterMs))
}
