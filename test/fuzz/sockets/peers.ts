/**
 * Hostile peers of a hub: generated inputs over sockets of every port, cut and delayed at random,
 * and servers that answer with them to a hub that attaches. All sizes and faults are drawn from the
 * seed; what the network makes of it is not, so that a run is only much like its repetition.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Address } from '../../support/hub/hub-process.ts'
import { forEachPiece } from '../engine/bytes.ts'
import { inputOf } from '../engine/hunt.ts'
import { Random } from '../engine/random.ts'
import type { FuzzTarget } from '../target.ts'

/** Connections of one peer at one time. */
const CONNECTIONS = 12
const LINGER_MS = 500
/** A peer's own address, so that limits by address hold for it alone. */
const PEER_ADDRESS = '127.0.0.31'
/** Largest datagram over loopback. */
const DATAGRAM_BYTES = 65_507

/** Inputs of one target, one after the other, and how many there were. */
export class Inputs {
  count = 0
  readonly target: FuzzTarget
  readonly #corpus: readonly Uint8Array[]
  readonly #seed: number

  constructor(target: FuzzTarget, seed: number) {
    this.target = target
    this.#corpus = target.seeds()
    this.#seed = seed
  }

  /** Makes the next input; its bytes are the caller's. */
  next(): { readonly bytes: Uint8Array; readonly random: Random } {
    const index = this.count++
    const random = new Random(this.#seed, index)
    return { bytes: inputOf(this.target, this.#corpus, index, random).bytes.slice(), random }
  }
}

/** Writes one input in pieces, with pauses between some of them. */
async function writePieces(socket: Socket, bytes: Uint8Array, random: Random): Promise<void> {
  const pieces: Uint8Array[] = []
  forEachPiece(random, bytes, (piece) => pieces.push(piece.slice()))
  for (const piece of pieces) {
    if (socket.destroyed) return
    if (!socket.write(piece) || random.isOnceIn(6)) await setTimeout(random.below(4))
  }
}

/** Ends a connection in one of the ways in which connections end. */
async function endSomehow(socket: Socket, random: Random): Promise<void> {
  const way = random.below(4)
  if (way === 0) socket.resetAndDestroy()
  else if (way === 1) socket.destroy()
  else {
    socket.end()
    const closed = once(socket, 'close').catch(() => {})
    await Promise.race([closed, setTimeout(way === 2 ? LINGER_MS : 20)])
    socket.destroy()
  }
}

/** Sends inputs over connections of its own until the signal, several in one now and then. */
export async function sendByTcp(to: Address, inputs: Inputs, signal: AbortSignal): Promise<void> {
  const { host, port } = to
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (!signal.aborted) {
        const socket = connect({ host, port, localAddress: PEER_ADDRESS })
        socket.on('error', () => {})
        socket.resume()
        const { bytes, random } = inputs.next()
        await writePieces(socket, bytes, random)
        for (let left = random.below(24); left > 0 && !socket.destroyed; left--) {
          const another = inputs.next()
          await writePieces(socket, another.bytes, another.random)
        }
        await endSomehow(socket, random)
      }
    }),
  )
}

/** Sends inputs as datagrams, some of them cut. */
export async function sendByUdp(to: Address, inputs: Inputs, signal: AbortSignal): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.bind(0, PEER_ADDRESS, resolve))
  while (!signal.aborted) {
    const { bytes, random } = inputs.next()
    const size = random.isOnceIn(8) ? random.below(bytes.length + 1) : bytes.length
    const datagram = bytes.subarray(0, Math.min(size, DATAGRAM_BYTES))
    await new Promise((resolve) => socket.send(datagram, to.port, to.host, resolve))
    if (inputs.count % 8 === 0) await setTimeout(1)
  }
  socket.close()
}

/** Makes an HTTP request's target of bytes: what may not stand there is escaped. */
function requestOf(bytes: Uint8Array): string {
  const target = Buffer.from(bytes).toString('latin1')
  const safe = target.replace(/[^!-~]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
  const path = safe.startsWith('/') ? safe : `/api/v1/eventcounters?${safe}`
  return `GET ${path.slice(0, 8000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`
}

/** Sends inputs as the targets of requests; now and then as they are, which is no HTTP. */
export async function sendByHttp(to: Address, inputs: Inputs, signal: AbortSignal): Promise<void> {
  const { host, port } = to
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (!signal.aborted) {
        const socket = connect({ host, port, localAddress: PEER_ADDRESS })
        socket.on('error', () => {})
        socket.resume()
        for (let left = 4; left > 0 && !socket.destroyed; left--) {
          const { bytes, random } = inputs.next()
          const isHttp = !random.isOnceIn(12)
          await writePieces(socket, isHttp ? Buffer.from(requestOf(bytes)) : bytes, random)
        }
        await endSomehow(socket, new Random(inputs.count))
      }
    }),
  )
}

export interface HostileServer {
  readonly port: number
  close(): void
}

/** A server of plain TCP that answers every connection with inputs. */
export async function answerByTcp(inputs: Inputs): Promise<HostileServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
    const { bytes, random } = inputs.next()
    void writePieces(socket, bytes, random).then(() => endSomehow(socket, random))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const close = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port, close }
}

/** An endpoint of counters whose sessions are inputs. */
export async function answerByHttp(inputs: Inputs): Promise<HostileServer> {
  const server = createHttpServer((_incoming, outgoing) => {
    outgoing.on('error', () => {})
    outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' })
    const { socket } = outgoing
    const { random } = inputs.next()
    for (let left = 1 + random.below(50); left > 0; left--) {
      forEachPiece(random, inputs.next().bytes, (piece) => outgoing.write(piece.slice()))
    }
    if (random.isOnceIn(3)) socket?.resetAndDestroy()
    else outgoing.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { port, close }
}
