/**
 * The border between those who hold counters (an application's sources, a hub) and the endpoint
 * that serves them: sessions by function call (eventcounters.md §2, §4.2); pure.
 */
import type { CounterFilter } from '../codec/filter.ts'
import type { CounterWindow } from '../window.ts'

/** Request of a session. */
export interface SessionRequest {
  /** Milliseconds, 1 or more; 0 = a session that is open and receives nothing. */
  readonly intervalMs: number
  /** Filter; undefined = every counter of every source, those to come too. */
  readonly filter?: CounterFilter
  /** `own`: the series asked for and no other; `all`: those of the other sessions too. */
  readonly deliver: 'own' | 'all'
  /** Whether windows of distributions come with their buckets, where the source knows them. */
  readonly hasBuckets?: boolean
}

/** The windows that closed at one moment, in the order of counter creation. */
export interface Boundary {
  /** End of the windows, Unix milliseconds. */
  readonly timeMs: number
  readonly windows: readonly CounterWindow[]
}

/** An open session. */
export interface CounterSession {
  /** False once closed, also by an error of its listener. */
  readonly isOpen: boolean
  /** Ends the session; idempotent. Nothing is delivered any more, not even what is due. */
  close(): void
}

/** Source of counters that serves sessions of them. */
export interface CounterSource {
  /** Counts an interval whose text is none, where the source counts such things. */
  readonly report?: (count: 'invalid_intervals') => void
  /**
   * @param onBoundary called after each of the session's boundaries, also with no windows; when it
   *   throws, this session is closed, and no other one notices
   * @returns undefined when the limit of sessions is reached
   */
  open(
    request: SessionRequest,
    onBoundary: (boundary: Boundary) => void,
  ): CounterSession | undefined
}
