/**
 * Whether batches work on this machine: a socket of its own on the loopback, sent some datagrams by
 * `node:dgram`, has to hand over exactly these, with their sender, and by recvmmsg. Sizes and
 * flags are where the structures would betray a layout other than ours.
 */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { BatchedSocket } from './batched-socket.ts'
import type { Libc } from './libc.ts'

const LOOPBACK = '127.0.0.1'
/** The first one comes by Node's own way; the one longer than the room is to be left out. */
const SIZES: readonly number[] = [7, 0, 1, 33, 4096, 5001, 8]
const ROOM_BYTES = 5000
const FITTING = SIZES.map(pattern).filter(({ length }) => length <= ROOM_BYTES)
/** Enough for all of them. */
const BUFFER_BYTES = 65_536
/**
 * Time for the test, ms: on the loopback all lie in the socket before it is read for the first
 * time.
 */
const TIMEOUT_MS = 1000

interface Received {
  readonly bytes: Buffer
  readonly address: string
  readonly port: number
}

/** @returns what is wrong; undefined when batches work */
export async function findFault(libc: Libc): Promise<string | undefined> {
  const sender = createSocket('udp4')
  const { promise: silence, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, TIMEOUT_MS)
  try {
    sender.bind(0, LOOPBACK)
    await once(sender, 'listening')
    return await exchange(libc, sender, silence)
  } catch (error) {
    return (error as Error).message
  } finally {
    clearTimeout(timer)
    sender.close()
  }
}

async function exchange(libc: Libc, sender: Socket, silence: Promise<void>) {
  const received: Received[] = []
  const { promise: last, resolve, reject } = Promise.withResolvers<void>()
  const options = { host: LOOPBACK, port: 0, isShared: false, bufferBytes: BUFFER_BYTES }
  const socket = await BatchedSocket.bind(
    libc,
    { ...options, datagramBytesLimit: ROOM_BYTES },
    {
      onError: reject,
      onMessage(bytes, address, port) {
        received.push({ bytes: Buffer.from(bytes), address, port })
        if (received.length === FITTING.length) resolve()
      },
    },
  )
  try {
    sender.connect(socket.port, LOOPBACK)
    await once(sender, 'connect')
    // a connected socket sends at once, so all lie there before the loop looks at the receiver
    for (const [i, size] of SIZES.entries()) sender.send(pattern(size, i))
    await Promise.race([last, silence])
    return faultOf(received, sender.address().port, socket)
  } finally {
    socket.close()
  }
}

function faultOf(
  received: readonly Received[],
  port: number,
  { batchedCount, cutCount }: BatchedSocket,
): string | undefined {
  if (received.length !== FITTING.length)
    return `took ${received.length} of ${FITTING.length} datagrams`
  for (const [i, { bytes, address, port: from }] of received.entries()) {
    if (!bytes.equals(FITTING[i]!)) return `datagram ${i} is another one`
    if (address !== LOOPBACK || from !== port) return `datagram ${i} has another sender`
  }
  if (batchedCount !== SIZES.length - 1) return `${batchedCount} datagrams by recvmmsg`
  return cutCount === 1 ? undefined : `${cutCount} datagrams called cut`
}

/** Makes bytes that differ from place to place and from datagram to datagram. */
function pattern(size: number, seed: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, i) => i + 31 * seed))
}
