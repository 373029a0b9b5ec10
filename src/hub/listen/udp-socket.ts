/** One bound UDP socket with a receive buffer that was asked for and read back. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'

export interface UdpSocket {
  readonly socket: Socket
  readonly port: number
  /** Bytes the kernel granted; less than asked when its own limit is lower. */
  readonly bufferGranted: number
}

/** @throws the socket's error (`EADDRINUSE`, …) */
export function bindUdp(
  host: string,
  port: number,
  bufferBytes: number,
  onMessage: (bytes: Uint8Array, from: RemoteInfo) => void,
): Promise<UdpSocket> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' })
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    socket.bind(port, host, () => {
      socket.removeAllListeners('error')
      socket.on('message', onMessage)
      setReceiveBuffer(socket, bufferBytes)
      const bufferGranted = grantedBytes(socket)
      resolve({ socket, port: socket.address().port, bufferGranted })
    })
  })
}

/**
 * A kernel with a lower limit cuts the wish or, on some systems, refuses it; both show on
 * read-back.
 */
function setReceiveBuffer(socket: Socket, bytes: number): void {
  try {
    socket.setRecvBufferSize(bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_BUFFER_SIZE') throw error
  }
}

/** Linux reports twice what was asked for: the other half is for its own bookkeeping. */
function grantedBytes(socket: Socket): number {
  const size = socket.getRecvBufferSize()
  return process.platform === 'linux' ? size / 2 : size
}
