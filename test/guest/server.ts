/** The receiving side: datagrams and connections into the ingest. Nothing is ever written back. */
import type { Socket } from 'node:net'
import {
  type ConnectionProgress,
  type DialectServer,
  NO_REPORTS,
  type Peer,
  type PeerConnection,
  type Reports,
  type ServerContext,
} from '../../src/dialects/endpoints.ts'
import { checkOptions, type GivenOptions } from '../../src/dialects/options.ts'
import { OwnPort } from '../../src/dialects/own-port.ts'
import type { Clock } from '../../src/time/clock.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { type Line, LineScanner, type Message, messageAt } from './codec.ts'
import { takeLine } from './map.ts'
import { ADDRESS_OPTIONS, RECEIVE_OPTIONS, type SemaphoreOptions } from './options.ts'
import { NAME } from './spec.ts'

/** Bytes of an offending line that a report keeps. */
const REPORT_BYTES = 128

/** Makes the server of a hub: lines go into its ingest. */
export function createServer({ ingest, options, clock, reports }: ServerContext): DialectServer {
  const take: TakeLine = (peer, line) => {
    ingest.begin(peer.address)
    takeLine(ingest, ...line)
  }
  return new LineServer(take, checkOptions(RECEIVE_OPTIONS, options), { clock, reports })
}

/** Address of a server, and what it takes; `RECEIVE_OPTIONS` has defaults and limits. */
export interface SemaphoreServerOptions
  extends GivenOptions<typeof ADDRESS_OPTIONS>,
    GivenOptions<typeof RECEIVE_OPTIONS> {
  /** Takes one line before the server reads on; must not throw. */
  readonly onMessage: (message: Message, peer: Peer) => void
  readonly clock?: Clock
  /** Takes what could not be read; nothing unless given. */
  readonly reports?: Reports
}

/**
 * A server on a port of its own, UDP and TCP.
 *
 * @example
 * import { SemaphoreServer } from 'pentameter/semaphore'
 *
 * const server = new SemaphoreServer({
 *   port: 0,
 *   onMessage: ({ name, value }) => console.log(name, value),
 * })
 * await server.start()
 * console.log(`signal boxes report to port ${server.port}`)
 * await server.close()
 */
export class SemaphoreServer {
  readonly #server: LineServer
  readonly #port: OwnPort

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: SemaphoreServerOptions) {
    const { onMessage, clock = systemClock, reports = NO_REPORTS } = options
    const take: TakeLine = (peer, line) => onMessage(messageAt(...line), peer)
    this.#server = new LineServer(take, checkOptions(RECEIVE_OPTIONS, options), { clock, reports })
    const address = checkOptions(ADDRESS_OPTIONS, options)
    this.#port = new OwnPort(this.#server, { ...address, transports: ['tcp', 'udp'], reports })
  }

  /** Port that is bound, where the options left its choice to the system; 0 before `start`. */
  get port(): number {
    return this.#port.port
  }

  /** Binds the port; rejects with the system's error where that is not possible. */
  start(): Promise<void> {
    return this.#port.start()
  }

  connections(): readonly PeerConnection[] {
    return this.#server.connections()
  }

  /** Ends every connection; resolves when all are gone. */
  close(): Promise<void> {
    return this.#port.close()
  }
}

type TakeLine = (peer: Peer, line: Line) => void

class LineServer implements DialectServer {
  readonly #take: TakeLine
  readonly #maxLineBytes: number
  readonly #context: Pick<ServerContext, 'clock' | 'reports'>
  readonly #connections = new Map<Socket, PeerConnection>()

  constructor(
    take: TakeLine,
    { maxLineBytes }: Pick<SemaphoreOptions, 'maxLineBytes'>,
    context: Pick<ServerContext, 'clock' | 'reports'>,
  ) {
    this.#take = take
    this.#maxLineBytes = maxLineBytes
    this.#context = context
  }

  datagram(bytes: Uint8Array, peer: Peer): undefined {
    const scanner = this.#scannerFor(peer)
    scanner.push(bytes)
    scanner.end()
  }

  accept(socket: Socket, first: Uint8Array): ConnectionProgress {
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    const peer: Peer = { transport: 'tcp', address, port }
    const scanner = this.#scannerFor(peer)
    this.#connections.set(socket, { peer, sinceMs: this.#context.clock.wallMs(), facts: {} })
    scanner.push(first)
    socket.on('data', (bytes: Uint8Array) => scanner.push(bytes))
    socket.once('end', () => {
      scanner.end()
      socket.end()
    })
    socket.once('error', () => socket.destroy())
    socket.once('close', () => this.#connections.delete(socket))
    if (socket.readableEnded) socket.emit('end')
    else socket.resume()
    return {
      get messages() {
        return scanner.lines
      },
      get isInsideMessage() {
        return scanner.isInsideLine
      },
      get bytesHeld() {
        return scanner.bytesHeld
      },
      isTimed: false,
    }
  }

  #scannerFor(peer: Peer): LineScanner {
    return new LineScanner(this.#maxLineBytes, {
      line: (...line) => this.#take(peer, line),
      reject: (code, line, offset) => {
        const error = { dialect: NAME, code, offset, resync: true }
        const sample = line.subarray(0, REPORT_BYTES)
        this.#context.reports.decodeError(error, sample, peer, `line is a ${code}`)
      },
    })
  }

  connections(): readonly PeerConnection[] {
    return [...this.#connections.values()]
  }

  async stop(): Promise<void> {
    for (const socket of this.#connections.keys()) socket.destroy()
  }
}
