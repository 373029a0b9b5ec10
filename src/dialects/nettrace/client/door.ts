/**
 * Way to a process (§2): one connection carries one command. The process has a single thread for
 * all that is asked of it, and a connection that says nothing holds up everything else, so none is
 * opened before there is a command to send.
 */
import { createConnection, type Socket } from 'node:net'

export interface ProcessDoor {
  /** Name for people: the path of the socket. */
  readonly name: string
  /**
   * Opens a connection, on which a command is to be sent at once.
   * @throws {Error} of the system, with its code
   */
  connect(signal: AbortSignal): Promise<Socket>
}

/**
 * Makes the way to a process that has a socket.
 *
 * @example
 * import { readFacts, socketDoor } from 'pentameter/nettrace'
 *
 * const door = socketDoor('/tmp/dotnet-diagnostic-1-2-socket')
 * await readFacts(door).catch(({ message }) => console.log(message))
 */
export function socketDoor(path: string): ProcessDoor {
  return { name: path, connect: (signal) => connectTo(path, signal) }
}

function connectTo(path: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path })
    const settle = (act: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      socket.removeListener('connect', onConnect)
      socket.removeListener('error', onError)
      act()
    }
    const onConnect = (): void => settle(() => resolve(socket))
    const onError = (error: Error): void => settle(() => reject(error))
    const onAbort = (): void => {
      settle(() => reject(signal.reason))
      socket.on('error', () => {})
      socket.destroy()
    }
    socket.on('connect', onConnect)
    socket.on('error', onError)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}
