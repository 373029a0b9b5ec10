/** Limits of the HTTP side with what happens at each, and where it says what happened. */

/** Refusals at a limit count as `refused`. */
export interface HttpLimits {
  /**
   * Open connections; for a further one an idle one is closed, or one of the address that has most
   * (`made_room`), or it is closed itself (`connections_limit`).
   */
  readonly connections: number
  /** The same of one address, of which an idle one may be closed. */
  readonly connectionsPerAddress: number
  /** Requests behind the one under way in a connection; one more closes it (`pipelined_limit`). */
  readonly pipelinedLimit: number
  /** Large answers at once, being made or taken; further ones wait, and may have one cut. */
  readonly answersLimit: number
  /** Large answers that wait for a place; further ones get 503 (`busy`). */
  readonly answersWaitingLimit: number
  /** A large answer that has waited so long gets 503 (`busy`). */
  readonly answerWaitMs: number
  /** Open live streams; for a further one another is closed, or it gets 503 (`streams_limit`). */
  readonly streams: number
  /** Open taps of listeners; for a further one another is closed, or it gets 503 (`taps_limit`). */
  readonly taps: number
  /** Series that one stream carries, once posted; more get 400. An address names at most 1000. */
  readonly streamSeries: number
  /** Unsent bytes of one stream; events that do not fit are skipped (`events_skipped`). */
  readonly streamBufferBytes: number
  /** A stream that takes nothing for so long is closed (`stalled`). */
  readonly streamStallMs: number
  /**
   * Body of a request; a longer one gets 413 (`body_limit`) where it is read. Frames and what is
   * too long may have 16 KiB; the rest is not parsed, and its connection closed (`overlong_body`).
   */
  readonly bodyBytes: number
  /**
   * Bodies together of routes that take longer ones (`/v1/metrics`), as far as they are longer; one
   * more gets 503 (`bodies_limit`).
   */
  readonly longBodiesBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  connections: 1024,
  connectionsPerAddress: 512,
  pipelinedLimit: 32,
  answersLimit: 32,
  answersWaitingLimit: 128,
  answerWaitMs: 2000,
  streams: 256,
  taps: 16,
  streamSeries: 5000,
  streamBufferBytes: 1_048_576,
  streamStallMs: 60_000,
  bodyBytes: 65_536,
  longBodiesBytes: 67_108_864,
}

/**
 * Ids in one address. With ten digits and a comma of three characters (%2C) each they take 13 kB
 * of the 16 KiB that the head of a request may have; a POST carries more.
 */
export const ADDRESS_SERIES_LIMIT = 1000

/** Reports of the HTTP side, which the hub turns into self-metrics. */
export interface HttpReports {
  /**
   * Counts one thing, under a closed set of names and reasons:
   * - `requests`: `ROUTE STATUS`
   * - `refused`: code of the ApiError, `connections_limit`, `made_room`, `pipelined_limit`,
   *   `overlong_body`, or code of a broken request
   * - `answers_cut`: `slow` or `made_room`, large answers that gave way to others that waited
   * - `streams`: `opened`, and `disconnected`, `stalled`, `error`, `stopped` or `made_room` at the
   *   end
   * - `taps`: `opened`, and `disconnected`, `stalled`, `stopped` or `made_room` at the end
   * - `events_skipped`: `cells`, `series` or `sources`, for slow clients of the live stream
   * - `scrapes`: `not_durable`, an answer that ended before what it told was
   * - `name_conflicts`: `label` or `family`, once per series
   * - `accepts_failed`: code of the system's error
   * - `errors`: `ROUTE`, where a request failed by our fault
   */
  count(name: string, reason: string): void
  /** Writes one line for the operator's log. */
  log?(level: 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}

export const SILENT_REPORTS: HttpReports = { count: () => {} }
