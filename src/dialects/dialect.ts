/**
 * The contract of a dialect: one protocol, both directions. A new protocol is one folder beside
 * this file and one line in `dialects/index.ts`; hub, CLI, README and the shared test suite read
 * that list.
 *
 * Words: the server accepts, the client connects; `receive` and `emit` say which way the data goes.
 * Every dialect has two profiles: `document` does as its text says, `peer` as the real programs do.
 */
import type { Socket } from 'node:net'
import type { Cell, Exact, Identity } from '../model/index.ts'
import type { Clock } from '../time/clock.ts'
import type { DecodeErrorFields } from '../wire/decode-error.ts'
import type { CodecOptions, Decoder, Profile, Role, Transport } from './decoder.ts'
import type { Ingest } from './ingest.ts'
import type { SnapshotSource } from './snapshot-source.ts'
import type { WindowReceiver } from './wallaroo/server/connection.ts'

/** `text` is the port of text dialects (8125), `stream` that of binary ones (5001). */
export type SharedPort = 'text' | 'stream'

export interface Dialect {
  /** Lower-case registry name, the same as its folder. */
  readonly name: string
  /** For people: on the page, in reports. */
  readonly title: string
  /** The document in one line, for the README's table. */
  readonly document: string
  /** What each side does: a server may receive (Stats Hero) or emit (scope). */
  readonly roles: Partial<Record<Role, 'receive' | 'emit'>>
  readonly transports: readonly Transport[]
  /** URL schemes besides its name by which its peers are addressed, for example `http`. */
  readonly schemes?: readonly string[]
  /**
   * Where its servers listen; absent for a dialect of memory, which has neither role nor port, and
   * for one that is served on the hub's HTTP port.
   */
  readonly port?: SharedPort
  readonly defaultProfile: Profile
  /** The closed set of decode error codes. */
  readonly errorCodes: readonly string[]
  /**
   * Whether a datagram or connection that begins with these bytes is this dialect's; undefined
   * while more bytes are needed. Decided once, never revised.
   */
  claims(first: Uint8Array): boolean | undefined
  /** What foreign first bytes look like to this dialect, for the log; undefined for no idea. */
  explainForeign?(first: Uint8Array): string | undefined
  /** True when the server writes before the client has said anything, as scope's does. */
  readonly speaksFirst: boolean
  createServer?(context: ServerContext): DialectServer
  /** Connects to a peer and sends it what the hub closes each second. */
  connectEmitter?(target: Target, context: ClientContext): Emitter
  /** Connects to a peer and takes what it sends. */
  connectSource?(target: Target, context: ClientContext & { readonly ingest: Ingest }): Source
  /**
   * Whether two sources would count what one of them counts twice; the hub then refuses the second.
   * @throws {TypeError} for an address that {@link connectSource} would not take either
   */
  sharesSeries?(one: Target, other: Target): boolean
  /**
   * Whether bytes of which nothing else is known are one whole message (`udp`) or a stream (`tcp`);
   * without it they are the former. For `pentameter decode --lines`.
   */
  guessTransport?(bytes: Uint8Array, role?: Role): Transport
  /** Bytes to messages, for `pentameter decode`, tests and fuzzing. */
  createDecoder(options?: CodecOptions): Decoder
  /**
   * Messages to bytes, one array per datagram or frame; the inverse of the decoder's `messages`.
   * @throws {RangeError|TypeError} with a `code` for a message the dialect cannot say
   */
  encode(messages: readonly unknown[], options?: CodecOptions): Uint8Array[]
  /**
   * A shell command that sends one message (or attaches) to this address; a test runs it. Every
   * dialect with a server has one.
   */
  tryIt?(host: string, port: number): string
}

/** Where bytes came from. */
export interface Peer {
  readonly transport: Transport
  readonly address: string
  readonly port: number
}

/** One running server side of a dialect; sockets are bound and accepted by the hub. */
export interface DialectServer {
  /** One datagram; `bytes` is valid only during the call. */
  datagram?(bytes: Uint8Array, peer: Peer): void
  /**
   * Takes over an accepted connection; `first` holds what was read of it to find the dialect (empty
   * for a dialect that speaks first). Where `socket.readableEnded` is true, it is all that came.
   * @param pass for a server that has spoken to a silent peer, whose answer is not of its dialect:
   *   takes back the connection with every byte that came, if they may be another's. Whoever calls
   *   it holds no listener and no timer any more, unless it returns false.
   */
  accept?(socket: Socket, first: Uint8Array, pass?: (bytes: Uint8Array) => boolean): void
  /** Values sent so far, by a server that emits; receiving ones are counted at the ingest. */
  readonly valuesSent?: number
  /** What this server knows of its connections, for the page and the API. */
  connections(): readonly ConnectionStatus[]
  /** Closes connections and timers; resolves when all are gone, within 1 s. */
  stop(): Promise<void>
}

/** Whom a client connects to. */
export interface Target {
  readonly transport: Transport
  readonly host: string
  readonly port: number
  /** The whole address as given, where the dialect's peers have URLs (`schemes`). */
  readonly url?: string
}

/** A client that sends; calls never throw. */
export interface Emitter {
  /**
   * Sends one cell.
   * @param total of a counter since it began, for protocols that carry totals
   */
  send(identity: Identity, cell: Cell, total: Exact | undefined): void
  /** Sends what is held back for batching. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A client that receives, until it is closed; it reconnects by itself. */
export interface Source {
  status(): ConnectionStatus
  close(): Promise<void>
}

export interface ConnectionStatus {
  readonly peer: Peer
  readonly sinceMs: number
  /** Named facts in display order, for example framing, interval, skipped. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

/** What the hub gives a dialect's clients. */
export interface ClientContext {
  readonly reports: Reports
  readonly clock: Clock
  /** The dialect's own options, already validated. */
  readonly options: Readonly<Record<string, unknown>>
}

/** What the hub gives a dialect's server. */
export interface ServerContext extends ClientContext {
  readonly ingest: Ingest
  readonly snapshot: SnapshotSource
  /** Who takes the windows of a new connection; a hub always has one (Wallaroo). */
  readonly openWindows?: (peer: Peer) => WindowReceiver
}

/** Errors and refusals, counted by reason with the last offenders kept. */
export interface Reports {
  /** A decode error; at most the first 128 bytes of the offending message are kept. */
  decodeError(error: DecodeErrorFields, message: Uint8Array, peer: Peer, detail: string): void
  /** Something odd in a message that was taken, by a name of the dialect's closed set. */
  decodeNote(note: string): void
  /** Things that were closed, refused or left out (one unless stated), by reason. */
  count(name: string, reason: string, amount?: number): void
  /** One line for the operator's log. */
  log(level: 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}
