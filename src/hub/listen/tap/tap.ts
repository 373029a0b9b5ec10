/**
 * What comes to one listener of one thread, copied for those who watch it: datagrams, reads of
 * connections and the messages that could not be read. It is there while a client watches, keeps at
 * most a slice of a tenth of a second, and counts what is beyond; nothing waits for it.
 */
import type { Socket } from 'node:net'
import type { Transport } from '../../../dialects/decoder.ts'
import type { ConnectionProgress, Peer } from '../../../dialects/endpoints.ts'
import type { Clock } from '../../../time/clock.ts'
import type { DecodeErrorFields } from '../../../wire/decode-error.ts'
import { hexOffsetOf } from '../../status/offenders.ts'

/** Time between two batches, ms. */
const SLICE_MS = 100
/** Packets and bytes of a batch; the first packet of one may be as long as datagrams are. */
const PACKETS_LIMIT = 256
const BYTES_LIMIT = 32_768
/** Errors of a batch, and the bytes that are kept of each. */
const ERRORS_LIMIT = 64
const ERROR_BYTES_LIMIT = 128
const DETAIL_LIMIT = 200
/** Connections that are followed at once; those beyond are not. */
const CONNECTIONS_LIMIT = 1024

interface TapOrigin {
  readonly timeMs: number
  readonly dialect: string
  readonly transport: Transport
  readonly address: string
  readonly port: number
}

/** A datagram, or a read of a connection. */
export interface TapPacket extends TapOrigin {
  readonly bytes: Uint8Array
  /** Whether its first byte is the first of a message: always, but for reads. */
  readonly isStart: boolean
  /** Whether bytes of the connection before it were left out. */
  readonly isAfterGap: boolean
}

/** A message that could not be read. */
export interface TapError extends TapOrigin {
  readonly code: string
  readonly offset: number
  /** Place of the same in `bytes`, where they have it. */
  readonly hexOffset?: number
  readonly resync: boolean
  readonly detail: string
  /** Bytes of the message, as far as they are kept. */
  readonly bytes: Uint8Array
}

/** Counts of what was left out. */
interface TapLosses {
  readonly packets: number
  readonly bytes: number
  readonly errors: number
}

/** Packets and errors of a slice of time, in their order. */
export interface TapBatch {
  readonly items: readonly (TapPacket | TapError)[]
  readonly losses: TapLosses
}

export type TakeTapped = (batch: TapBatch) => void

interface Followed {
  readonly dialect: string
  readonly peer: Peer
  readonly progress: ConnectionProgress | undefined
  /** Whether what comes next goes on where the last packet ended. */
  isJoined: boolean
  isStart: boolean
  isAfterGap: boolean
  readonly onData: (chunk: Uint8Array) => void
  readonly onClose: () => void
}

export class Tap {
  /** Batches that may still be sent; who takes them far away gives more. */
  credit = Number.POSITIVE_INFINITY
  readonly #clock: Clock
  readonly #send: TakeTapped
  readonly #followed = new Map<Socket, Followed>()
  #items: (TapPacket | TapError)[] = []
  #packets = 0
  #bytes = 0
  #errors = 0
  #losses = { packets: 0, bytes: 0, errors: 0 }
  #cancelSlice: (() => void) | undefined

  constructor(clock: Clock, send: TakeTapped) {
    this.#clock = clock
    this.#send = send
  }

  datagram(dialect: string, bytes: Uint8Array, address: string, port: number): void {
    this.#begin()
    if (this.#room < bytes.length && this.#bytes > 0) {
      this.#leaveOut(bytes.length)
      return
    }
    const peer = { transport: 'udp', address, port } as const
    this.#keep(dialect, peer, bytes, true, false)
  }

  /**
   * Follows a connection that a server has taken over.
   * @param first bytes that the server was given with it; undefined for one that was there before
   */
  follow(
    socket: Socket,
    dialect: string,
    progress: ConnectionProgress | undefined,
    first?: Uint8Array,
  ): void {
    if (this.#followed.size >= CONNECTIONS_LIMIT || this.#followed.has(socket)) return
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    const isNew = first !== undefined
    const followed: Followed = {
      ...{ dialect, peer: { transport: 'tcp', address, port }, progress },
      ...{ isJoined: isNew, isStart: isNew, isAfterGap: !isNew },
      onData: (chunk) => this.#read(followed, chunk),
      onClose: () => this.#followed.delete(socket),
    }
    this.#followed.set(socket, followed)
    if (first === undefined) this.#join(followed, 0)
    else if (first.length > 0) this.#read(followed, first)
    // behind the server's own listener: it has taken the read in by then
    socket.on('data', followed.onData)
    socket.once('close', followed.onClose)
  }

  unfollow(socket: Socket): void {
    const followed = this.#followed.get(socket)
    if (followed === undefined) return
    socket.off('data', followed.onData)
    socket.off('close', followed.onClose)
    this.#followed.delete(socket)
  }

  /** Takes an error; parameters as of `Reports.decodeError`. */
  error(
    { dialect, code, offset, resync }: DecodeErrorFields,
    bytes: Uint8Array,
    peer: Peer,
    detail: string,
    start = 0,
    end = bytes.length,
    origin = 0,
  ): void {
    this.#begin()
    if (this.#errors >= ERRORS_LIMIT) {
      this.#losses.errors++
      return
    }
    this.#errors++
    const excerpt = bytes.slice(start, Math.min(end, start + ERROR_BYTES_LIMIT))
    this.#items.push({
      ...{ timeMs: this.#clock.wallMs(), dialect, ...peer, code, offset, resync },
      ...hexOffsetOf(origin + offset - start, excerpt.length),
      detail: detail.slice(0, DETAIL_LIMIT),
      bytes: excerpt,
    })
  }

  /** Ends it; what it holds is sent no more. */
  close(): void {
    this.#cancelSlice?.()
    this.#cancelSlice = undefined
    for (const socket of [...this.#followed.keys()]) this.unfollow(socket)
  }

  #read(followed: Followed, chunk: Uint8Array): void {
    this.#begin()
    let left = chunk.length
    if (followed.isJoined) {
      const size = this.#packets < PACKETS_LIMIT ? Math.min(left, Math.max(0, this.#room)) : 0
      if (size > 0) {
        const { dialect, peer, isStart, isAfterGap } = followed
        this.#keep(dialect, peer, chunk.subarray(0, size), isStart, isAfterGap)
        followed.isAfterGap = false
      }
      left -= size
    }
    if (left === 0) followed.isStart = isBetween(followed.progress)
    else {
      this.#leaveOut(left)
      followed.isJoined = false
      followed.isAfterGap = true
      this.#join(followed, chunk.length, chunk)
    }
  }

  /** Joins a connection where a message begins: behind a read, or at the end of it. */
  #join(followed: Followed, size: number, chunk?: Uint8Array): void {
    const { progress } = followed
    if (isBetween(progress)) {
      followed.isJoined = true
      followed.isStart = true
      return
    }
    if (progress === undefined || progress.hasRest === true || chunk === undefined) return
    const inside = progress.bytesInside ?? 0
    const hasRoom = this.#packets < PACKETS_LIMIT && inside <= this.#room
    if (inside === 0 || inside > size || !hasRoom) return
    this.#keep(followed.dialect, followed.peer, chunk.subarray(size - inside), true, true)
    this.#losses.bytes -= inside
    followed.isJoined = true
    followed.isStart = false
    followed.isAfterGap = false
  }

  get #room(): number {
    return BYTES_LIMIT - this.#bytes
  }

  #keep(
    dialect: string,
    peer: Peer,
    bytes: Uint8Array,
    isStart: boolean,
    isAfterGap: boolean,
  ): void {
    if (this.#packets >= PACKETS_LIMIT) {
      this.#leaveOut(bytes.length)
      return
    }
    this.#packets++
    this.#bytes += bytes.length
    const timeMs = this.#clock.wallMs()
    this.#items.push({ timeMs, dialect, ...peer, bytes: bytes.slice(), isStart, isAfterGap })
  }

  #leaveOut(bytes: number): void {
    this.#losses.packets++
    this.#losses.bytes += bytes
  }

  #begin(): void {
    this.#cancelSlice ??= this.#clock.after(SLICE_MS, () => this.#end())
  }

  #end(): void {
    this.#cancelSlice = undefined
    if (this.credit <= 0) {
      // its batches are not taken now: what it holds is lost, and that is told with the next one
      this.#losses.packets += this.#packets
      this.#losses.bytes += this.#bytes
      this.#losses.errors += this.#errors
      for (const followed of this.#followed.values()) followed.isAfterGap = true
      this.#forget()
      return
    }
    this.credit--
    const batch = { items: this.#items, losses: this.#losses }
    this.#losses = { packets: 0, bytes: 0, errors: 0 }
    this.#forget()
    this.#send(batch)
  }

  #forget(): void {
    this.#items = []
    this.#packets = 0
    this.#bytes = 0
    this.#errors = 0
  }
}

/** Tells whether what comes next is the beginning of a message. */
function isBetween(progress: ConnectionProgress | undefined): boolean {
  return progress !== undefined && !progress.isInsideMessage && progress.hasRest !== true
}
