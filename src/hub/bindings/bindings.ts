/**
 * The dialects of a hub at work: which server listens where, in which threads, with which resident;
 * and the peers that the hub connects to.
 */

import type { Readable } from 'node:stream'
import type { Dialect } from '../../dialects/dialect.ts'
import type { ClientContext, SampleSink, SharedReads } from '../../dialects/endpoints.ts'
import type { SecondSink } from '../../dialects/ingest.ts'
import { HTTP_PORT } from '../../dialects/options.ts'
import type { SnapshotSource, Statistic } from '../../dialects/snapshot-source.ts'
import { addressText } from '../../model/text/address.ts'
import type { Clock } from '../../time/clock.ts'
import type { LinkStatus } from '../../time/link-state.ts'
import { listenPorts } from '../config/house-options.ts'
import type { DialectTarget } from '../config/target.ts'
import { ConfigError, dialectOptions, type HubConfig, portNumber } from '../config/values.ts'
import type { ZoneIngest } from '../ingest/zone-ingest.ts'
import type { Listener } from '../listen/listener.ts'
import { Port } from '../listen/port.ts'
import { type PortContext, type PortOptions, portOptions } from '../listen/port-options.ts'
import { TapPoint } from '../listen/tap/tap-point.ts'
import { ReadBudget } from '../listen/turns/read-budget.ts'
import type { HubGuest, Measured, Participant, Resident } from '../resident.ts'
import { Activity } from '../status/activity.ts'
import type { Surroundings } from '../status/foreign.ts'
import type { ErrorReports } from '../status/reports.ts'
import type { Task } from '../tasks/task.ts'
import type { IngestThreads } from '../threads/ingest-threads.ts'
import { THREADED_DIALECTS_LIMIT, THREADED_PORTS_LIMIT } from '../threads/shared-counts.ts'
import { ThreadedPort, ThreadedServer } from '../threads/threaded-port.ts'
import {
  type DialectBinding,
  type ListenAddress,
  measurementsOf,
  NO_SERVER,
  ResidentServer,
  type ServerAtWork,
  statusesOf,
} from './binding.ts'
import { Outages } from './outages.ts'

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
  openSamples(): SampleSink
  openSeconds(dialect: string): SecondSink & Measured
  /** Name of this start of the hub. */
  readonly startId: string
}

/** A port with those that are served on it. */
interface ServedPort {
  readonly options: PortOptions
  readonly dialects: readonly Dialect[]
}

export class Bindings implements Participant, Iterable<DialectBinding> {
  readonly outages = new Outages()
  readonly listeners = new Map<string, Listener>()
  /** Threads of the ports that they serve; undefined where the main thread serves all. */
  threads: IngestThreads | undefined
  /** Reason why no thread started, and this one serves their ports. */
  threadFailure: string | undefined
  #threaded: readonly ServedPort[] = []
  #alone: Promise<void> | undefined
  readonly #parts: BindingParts
  readonly #bindings: DialectBinding[] = []
  #httpAddress: ListenAddress
  /** Budget of the reads from attached peers. */
  readonly #reads: SharedReads
  /** Object that the sources of a dialect have in common, by its name. */
  readonly #shared = new Map<string, object>()

  constructor(parts: BindingParts) {
    this.#reads = new ReadBudget<Readable>(parts.clock)
    const { config, guests } = parts
    this.#parts = parts
    this.#httpAddress = { host: config.host, port: portNumber(config, HTTP_PORT.name) }
    const dialects = guests.map(({ dialect }) => dialect)
    this.#preparePorts(dialects)
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

  #preparePorts(dialects: readonly Dialect[]): void {
    const { config } = this.#parts
    const ports = listenPorts(dialects).map((port) => {
      const serving = dialects.filter((it) => it.port === port && it.createServer !== undefined)
      return { options: portOptions(port.name, config, serving), dialects: serving }
    })
    const threaded = config.ingestWorkers === 0 ? [] : threadedPorts(ports)
    this.#threaded = threaded
    const inThreads = threaded.flatMap((port) => port.dialects)
    if (threaded.length > 0) this.threads = this.#parts.createThreads(inThreads)
    for (const port of ports) {
      const place = threaded.indexOf(port)
      if (place >= 0) this.#prepareThreaded(port, place, this.threads!, inThreads)
      else if (port.dialects.length > 0) this.#prepareServers(port)
    }
  }

  /** Prepares a port whose dialects run in this thread. */
  #prepareServers({ options, dialects }: ServedPort): void {
    const { portContext, residents, createIngest, openSnapshot } = this.#parts
    const tapPoint = new TapPoint()
    const bound = dialects.map((dialect) => {
      const ingest = createIngest(dialect.name)
      const resident = residents.get(dialect.name)
      const own = this.contextOf(dialect)
      const reports = tapPoint.reports(own.reports)
      const context = { ...own, reports, ingest, openSnapshot, resident }
      return { dialect, server: dialect.createServer!(context), ingest }
    })
    const port = new Port(options, bound, { ...portContext, tapPoint })
    this.listeners.set(options.name, port)
    for (const { dialect, server, ingest } of bound) {
      this.#add(dialect, server, [ingest], () => addressOf(port))
    }
  }

  /** Prepares the port of a place among those of the ingest threads, in which its dialects run. */
  #prepareThreaded(
    { options, dialects }: ServedPort,
    place: number,
    threads: IngestThreads,
    inThreads: readonly Dialect[],
  ): void {
    const names = dialects.map(({ name }) => name)
    const { portContext } = this.#parts
    const onUnable = (reason: string) => this.#goAlone(reason)
    const port = new ThreadedPort(options, place, names, threads, portContext, onUnable)
    this.listeners.set(options.name, port)
    for (const dialect of dialects) {
      const server = new ThreadedServer(threads, inThreads.indexOf(dialect))
      this.#add(dialect, server, [server], () => addressOf(port))
    }
  }

  /**
   * Serves the ports of the threads in this one: where none can be started (a limit of processes or
   * memory) it is slower, and nothing else.
   */
  #goAlone(reason: string): Promise<void> {
    this.#alone ??= (async () => {
      const { threads } = this
      this.threads = undefined
      this.threadFailure = reason
      const facts = { reason, next: 'the main thread takes what comes' }
      this.#parts.portContext.log('warn', 'no ingest thread starts', facts)
      // one that starts late must not hold the ports
      await threads?.stop()
      for (const port of this.#threaded) this.#prepareServers(port)
      await Promise.all(
        this.#threaded.map(({ options }) => this.listeners.get(options.name)!.start()),
      )
    })()
    return this.#alone
  }

  /** Prepares a dialect that is served on the HTTP port, or in memory alone. */
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
    const binding = {
      ...{ dialect, server, resident, address, attached: [] },
      ingests: resident?.measured === undefined ? ingests : [resident.measured],
      activity: new Activity(dialect.name),
    }
    const known = this.#bindings.findIndex((each) => each.dialect === dialect)
    if (known < 0) this.#bindings.push(binding)
    else this.#bindings[known] = { ...binding, attached: this.#bindings[known]!.attached }
  }

  /** Makes the context that a server or client of a dialect gets. */
  contextOf({ name }: Dialect): ClientContext {
    const { config, reports, clock } = this.#parts
    return { reports: reports.for(name), clock, options: dialectOptions(config, name) }
  }

  /**
   * Connects to a peer and reads from it.
   * @throws {ConfigError} for a dialect that sends nothing, and for an address it cannot use
   */
  attach({ dialect, target, name }: DialectTarget): void {
    if (dialect.connectSource === undefined) {
      throw new ConfigError([`attach ${name}: ${dialect.name} sends nothing that can be read`])
    }
    // one that only reads from peers has no binding before the first
    if (this.of(dialect.name) === undefined) this.#add(dialect, NO_SERVER, [], () => undefined)
    const known = this.of(dialect.name)!
    const ingest = this.#parts.createIngest(dialect.name)
    const bytesLimit = this.#parts.config.attachedBytesLimit
    const reads = this.#reads
    const samples = this.#parts.openSamples()
    const shared = <T extends object>(create: () => T): T => this.#sharedOf(dialect, create)
    const { startId } = this.#parts
    const openSeconds = (): SecondSink => {
      const seconds = this.#parts.openSeconds(dialect.name)
      known.ingests.push(seconds)
      return seconds
    }
    const context = {
      ...this.contextOf(dialect),
      ...{ ingest, bytesLimit, reads, samples, shared, openSeconds, startId },
    }
    try {
      known.attached.push({ name, source: dialect.connectSource(target, context) })
    } catch (error) {
      throw new ConfigError([`attach ${name}: ${(error as Error).message}`])
    }
    known.ingests.push(ingest)
  }

  #sharedOf<T extends object>({ name }: Dialect, create: () => T): T {
    const known = this.#shared.get(name) ?? create()
    this.#shared.set(name, known)
    return known as T
  }

  /** Lists who is spoken where, for guesses what bytes are that came to a wrong place. */
  surroundings(): Surroundings {
    const { host, port } = this.#httpAddress
    return {
      httpAddress: addressText(host, port),
      spoken: this.#bindings.map(({ dialect, address }) => {
        const { host: at = '', port: number = 0 } = address() ?? {}
        const transports = dialect.transports.join('+')
        const listener = dialect.port?.name ?? ''
        return { dialect, listener, address: `${transports} ${addressText(at, number)}` }
      }),
    }
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(): Task {
    this.#noteOutages()
  }

  *afterClose(endMs: number, seconds: number): Task {
    for (const binding of this.#bindings) {
      const sources = binding.ingests.flatMap((ingest) => [...ingest.takeActive()])
      binding.activity.close(measurementsOf(binding), sources, endMs, seconds)
    }
    for (const port of this.listeners.values()) void port.readDrops()
  }

  #noteOutages(): void {
    const links = new Map<string, LinkStatus>()
    const peers = this.#bindings.flatMap(({ attached }) => attached.flatMap(statusesOf))
    for (const { source: label, link } of peers) {
      if (label === undefined) continue
      const known = links.get(label)
      links.set(label, known === undefined ? link : eitherLink(known, link))
    }
    for (const [label, link] of links) this.outages.note(label, link.isConnected, link.sinceMs)
  }

  /** Measurements of all dialects so far. */
  get measurements(): number {
    return this.#bindings.reduce((sum, binding) => sum + measurementsOf(binding), 0)
  }

  async start(): Promise<void> {
    await Promise.all([...this.listeners.values()].map((port) => port.start()))
    this.outages.begin(this.#parts.clock.wallMs())
  }

  async stop(): Promise<void> {
    await Promise.all([...this.listeners.values()].map((port) => port.stop()))
  }

  /** Closes the connections of servers, and those to attached peers. */
  async close(): Promise<void> {
    await Promise.all(
      this.#bindings.flatMap(({ server, attached }) => [
        server.stop(),
        ...attached.map(({ source }) => source.close()),
      ]),
    )
  }
}

/**
 * Joins two links to one peer, which is there while one of them stands: since the first of those
 * that stand, or away since the last has gone.
 */
function eitherLink(a: LinkStatus, b: LinkStatus): LinkStatus {
  if (a.isConnected !== b.isConnected) return a.isConnected ? a : b
  return a.sinceMs < b.sinceMs === a.isConnected ? a : b
}

/** Lists ports that threads can serve: as many as their counts have room for, in order. */
function threadedPorts(ports: readonly ServedPort[]): ServedPort[] {
  const threaded: ServedPort[] = []
  let count = 0
  for (const port of ports) {
    const { dialects } = port
    const canRun = dialects.every(({ threadModule }) => threadModule !== undefined)
    const hasRoom =
      threaded.length < THREADED_PORTS_LIMIT && count + dialects.length <= THREADED_DIALECTS_LIMIT
    if (dialects.length === 0 || !canRun || !hasRoom) continue
    threaded.push(port)
    count += dialects.length
  }
  return threaded
}

function addressOf({ options, port }: Listener): ListenAddress {
  return { host: options.host, port }
}
