/**
 * The contract of a dialect: one protocol, both directions. A new protocol is one folder beside
 * this file and one line in `dialects/index.ts`; hub, CLI, README and the shared test suite read
 * that list.
 *
 * Words: the server accepts, the client connects; `receive` and `emit` say which way the data goes.
 * Every dialect has two profiles: `document` does as its text says, `peer` as the real programs do.
 */

import type { Identity, Metadata } from '../model/index.ts'
import type { CodecOptions, Decoder, Profile, Role, Transport } from './decoder.ts'
import type {
  ClientContext,
  DialectServer,
  Emitter,
  ServerContext,
  Source,
  SourceContext,
  Target,
  TotalsEmitter,
} from './endpoints.ts'
import type { ExportRules } from './export-rules.ts'
import type { BooleanOption, OptionSpec, PortSpec } from './options.ts'

/** A protocol that the hub only writes, for receivers that a dialect's own servers feed. */
export interface Output {
  /** Scheme of its addresses, `NAME+TRANSPORT://HOST:PORT`. */
  readonly name: string
  readonly transports: readonly Transport[]
  /** Port of an address without one. */
  readonly port: Pick<PortSpec, 'number'>
  /** Connects to a receiver; the options are those of the dialect. */
  connectEmitter(target: Target, context: ClientContext): Emitter
}

/** Name of a series as peers of a dialect get it. */
export interface PeerName {
  readonly text: string
  /** Words for what the text has no place for. */
  readonly note?: string
}

export interface Dialect {
  /** Lower-case registry name, the same as its folder. */
  readonly name: string
  /** Name for people: on the page, in reports. */
  readonly title: string
  /** The document in one line, for the README's table. */
  readonly document: string
  /** Direction of each side: a server may receive or emit. */
  readonly roles: Partial<Record<Role, 'receive' | 'emit'>>
  readonly transports: readonly Transport[]
  /** URL schemes besides its name by which its peers are addressed, for example `http`. */
  readonly schemes?: readonly string[]
  /** Whether an address of a peer may have options behind `?`; those with URLs have them anyway. */
  readonly takesQuery?: boolean
  /** Port that its servers listen at, alone or with others; absent for a dialect of memory. */
  readonly port?: PortSpec
  /** Section of the configuration; `client` and `emit` in it are those of its clients. */
  readonly options: OptionSpec
  /**
   * Address of the module whose `dialect` ingest threads load, for one whose server takes lines and
   * nothing else; without it the main thread serves it.
   */
  readonly threadModule?: string
  /** Tells how its series leave the house, under these values of its options. */
  exportRules?(options: Readonly<Record<string, unknown>>): ExportRules
  /**
   * Names a series of the hub, of any origin, as this dialect tells its peers of it, by the code
   * that does; undefined for one of which it has nothing to tell.
   * @param options of its section of the configuration
   */
  nameOf?(
    series: { readonly identity: Identity; readonly metadata: Metadata },
    options: Readonly<Record<string, unknown>>,
  ): PeerName | undefined
  readonly defaultProfile: Profile
  /** The closed set of decode error codes. */
  readonly errorCodes: readonly string[]
  /**
   * Tells whether a datagram or connection that begins with these bytes is this dialect's;
   * undefined while more bytes are needed. Decided once, never revised.
   */
  claims(first: Uint8Array): boolean | undefined
  /** Describes what foreign first bytes look like, for the log; undefined for no idea. */
  explainForeign?(first: Uint8Array): string | undefined
  /** True when the server writes before the client has said anything, as scope's does. */
  readonly speaksFirst: boolean
  createServer?(context: ServerContext): DialectServer
  /** Connects to a peer and sends it what the hub closes each second. */
  connectEmitter?(target: Target, context: ClientContext): Emitter
  /** Connects to a store that keeps totals, in place of {@link connectEmitter}. */
  connectTotals?(target: Target, context: ClientContext): TotalsEmitter
  /** Advice for those who relay to its usual servers, for the help of `--relay`. */
  readonly relayNote?: string
  /** Further ways out of the hub: protocols that the servers of its document write. */
  readonly outputs?: readonly Output[]
  /** Addresses of peers that are no hosts of a network, each with one of its `schemes`. */
  readonly ownAddress?: {
    /** Form of such an address, for help: `eggs://BASKET[?QUERY]`. */
    readonly form: string
    /** @throws {TypeError} that says what is wanted */
    parse(address: string): Target
  }
  /** Lists addresses that its options name: they are read from like those of `attach`. */
  ownPeers?(options: Readonly<Record<string, unknown>>): readonly string[]
  /** Connects to a peer and takes what it sends. */
  connectSource?(target: Target, context: SourceContext): Source
  /**
   * Tells whether two sources would count what one of them counts twice; the hub then refuses the
   * second.
   * @throws {TypeError} for an address that {@link connectSource} would not take either
   */
  sharesSeries?(one: Target, other: Target): boolean
  /**
   * Tells whether bytes of which nothing else is known are one whole message (`udp`) or a stream
   * (`tcp`); without this method they are the former. For `pentameter decode --lines`.
   */
  guessTransport?(bytes: Uint8Array, role?: Role): Transport
  /** Makes a decoder of bytes into messages, for `pentameter decode`, tests and fuzzing. */
  createDecoder(options?: CodecOptions): Decoder
  /**
   * Encodes messages: one array per datagram or frame; the inverse of the decoder's `messages`.
   * @throws {RangeError|TypeError} with a `code` for a message the dialect cannot say
   */
  encode(messages: readonly unknown[], options?: CodecOptions): Uint8Array[]
  /** Further options of {@link encode} by name, each with a flag of `pentameter encode`. */
  readonly encodeOptions?: Readonly<Record<string, BooleanOption & { readonly flag: string }>>
  /**
   * Encodes a message as a person writes it, for a dialect whose messages are text; it may be none.
   * Those of the others are written as what the decoder gives.
   */
  packetOf?(text: string): Uint8Array
  /**
   * Gives a shell command that sends one message (or attaches) to this address; a test runs it.
   * Every dialect with a server has one.
   */
  tryIt?(host: string, port: number): string
}
