/**
 * The receiving side (§2): any number of workers, each on a connection of its own, whose windows go
 * to receivers that the hub provides. A server never writes a byte.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import type { Peer, PeerConnection } from '../peer.ts'
import type { Reports } from '../reports.ts'
import { NO_REPORTS } from '../reports.ts'
import type { DialectServer, ServerContext } from '../server.ts'
import { type WindowReceiver, WorkerConnection } from './server/connection.ts'
import { READ_BYTES } from './server/read-in-place.ts'
import { RECEIVE_DEFAULTS, type ReceiveOptions } from './spec.ts'

export interface WallarooServerContext {
  /** Who takes what a new connection will send. */
  readonly open: (peer: Peer) => WindowReceiver
  readonly options?: Readonly<Record<string, unknown>> | Partial<ReceiveOptions>
  readonly clock?: Clock
  readonly reports?: Reports
}

/**
 * @throws {TypeError} without anybody who takes windows
 */
export function createServer({ openWindows: open, ...context }: ServerContext): DialectServer {
  if (open === undefined) throw new TypeError('nobody takes the windows of workers')
  return new WallarooServer({ ...context, open })
}

const NOTHING = new Uint8Array(0)

export class WallarooServer implements DialectServer {
  readonly #context: WallarooServerContext
  readonly #options: ReceiveOptions
  readonly #connections = new Set<WorkerConnection>()
  /** For the reads of all connections; made with the first one. */
  #buffer = NOTHING

  constructor(context: WallarooServerContext) {
    this.#context = context
    this.#options = { ...RECEIVE_DEFAULTS, ...context.options }
  }

  accept(socket: Socket, first: Uint8Array = NOTHING): void {
    const { open, clock = systemClock, reports = NO_REPORTS } = this.#context
    const { remoteAddress = '', remotePort = 0 } = socket
    const peer: Peer = { transport: 'tcp', address: remoteAddress, port: remotePort }
    const receiver = open(peer)
    const parts = { options: this.#options, clock, reports, receiver }
    const connection = new WorkerConnection(socket, peer, parts)
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(READ_BYTES)
    connection.start(first, this.#buffer)
  }

  connections(): readonly PeerConnection[] {
    return [...this.#connections].map((connection) => connection.status())
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()))
  }
}
