/**
 * What the hub says of itself: listeners, sources, limits and errors, in the very shape in which
 * the API serves it (GET /api/v1/sources). Types only, so that the page can share them.
 */
export interface SourcesAnswer {
  /** Start of the hub, Unix ms. */
  readonly startedMs: number
  /** Address beyond this machine on which the hub listens; absent on loopback alone. */
  readonly openTo?: string
  readonly dialects: readonly DialectStatus[]
  readonly listeners: readonly ListenerStatus[]
  /** Threads that take text; none where the main thread does. */
  readonly workers?: readonly WorkerStatus[]
  /** Reason why none of them starts, so that the main thread takes text; absent otherwise. */
  readonly workerFailure?: string
  /** The shared memory of all totals, as of the last second. */
  readonly zone?: ZoneStatus
  readonly sources: readonly SourceStatus[]
  /** Open connections, accepted ones and those to chosen peers; the 200 opened last. */
  readonly connections: readonly ConnectionStatus[]
  /** Peers that the hub was told to read from or to send to, there or not; absent without any. */
  readonly peers?: readonly PeerStatus[]
  readonly limits: readonly LimitStatus[]
  readonly errors: readonly ErrorStatus[]
  /** Refusals of what was read but not taken, by reason; the most frequent first. */
  readonly refusals: readonly RefusalStatus[]
  /** Overload; absent while the hub refuses nothing for want of memory or time. */
  readonly overload?: OverloadStatus
  /** The latest sixteen, the oldest first; absent when there was none. */
  readonly clockSteps?: readonly ClockStep[]
  /** Receivers that all series are pushed to; absent when nowhere. */
  readonly exports?: readonly ExportStatus[]
  /** Memory beyond the last minutes; absent where none was wished for. */
  readonly history?: HistoryStatus
}

/** The history of a hub, or why it has none. */
export interface HistoryStatus {
  /** Folder, or the address of an engine. */
  readonly place: string
  /** `off`: it could not be opened, and the hub runs without. */
  readonly state: 'running' | 'failing' | 'off'
  readonly message?: string
  readonly bytes?: number
  readonly bytesLimit?: number
  /** Seconds for which cells of a second, a minute and an hour are kept. */
  readonly keptS?: readonly number[]
  readonly series?: number
  /** Series of the former start that this one went on with: their totals did not begin anew. */
  readonly restored?: number
  /** An engine: it is only read, and what it has comes by relays. */
  readonly isRead?: true
  /** This hub has such a relay itself. */
  readonly isWritten?: boolean
  /** Start of what is kept, by width of cells in seconds, Unix seconds. */
  readonly resolutions?: readonly { readonly stepS: number; readonly fromS: number | undefined }[]
}

/** The wall clock of the hub was set. */
export interface ClockStep {
  /** Time of the step, by the new time, Unix ms. */
  readonly atMs: number
  /**
   * Size of the step, below 0 when it was set back: what comes at times that come again is added to
   * what was there.
   */
  readonly stepMs: number
}

/** Overload of a hub that is short of memory or time; what it knows it goes on counting. */
export interface OverloadStatus {
  /** `answers`: large ones; `names`: these and new series; `connections`: these, too. */
  readonly refuses: 'none' | 'answers' | 'names' | 'connections'
  readonly cause: string
  readonly sinceMs: number
}

/** One receiver of exports. */
export interface ExportStatus {
  readonly name: string
  /** Address without what may be secret. */
  readonly url: string
  readonly intervalMs: number
  readonly state: 'starting' | 'exporting' | 'failing'
  /** Problem, and what to do. */
  readonly message?: string
  /** End of what the last complete export said. */
  readonly lastSuccessMs: number | null
  /** Points that the receiver took, since the hub started. */
  readonly points: number
  /** Points that it did not take: rejected ones, and those of requests that failed. */
  readonly pointsLost: number
  /** Series whose interval waits to be taken. */
  readonly waiting: number
}

/** One meter of the overview. */
export interface DialectStatus {
  readonly name: string
  readonly title: string
  /** Measurements taken, values sent, or what else a dialect counts by, in the last second. */
  readonly ratePerSecond: number
  /** The last 60 seconds of that rate, oldest first. */
  readonly recent: readonly number[]
  readonly address: string
  readonly lastDataMs: number | null
  /**
   * Messages that could not be read; with the first bytes that nothing claims at a listener that no
   * other dialect shares. Those of one that is shared are `unclaimed` of the listener alone.
   */
  readonly errors: number
  readonly connections: number
  readonly series: number
  /** Role of its server: takes what peers send, or sends to those who attach. */
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
  /** UDP: datagrams that the hub dropped since too many waited; of threads that still run. */
  readonly datagramsDropped?: number
  /** First bytes that no dialect of this listener claims: datagrams, and connections. */
  readonly unclaimed?: number
  /** UDP: one datagram a system call (`dgram`), or many. */
  readonly udpReceive?: 'dgram' | 'recvmmsg'
  readonly connections: number
}

/** One ingest thread. */
export interface WorkerStatus {
  readonly thread: number
  readonly state: 'starting' | 'running'
  /** Segment of the zone; null until it has told. */
  readonly segment: number | null
  readonly connections: number
  /** Measurements taken by this thread and those it replaced. */
  readonly measurements: number
  /** Measurements of the last second. */
  readonly ratePerSecond: number
  /** Number of times that it ended unexpectedly and was started again. */
  readonly restarts: number
  /** UDP: one datagram a system call (`dgram`), or many; absent until it has said so. */
  readonly udpReceive?: 'dgram' | 'recvmmsg'
}

/** Use of the zone, and what happened to it since it was created (zone-sizing.md). */
export interface ZoneStatus {
  /** A SharedArrayBuffer, or the memory of WebAssembly where filters run. */
  readonly backing: 'sab' | 'wasm'
  /** Number of metrics; each series has one or two. */
  readonly metrics: number
  readonly metricsLimit: number
  /** Bytes by what they are used for; their sum is `bytesTotal`. */
  readonly bytes: Readonly<Record<string, number>>
  readonly bytesTotal: number
  readonly bytesLimit: number
  /** Budget that definitions may be charged, and were; absent where there is no such bound. */
  readonly budget?: { readonly bytes: number; readonly charged: number }
  /**
   * Number in use: one of each thread that writes, and the base once something was folded into it.
   */
  readonly segments: number
  readonly segmentsLimit: number
  /** Definitions and slots, by reason. */
  readonly refusals: Readonly<Record<string, number>>
  /** Segments folded for threads that ended without giving them back. */
  readonly orphansFolded: number
  /** Locks taken over from such threads. */
  readonly lockTakeovers: number
  /** Number of times that a thread found the lock held. */
  readonly lockWaits: number
  /** Observations of expanding histograms counted at a larger bound than theirs. */
  readonly binFallbacks: number
  /** Reconfigurations that made another zone of it. */
  readonly replacements: number
}

export interface SourceStatus {
  readonly address: string
  /** Name of the dialect, or of the listener that a peer of none has come to. */
  readonly dialect: string
  readonly series: number
  readonly errors: number
  readonly lastDataMs: number
}

export interface ConnectionStatus {
  readonly dialect: string
  /** `tcp 127.0.0.1:40112`, or `unix PATH` of a socket of this machine. */
  readonly peer: string
  /** Opener: the peer, or the hub because it was told to attach. */
  readonly openedBy: 'peer' | 'hub'
  readonly sinceMs: number
  /** Facts that the dialect knows of it, for example framing, interval, skipped. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

/** A peer that the hub was told to connect to. */
export interface PeerStatus {
  /** Address as given, without what may be secret: `dialect://10.0.4.7:5001`. */
  readonly name: string
  readonly dialect: string
  /** Direction of the data: to the hub (`attach`), or away from it (`relay`). */
  readonly direction: 'attach' | 'relay'
  /** Source of the series that come from it; absent for a relay. */
  readonly source?: string
  /** `never`: it has not been reached since the hub started. */
  readonly state: 'connected' | 'lost' | 'never'
  /** True for a place at which peers may dial: `connected` means that the hub listens there. */
  readonly isListening?: true
  /** Start of that state, Unix ms. */
  readonly sinceMs: number
  /** Reason why there is no connection. */
  readonly message?: string
  readonly nextTryMs?: number
}

export interface LimitStatus {
  readonly name: string
  readonly limit: number
  readonly used: number
  /** Number of times that it has refused. */
  readonly refused: number
  /** Behaviour at the limit, as a sentence. */
  readonly behaviour: string
  /** The first refused, for series limits. */
  readonly examples?: readonly { readonly key: string; readonly source: string }[]
}

export interface ErrorStatus {
  /** Name of the dialect; of the listener for `unclaimed`, which is of none. */
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
  /** Place of what is wrong, bytes from the first one of its message: a packet of many lines. */
  readonly offset: number
  /** Place of the same in `hex`, bytes from its first one; absent where it is not in there. */
  readonly hexOffset?: number
  readonly detail: string
  /** Guess what a message that was wrong from its first byte on is, and what to do then. */
  readonly guess?: string
  /** Bytes of the message, or of the line of it that is bad: at most the first 128. */
  readonly hex: string
}
