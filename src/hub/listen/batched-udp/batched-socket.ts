/**
 * A datagram socket that takes in many datagrams with one system call. It is an ordinary
 * `node:dgram` socket, whose loop says when there is something to read and which owns the file
 * descriptor; when it hands over a datagram, one call of recvmmsg fetches what lies behind it.
 *
 *     libuv: readable -> recvmsg (1 datagram) -> 'message' -> recvmmsg (up to 127 more) -> …
 *
 * So nothing waits in native code, other sockets of the thread get their turn, and the socket goes
 * with its thread however that ends. Datagrams keep their order.
 */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import {
  grantReceiveBuffer,
  type UdpOptions,
  type UdpReceiver,
  type UdpSocket,
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
  readonly #messages: Messages
  readonly #senders: Senders
  /** Valid while `#isBatching`. */
  #fd = -1
  #bufferGranted = 0
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
    const messages = new Messages(libc, BATCH, datagramBytesLimit ?? DATAGRAM_BYTES_LIMIT)
    const batched = new BatchedSocket(libc, familyOf(address), messages, receiver)
    try {
      batched.#bind(encodeSockaddr(libc, { address, port }), isShared)
      batched.#bufferGranted = grantReceiveBuffer(batched.#socket, bufferBytes)
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
    socket.on('error', (error) => receiver.onError(error))
    socket.on('message', (bytes, { address, port }) => {
      receiver.onMessage(bytes, address, port)
      if (this.#isBatching) this.#readBatch()
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
    if (!this.#isClosed) this.#socket.close()
    this.#isClosed = true
  }

  #readBatch(): void {
    const messages = this.#messages
    const count = this.#fetch()
    this.#batchedCount += count
    for (let i = 0; i < count; i++) {
      if (messages.isCut(i)) this.#cutCount++
      else if (this.#isBatching) {
        const { address, port } = this.#senders.of(i)
        this.#receiver.onMessage(messages.datagram(i), address, port)
      }
      messages.release(i)
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
