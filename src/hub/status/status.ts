/**
 * What the hub says of itself: listeners, sources, limits and errors, in the very shape in which
 * the API serves it (GET /api/v1/sources). Types only, so that the page can share them.
 */
export interface SourcesAnswer {
  readonly dialects: readonly DialectStatus[]
  readonly listeners: readonly ListenerStatus[]
  readonly sources: readonly SourceStatus[]
  /** Open connections, accepted ones and those to attached peers; the 200 opened last. */
  readonly connections: readonly ConnectionStatus[]
  readonly limits: readonly LimitStatus[]
  readonly errors: readonly ErrorStatus[]
  /** What was read but not taken, by reason; the most frequent first. */
  readonly refusals: readonly RefusalStatus[]
}

/** One meter of the overview. */
export interface DialectStatus {
  readonly name: string
  readonly title: string
  /** Measurements taken (or values sent, for an emitting dialect) in the last second. */
  readonly ratePerSecond: number
  /** The last 60 seconds of that rate, oldest first. */
  readonly recent: readonly number[]
  readonly address: string
  readonly lastDataMs: number | null
  readonly errors: number
  readonly connections: number
  readonly series: number
  /** What its server does: takes what peers send, or sends to those who attach. */
  readonly role: 'receive' | 'emit'
  /** A command that makes something arrive, with the real address in it. */
  readonly tryIt: string
}

export interface ListenerStatus {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly transports: readonly string[]
  readonly dialects: readonly string[]
  readonly state: 'listening' | 'failed' | 'stopped'
  readonly message?: string
  readonly nextTryMs?: number
  /** UDP: bytes of receive buffer asked for and granted, and datagrams the kernel dropped. */
  readonly bufferAsked?: number
  readonly bufferGranted?: number
  readonly kernelDrops?: number | null
  readonly connections: number
}

export interface SourceStatus {
  readonly address: string
  readonly dialect: string
  readonly series: number
  readonly errors: number
  readonly lastDataMs: number
}

export interface ConnectionStatus {
  readonly dialect: string
  /** `tcp 127.0.0.1:40112`. */
  readonly peer: string
  /** Who opened it: the peer, or the hub because it was told to attach. */
  readonly openedBy: 'peer' | 'hub'
  readonly sinceMs: number
  /** What the dialect knows of it, for example framing, interval, skipped. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

export interface LimitStatus {
  readonly name: string
  readonly limit: number
  readonly used: number
  /** How often it has bitten. */
  readonly refused: number
  /** What happens at it, as a sentence. */
  readonly behaviour: string
  /** The first refused, for series limits. */
  readonly examples?: readonly { readonly key: string; readonly source: string }[]
}

export interface ErrorStatus {
  readonly dialect: string
  readonly code: string
  readonly count: number
  readonly last: readonly OffenderStatus[]
}

export interface RefusalStatus {
  readonly dialect: string
  readonly code: string
  readonly count: number
}

export interface OffenderStatus {
  readonly timeMs: number
  readonly peer: string
  readonly offset: number
  readonly detail: string
  /** At most the first 128 bytes of the message. */
  readonly hex: string
}
