/**
 * The hub: owns the zone, the listeners and the tick, and hands every closed second to the ring,
 * the sessions and the sinks. Ports, clock and dialects come from the composition root.
 */

import type { ClientContext } from '../dialects/client.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { HubCounters } from '../dialects/eventcounters/hub/hub-counters.ts'
import { type HttpFace, ServedByHttp } from '../dialects/eventcounters/hub/served-by-http.ts'
import { NAME as EVENT_COUNTERS } from '../dialects/eventcounters/spec.ts'
import type { PortSpec } from '../dialects/ports.ts'
import { Filters } from '../dialects/proxywasm/hub/filters.ts'
import type { FilterConfig } from '../dialects/proxywasm/options.ts'
import type { Statistic } from '../dialects/snapshot-source.ts'
import { HubPipelines } from '../dialects/wallaroo/hub/index.ts'
import { Pipelines, type PipelinesOptions } from '../dialects/wallaroo/hub/pipelines.ts'
import { NAME as WALLAROO } from '../dialects/wallaroo/spec.ts'
import { type Writer, Zone, type ZoneReader } from '../shm/index.ts'
import type { Clock } from '../time/clock.ts'
import { VERSION } from '../version.ts'
import { ConfigError, dialectOptions, type HubConfig } from './config/config.ts'
import { listenPorts } from './config/house-options.ts'
import { peersOf } from './config/peers.ts'
import type { DialectTarget } from './config/target.ts'
import { Departures } from './series/expiry.ts'
import { drain } from './drain.ts'
import { type IngestEvents, ZoneIngest } from './ingest/ingest.ts'
import { type OrderedEvents, OrderedVerbs } from './ingest/command-queue.ts'
import { Windows } from './ingest/windows/windows.ts'
import type { Listener } from './listen/listener.ts'
import { Port } from './listen/port.ts'
import { type PortContext, type PortOptions, portOptions } from './listen/port-options.ts'
import { CanonicalValues } from './live/canonical-values.ts'
import { CounterRates } from './live/counter-rates.ts'
import type { Frame } from './live/frame.ts'
import { Pass } from './tasks/task-queue.ts'
import { RelaySink } from './live/relay.ts'
import { LIVE_RING_DEFAULTS, LiveRing } from './live/ring.ts'
import { Sessions } from './live/sessions.ts'
import { type Sink, SinkQueue } from './live/sinks.ts'
import { CellCloser, Grid } from './live/tick.ts'
import { Totals } from './live/totals.ts'
import type { Log } from './log.ts'
import { type SeriesRecord, SeriesStore, type Total } from './series/series.ts'
import { Activity } from './status/activity.ts'
import { ErrorReports } from './status/reports.ts'
import { SelfMetrics } from './status/self-metrics.ts'
import { measurementsOf, observeHub } from './status/self-observation.ts'
import { type DialectAtWork, describeSources, type StatusParts } from './status/sources.ts'
import type { SourcesAnswer } from './status/status.ts'
import { WorkerRates } from './status/worker-rates.ts'
import { ZoneUse } from './status/zone-use.ts'
import { type CreateWorker, IngestThreads } from './threads/ingest-threads.ts'
import { ThreadedPort, ThreadedServer } from './threads/threaded-port.ts'
import type { Steps } from './tasks/task.ts'
import type { HubView, Rates } from './view.ts'

export interface HubParts {
  readonly config: HubConfig
  readonly clock: Clock
  readonly log: Log
  readonly dialects: readonly Dialect[]
  /** For programs that are bundled: starts `ingest-thread` with these `workerData`. */
  readonly createWorker?: CreateWorker
}

/** Largest identity in bytes: a name of any dialect with its labels. */
const IDENTITY_BYTES_LIMIT = 65_535
/** Where a listener is bound, or should be and why it is not. */
export interface BoundAddress {
  readonly host: string
  readonly port: number
  readonly error?: string
}

export class Hub implements HubView {
  readonly version = VERSION
  readonly clock: Clock
  readonly series: SeriesStore
  readonly live: LiveRing
  readonly sessions: Sessions
  readonly counters: HubCounters
  readonly metrics: SelfMetrics
  readonly reports: ErrorReports
  readonly #config: HubConfig
  readonly #log: Log
  readonly #zone: Zone
  readonly #writer: Writer
  readonly #reader: ZoneReader
  readonly #totals: Totals
  readonly #closer: CellCloser
  readonly #filters: Filters
  readonly pipelines: HubPipelines
  readonly #windows: Pipelines
  /** One number per series, for viewers that know numbers only. */
  readonly canonical: CanonicalValues
  readonly #rates: CounterRates
  readonly #grid: Grid
  readonly #listeners = new Map<string, Listener>()
  readonly #dialects: DialectAtWork[] = []
  readonly #known: readonly Dialect[]
  readonly #sinks: SinkQueue[] = []
  readonly #status: StatusParts
  readonly #http: ServedByHttp
  readonly #verbs: OrderedVerbs
  readonly #createWorker: CreateWorker | undefined
  #threads: IngestThreads | undefined
  /** The closing of a second. */
  readonly #pass: Pass
  /** Seconds whose boundary came while the one before was still being closed. */
  #secondsMissed = 0
  readonly #departures: Departures
  #isStarted = false

  constructor({ config, clock, log, dialects, createWorker }: HubParts) {
    this.#config = config
    this.clock = clock
    this.#log = log
    const filters = (dialectOptions(config, 'proxywasm').filters ?? []) as readonly FilterConfig[]
    this.#zone = Zone.create({
      zoneBytesLimit: config.zoneBytesLimit,
      keyBytesLimit: IDENTITY_BYTES_LIMIT,
      // the metric calls of filters reach no other memory without going through JavaScript
      backing: filters.length > 0 ? 'wasm' : 'sab',
    })
    this.#writer = this.#zone.attach()
    this.#reader = this.#zone.reader()
    const nowMs = (): number => clock.wallMs()
    this.series = new SeriesStore(this.#zone, config, nowMs)
    this.live = new LiveRing({ ...LIVE_RING_DEFAULTS, bytesLimit: config.liveBytesLimit })
    this.sessions = new Sessions(config.sessionsLimit)
    this.metrics = new SelfMetrics(this.series, this.#writer)
    this.reports = new ErrorReports(clock, this.metrics, log)
    const { series, reports } = this
    const zone = this.#zone
    this.#filters = new Filters(filters, { zone, store: series, reports, clock, log })
    this.#totals = new Totals(this.#zone, this.#reader, this.#filters)
    const windows = new Windows(this.#writer)
    const reader = this.#reader
    const totals = this.#totals
    this.#closer = new CellCloser({ store: series, zone, reader, totals, windows })
    this.canonical = new CanonicalValues(series, this.#totals, nowMs, {
      staleAfterMs: this.staleAfterMs,
      select: dialectOptions(config, 'scope').select as readonly Statistic[],
    })
    this.#rates = new CounterRates(this.series)
    this.#grid = new Grid(clock)
    this.#pass = new Pass(clock)
    this.#departures = new Departures(series, this.metrics, (metrics) => {
      return this.#threads?.ask({ kind: 'forget', metrics })
    })
    this.#known = dialects
    this.#createWorker = createWorker
    this.#verbs = new OrderedVerbs(this.series, this.#writer, windows)
    this.counters = new HubCounters(this, {
      sessionsLimit: dialectOptions(config, EVENT_COUNTERS).sessionsLimit as number,
      reports: reports.for(EVENT_COUNTERS),
    })
    this.#http = new ServedByHttp(this.counters, { host: config.host, port: config.httpPort })
    const ingest = this.createIngest(WALLAROO)
    const { quota } = series
    const refused = reports.refused.bind(reports, WALLAROO)
    this.#windows = new Pipelines({
      options: dialectOptions(config, WALLAROO) as unknown as PipelinesOptions,
      clock,
      ingest,
      quota,
      refused,
    })
    this.pipelines = new HubPipelines(this.#windows, () => {
      return (
        this.#dialects.find(({ dialect }) => dialect.name === WALLAROO)?.server.connections() ?? []
      )
    })
    for (const port of listenPorts(dialects)) this.#preparePort(port, dialects)
    this.#prepareHttp(dialects)
    this.#status = {
      dialects: this.#dialects,
      ports: [...this.#listeners.values()],
      store: this.series,
      reports: this.reports,
      live: this.live,
      sessions: this.sessions,
      counters: this.counters,
      filters: this.#filters,
      workers: () => this.#threads?.workers() ?? [],
      workerRates: new WorkerRates(),
      zone: new ZoneUse(this.#zone),
      sinks: this.#sinks,
      pipelines: this.pipelines,
    }
  }

  get staleAfterMs(): number {
    return this.#config.staleAfterS * 1000
  }

  get isReady(): boolean {
    return this.#isStarted && [...this.#listeners.values()].some((port) => port.isListening)
  }

  #preparePort(port: PortSpec, dialects: readonly Dialect[]): void {
    const sharing = dialects.filter(
      (dialect) => dialect.port === port && dialect.createServer !== undefined,
    )
    if (sharing.length === 0) return
    const options = portOptions(port, this.#config, sharing)
    const canRunInThreads = sharing.every(({ threadModule }) => threadModule !== undefined)
    if (this.#config.ingestWorkers !== 0 && canRunInThreads) {
      this.#prepareThreads(options, sharing)
    } else {
      this.#prepareSpeakers(options, sharing)
    }
  }

  /** A port whose dialects run in this thread. */
  #prepareSpeakers(options: PortOptions, dialects: readonly Dialect[]): void {
    const speakers = dialects.map((dialect) => {
      const ingest = this.createIngest(dialect.name)
      const openWindows = this.pipelines.open.bind(this.pipelines)
      const context = { ...this.#context(dialect), ingest, snapshot: this.canonical, openWindows }
      return { dialect, server: dialect.createServer!(context), ingest }
    })
    const port = new Port(options, speakers, this.#portContext)
    this.#listeners.set(options.name, port)
    for (const { dialect, server, ingest } of speakers) {
      const measured = dialect.name === WALLAROO ? this.#windows : ingest
      this.#addDialect({ dialect, server, ingests: [measured], address: addressOf(port) })
    }
  }

  /** A port whose dialects run in ingest threads. */
  #prepareThreads(options: PortOptions, dialects: readonly Dialect[]): void {
    const threads = new IngestThreads({
      config: this.#config,
      dialects,
      zone: this.#zone,
      store: this.series,
      verbs: this.#verbs,
      events: (dialect) => this.#eventsOf(dialect),
      reports: this.reports,
      clock: this.clock,
      log: this.#log,
      metrics: this.metrics,
      ...(this.#createWorker === undefined ? {} : { createWorker: this.#createWorker }),
    })
    const names = dialects.map((dialect) => dialect.name)
    const port = new ThreadedPort(options, names, threads, this.#portContext)
    this.#listeners.set(options.name, port)
    this.#threads = threads
    dialects.forEach((dialect, index) => {
      const server = new ThreadedServer(threads, index)
      this.#addDialect({ dialect, server, ingests: [server], address: addressOf(port) })
    })
  }

  /** The dialect of the HTTP port has no listener here. */
  #prepareHttp(dialects: readonly Dialect[]): void {
    const dialect = dialects.find(({ name }) => name === EVENT_COUNTERS)
    if (dialect === undefined) return
    const address = () => this.#http.address
    this.#addDialect({ dialect, server: this.#http, ingests: [], address })
  }

  get #portContext(): PortContext {
    return { clock: this.clock, log: this.#log, metrics: this.metrics }
  }

  #addDialect(parts: Omit<DialectAtWork, 'attached' | 'activity'>): void {
    this.#dialects.push({ ...parts, attached: [], activity: new Activity(parts.dialect.name) })
  }

  /** Verbs of the model for one dialect, writing into this hub's zone. */
  createIngest(dialect: string): ZoneIngest {
    const events = this.#eventsOf(dialect)
    return new ZoneIngest(
      { dialect },
      { series: this.series, writer: this.#writer, lane: this.#verbs.lane(events), events },
    )
  }

  #eventsOf(dialect: string): IngestEvents & OrderedEvents {
    return {
      refused: (code: string, source: string, name?: string) => {
        this.reports.refused(dialect, code, source, name)
      },
      noted: (code) => this.reports.noted(dialect, code),
      contested: (record) => {
        this.#log('warn', 'readings of one counter seem to come from two senders', {
          series: record.identity.name,
          sources: record.reading?.sources,
        })
      },
    }
  }

  /** Connects to the peers of the config: those to send to, and those to read from. */
  #connectPeers(dialects: readonly Dialect[]): void {
    const { relay, attach } = peersOf(this.#config, dialects)
    for (const { dialect, target, name } of relay) {
      const emitter = dialect.connectEmitter?.(target, this.#context(dialect, 'emit'))
      if (emitter === undefined) {
        throw new ConfigError([`relay ${name}: ${dialect.name} can't send`])
      }
      this.addSink(
        new RelaySink(name, emitter, {
          get: (id) => this.series.get(id),
          counterTotal: (record) => this.#totals.counter(record),
        }),
      )
    }
    for (const each of attach) this.#attach(each)
  }

  #attach({ dialect, target, name }: DialectTarget): void {
    const known = this.#dialects.find((each) => each.dialect === dialect)
    if (dialect.connectSource === undefined || known === undefined) {
      throw new ConfigError([`attach ${name}: ${dialect.name} sends nothing that can be read`])
    }
    const ingest = this.createIngest(dialect.name)
    const context = { ...this.#context(dialect, 'client'), ingest }
    try {
      known.attached.push(dialect.connectSource(target, context))
    } catch (error) {
      throw new ConfigError([`attach ${name}: ${(error as Error).message}`])
    }
    known.ingests.push(ingest)
  }

  /** What a server or client of a dialect gets; `part` is the client's section of its options. */
  #context({ name }: Dialect, part?: 'emit' | 'client'): ClientContext {
    const section = dialectOptions(this.#config, name)
    const own = part === undefined ? section : ((section[part] ?? {}) as typeof section)
    // an emitter knows series by the names that they have here
    const { namePrefix } = section
    const options = part === 'emit' && namePrefix !== undefined ? { ...own, namePrefix } : own
    return { reports: this.reports.for(name), clock: this.clock, options }
  }

  /** Adds a destination for closed seconds; to be called before {@link start}. */
  addSink(sink: Sink): void {
    this.#sinks.push(
      new SinkQueue(sink, {
        dropped: (name) => this.metrics.counter('pentameter.sink.dropped', { sink: name }).add(),
        failed: (name, error) => {
          this.metrics.counter('pentameter.sink.failed', { sink: name }).add()
          this.#log('warn', `sink ${name} did not take a second`, { error: String(error) })
        },
      }),
    )
  }

  /**
   * Binds the listeners, connects to peers and starts the tick. A port that is taken does not stop
   * the others.
   * @throws {ConfigError} for a relay or attach target that makes no sense
   */
  async start(): Promise<void> {
    this.#connectPeers(this.#known)
    const ports = [...this.#listeners.values()].map((port) => port.start())
    await Promise.all([...ports, this.#filters.start()])
    this.#isStarted = true
    this.#grid.start((endMs, seconds) => this.#tick(endMs, seconds))
  }

  /** To be told by who serves this hub by HTTP, once it listens. */
  servedBy(face: HttpFace): void {
    this.#http.servedBy(face)
  }

  /** Host and port of each listener as bound, by the name of its port. */
  addresses(): Readonly<Record<string, BoundAddress>> {
    const address = (listener: Listener): BoundAddress => {
      const { host, port, message } = listener.status()
      return { host, port, ...(message === undefined ? {} : { error: message }) }
    }
    return Object.fromEntries([...this.#listeners].map(([name, each]) => [name, address(each)]))
  }

  /** A boundary at which the last second is not closed yet makes the next one longer. */
  #tick(endMs: number, seconds: number): void {
    this.#secondsMissed += seconds
    if (this.#pass.isRunning) return
    const passed = this.#secondsMissed
    this.#secondsMissed = 0
    this.#pass.start(this.#second(endMs, passed))
  }

  *#second(endMs: number, seconds: number): Steps {
    observeHub(this.metrics, this.#status, this.#sinks, seconds)
    this.#filters.tick(endMs, seconds)
    const forgotten = this.#departures.takeForgotten()
    this.pipelines.sweep()
    const { turns } = this.#pass
    yield* this.#close(endMs, seconds)
    if (forgotten.length > 0) yield* this.series.removing(forgotten)
    for (const each of this.#dialects) {
      const sources = each.ingests.flatMap((ingest) => [...ingest.takeActive()])
      each.activity.close(measurementsOf(each), sources, endMs, seconds)
    }
    const isRead = turns === this.#pass.turns
    yield* this.#departures.retired(isRead)
    if (this.#config.expireAfterS > 0) {
      yield* this.#departures.expire(endMs - this.#config.expireAfterS * 1000, isRead)
    }
    for (const port of this.#listeners.values()) void port.readDrops()
  }

  *#close(endMs: number, seconds: number): Steps {
    yield* this.#windows.flush()
    const frame = yield* this.#closer.closing(endMs, seconds)
    yield* this.#rates.take(frame)
    yield* this.#deliver(frame)
  }

  *#deliver(frame: Frame): Steps {
    this.canonical.take(frame)
    yield* this.live.pushing(frame)
    yield* this.sessions.pushing(frame)
    for (const sink of this.#sinks) sink.offer(frame)
  }

  total(record: SeriesRecord): Total {
    return this.#totals.of(record)
  }

  rates(record: SeriesRecord): Rates | undefined {
    return this.#rates.read(record)
  }

  /** Measurements of a dialect so far: taken, refused and, by an emitting server, sent. */
  measurements(dialect: string): number {
    if (dialect === 'proxywasm') return this.#filters.measurements
    const known = this.#dialects.find((each) => each.dialect.name === dialect)
    return known === undefined ? 0 : measurementsOf(known)
  }

  sources(): SourcesAnswer {
    return describeSources(this.#status)
  }

  /** Resolves when all that the ingest threads have taken so far is in the totals. */
  async settle(): Promise<void> {
    await this.#threads?.ask({ kind: 'settle' })
  }

  /**
   * Stops taking data, closes the last, unfinished second so that nothing taken is lost, delivers
   * it, and lets the sinks finish.
   */
  async stop(): Promise<void> {
    this.#isStarted = false
    await drain(this.clock, () => this.#taken())
    await Promise.all([...this.#listeners.values()].map((port) => port.stop()))
    await this.#filters.stop()
    await Promise.all(
      this.#dialects.flatMap(({ server, attached }) => [
        server.stop(),
        ...attached.map((source) => source.close()),
      ]),
    )
    this.#grid.stop()
    this.#pass.finish()
    this.#pass.start(this.#close(this.#grid.boundaryMs + 1000, 1 + this.#secondsMissed))
    this.#pass.finish()
    await Promise.all(this.#sinks.map((sink) => sink.close()))
    this.#writer.detach()
  }

  #taken(): number {
    return this.#dialects.reduce((sum, each) => sum + measurementsOf(each), 0)
  }
}

function addressOf(port: Listener): DialectAtWork['address'] {
  return () => ({ host: port.options.host, port: port.port })
}
