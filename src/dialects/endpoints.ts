/**
 * The contract of a dialect's two ends: a server takes what the hub has bound and accepted; a
 * client connects by itself, as an emitter that sends what the hub closes or as a source that
 * receives. Both have peers, and report errors and oddities to the same place.
 */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Cell, Exact, Identity, Metadata } from '../model/index.ts'
import type { Budget } from '../time/budget.ts'
import type { Clock } from '../time/clock.ts'
import type { LinkStatus } from '../time/link-state.ts'
import type { Task } from '../time/task.ts'
import type { DecodeErrorFields } from '../wire/decode-error.ts'
import type { Transport } from './decoder.ts'
import type { ExportRules } from './export-rules.ts'
import type { Ingest, LineIngest, SecondSink } from './ingest.ts'
import type { SnapshotSource, Statistic } from './snapshot-source.ts'

/** Address that bytes came from. */
export interface Peer {
  readonly transport: Transport
  /** IP address; empty for a peer that has a name instead. */
  readonly address: string
  readonly port: number
  /** Name for people, of a peer that is no host of a network. */
  readonly name?: string
}

/** Address that a client connects to. */
export interface Target {
  readonly transport: Transport
  readonly host: string
  readonly port: number
  /** The whole address as given, where the dialect's peers have URLs (`schemes`). */
  readonly url?: string
  /** Options of the address behind `?`, where the dialect's addresses have some (`takesQuery`). */
  readonly query?: string
}

/** One connection of a server or client, as people are told of it. */
export interface PeerConnection {
  readonly peer: Peer
  readonly sinceMs: number
  /** Named facts in display order, for example framing, interval, skipped. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

/** Errors and refusals, counted by reason with the last offenders kept. */
export interface Reports {
  /**
   * Reports a decode error; at most the first 128 bytes of the offending message are kept. Error
   * and bytes are valid during the call only: there may be millions in a second.
   * @param bytes in which the message is; it is all of them unless `start` and `end` are given
   * @param origin index in `bytes` from which the error's offset counts; may be negative
   */
  decodeError(
    error: DecodeErrorFields,
    bytes: Uint8Array,
    peer: Peer,
    detail: string,
    start?: number,
    end?: number,
    origin?: number,
  ): void
  /** Counts something odd in a message that was taken, by a name of the dialect's closed set. */
  decodeNote(note: string): void
  /** Counts things that were closed, refused or left out (one unless stated), by reason. */
  count(name: string, reason: string, amount?: number): void
  /** Writes one line for the operator's log. */
  log(level: 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}

/** Reports that go nowhere: servers and clients of an application that watches none. */
export const NO_REPORTS: Reports = { decodeError() {}, decodeNote() {}, count() {}, log() {} }

/** Reading that may have a rest, which waits for a later turn: nothing more is read until then. */
export interface PartedReading {
  /** Whether anything of it is left. */
  readonly hasRest: boolean
  /** Goes on with it, until it is done or the turn is over. */
  goOn(): void
}

/** Rest of what a peer has sent. */
export interface Rest extends PartedReading {
  /** Memory held for it. */
  readonly bytesHeld: number
}

/**
 * Progress of an accepted connection. The listener reads it at any time, and limits by it how long
 * and with how many bytes a connection may be unfinished.
 */
export interface ConnectionProgress {
  /** Whole messages so far, good and bad. */
  readonly messages: number
  /** A message has begun and is not complete. */
  readonly isInsideMessage: boolean
  /** Memory held for it, and for the rest of a read. */
  readonly bytesHeld: number
  /**
   * Bytes of that message that have come so far: so many of the last ones are its begin. Absent
   * where nothing is known of them.
   */
  readonly bytesInside?: number
  /**
   * A part of the last read waits: nothing more is read until {@link goOn} has done it. Absent
   * where a read is always taken as a whole, within some ms.
   */
  readonly hasRest?: boolean
  goOn?(): void
  /** A time limit of the dialect itself runs, or there is nothing to wait for. */
  readonly isTimed: boolean
}

/**
 * Datagrams that lie in a server's own memory: number i from byte `at + i * stride` on, its size a
 * u32 at byte `sizesAt + i * sizesStride`; 0 for one that is to be handed on. Valid during the
 * call.
 */
export interface DatagramBatch {
  readonly count: number
  readonly at: number
  readonly stride: number
  readonly sizesAt: number
  readonly sizesStride: number
  /** Tells whether a datagram and the one before it have one sender. */
  isOfSameSender(index: number): boolean
  sender(index: number): { readonly address: string; readonly port: number }
  /** Hands a datagram on that is not the server's, or unusual: it is taken like a single one. */
  handOn(index: number): void
}

/** Memory of a server that datagrams may be received into, many at once. */
export interface DatagramPlace {
  /** Buffer that stays where it is. */
  readonly buffer: ArrayBufferLike
  /** Part of it that the receiver may use. */
  readonly at: number
  readonly size: number
  /**
   * Takes datagrams from number `first` on, until the turn is over.
   * @returns number of the next one, which is to be given again; `batch.count` when all are taken
   */
  take(batch: DatagramBatch, first: number, budget: Budget): number
}

/** One running server side of a dialect; sockets are bound and accepted by the hub. */
export interface DialectServer {
  /** Place for datagrams, where the server has one. */
  readonly datagrams?: DatagramPlace | undefined
  /**
   * Takes one datagram; `bytes` is valid only during the call.
   * @param budget after which the rest of it waits; none unless given
   * @returns what waits, as a copy
   */
  datagram?(bytes: Uint8Array, peer: Peer, budget?: Budget): Rest | undefined
  /**
   * Takes over an accepted connection; `first` holds what was read of it to find the dialect (empty
   * for a dialect that speaks first). Where `socket.readableEnded` is true, it is all that came.
   * @param handBack for a server that has spoken to a silent peer, whose answer is not of its
   *   dialect: takes back the connection with every byte that came, if they may be another's. The
   *   server that calls it holds no listener and no timer any more, unless it returns false.
   * @param budget after which the rest of a read waits; none unless given
   * @returns what the listener is to watch; undefined for a server that limits time and memory of
   *   its connections itself
   */
  accept?(
    socket: Socket,
    first: Uint8Array,
    handBack?: (bytes: Uint8Array) => boolean,
    budget?: Budget,
  ): ConnectionProgress | undefined
  /** Values sent so far, by a server that emits; receiving ones are counted at the ingest. */
  readonly valuesSent?: number
  /** Lists the connections of this server, for the page and the API. */
  connections(): readonly PeerConnection[]
  /** Closes connections and timers; resolves when all are gone, within 1 s. */
  stop(): Promise<void>
}

/** Context that the hub gives to a dialect's server. */
export interface ServerContext extends ClientContext {
  readonly ingest: LineIngest
  /**
   * Opens one number per series, for servers that emit.
   * @param select further statistics of distributions, each as a series of its own
   */
  openSnapshot(select: readonly Statistic[]): SnapshotSource
  /** The hub's side of the dialect, where it has one; its own folder knows of what kind it is. */
  readonly resident?: object | undefined
}

/** Context that the hub gives to a dialect's clients. */
export interface ClientContext {
  readonly reports: Reports
  readonly clock: Clock
  /** The dialect's section of the configuration, validated; what a client does is in its parts. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Context that the hub gives to a dialect's source. */
export interface SourceContext extends ClientContext {
  readonly ingest: Ingest
  /** Memory that may be held for the names of the peer, and all that it says of them. */
  readonly bytesLimit: number
  /** Budget of the reads from all attached peers. */
  readonly reads: SharedReads
  /** Log of what the source measures more often than each second. */
  readonly samples: SampleSink
  /** Opens the way for seconds that a peer has closed, which ends with its source. */
  openSeconds(): SecondSink
  /** Name of this start of the hub, which no other has. */
  readonly startId: string
  /** Gives what all sources of the dialect in this hub have in common: the first one makes it. */
  shared<T extends object>(create: () => T): T
}

/** Taker of samples with their own times, beside the last values that the ingest takes. */
export interface SampleSink {
  /**
   * Takes one row of values.
   * @param timeMs time of measurement, Unix ms
   * @param row ids of series ({@link Ingest.seriesOf}) by place, negative for none
   * @param values one for each place; NaN = none
   * @param isRepeat whether these values replace those of the last call
   */
  add(timeMs: number, row: Int32Array, values: Float64Array, isRepeat: boolean): void
}

/** Budget of reads from peers in a turn of the event loop, shared out among them. */
export interface SharedReads extends Budget {
  /**
   * Has a stream read when its peer's turn has come.
   * @param peer name by which peers are told apart
   * @param takeOver begins to listen to its data, and gives what waits of them
   */
  share(stream: Readable, peer: string, takeOver: () => PartedReading): void
}

/** A peer that the hub was told to connect to, whether or not it is there. */
export interface ChosenPeer extends PeerConnection {
  readonly link: LinkStatus
  /** Source of the series that come from it, where any do. */
  readonly source?: string
  /** Address of its own, where one address was given for several. */
  readonly name?: string
  /** Whether it is a place at which peers may dial, each of which is a peer of its own. */
  readonly isListening?: boolean
}

/** A client that sends; calls never throw. */
export interface Emitter {
  /** Describes the peer. */
  status(): ChosenPeer
  /**
   * Sends one cell.
   * @param total of a counter since it began, for protocols that carry totals
   * @param endMs end of its second, Unix ms: some time ago, where there is much to send
   */
  send(identity: Identity, cell: Cell, total: Exact | undefined, endMs: number): void
  /** Sends what is held back for batching, in steps; called at the end of every second. */
  flush(): Task
  close(): Promise<void>
}

/** Series as a {@link TotalsEmitter} is told of it. */
export interface EmittedSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  /** Rules by which series of its dialect leave the hub. */
  readonly rules: ExportRules
  /** Tells whether the peer that it comes from is not there: nothing is known of it now. */
  isAway(): boolean
}

/**
 * A client that sends totals to a store, which wants to know when a series has left, and hears of
 * those that stand still; calls never throw.
 * @typeParam S what the emitter keeps of a series
 */
export interface TotalsEmitter<S = unknown> {
  /** Describes the peer. */
  status(): ChosenPeer
  /**
   * Takes note of a series.
   * @param total cell of all that it was before: of one that the hub goes on with
   */
  open(series: EmittedSeries, total: Cell | undefined): S
  /** Takes note that the metadata of a series are others now, and perhaps its name. */
  change(series: S, told: EmittedSeries): void
  /**
   * Sends what a second that ends at `endMs` (Unix) brought to a series.
   * @param sum total of a counter, or sum of a distribution, where fractions make what cells add up
   *   to depend on their order
   */
  send(series: S, cell: Cell, endMs: number, sum?: Exact): void
  /** Takes what a second brought to a series that is not sent: its next totals hold it. */
  add(series: S, cell: Cell, sum?: Exact): void
  /** Takes note that a series has left. */
  end(series: S, endMs: number): void
  /** Does what is due at the end of a second, in steps. */
  flush(endMs: number): Task
  close(): Promise<void>
}

/** A client that receives, until it is closed; it reconnects by itself. */
export interface Source {
  status(): ChosenPeer
  /** Describes all peers that one address stands for, where these may be several. */
  statuses?(): readonly ChosenPeer[]
  close(): Promise<void>
}

/** Address of a listener, or the one that it should have and why it has not. */
export interface BoundAddress {
  readonly host: string
  readonly port: number
  /** Reason why nothing listens there (yet). */
  readonly error?: string
}

/** Addresses by the name of the port. */
export type PortAddresses = Readonly<Record<string, BoundAddress>>
