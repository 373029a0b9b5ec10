/**
 * The workers of one server (§2): any number, each on a connection of its own, whose windows go to
 * receivers that the caller provides. Connections are accepted elsewhere; nothing is ever written.
 */
import type { Socket } from 'node:net'
import { READ_BYTES } from '../../../arena/read-in-place.ts'
import type { Budget } from '../../../time/budget.ts'
import type { Clock } from '../../../time/clock.ts'
import type {
  ConnectionProgress,
  DialectServer,
  Peer,
  PeerConnection,
  Reports,
} from '../../endpoints.ts'
import { type WindowReceiver, WorkerConnection } from './connection.ts'

interface WorkersOptions {
  /** Gives what takes the windows of a new connection. */
  readonly open: (peer: Peer) => WindowReceiver
  readonly maxFrameBytes: number
  readonly clock: Clock
  readonly reports: Reports
}

const NOTHING = new Uint8Array(0)

export class Workers implements DialectServer {
  readonly #options: WorkersOptions
  readonly #connections = new Set<WorkerConnection>()
  /** Buffer for the reads of all connections; made with the first one. */
  #buffer: Uint8Array = NOTHING

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  accept(
    socket: Socket,
    first: Uint8Array = NOTHING,
    _handBack?: (bytes: Uint8Array) => boolean,
    budget?: Budget,
  ): ConnectionProgress {
    const { open, maxFrameBytes, clock, reports } = this.#options
    const { remoteAddress = '', remotePort = 0 } = socket
    const peer: Peer = { transport: 'tcp', address: remoteAddress, port: remotePort }
    const receiver = open(peer)
    const parts = { maxFrameBytes, clock, reports, receiver }
    const connection = new WorkerConnection(socket, peer, parts, budget)
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
    if (this.#buffer.length === 0) {
      this.#buffer = receiver.usual?.buffer ?? new Uint8Array(READ_BYTES)
    }
    connection.start(first, this.#buffer)
    return connection
  }

  connections(): readonly PeerConnection[] {
    return [...this.#connections].map((connection) => connection.status())
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()))
  }
}
