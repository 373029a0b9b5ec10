/** Offers a stream as fast as the receiver takes it, in writes of 64 KiB that cut it anywhere. */
import { once } from 'node:events'
import { connect } from 'node:net'

const WRITE_BYTES = 65_536

/** The stream cut into writes; sent again and again it is a whole number of streams. */
export function cutIntoWrites(stream: Buffer): Buffer[] {
  const writes: Buffer[] = []
  for (let at = 0; at < stream.length; at += WRITE_BYTES) {
    writes.push(stream.subarray(at, at + WRITE_BYTES))
  }
  return writes
}

/**
 * Sends all writes so many times over one connection; resolves when the receiver has read the end
 * and closed its side.
 * @param greeting what comes first, once
 */
export async function sendTcp(
  port: number,
  writes: readonly Buffer[],
  times: number,
  greeting?: Buffer,
): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const closed = once(socket, 'close')
  // a receiver that says anything must not hold the connection open
  socket.resume()
  await once(socket, 'connect')
  if (greeting !== undefined) socket.write(greeting)
  for (let time = 0; time < times; time++) {
    for (const write of writes) {
      if (!socket.write(write)) await once(socket, 'drain')
    }
  }
  socket.end()
  await closed
}
