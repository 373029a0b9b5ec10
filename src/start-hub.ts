/**
 * A hub with its page, API and exporters, started by one call. Public as `pentameter/hub`.
 *
 * ```ts
 * import { startHub } from 'pentameter/hub'
 *
 * const hub = await startHub({ config: { httpPort: 8080 } })
 * console.log(hub.addresses.http)
 * await hub.close()
 * ```
 */
import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { PortAddresses } from './dialects/endpoints.ts'
import type { Guest } from './dialects/guest.ts'
import { HTTP_PORT, type ValuesOf } from './dialects/options.ts'
import { GUESTS } from './dialects/registry.ts'
import type { SnapshotSource, Statistic } from './dialects/snapshot-source.ts'
import { isLoopback } from './host-check.ts'
import type { OtlpPreview } from './http/export/otlp/source.ts'
import { HTTP_LIMITS } from './http/limits.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { HttpListener } from './http-listener.ts'
import { parseConfig } from './hub/config/config.ts'
import { type HouseOptions, listenPorts } from './hub/config/house-options.ts'
import { dialectOptions, type HubConfig } from './hub/config/values.ts'
import { openHistory } from './hub/history/open-history.ts'
import { Hub } from './hub/hub.ts'
import { fitToDescriptors } from './hub/listen/descriptors.ts'
import type { Frame } from './hub/live/frame.ts'
import { type Log, limitLog } from './hub/log.ts'
import { isDecrements, type Total } from './hub/series/record.ts'
import type { SourcesAnswer } from './hub/status/status.ts'
import { type CreateWorker, threadCount } from './hub/threads/ingest-threads.ts'
import { type Cell, type Identity, KINDS, type Metadata } from './model/index.ts'
import type { Clock } from './time/clock.ts'
import { systemClock } from './time/system-clock.ts'

export type { BoundAddress, PortAddresses } from './dialects/endpoints.ts'
export type { CanonicalSeries, SnapshotSource, Statistic } from './dialects/snapshot-source.ts'
export { ConfigError } from './hub/config/values.ts'
export type { Log, LogLevel } from './hub/log.ts'
export type { Total } from './hub/series/record.ts'
export type { SourcesAnswer } from './hub/status/status.ts'

type Values = ValuesOf<HouseOptions>
type Parts<T> = T extends readonly unknown[] ? T : Partial<T>

/** Options by name, as in docs/configuration.md; those left out have their defaults. */
export type HubOptions = { readonly [K in keyof Values]?: Parts<Values[K]> } & {
  readonly [name: string]: unknown
}

export interface StartHubOptions {
  readonly config?: HubOptions
  /**
   * Dialects it speaks; all of the package unless stated.
   * @internal a guest's commands and routes have types of packages that no user installs
   */
  readonly guests?: readonly Guest[]
  /** Log of messages for the operator; repeated ones are held back. Nowhere unless stated. */
  readonly log?: Log
  /** Source of time; the system's unless stated. */
  readonly clock?: Clock
  /**
   * Maker of threads for programs that are bundled: starts the file of an ingest thread with these
   * data.
   */
  readonly createWorker?: CreateWorker
}

export interface RunningHub {
  /** Host and port of each listener, or why it is not bound, by name: http, text, stream. */
  readonly addresses: PortAddresses
  /** Describes senders, listeners, limits and errors, as `GET /api/v1/sources` does. */
  sources(): SourcesAnswer
  /** Reads all series with their totals, those of the hub itself included. */
  series(): Iterable<HubSeries>
  /**
   * Calls back at the end of each interval with what it brought; intervals begin now.
   * @param intervalMs length of an interval, a whole number; a second is the least that is noticed
   * @returns a function that ends it
   * @throws {RangeError} for another interval, and above `sessionsLimit` subscribers
   */
  subscribe(intervalMs: number, onInterval: (interval: Interval) => void): () => void
  /**
   * Opens the values of all series for one more server of viewers, a `ScopeServer` for instance:
   * gauges as they are, counters as rate and total, distributions as means.
   * @param select statistics of distributions besides, each as `NAME.p99`
   */
  viewerSource(select?: readonly Statistic[]): HubViewerSource
  /** Closes the running second, delivers it, and lets go of all ports and peers. */
  close(): Promise<void>
}

export interface HubViewerSource extends SnapshotSource {
  /** Ends it: the hub computes nothing for it any more. */
  close(): void
}

export interface HubSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  /** Total since the series began; integers are exact. */
  readonly total: Total
}

export interface Interval {
  /** End, Unix milliseconds. */
  readonly endMs: number
  /** Length; more than was asked for after a standstill. */
  readonly seconds: number
  /** One cell per series that changed. What counters lost again is in their totals alone. */
  readonly cells: readonly { readonly identity: Identity; readonly cell: Cell }[]
}

/**
 * Error of a hub not one port of which could be bound; the message says why for each.
 *
 * @example
 * import { NoListenerError, startHub } from 'pentameter/hub'
 *
 * try {
 *   const hub = await startHub({ config: { httpPort: 0, textPort: 0, streamPort: 0 } })
 *   await hub.close()
 * } catch (error) {
 *   if (!(error instanceof NoListenerError)) throw error
 *   console.error(`is another hub running? ${error.message}`)
 * }
 */
export class NoListenerError extends Error {
  override readonly name = 'NoListenerError'
  /** All ports, each with the reason why it could not be bound. */
  readonly addresses: PortAddresses

  constructor(addresses: PortAddresses) {
    const reasons = Object.entries(addresses).map(
      ([name, { port, error }]) => `${name} on ${port}: ${error}`,
    )
    super(`no listener could be started: ${reasons.join('; ')}`)
    this.addresses = addresses
  }
}

/** Folder of the built page: beside the compiled files, and in a checkout's dist alike. */
const WEB_ROOT = fileURLToPath(new URL('../dist/web/', import.meta.url))
const OPEN_MESSAGE =
  'the hub listens beyond this machine and asks nobody who they are: ' +
  'everyone who reaches its ports may send and read'

/**
 * Starts a hub: a port that is taken is told in `addresses` and by the log, and tried again.
 * @throws {ConfigError} for an option that makes no sense
 * @throws {NoListenerError} when not one port could be bound
 *
 * @example
 * import { startHub } from 'pentameter/hub'
 *
 * const hub = await startHub({ config: { httpPort: 0, textPort: 0, streamPort: 0 } })
 * const stop = hub.subscribe(1000, ({ cells }) => {
 *   for (const { identity, cell } of cells) console.log(identity.name, cell)
 * })
 * stop()
 * await hub.close()
 */
export async function startHub(options: StartHubOptions = {}): Promise<RunningHub> {
  const { guests = GUESTS, clock = systemClock, log: write = () => {}, createWorker } = options
  const dialects = guests.map(({ dialect }) => dialect)
  const wished = parseConfig(options.config ?? {}, dialects)
  const log = limitLog(write, clock)
  const { connectionsLimit, httpConnections } = fitToDescriptors(
    { connectionsLimit: wished.connectionsLimit, httpConnections: HTTP_LIMITS.connections },
    { listeners: listenPorts(dialects).length, threads: threadCount(wished.ingestWorkers) },
    log,
  )
  const config = { ...wished, connectionsLimit }
  if (!isLoopback(config.host)) log('warn', OPEN_MESSAGE, { host: config.host })
  const worker = createWorker === undefined ? {} : { createWorker }
  const hub = new Hub({ config, clock, log, guests, ...worker })
  const opened = openHistory(hub, config, dialects, log)
  const otlp = await otlpOf(config, hub, log)
  const server = serverOf(hub, guests, config, { log, otlp, connections: httpConnections })
  const http = new HttpListener(server, { host: config.host, port: config.httpPort }, clock, log)
  await startThreadPool()
  await opened
  try {
    await hub.start()
  } catch (error) {
    // what it holds, threads and the lock of the history, would keep the process
    await hub.stop()
    throw error
  }
  await http.start()
  const further = furtherPorts(server, guests, config, clock, log)
  for (const { listener } of further) await listener.start()
  hub.servedBy(http.address, () => server.limits())
  const addresses = (): PortAddresses => ({
    [HTTP_PORT.name]: http.address,
    ...hub.addresses(),
    ...Object.fromEntries(further.map(({ name, listener }) => [name, listener.address])),
  })
  const close = async (): Promise<void> => {
    await hub.stop(Promise.all([http.stop(), ...further.map(({ listener }) => listener.stop())]))
  }
  const tried = addresses()
  if (Object.values(tried).every(({ error }) => error !== undefined)) {
    await close()
    throw new NoListenerError(tried)
  }
  return {
    get addresses() {
      return addresses()
    },
    sources: () => hub.sources(),
    series: () => seriesOf(hub),
    subscribe: (intervalMs, onInterval) => subscribe(hub, intervalMs, onInterval),
    viewerSource: (select = []) => viewerSourceOf(hub, select),
    close,
  }
}

/**
 * Starts the threads of Node that read files and ask for names of hosts, before those of the hub:
 * where the machine has no room for all, ours are tried again, and Node ends the process when one
 * of its own does not start, which then would be at a first request for a file.
 */
async function startThreadPool(): Promise<void> {
  await stat(WEB_ROOT).catch(() => {})
}

function viewerSourceOf(hub: Hub, select: readonly Statistic[]): HubViewerSource {
  const snapshot = hub.openSnapshot(select)
  return {
    get revision() {
      return snapshot.revision
    },
    list: () => snapshot.list(),
    read: (target) => snapshot.read(target),
    close: () => hub.closeSnapshot(snapshot),
  }
}

function* seriesOf(hub: Hub): Iterable<HubSeries> {
  for (const record of hub.series) {
    const { identity, metadata } = record
    if (!isDecrements(record)) yield { identity, metadata, total: hub.total(record) }
  }
}

function subscribe(
  hub: Hub,
  intervalMs: number,
  onInterval: (interval: Interval) => void,
): () => void {
  const session = hub.sessions.open({
    intervalMs,
    onFrame: (frame) => onInterval(intervalOf(frame, hub)),
  })
  if (session === undefined) throw new RangeError(`more than ${hub.sessions.limit} subscribers`)
  return () => session.close()
}

function intervalOf(frame: Frame, hub: Hub): Interval {
  const cells = KINDS.flatMap((kind) =>
    Array.from(frame.ids(kind)).flatMap((id) => {
      const record = hub.series.get(id)
      const cell = frame.cell(id, kind)
      if (record === undefined || isDecrements(record) || cell === undefined) return []
      return { identity: record.identity, cell }
    }),
  )
  return { endMs: frame.endMs, seconds: frame.seconds, cells }
}

interface ServerParts {
  readonly log: Log
  readonly otlp: LoadPreview
  /** Places for connections. */
  readonly connections: number
}

/** Composes the HTTP side: page, API, /metrics and what goes to an OTLP receiver. */
function serverOf(
  hub: Hub,
  guests: readonly Guest[],
  config: HubConfig,
  { log, otlp, connections }: ServerParts,
): HttpServer {
  return createHttpServer({
    otlp,
    view: hub,
    webRoot: WEB_ROOT,
    host: config.host,
    port: config.httpPort,
    allowedHosts: config.allowedHosts,
    prometheus: config.prometheus,
    limits: { ...config.http, connections },
    guests,
    optionsOf: (dialect) => dialectOptions(config, dialect),
    reportsOf: (dialect) => hub.reports.for(dialect),
    reports: {
      count: (name, reason) => {
        const meaning = `what the HTTP server counts as ${name}, by reason`
        hub.metrics.counter(`pentameter.http.${name}`, { reason }, meaning).add()
      },
      log,
    },
  })
}

type LoadPreview = () => Promise<OtlpPreview>

/**
 * Pushes to the receiver of the config; without one it only shows what it would say, and is loaded
 * when it is to be shown.
 */
async function otlpOf(
  { otlp, host, httpPort }: HubConfig,
  hub: Hub,
  log: Log,
): Promise<LoadPreview> {
  // a port that the system chooses is not known yet, and another one at every start
  const place = httpPort === 0 ? crypto.randomUUID() : httpPort
  const instance = `${hostname()}:${host}:${place}`
  const resource = { 'service.instance.id': instance, ...otlp.resource }
  if (otlp.url === '') {
    return async () => {
      const { OtlpSource } = await import('./http/export/otlp/source.ts')
      return new OtlpSource(hub, { ...otlp, resource })
    }
  }
  const { OtlpExporter } = await import('./http/export/otlp/exporter.ts')
  const options = { ...otlp, resource, url: receiverUrl(otlp.url) }
  const exporter = new OtlpExporter(hub, options, {
    count: (name, reason, amount) => {
      const meaning = `what the OTLP exporter counts as ${name}, by reason`
      hub.metrics.counter(`pentameter.otlp.${name}`, { reason }, meaning).add(amount)
    },
    log,
  })
  hub.addSink(exporter)
  return async () => exporter
}

/** Adds the path to an address without one, as OTEL_EXPORTER_OTLP_ENDPOINT has it. */
function receiverUrl(text: string): string {
  const url = new URL(text)
  if (url.pathname === '/') url.pathname = '/v1/metrics'
  return url.href
}

interface FurtherPort {
  /** Registry name of the dialect that wants it. */
  readonly name: string
  readonly listener: HttpListener
}

/** Lists the ports at which dialects want the HTTP side to be served, too. */
function furtherPorts(
  server: HttpServer,
  guests: readonly Guest[],
  config: HubConfig,
  clock: Clock,
  log: Log,
): FurtherPort[] {
  const { host } = config
  return guests.flatMap(({ dialect: { name }, furtherPort }) => {
    const port = furtherPort?.(dialectOptions(config, name)) ?? 0
    if (port === 0) return []
    const listener = new HttpListener(server.further(port), { host, port }, clock, log, name)
    return [{ name, listener }]
  })
}
