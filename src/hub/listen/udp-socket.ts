/** One bound UDP socket with a receive buffer that was asked for and read back. */
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { DatagramPlace } from '../../dialects/endpoints.ts'
import type { Budget } from '../../time/budget.ts'

/** A bound socket that hands on what it receives. */
export interface UdpSocket {
  readonly port: number
  /** Bytes the kernel granted; less than asked when its own limit is lower. */
  readonly bufferGranted: number
  /** Way in which datagrams come in: one a system call, or many. */
  readonly receive: UdpReceive
  /** Has datagrams wait in the kernel, where that is possible, until {@link release}. */
  hold(): void
  release(): void
  close(): void
}

export type UdpReceive = 'dgram' | 'recvmmsg'

export interface UdpOptions {
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  /** Bytes of receive buffer to ask for. */
  readonly bufferBytes: number
  /** Several threads bind the port; the kernel gives each datagram to one of them. */
  readonly isShared: boolean
}

/** Turns of one socket, and whose datagrams have to wait for them. */
export interface SocketTurns extends Budget {
  /** Whether datagrams of any address have to be handed over one by one. */
  readonly hasWaiting: boolean
  /** Tells whether those of an address have to. */
  isBehind(address: string): boolean
}

export interface UdpReceiver {
  /** Place where many datagrams may be handed over at once; none unless given. */
  readonly place?: DatagramPlace | undefined
  /** Turns after which the rest of those that came at once waits; none unless given. */
  readonly turns?: SocketTurns
  /** Takes one datagram; `bytes` is valid only during the call. */
  onMessage(bytes: Uint8Array, address: string, port: number): void
  /** Takes an error of the socket, which goes on. */
  onError(error: Error): void
}

/** @throws the socket's error (`EADDRINUSE`, …) */
export type BindUdp = (options: UdpOptions, receiver: UdpReceiver) => Promise<UdpSocket>

/** Binds a socket with one datagram a system call: works everywhere. */
export function bindUdp(options: UdpOptions, receiver: UdpReceiver): Promise<UdpSocket> {
  const { host, port, bufferBytes, isShared } = options
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', reusePort: isShared })
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    socket.bind(port, host, () => {
      socket.removeAllListeners('error')
      socket.on('error', (error) => receiver.onError(error))
      socket.on('message', (bytes, from) => receiver.onMessage(bytes, from.address, from.port))
      const bufferGranted = grantReceiveBuffer(socket, bufferBytes)
      const { port } = socket.address()
      const watching = watchingOf(socket)
      let isClosed = false
      resolve({
        ...{ port, bufferGranted, receive: 'dgram' },
        hold: () => void (isClosed || watching?.recvStop()),
        release: () => void (isClosed || watching?.recvStart()),
        close() {
          isClosed = true
          socket.close()
        },
      })
    })
  })
}

/** Part of Node's handle of a datagram socket that is no public interface. */
export interface Watching {
  recvStart(): unknown
  recvStop(): unknown
}

/** Finds the handle of a socket; undefined where Node has it elsewhere than today. */
export function watchingOf(socket: Socket): Watching | undefined {
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === 'state symbol',
  )
  const state = symbol && (socket as unknown as Record<symbol, { handle?: unknown }>)[symbol]
  const handle = state?.handle as Partial<Watching> | undefined
  const isKnown = typeof handle?.recvStart === 'function' && typeof handle.recvStop === 'function'
  return isKnown ? (handle as Watching) : undefined
}

/** Asks for a receive buffer. @returns the bytes that the kernel granted */
export function grantReceiveBuffer(socket: Socket, bytes: number): number {
  setReceiveBuffer(socket, bytes)
  return grantedBytes(socket)
}

/**
 * Sets the buffer. A kernel with a lower limit cuts the wish or, on some systems, refuses it; both
 * show on read-back.
 */
function setReceiveBuffer(socket: Socket, bytes: number): void {
  try {
    socket.setRecvBufferSize(bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_BUFFER_SIZE') throw error
  }
}

/**
 * Reads the bytes granted. Linux reports twice what was asked for: the other half is for its own
 * bookkeeping.
 */
function grantedBytes(socket: Socket): number {
  const size = socket.getRecvBufferSize()
  return process.platform === 'linux' ? size / 2 : size
}
