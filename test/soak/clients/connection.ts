/** A TCP connection of a client that never throws: what became of it is asked for. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Address } from '../../support/hub/hub-process.ts'

const CONNECT_TRIES = 50

/** Opens a connection that reads and drops what comes; tried until the hub takes it. */
export async function open({ host, port }: Address, localAddress = '127.0.0.1'): Promise<Socket> {
  for (let left = CONNECT_TRIES; ; left--) {
    const socket = connect({ host, port, localAddress })
    socket.on('error', () => {})
    socket.resume()
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      if (left === 1) throw error
    }
  }
}

/** Writes, and waits where the hub is slower than we are; gone is gone. */
export async function write(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return
  await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
}

/** Closes as a peer does that is done: the hub has read everything when this resolves. */
export async function end(socket: Socket): Promise<void> {
  if (socket.destroyed) return
  socket.end()
  await once(socket, 'close').catch(() => {})
}
