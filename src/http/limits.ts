/** Every limit of the HTTP side, with what happens at it. Refusals count as `refused`. */
export interface HttpLimits {
  /** Open connections; further ones are closed at once (`connections_limit`). */
  readonly connections: number
  /** Open live streams; further ones get 503 (`streams_limit`). */
  readonly streams: number
  /** Series that one stream carries, once posted; more get 400. An address names at most 1000. */
  readonly streamSeries: number
  /** Unsent bytes of one stream; events that do not fit are skipped (`events_skipped`). */
  readonly streamBufferBytes: number
  /** A stream that takes nothing for so long is closed (`stalled`). */
  readonly streamStallMs: number
  /** Body of a POST; a longer one gets 413 (`body_limit`). */
  readonly bodyBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  connections: 1024,
  streams: 256,
  streamSeries: 5000,
  streamBufferBytes: 1_048_576,
  streamStallMs: 60_000,
  bodyBytes: 65_536,
}
