/**
 * Reads of all connections into one buffer. A stream of node:net makes a buffer for every read,
 * which costs more than what is in it (docs/decisions/0017): twice the receive itself. Node has an
 * option against that, `onread`, for sockets that are made by who reads them; those that a server
 * accepts are not. So the connection's handle moves into a socket with that option.
 *
 * One buffer is enough for any number of connections: between a read and the end of its callback
 * nothing else runs.
 */
import { Socket, type SocketConstructorOpts } from 'node:net'

/** Four times a stream's; a larger one leaves the processor's second cache. */
export const READ_BYTES = 262_144

/** Part of Node's sockets that is no public interface; without it reads go the usual way. */
interface Handled {
  _handle?: { readonly useUserBuffer?: unknown } | null
}

/**
 * Has all bytes from now on read into `buffer`. The accepted socket goes on to say 'data', of bytes
 * that are valid during the call only, and to be paused and resumed by its connection.
 * @param socket accepted and paused; it ends and closes with the one that is returned
 * @returns whose 'end', 'error' and 'close' are those of the connection
 */
export function readInPlace(socket: Socket, buffer: Uint8Array): Socket {
  const owner = socket as Handled
  const canMove = typeof owner._handle?.useUserBuffer === 'function' && process.platform !== 'win32'
  if (!canMove || socket.readableEnded) return socket
  // what was read while it waited comes chunk by chunk, each as 'data'
  while (socket.read() !== null);
  const handle = owner._handle
  if (socket.destroyed || !handle) return socket
  owner._handle = null
  const callback = (size: number): boolean => socket.emit('data', buffer.subarray(0, size))
  const onread = { buffer, callback }
  const options = { handle, onread, allowHalfOpen: true, manualStart: true }
  const reading = new Socket(options as unknown as SocketConstructorOpts)
  // the listener knows the connection by the first socket, which has nothing to close itself
  reading.once('close', () => socket.destroy())
  socket.once('close', () => reading.destroy())
  // an end that was read while it waited is not read again
  socket.once('end', () => reading.push(null))
  socket.on('pause', () => reading.pause())
  // told a tick later, when it may be paused again
  socket.on('resume', () => {
    if (!socket.isPaused()) reading.resume()
  })
  return reading
}
