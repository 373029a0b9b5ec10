/**
 * The dialects of a hub at work: which server listens where, in which threads, with which resident;
 * and the peers that the hub connects to.
 */

import type { Dialect } from '../../dialects/dialect.ts'
import type { ClientContext } from '../../dialects/endpoints.ts'
import { HTTP_PORT, type PortSpec } from '../../dialects/options.ts'
import type { SnapshotSource, Statistic } from '../../dialects/snapshot-source.ts'
import type { Clock } from '../../time/clock.ts'
import { ConfigError, dialectOptions, type HubConfig, portNumber } from '../config/config.ts'
import { listenPorts } from '../config/house-options.ts'
import type { DialectTarget } from '../config/target.ts'
import type { ZoneIngest } from '../ingest/ingest.ts'
import type { Listener } from '../listen/listener.ts'
import { Port } from '../listen/port.ts'
import { type PortContext, type PortOptions, portOptions } from '../listen/port-options.ts'
import type { HubGuest, Measured, Participant, Resident } from '../resident.ts'
import { Activity } from '../status/activity.ts'
import type { ErrorReports } from '../status/reports.ts'
import type { Task } from '../tasks/task.ts'
import type { IngestThreads } from '../threads/ingest-threads.ts'
import { ThreadedPort, ThreadedServer } from '../threads/threaded-port.ts'
import {
  type DialectBinding,
  type ListenAddress,
  measurementsOf,
  ResidentServer,
  type ServerAtWork,
} from './binding.ts'

interface BindingParts {
  readonly config: HubConfig
  readonly guests: readonly HubGuest[]
  readonly clock: Clock
  readonly reports: ErrorReports
  readonly portContext: PortContext
  /** Residents by the name of their dialect. */
  readonly residents: ReadonlyMap<string, Resident>
  createIngest(dialect: string): ZoneIngest
  createThreads(dialects: readonly Dialect[]): IngestThreads
  openSnapshot(select: readonly Statistic[]): SnapshotSource
}

export class Bindings implements Participant, Iterable<DialectBinding> {
  readonly listeners = new Map<string, Listener>()
  /** Threads of the port that they serve; undefined where the main thread serves all. */
  threads: IngestThreads | undefined
  readonly #parts: BindingParts
  readonly #bindings: DialectBinding[] = []
  #httpAddress: ListenAddress

  constructor(parts: BindingParts) {
    const { config, guests } = parts
    this.#parts = parts
    this.#httpAddress = { host: config.host, port: portNumber(config, HTTP_PORT.name) }
    const dialects = guests.map(({ dialect }) => dialect)
    for (const port of listenPorts(dialects)) this.#preparePort(port, dialects)
    for (const dialect of dialects) this.#prepareResident(dialect)
  }

  [Symbol.iterator](): IterableIterator<DialectBinding> {
    return this.#bindings.values()
  }

  of(dialect: string): DialectBinding | undefined {
    return this.#bindings.find((binding) => binding.dialect.name === dialect)
  }

  /** Takes note of where the dialects of the HTTP port are served. */
  servedBy(address: ListenAddress): void {
    this.#httpAddress = address
  }

  #preparePort(port: PortSpec, dialects: readonly Dialect[]): void {
    const { config } = this.#parts
    const sharing = dialects.filter(
      (dialect) => dialect.port === port && dialect.createServer !== undefined,
    )
    if (sharing.length === 0) return
    const options = portOptions(port, config, sharing)
    const canRunInThreads = sharing.every(({ threadModule }) => threadModule !== undefined)
    const isThreaded = config.ingestWorkers !== 0 && canRunInThreads && this.threads === undefined
    if (isThreaded) this.#prepareThreads(options, sharing)
    else this.#prepareServers(options, sharing)
  }

  /** A port whose dialects run in this thread. */
  #prepareServers(options: PortOptions, dialects: readonly Dialect[]): void {
    const { portContext, residents, createIngest, openSnapshot } = this.#parts
    const bound = dialects.map((dialect) => {
      const ingest = createIngest(dialect.name)
      const resident = residents.get(dialect.name)
      const context = { ...this.contextOf(dialect), ingest, openSnapshot, resident }
      return { dialect, server: dialect.createServer!(context), ingest }
    })
    const port = new Port(options, bound, portContext)
    this.listeners.set(options.name, port)
    for (const { dialect, server, ingest } of bound) {
      this.#add(dialect, server, [ingest], () => addressOf(port))
    }
  }

  /** A port whose dialects run in ingest threads. */
  #prepareThreads(options: PortOptions, dialects: readonly Dialect[]): void {
    const threads = this.#parts.createThreads(dialects)
    const names = dialects.map((dialect) => dialect.name)
    const port = new ThreadedPort(options, names, threads, this.#parts.portContext)
    this.listeners.set(options.name, port)
    this.threads = threads
    dialects.forEach((dialect, index) => {
      const server = new ThreadedServer(threads, index)
      this.#add(dialect, server, [server], () => addressOf(port))
    })
  }

  /** A dialect that is served on the HTTP port, or in memory alone. */
  #prepareResident(dialect: Dialect): void {
    const resident = this.#parts.residents.get(dialect.name)
    if (resident === undefined || this.of(dialect.name) !== undefined) return
    const address = () => (dialect.port === HTTP_PORT ? this.#httpAddress : undefined)
    this.#add(dialect, new ResidentServer(resident), [], address)
  }

  #add(
    dialect: Dialect,
    server: ServerAtWork,
    ingests: Measured[],
    address: DialectBinding['address'],
  ): void {
    const resident = this.#parts.residents.get(dialect.name)
    this.#bindings.push({
      ...{ dialect, server, resident, address, attached: [] },
      ingests: resident?.measured === undefined ? ingests : [resident.measured],
      activity: new Activity(dialect.name),
    })
  }

  /** What a server or client of a dialect gets; `part` is the client's section of its options. */
  contextOf({ name }: Dialect, part?: 'emit' | 'client'): ClientContext {
    const { config, reports, clock } = this.#parts
    const section = dialectOptions(config, name)
    const own = part === undefined ? section : ((section[part] ?? {}) as typeof section)
    // an emitter knows series by the names that they have here
    const { namePrefix } = section
    const options = part === 'emit' && namePrefix !== undefined ? { ...own, namePrefix } : own
    return { reports: reports.for(name), clock, options }
  }

  /**
   * Connects to a peer and reads from it.
   * @throws {ConfigError} for a dialect that sends nothing, and for an address it cannot use
   */
  attach({ dialect, target, name }: DialectTarget): void {
    const known = this.of(dialect.name)
    if (dialect.connectSource === undefined || known === undefined) {
      throw new ConfigError([`attach ${name}: ${dialect.name} sends nothing that can be read`])
    }
    const ingest = this.#parts.createIngest(dialect.name)
    const context = { ...this.contextOf(dialect, 'client'), ingest }
    try {
      known.attached.push(dialect.connectSource(target, context))
    } catch (error) {
      throw new ConfigError([`attach ${name}: ${(error as Error).message}`])
    }
    known.ingests.push(ingest)
  }

  *afterClose(endMs: number, seconds: number): Task {
    for (const binding of this.#bindings) {
      const sources = binding.ingests.flatMap((ingest) => [...ingest.takeActive()])
      binding.activity.close(measurementsOf(binding), sources, endMs, seconds)
    }
    for (const port of this.listeners.values()) void port.readDrops()
  }

  /** Measurements of all dialects so far. */
  get measurements(): number {
    return this.#bindings.reduce((sum, binding) => sum + measurementsOf(binding), 0)
  }

  async start(): Promise<void> {
    await Promise.all([...this.listeners.values()].map((port) => port.start()))
  }

  async stop(): Promise<void> {
    await Promise.all([...this.listeners.values()].map((port) => port.stop()))
  }

  /** Closes the connections of servers, and those to attached peers. */
  async close(): Promise<void> {
    await Promise.all(
      this.#bindings.flatMap(({ server, attached }) => [
        server.stop(),
        ...attached.map((source) => source.close()),
      ]),
    )
  }
}

function addressOf({ options, port }: Listener): ListenAddress {
  return { host: options.host, port }
}
