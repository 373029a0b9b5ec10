/**
 * A datagram socket that takes in many datagrams with one system call. It is an ordinary
 * `node:dgram` socket, whose loop says when there is something to read and which owns the file
 * descriptor; when it hands over a datagram, one call of recvmmsg fetches what lies behind it.
 *
 *     libuv: readable -> recvmsg (1 datagram) -> 'message' -> recvmmsg (up to 127 more) -> …
 *
 * While many come, or one soon after the other, libuv does not watch the socket: they gather in its
 * buffer for some milliseconds, and a timer fetches them: waking up costs as much as many of them.
 * When none has come, libuv watches again. Where a turn of the event loop is over in the midst of a
 * batch, the timer goes on with it before it fetches another one.
 *
 * So nothing waits in native code, other sockets of the thread get their turn, and the socket goes
 * with its thread however that ends. Datagrams keep their order.
 */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { DatagramBatch } from '../../../dialects/endpoints.ts'
import {
  grantReceiveBuffer,
  type SocketTurns,
  type UdpOptions,
  type UdpReceiver,
  type UdpSocket,
  type Watching,
  watchingOf,
} from '../udp-socket.ts'
import { type AddressFamily, AF_INET6, type Libc } from './libc.ts'
import { Messages } from './messages.ts'
import { Senders } from './senders.ts'
import { encodeSockaddr, familyOf } from './sockaddr.ts'

/**
 * Datagrams a call. Each call comes with one datagram by Node's own way, which costs three times as
 * much, so with 127 that hardly counts. libuv reads up to 32 times before it turns to other
 * sockets, so a flood keeps these waiting for 4,096 datagrams, some 4 ms.
 */
const BATCH = 127
/** Size above that of any datagram: UDP's own length field ends at 65,535. */
const DATAGRAM_BYTES_LIMIT = 65_536

/** Datagrams behind the first one from which on the next ones are let gather, or a first one … */
const GATHER_FROM = 4
/** … so soon after the one before. */
const SOON_MS = 2
/** Bounds of the time for which they gather: as much as fills some of the buffer. */
const GATHER_MS_MIN = 1
const GATHER_MS_MAX = 4
const GATHER_PART = 8
/** Kernel memory of one that fills an Ethernet frame. */
const KERNEL_BYTES = 2304
/** Batches of one turn: some 4,096 datagrams, as libuv's own limit makes of it. */
const BATCHES_MAX = 32
/** Datagrams that are handed over one by one between two looks at the turn. */
const HANDED_AT_ONCE = 16
/**
 * Buffer from which on datagrams may wait for a millisecond: at some 770 bytes of kernel memory for
 * a small one, of which the kernel grants twice as much as it says, room for 2,700.
 */
const GATHER_BUFFER_BYTES = 1_048_576

const WITHOUT_TURNS: SocketTurns = {
  ...{ isSpent: false, hasWaiting: false, isBehind: () => false },
}

interface BatchedOptions extends UdpOptions {
  /** Room for each datagram, 64 KiB unless a test wants them cut. */
  readonly datagramBytesLimit?: number
}

export class BatchedSocket implements UdpSocket {
  readonly receive = 'recvmmsg'
  readonly #socket: Socket
  readonly #libc: Libc
  readonly #family: AddressFamily
  readonly #receiver: UdpReceiver
  readonly #turns: SocketTurns
  readonly #messages: Messages
  readonly #senders: Senders
  /** Valid while `#isBatching`. */
  #fd = -1
  #bufferGranted = 0
  /** Handle by which libuv's watch is ended; undefined where Node has it elsewhere. */
  #watching: Watching | undefined
  #mayGather = false
  #gathering: NodeJS.Timeout | undefined
  #gatherMs = GATHER_MS_MIN
  /** Time of the last datagram that came by libuv, ms. */
  #firstMs = Number.NEGATIVE_INFINITY
  /** Datagrams of the batch at hand, and the first of them that has not been taken. */
  #count = 0
  #next = 0
  /** Marks of those in the batch that were handed over before it was taken. */
  readonly #isHandedOver = new Uint8Array(BATCH)
  #isBatching = true
  #isClosed = false
  #batchedCount = 0
  #cutCount = 0

  /** @throws the system's error (`EADDRINUSE`, …) */
  static async bind(
    libc: Libc,
    options: BatchedOptions,
    receiver: UdpReceiver,
  ): Promise<BatchedSocket> {
    const { host, port, isShared, bufferBytes, datagramBytesLimit } = options
    const { address } = await lookup(host, { family: isIPv6(host) ? 6 : 4 })
    const limit = datagramBytesLimit ?? DATAGRAM_BYTES_LIMIT
    const messages = new Messages(libc, BATCH, limit, receiver.place)
    const batched = new BatchedSocket(libc, familyOf(address), messages, receiver)
    try {
      batched.#bind(encodeSockaddr(libc, { address, port }), isShared)
      batched.#bufferGranted = grantReceiveBuffer(batched.#socket, bufferBytes)
      batched.#watching = watchingOf(batched.#socket)
      batched.#mayGather =
        batched.#watching !== undefined && batched.#bufferGranted >= GATHER_BUFFER_BYTES
      return batched
    } catch (error) {
      batched.close()
      throw error
    }
  }

  private constructor(
    libc: Libc,
    family: AddressFamily,
    messages: Messages,
    receiver: UdpReceiver,
  ) {
    const socket = createSocket(family === AF_INET6 ? 'udp6' : 'udp4')
    this.#socket = socket
    this.#libc = libc
    this.#family = family
    this.#messages = messages
    this.#senders = new Senders(libc, messages)
    this.#receiver = receiver
    this.#turns = receiver.turns ?? WITHOUT_TURNS
    socket.on('error', (error) => receiver.onError(error))
    socket.on('message', (bytes, { address, port }) => {
      receiver.onMessage(bytes, address, port)
      if (this.#isBatching && this.#gathering === undefined) this.#readFirst()
    })
  }

  /**
   * Binds the socket; until it has taken the descriptor over that is ours to close, from then on
   * Node's.
   */
  #bind(sockaddr: Uint8Array, isShared: boolean): void {
    const libc = this.#libc
    const fd = libc.socket(this.#family)
    try {
      if (isShared) libc.setOption(fd, 'reusePort', true)
      libc.bind(fd, sockaddr)
      this.#socket.bind({ fd, exclusive: true })
    } catch (error) {
      libc.close(fd)
      throw error
    }
    this.#fd = fd
    // libuv lets any program that asks for it share the port of what it has taken over
    libc.setOption(fd, 'reuseAddress', false)
  }

  get port(): number {
    return this.#socket.address().port
  }

  get bufferGranted(): number {
    return this.#bufferGranted
  }

  /** Datagrams that came by recvmmsg; the others were the first of their batch. */
  get batchedCount(): number {
    return this.#batchedCount
  }

  /** Datagrams left out because they were longer than their place. */
  get cutCount(): number {
    return this.#cutCount
  }

  /** Closes the socket; may be called while a datagram is handed over, and none follows. */
  close(): void {
    this.#isBatching = false
    clearTimeout(this.#gathering)
    if (!this.#isClosed) this.#socket.close()
    this.#isClosed = true
  }

  hold(): void {
    if (this.#gathering !== undefined || this.#isClosed) return
    this.#watching?.recvStop()
    if (this.#isBatching) this.#gather()
  }

  /** Does nothing where datagrams gather: the timer ends that. */
  release(): void {
    if (!this.#isBatching && !this.#isClosed) this.#watching?.recvStart()
  }

  /** Reads what lies behind a datagram that came by libuv. */
  #readFirst(): void {
    const count = this.#readBatch()
    if (!this.#isBatching) return
    if (this.#isBehind || (this.#mayGather && this.#comeSoon(count))) {
      this.#gatherMs = GATHER_MS_MIN
      this.hold()
    }
  }

  /** Tells whether the next ones will come soon. @param count behind the first one */
  #comeSoon(count: number): boolean {
    const nowMs = performance.now()
    const isSoon = nowMs - this.#firstMs <= SOON_MS
    this.#firstMs = nowMs
    return isSoon || count >= GATHER_FROM
  }

  /** Whether a batch is to be gone on with. */
  get #isBehind(): boolean {
    return this.#next < this.#count
  }

  #gather(): void {
    this.#gathering = setTimeout(() => this.#readGathered(), this.#gatherMs)
  }

  #readGathered(): void {
    let hasMore = true
    let gathered = 0
    if (this.#isBehind) this.#takeBatch()
    for (let i = 0; i < BATCHES_MAX && hasMore && this.#isBatching && !this.#isBehind; i++) {
      if (this.#turns.isSpent) break
      const count = this.#readBatch()
      hasMore = count === this.#messages.count
      gathered += count
    }
    if (this.#isClosed) return
    if ((gathered > 0 || hasMore) && this.#isBatching) {
      // what a turn was over before waits already
      this.#gatherMs = hasMore || this.#isBehind ? GATHER_MS_MIN : this.#pauseFor(gathered)
      this.#gather()
    } else {
      this.#gathering = undefined
      this.#watching?.recvStart()
    }
  }

  /** Says for how long the next ones gather, after so many in the pause before, ms. */
  #pauseFor(gathered: number): number {
    const wanted = this.#bufferGranted / GATHER_PART / KERNEL_BYTES
    const pauseMs = Math.floor((wanted / Math.max(1, gathered)) * this.#gatherMs)
    return Math.max(GATHER_MS_MIN, Math.min(GATHER_MS_MAX, pauseMs))
  }

  /** @returns how many datagrams it has fetched */
  #readBatch(): number {
    if (this.#isBehind) return 0
    const count = this.#fetch()
    this.#batchedCount += count
    this.#count = count
    this.#next = 0
    const messages = this.#messages
    for (let i = 0; i < count; i++) if (messages.isCut(i)) messages.hide(i)
    if (count > 0) this.#takeBatch()
    return count
  }

  /** Takes the batch at hand, or goes on with it, until the turn is over. */
  #takeBatch(): void {
    const { place } = this.#receiver
    const turns = this.#turns
    const count = this.#count
    if (turns.hasWaiting) this.#handOverWaiting()
    if (!this.#isBatching) {
      this.#next = count
    } else if (place !== undefined) {
      this.#next = place.take(this.#batch, this.#next, turns)
    } else {
      while (this.#next < count) {
        this.#handOver(this.#next++)
        if (this.#next % HANDED_AT_ONCE === 0 && turns.isSpent) break
      }
    }
    if (!this.#isBehind) for (let i = 0; i < count; i++) this.#messages.release(i)
  }

  /** Hands over those that have to wait for others of their addresses. */
  #handOverWaiting(): void {
    const messages = this.#messages
    for (let i = this.#next; i < this.#count; i++) {
      if (this.#isHandedOver[i] || messages.isCut(i)) continue
      if (!this.#turns.isBehind(this.#senders.of(i).address)) continue
      this.#handOver(i)
      this.#isHandedOver[i] = 1
      messages.empty(i)
    }
  }

  get #batch(): DatagramBatch {
    const { at, stride, sizesAt, sizesStride } = this.#messages
    return {
      ...{ count: this.#count, at, stride, sizesAt, sizesStride },
      isOfSameSender: (i) => i > 0 && this.#messages.isOfSameSender(i),
      sender: (i) => this.#senders.of(i),
      handOn: (i) => this.#handOver(i),
    }
  }

  #handOver(i: number): void {
    const messages = this.#messages
    if (this.#isHandedOver[i]) this.#isHandedOver[i] = 0
    else if (messages.isCut(i)) this.#cutCount++
    else if (this.#isBatching) {
      const { address, port } = this.#senders.of(i)
      this.#receiver.onMessage(messages.datagram(i), address, port)
    }
  }

  /**
   * Fetches datagrams. What recvmmsg can't do here once, it is not asked again: Node goes on
   * reading by itself.
   */
  #fetch(): number {
    const { headers, count } = this.#messages
    try {
      return this.#libc.receiveMessages(this.#fd, headers, count)
    } catch (error) {
      this.#isBatching = false
      this.#receiver.onError(error as Error)
      return 0
    }
  }
}
