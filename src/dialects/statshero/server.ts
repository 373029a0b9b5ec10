/** The receiving side: lines of applications, under a hub or on a port of its own. */
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
import type { Message } from './codec.ts'
import { frameRules } from './codec.ts'
import { ADDRESS_OPTIONS, LINE_OPTIONS, RECEIVE_OPTIONS } from './options.ts'
import { LineServer } from './server/line-server.ts'
import { MemoryLines } from './server/quick/quick-lines.ts'
import { CallbackReceiver, IngestReceiver } from './server/receivers.ts'

/** Makes the server that takes lines into a hub's ingest. */
export function createServer(context: ServerContext): DialectServer {
  const options = checkOptions(RECEIVE_OPTIONS, context.options)
  const receiver = new IngestReceiver(context.ingest, options, context.reports)
  const quick = MemoryLines.open(context.ingest, frameRules(options), receiver)
  return new LineServer(receiver, options, context.clock, quick)
}

/** Address where a server listens and what it takes. */
export interface StatsHeroServerOptions
  extends GivenOptions<typeof ADDRESS_OPTIONS>,
    GivenOptions<typeof LINE_OPTIONS> {
  /** One line; the call is over before the server reads on, and must not throw. */
  readonly onLine: (line: Message, peer: Peer) => void
  readonly clock?: Clock
  /** Receiver of what could not be read; nothing unless given. */
  readonly reports?: Reports
}

/**
 * A server on a port of its own, UDP and TCP.
 *
 * @example
 * import { StatsHeroServer } from 'pentameter/statshero'
 *
 * const server = new StatsHeroServer({
 *   port: 0,
 *   onLine: ({ key, value, type }) => console.log(key, value, type),
 * })
 * await server.start()
 * console.log(`applications send to port ${server.port}`)
 * await server.close()
 */
export class StatsHeroServer {
  readonly #server: LineServer
  readonly #port: OwnPort

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: StatsHeroServerOptions) {
    const { onLine, clock = systemClock, reports = NO_REPORTS } = options
    const receiver = new CallbackReceiver(onLine, reports)
    this.#server = new LineServer(receiver, checkOptions(LINE_OPTIONS, options), clock)
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
