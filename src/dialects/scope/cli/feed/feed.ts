/** What brings samples to a board, and what it tells of itself: an exporter, or a hub. */
import type { Board, BoardInput } from '../../../../model/board/board.ts'
import { countText, seenLine } from '../../../../viewer/format/seen.ts'

const NS_PER_MS = 1e6

/** Part of a board that any feed may need: a hub's has a past, and series that leave it. */
export interface FeedBoard extends BoardInput, Pick<Board, 'fill' | 'remove'> {
  readonly windowS: number
}

/** State of a feed, in words for a status line. */
export interface FeedStatus {
  readonly state: 'connecting' | 'online' | 'offline'
  /** Facts of the connection: `20 ms`, `framed`, `0 missed`. */
  readonly facts: readonly string[]
  /** Amounts of what was lost or left out; empty where nothing was. */
  readonly troubles: readonly string[]
  /** One of the troubles that stays as it is once it is there: a recording that has stopped. */
  readonly fault?: string | undefined
  readonly lastError: string | undefined
  /** Monotonic time of the next attempt, while offline. */
  readonly retryAtNs: bigint | undefined
}

export interface ScopeFeed {
  /** Name of the source, as it was given. */
  readonly title: string
  /** Sentence that is shown while there is a connection and no series. */
  readonly whenEmpty: string
  /** Begins; does not wait for the source. */
  start(): Promise<void>
  close(): Promise<void>
  status(): FeedStatus
  /** Settles when nothing more can come, with what was wrong, if anything; absent: never. */
  readonly ended?: Promise<string | undefined>
  /** Connections lost and packets that could not be read. */
  readonly errors: number
}

/** Writes the last line of the command. @param more what else is to be said */
export function lastLine(
  elapsedNs: bigint,
  series: number,
  errors: number,
  more: readonly string[] = [],
): string {
  const counts = [countText(series, 'series', 'series'), countText(errors, 'error')]
  return seenLine(Number(elapsedNs) / NS_PER_MS, [...counts, ...more])
}
