/**
 * The contract of a dialect: one protocol, both directions. A new protocol is one folder beside this
 * file and one line in `dialects/index.ts`; hub, CLI, README and the shared test suite read that list.
 *
 * Words: the server accepts, the client connects; `receive` and `emit` say which way the data goes.
 * Every dialect has two profiles: `document` does as its text says, `peer` as the real programs do.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../model/index.ts'
import type { DecodeErrorFields } from '../wire/decode-error.ts'
import type { CodecOptions, Decoder, Profile, Role, Transport } from './decoder.ts'
import type { Ingest } from './ingest.ts'
import type { SnapshotSource } from './snapshot-source.ts'

/** `text` is the port of text dialects (8125), `stream` that of binary ones (5001). */
export type SharedPort = 'text' | 'stream'

export interface Dialect {
  /** Lower-case registry name, the same as its folder. */
  readonly name: string
  /** As its document spells it. */
  readonly title: string
  /** The document in one line, for the README's table. */
  readonly document: string
  /** What each side does: a server may receive (Stats Hero) or emit (scope). */
  readonly roles: Partial<Record<Role, 'receive' | 'emit'>>
  readonly transports: readonly Transport[]
  readonly port: SharedPort
  readonly defaultProfile: Profile
  /** The closed set of decode error codes. */
  readonly errorCodes: readonly string[]
  /**
   * Whether a datagram or connection that begins with these bytes is this dialect's; undefined while
   * more bytes are needed. Decided once, never revised.
   */
  claims(first: Uint8Array): boolean | undefined
  /** True when the server writes before the client has said anything, as scope's does. */
  readonly speaksFirst: boolean
  createServer?(context: ServerContext): DialectServer
  /** Bytes to messages, for `pentameter decode`, tests and fuzzing. */
  createDecoder(options?: CodecOptions): Decoder
  /**
   * Messages to bytes, one array per datagram or frame; the inverse of the decoder's `messages`.
   * @throws {RangeError|TypeError} with a `code` for a message the dialect cannot say
   */
  encode(messages: readonly unknown[], options?: CodecOptions): Uint8Array[]
  /** A shell command that sends one message (or attaches) to this address; a test runs it. */
  tryIt(host: string, port: number): string
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
   * for a dialect that speaks first).
   */
  accept?(socket: Socket, first: Uint8Array): void
  /** What this server knows of its connections, for the page and the API. */
  connections(): readonly ConnectionStatus[]
  /** Closes connections and timers; resolves when all are gone, within 1 s. */
  stop(): Promise<void>
}

export interface ConnectionStatus {
  readonly peer: Peer
  readonly sinceMs: number
  /** Named facts in display order, for example framing, interval, skipped. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

/** What the hub gives a dialect's server. */
export interface ServerContext {
  readonly ingest: Ingest
  readonly snapshot: SnapshotSource
  readonly reports: Reports
  readonly clock: Clock
  /** The dialect's own options, already validated by its option schema. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Errors and refusals, counted by reason with the last offenders kept. */
export interface Reports {
  /** A decode error; at most the first 128 bytes of the offending message are kept. */
  decodeError(error: DecodeErrorFields, message: Uint8Array, peer: Peer, detail: string): void
  /** Something that was closed, refused or left out, by reason (`connections_limit`). */
  count(name: string, reason: string): void
  /** One line for the operator's log. */
  log(level: 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}
