/**
 * The accepting, emitting side: any number of viewers, each with its own interval, time base and
 * framing; what they see is read and rendered once for all of them.
 */
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import type { ConnectionStatus } from '../peer.ts'
import type { Reports } from '../reports.ts'
import { NO_REPORTS } from '../reports.ts'
import type { DialectServer, ServerContext } from '../server.ts'
import type { SnapshotSource } from '../snapshot-source.ts'
import { serverOptions } from './checked-options.ts'
import { Exposition } from './server/exposition.ts'
import type { StreamContext } from './server/snapshot-stream.ts'
import { type Pass, Viewer } from './server/viewer.ts'
import { DEFAULT_PORT, type ServerOptions } from './spec.ts'

export interface ScopeServerContext {
  /** What is shown. */
  readonly snapshot: SnapshotSource
  readonly options?: Readonly<Record<string, unknown>> | Partial<ServerOptions>
  readonly clock?: Clock
  readonly reports?: Reports
}

const NOTHING = new Uint8Array(0)

/**
 * A server of the protocol, under a hub (which accepts for it) or on its own:
 * `await new ScopeServer({ snapshot }).listen()`.
 */
export class ScopeServer implements DialectServer {
  readonly #context: StreamContext
  readonly #viewers = new Set<Viewer>()
  readonly #closing = new Set<Promise<void>>()
  #listener: Server | undefined
  #valuesOfPast = 0
  /** True while connections are being refused, so that only the first is logged. */
  #isFull = false

  /** @throws {RangeError} for an option that cannot be used */
  constructor(context: ScopeServerContext) {
    const options = serverOptions(context.options)
    const clock = context.clock ?? systemClock
    const reports = context.reports ?? NO_REPORTS
    const exposition = new Exposition(context.snapshot, options, reports, clock)
    this.#context = { options, clock, reports, exposition }
  }

  /**
   * Binds a port of its own. There is no authentication: whoever reaches it sees all series.
   * @param port 0 = any free one
   * @returns the address; rejects when it cannot be bound
   */
  listen(port = DEFAULT_PORT, host = '127.0.0.1'): Promise<AddressInfo> {
    const listener = createTcpServer({ allowHalfOpen: true }, (socket) => this.accept(socket))
    this.#listener = listener
    return new Promise((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(port, host, () => {
        listener.off('error', reject)
        // A failed accept (no file descriptors left) costs that connection, not the listener.
        listener.on('error', (error: NodeJS.ErrnoException) => {
          this.#context.reports.count('accepts_failed', error.code ?? 'unknown')
        })
        resolve(listener.address() as AddressInfo)
      })
    })
  }

  accept(socket: Socket, first: Uint8Array = NOTHING, pass?: Pass): void {
    const { options, reports } = this.#context
    if (this.#viewers.size >= options.maxClients) {
      reports.count('handshake_refused', 'max_clients')
      if (!this.#isFull) {
        const facts = { address: socket.remoteAddress, maxClients: options.maxClients }
        reports.log('warn', 'viewer refused: too many clients', facts)
      }
      this.#isFull = true
      socket.on('error', () => {})
      socket.destroy()
      return
    }
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const viewer = new Viewer(socket, this.#context, pass, () => {
      this.#viewers.delete(viewer)
      this.#isFull = false
      this.#valuesOfPast += viewer.valuesSent
      resolve()
    })
    this.#viewers.add(viewer)
    this.#closing.add(gone)
    void gone.then(() => this.#closing.delete(gone))
    viewer.start(first)
  }

  /** Values in all snapshots so far. */
  get valuesSent(): number {
    let sum = this.#valuesOfPast
    for (const viewer of this.#viewers) sum += viewer.valuesSent
    return sum
  }

  connections(): readonly ConnectionStatus[] {
    return [...this.#viewers].map((viewer) => viewer.status())
  }

  async stop(): Promise<void> {
    const listener = this.#listener
    const released = new Promise<void>((resolve) => {
      if (listener === undefined) resolve()
      else listener.close(() => resolve())
    })
    for (const viewer of this.#viewers) viewer.close('stopped')
    await Promise.all([released, ...this.#closing])
  }
}

export function createServer(context: ServerContext): DialectServer {
  return new ScopeServer(context)
}
