/** The receiving side (§2): windows of workers, under a hub or on a port of its own. */
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import {
  type DialectServer,
  NO_REPORTS,
  type Peer,
  type PeerConnection,
  type Reports,
  type ServerContext,
} from '../endpoints.ts'
import { checkOptions, type GivenOptions } from '../options.ts'
import { OwnPort } from '../own-port.ts'
import { type MetricsMessage, metricsMessage } from './codec.ts'
import { SERVER_OPTIONS } from './options.ts'
import type { WindowReceiver, WindowReceivers } from './server/connection.ts'
import { Workers } from './server/workers.ts'
import { notesOf } from './spec.ts'

/**
 * Makes the server of a hub, whose windows go to the hub's side of the dialect.
 * @throws {TypeError} in a hub without it
 */
export function createServer(context: ServerContext): DialectServer {
  const { resident, clock, reports, options } = context
  if (resident === undefined) throw new TypeError('windows of workers have no receiver')
  const receivers = resident as WindowReceivers
  const open = (peer: Peer) => receivers.open(peer)
  return new Workers({ ...checkOptions(SERVER_OPTIONS, options), clock, reports, open })
}

/**
 * Options of where a server listens and what it tells; a callback is over before the server reads
 * on, and must not throw.
 */
export interface WallarooServerOptions extends GivenOptions<typeof SERVER_OPTIONS> {
  /** A worker belongs to an application; the short form of Join names no worker. */
  readonly onJoin?: (application: string, worker: string | undefined, peer: Peer) => void
  readonly onWindow?: (window: MetricsMessage, peer: Peer) => void
  /** A worker's connection has ended. */
  readonly onClose?: (peer: Peer) => void
  readonly clock?: Clock
  /** Receiver of what could not be read; nothing unless given. */
  readonly reports?: Reports
}

/**
 * A server on a port of its own.
 *
 * @example
 * import { WallarooServer } from 'pentameter/wallaroo'
 *
 * const server = new WallarooServer({
 *   port: 0,
 *   onWindow: ({ pipeline, name, total }) => console.log(pipeline, name, total),
 * })
 * await server.start()
 * console.log(`workers connect to port ${server.port}`)
 * await server.close()
 */
export class WallarooServer {
  readonly #workers: Workers
  readonly #port: OwnPort

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: WallarooServerOptions = {}) {
    const { clock = systemClock, reports = NO_REPORTS } = options
    const { host, port, maxFrameBytes } = checkOptions(SERVER_OPTIONS, options)
    const open = (peer: Peer) => receiverOf(options, peer)
    this.#workers = new Workers({ open, maxFrameBytes, clock, reports })
    this.#port = new OwnPort(this.#workers, { host, port, transports: ['tcp'], reports })
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
    return this.#workers.connections()
  }

  /** Ends every connection; resolves when all are gone. */
  close(): Promise<void> {
    return this.#port.close()
  }
}

function receiverOf(options: WallarooServerOptions, peer: Peer): WindowReceiver {
  return {
    join: (application, worker) => options.onJoin?.(application, worker, peer),
    metrics(frame) {
      options.onWindow?.(metricsMessage(frame, notesOf(frame.notes)), peer)
      return 0
    },
    close: () => options.onClose?.(peer),
  }
}
