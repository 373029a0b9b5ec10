/**
 * The accepting, emitting side: snapshots of a source's values to any number of viewers, under a
 * hub, which accepts for it, or on a port of its own.
 */
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import {
  type DialectServer,
  NO_REPORTS,
  type PeerConnection,
  type Reports,
  type ServerContext,
} from '../endpoints.ts'
import { checkOptions, type GivenOptions } from '../options.ts'
import { OwnPort } from '../own-port.ts'
import type { SnapshotSource, Statistic } from '../snapshot-source.ts'
import { ADDRESS_OPTIONS, SERVER_OPTIONS, type ServerSettings } from './options.ts'
import { Exposition } from './server/exposition.ts'
import { Viewers } from './server/viewers.ts'

type SettingsOptions = Omit<GivenOptions<typeof SERVER_OPTIONS>, 'include' | 'exclude' | 'hints'>

/** Options of what a server shows, where, and how. */
export interface ScopeServerOptions
  extends SettingsOptions,
    Partial<Pick<ServerSettings, 'include' | 'exclude' | 'hints'>>,
    GivenOptions<typeof ADDRESS_OPTIONS> {
  /** Source that is shown, as a {@link CallbackSource} is. */
  readonly source: SnapshotSource
  readonly clock?: Clock
  readonly reports?: Reports
}

/** Makes the server for the viewers of a hub. */
export function createServer(context: ServerContext): DialectServer {
  const select = (context.options.select ?? []) as readonly Statistic[]
  return viewersOf(context.openSnapshot(select), context.options, context)
}

/** @throws {RangeError} for an option that cannot be used */
function viewersOf(
  source: SnapshotSource,
  given: object,
  { clock, reports }: { readonly clock: Clock; readonly reports: Reports },
): Viewers {
  const options: ServerSettings = checkOptions(SERVER_OPTIONS, given)
  const exposition = new Exposition(source, options, reports, clock)
  return new Viewers({ options, clock, reports, exposition })
}

/**
 * A server on a port of its own. There is no authentication: every program that reaches it sees all
 * series.
 *
 * @example
 * import { CallbackSource, ScopeServer } from 'pentameter/scope'
 *
 * const values = new CallbackSource()
 * values.add('boiler.temperature', () => 21.5, { unit: '°C' })
 * const server = new ScopeServer({ source: values, port: 0 })
 * await server.start()
 * console.log(`viewers connect to port ${server.port}`)
 * await server.close()
 */
export class ScopeServer {
  readonly #viewers: Viewers
  readonly #port: OwnPort

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: ScopeServerOptions) {
    const { clock = systemClock, reports = NO_REPORTS } = options
    const address = checkOptions(ADDRESS_OPTIONS, options)
    this.#viewers = viewersOf(options.source, options, { clock, reports })
    this.#port = new OwnPort(this.#viewers, { ...address, transports: ['tcp'], reports })
  }

  /** Port that is bound, where the options left its choice to the system; 0 before `start`. */
  get port(): number {
    return this.#port.port
  }

  /** Values in all snapshots so far. */
  get valuesSent(): number {
    return this.#viewers.valuesSent
  }

  /** Binds the port; rejects with the system's error where that is not possible. */
  start(): Promise<void> {
    return this.#port.start()
  }

  connections(): readonly PeerConnection[] {
    return this.#viewers.connections()
  }

  /** Ends every connection; resolves when all are gone. */
  close(): Promise<void> {
    return this.#port.close()
  }
}
