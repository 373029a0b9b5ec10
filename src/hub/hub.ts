/**
 * The hub: owns the zone, the listeners and the tick, and hands every closed second to the ring,
 * the sessions and the sinks. Ports, clock and dialects come from the composition root.
 */
import type { Dialect } from '../dialects/dialect.ts'
import type { PortAddresses } from '../dialects/endpoints.ts'
import { type ExportRules, HOUSE_RULES } from '../dialects/export-rules.ts'
import type { SnapshotSource, Statistic } from '../dialects/snapshot-source.ts'
import type { Writer, Zone, ZoneReader } from '../shm/index.ts'
import type { Clock } from '../time/clock.ts'
import { VERSION } from '../version.ts'
import { type ListenAddress, measurementsOf } from './bindings/binding.ts'
import { Bindings } from './bindings/bindings.ts'
import { peersOf } from './config/peers.ts'
import { dialectOptions, type HubConfig } from './config/values.ts'
import { drain } from './drain.ts'
import { FractionalTotals } from './history/fractional-totals.ts'
import { type FormerSeries, restoreSeries } from './history/restore-series.ts'
import { HOST_DIALECT, HostCollector } from './host/host-collector.ts'
import { CommandApplier, type CommandEvents } from './ingest/command-queue.ts'
import { ingestEvents } from './ingest/events.ts'
import { createHubZone } from './ingest/hub-zone.ts'
import type { IngestEvents } from './ingest/ingest.ts'
import { Windows } from './ingest/windows/windows.ts'
import { ZoneIngest } from './ingest/zone-ingest.ts'
import { Descriptors } from './listen/descriptors.ts'
import { PeerCounts } from './listen/peer-counts.ts'
import type { TakeTapped } from './listen/tap/tap.ts'
import { CanonicalValues } from './live/canonical-values.ts'
import { CounterRates } from './live/counter-rates.ts'
import type { Frame } from './live/frame.ts'
import { LIVE_RING_DEFAULTS, LiveRing } from './live/ring.ts'
import { GaugeSampler, type SampleDemand } from './live/samples/gauge-sampler.ts'
import { Samples } from './live/samples/samples.ts'
import { Sessions } from './live/sessions.ts'
import { CellCloser } from './live/tick.ts'
import { ToldTotals } from './live/told-totals.ts'
import { Totals } from './live/totals.ts'
import type { Log } from './log.ts'
import type { HubGuest, Participant, Resident } from './resident.ts'
import { ClockSteps } from './second/clock-steps.ts'
import { DurableTotals } from './second/durable-totals.ts'
import { PeerSeconds, type PeerSecondsParts } from './second/peer-seconds.ts'
import { Second } from './second/second.ts'
import { SecondMerger } from './second/second-merger.ts'
import { Ticker } from './second/ticker.ts'
import { SeriesExpiry } from './series/expiry.ts'
import type { CounterRecord, SeriesRecord, Total } from './series/record.ts'
import { SeriesStore } from './series/series.ts'
import { relaySinks } from './sinks/relays.ts'
import { type Sink, SinkQueue, sinkEvents } from './sinks/sinks.ts'
import { WorkerRates } from './status/activity.ts'
import { guessForeign } from './status/foreign.ts'
import { LoadMeter, memoryBudget, Overload } from './status/overload.ts'
import { PeerLog } from './status/peer-log.ts'
import { ErrorReports } from './status/reports.ts'
import { SelfMetrics } from './status/self-metrics.ts'
import { SelfObservation } from './status/self-observation.ts'
import { describeSources, peerStatuses, type StatusParts } from './status/sources.ts'
import type { LimitStatus, SourcesAnswer } from './status/status.ts'
import { ZoneUse } from './status/zone-use.ts'
import { ANSWER_BUDGET_NS } from './tasks/loop-budget.ts'
import type { Task } from './tasks/task.ts'
import { TaskQueue } from './tasks/task-queue.ts'
import { type CreateWorker, IngestThreads, THREADS_MAX } from './threads/ingest-threads.ts'
import { exportRulesOf, type HubView, type Rates } from './view.ts'

interface HubParts {
  readonly config: HubConfig
  readonly clock: Clock
  readonly log: Log
  readonly guests: readonly HubGuest[]
  /**
   * Maker of threads for programs that are bundled: starts `ingest-thread` with these `workerData`.
   */
  readonly createWorker?: CreateWorker
}

export class Hub implements HubView {
  readonly version = VERSION
  readonly startId: string = crypto.randomUUID()
  readonly clock: Clock
  readonly series: SeriesStore
  readonly live: LiveRing
  readonly samples: Samples
  readonly sessions: Sessions
  readonly told: ToldTotals
  /** Memory beyond the ring; set before {@link start}. */
  history: HubView['history']
  past: HubView['past']
  readonly durable: DurableTotals
  readonly fractional: FractionalTotals
  readonly metrics: SelfMetrics
  readonly reports: ErrorReports
  readonly #config: HubConfig
  readonly #log: Log
  readonly #createWorker: CreateWorker | undefined
  readonly #zone: Zone
  readonly #writer: Writer
  readonly #reader: ZoneReader
  readonly #totals: Totals
  readonly #commands: CommandApplier
  readonly #residents: ReadonlyMap<string, Resident>
  readonly #bindings: Bindings
  readonly #rates: CounterRates
  readonly #host: HostCollector | undefined
  readonly #ticker: Ticker
  readonly #clockSteps: ClockSteps
  readonly #load: LoadMeter
  readonly #overload: Overload
  #snapshots: readonly CanonicalValues[] = []
  #sampler: GaugeSampler | undefined
  readonly #sinks: SinkQueue[] = []
  /** Work of all sinks, one after another in the same shares of the event loop. */
  readonly #sinkWork: TaskQueue
  readonly #status: StatusParts
  readonly #second: Second
  readonly #closer: CellCloser
  readonly #merger: SecondMerger
  readonly peers = PeerCounts.create(1 + THREADS_MAX)
  readonly #dialects: readonly Dialect[]
  readonly #exportRules: ReadonlyMap<string, ExportRules>
  #isStarted = false
  #stopped: Promise<void> | undefined

  constructor({ config, clock, log, guests, createWorker }: HubParts) {
    this.#config = config
    this.clock = clock
    this.#log = log
    this.#createWorker = createWorker
    this.#dialects = guests.map(({ dialect }) => dialect)
    const optionsOf = (name: string) => dialectOptions(config, name)
    this.#exportRules = exportRulesOf(this.#dialects, optionsOf)
    this.#zone = createHubZone(config, guests)
    this.#writer = this.#zone.attach()
    this.#reader = this.#zone.reader()
    this.series = new SeriesStore(this.#zone, config, () => clock.wallMs())
    this.live = new LiveRing({ ...LIVE_RING_DEFAULTS, bytesLimit: config.liveBytesLimit })
    this.samples = new Samples({
      keepMs: this.live.options.fineSeconds * 1000,
      bytesLimit: config.samplesBytesLimit,
    })
    this.sessions = new Sessions(config.sessionsLimit)
    this.told = new ToldTotals(this.series, clock.wallMs())
    this.metrics = new SelfMetrics(this.series, this.#writer)
    this.reports = new ErrorReports(clock, this.metrics, log)
    this.#load = new LoadMeter(memoryBudget(config.memoryBytesLimit))
    this.#overload = new Overload({
      read: () => this.#load.read(),
      quota: this.series.quota,
      ...{ peers: this.peers, metrics: this.metrics, log },
      nowMs: () => clock.wallMs(),
    })
    const windows = new Windows(this.#writer)
    const parts = { clock, log, live: this.live, sinks: this.#sinks }
    this.#merger = new SecondMerger({
      ...parts,
      deliver: (frame) => this.#deliver(frame),
      late: (frame) => this.told.takeLate(frame),
      handedOn: () => this.durable.handedOn(),
    })
    this.durable = new DurableTotals(clock, this.#merger)
    this.#commands = new CommandApplier(this.series, this.#writer, windows)
    this.#residents = this.#createResidents(guests)
    const shared = [...this.#residents.values()].flatMap((each) => each.sharedSources ?? [])
    this.#totals = new Totals(this.#zone, this.#reader, shared)
    this.fractional = new FractionalTotals({ series: this.series, totals: this.#totals })
    this.#rates = new CounterRates(this.series)
    this.#closer = this.#createCloser(windows)
    this.#ticker = new Ticker(clock)
    this.#clockSteps = new ClockSteps({ series: this.series, metrics: this.metrics, clock, log })
    this.#bindings = this.#bind(guests)
    this.#sinkWork = new TaskQueue(clock, { budgetNs: ANSWER_BUDGET_NS })
    this.#status = this.#statusParts()
    this.reports.guess = (first, transport, of) => {
      return guessForeign(first, transport, of, this.#bindings.surroundings())
    }
    const { hostMetricsIntervalS } = config
    if (hostMetricsIntervalS > 0) {
      this.#host = new HostCollector(this.createIngest(HOST_DIALECT), clock, hostMetricsIntervalS)
    }
    this.#second = new Second(clock, this.#closer, this.#participants())
  }

  /** Silence of a series that expires before counts no longer: then it is there no more. */
  get staleAfterMs(): number {
    const { staleAfterS, expireAfterS } = this.#config
    return 1000 * (expireAfterS > 0 ? Math.min(staleAfterS, expireAfterS) : staleAfterS)
  }

  wasAway(source: string, fromMs: number, toMs: number): boolean {
    return this.#bindings.outages.touch(source, fromMs, toMs)
  }

  isAway({ source }: SeriesRecord): boolean {
    return this.#bindings.outages.isNow(source)
  }

  /** Number of times that the wall clock was set since the start. */
  get clockSteps(): number {
    return this.#clockSteps.count
  }

  get refusesAnswers(): boolean {
    return this.#overload.refusesAnswers
  }

  get isReady(): boolean {
    const { listeners } = this.#bindings
    return this.#isStarted && [...listeners.values()].some((port) => port.isListening)
  }

  #createResidents(guests: readonly HubGuest[]): Map<string, Resident> {
    const residents = new Map<string, Resident>()
    for (const guest of guests) {
      const { name } = guest.dialect
      const resident = guest.createResident?.({
        options: dialectOptions(this.#config, name),
        hub: this,
        clock: this.clock,
        log: this.#log,
        zone: this.#zone,
        store: this.series,
        reports: this.reports,
        createIngest: () => this.createIngest(name),
        connections: () => this.#bindings.of(name)?.server.connections() ?? [],
        counterEvents: () =>
          [...residents.values()].find((each) => each.counterEvents)?.counterEvents,
      })
      if (resident !== undefined) residents.set(name, resident)
    }
    return residents
  }

  #bind(guests: readonly HubGuest[]): Bindings {
    return new Bindings({
      config: this.#config,
      guests,
      clock: this.clock,
      reports: this.reports,
      portContext: {
        ...{ clock: this.clock, log: this.#log, metrics: this.metrics, peers: this.peers },
        errors: this.reports,
      },
      residents: this.#residents,
      createIngest: (dialect) => this.createIngest(dialect),
      createThreads: (dialects) => this.#createThreads(dialects),
      openSnapshot: (select) => this.openSnapshot(select),
      openSamples: () => this.samples.open(),
      openSeconds: (dialect) => new PeerSeconds(this.#secondParts(), this.#eventsOf(dialect)),
      startId: this.startId,
    })
  }

  #secondParts(): PeerSecondsParts {
    const [writer, closer, merger] = [this.#writer, this.#closer, this.#merger]
    return { clock: this.clock, store: this.series, writer, closer, merger }
  }

  #createThreads(dialects: readonly Dialect[]): IngestThreads {
    return new IngestThreads({
      config: this.#config,
      dialects,
      zone: this.#zone,
      store: this.series,
      commands: this.#commands,
      events: (dialect) => this.#eventsOf(dialect),
      ...{ reports: this.reports, values: this.samples.written },
      ...{ clock: this.clock, log: this.#log, metrics: this.metrics, peers: this.peers },
      ...(this.#createWorker === undefined ? {} : { createWorker: this.#createWorker }),
    })
  }

  #createCloser(windows: Windows): CellCloser {
    const { series: store, samples } = this
    const [zone, reader, totals] = [this.#zone, this.#reader, this.#totals]
    return new CellCloser({ store, zone, reader, totals, windows, samples })
  }

  #statusParts(): StatusParts {
    return {
      host: this.#config.host,
      startedMs: this.clock.wallMs(),
      bindings: this.#bindings,
      store: this.series,
      reports: this.reports,
      live: this.live,
      samples: this.samples,
      sessions: this.sessions,
      workerRates: new WorkerRates(),
      zone: new ZoneUse(this.#zone),
      sinks: this.#sinks,
      peers: { counts: this.peers, limits: this.#config },
      clockSteps: this.#clockSteps,
      overload: this.#overload,
    }
  }

  /** Lists what has something to do when a second is closed, in the order of the calls. */
  #participants(): Participant[] {
    const expiry = new SeriesExpiry({
      series: this.series,
      metrics: this.metrics,
      forget: (metrics) => this.#bindings.threads?.ask({ kind: 'forget', metrics }),
      expireAfterMs: this.#config.expireAfterS * 1000,
      relieveAfterMs: this.#config.relieveAfterS * 1000,
      zoneUsage: () => this.#status.zone.usage,
      log: this.#log,
      isRead: () => this.#second.isRead,
    })
    return [
      this.#clockSteps,
      this.#overload,
      new Descriptors({ metrics: this.metrics, log: this.#log }),
      new SelfObservation(this.metrics, this.#log, this.#status),
      new PeerLog(() => peerStatuses(this.#status), this.#log),
      expiry,
      ...this.#residents.values(),
      this.#merger,
      this.durable,
      this.#bindings,
    ]
  }

  *#deliver(frame: Frame): Task {
    yield* this.#rates.take(frame)
    for (const snapshot of this.#snapshots) yield* snapshot.take(frame)
    yield* this.live.pushing(frame)
    yield* this.sessions.pushing(frame)
    yield* this.told.take(frame)
    for (const sink of this.#sinks) yield* sink.offer(frame)
  }

  /** Gives the rules by which series of a dialect leave the hub; `hub` has rules of its own. */
  exportRules(dialect: string): ExportRules {
    return this.#exportRules.get(dialect) ?? HOUSE_RULES
  }

  resident(dialect: string): Resident | undefined {
    return this.#residents.get(dialect)
  }

  /** Opens one number per series, for viewers that know numbers only. */
  openSnapshot(select: readonly Statistic[]): SnapshotSource {
    const isAway = (record: SeriesRecord): boolean => this.isAway(record)
    const snapshot = new CanonicalValues(this.series, this.#totals, this.live, isAway, select)
    this.#snapshots = [...this.#snapshots, snapshot]
    return snapshot
  }

  /** Ends a snapshot that was opened for viewers that are gone. */
  closeSnapshot(snapshot: SnapshotSource): void {
    this.#snapshots = this.#snapshots.filter((each) => each !== snapshot)
  }

  sampleGauges(): SampleDemand {
    this.#sampler ??= new GaugeSampler({
      clock: this.clock,
      samples: this.samples,
      find: (id) => {
        const record = this.series.listed(id)
        return record === undefined ? undefined : this.series.keep(record)
      },
      read: (record) =>
        this.series.has(record.id) ? Number(this.#totals.gauge(record) ?? Number.NaN) : Number.NaN,
    })
    return this.#sampler.open()
  }

  /** Makes the operations of the model for one dialect, writing into this hub's zone. */
  createIngest(dialect: string): ZoneIngest {
    const events = this.#eventsOf(dialect)
    const [queue, { rows }] = [this.#commands.queue(events), this.samples.written]
    const { series } = this
    return new ZoneIngest({ dialect }, { series, writer: this.#writer, queue, events, rows })
  }

  #eventsOf(dialect: string): IngestEvents & CommandEvents {
    return ingestEvents(dialect, this.reports, this.#log)
  }

  /** Connects to the peers of the config: those to send to, and those to read from. */
  #connectPeers(): void {
    const { relay, attach } = peersOf(this.#config, this.#dialects)
    const contextOf = (dialect: Dialect) => this.#bindings.contextOf(dialect)
    for (const sink of relaySinks(relay, this, contextOf)) this.addSink(sink)
    for (const each of attach) this.#bindings.attach(each)
  }

  /** Adds a destination for closed seconds; to be called before {@link start}. */
  addSink(sink: Sink): void {
    const events = sinkEvents(this.metrics, this.#log)
    const ready = (): Promise<unknown> | undefined =>
      sink.tellsTotals === true ? this.durable.ready() : undefined
    const options = { clock: this.clock, work: this.#sinkWork, ready }
    this.#sinks.push(new SinkQueue(sink, events, options))
  }

  /** Goes on with a series of a former start; to be called before {@link start}. */
  restore(former: FormerSeries): SeriesRecord | undefined {
    const record = restoreSeries(former, this.series, this.#writer)
    if (record !== undefined) this.told.begin(record)
    return record
  }

  /**
   * Binds the listeners, connects to peers and starts the tick. A port that is taken does not stop
   * the others.
   * @throws {ConfigError} for a relay or attach target that makes no sense
   */
  async start(): Promise<void> {
    this.#connectPeers()
    const residents = [...this.#residents.values()].map((each) => each.start?.())
    await Promise.all([this.#bindings.start(), ...residents])
    this.#isStarted = true
    void this.#host?.start()
    this.#load.start()
    this.#ticker.start({
      boundary: (endMs, seconds) => this.#second.close(endMs, seconds),
      step: (stepMs) => this.#clockSteps.note(stepMs),
      standstill: (seconds) => this.#clockSteps.noteStandstill(seconds),
    })
  }

  /**
   * Takes note of where this hub is served by HTTP, once that listens.
   * @param limits tells how full the limits of that side are
   */
  servedBy(address: ListenAddress, limits: () => readonly LimitStatus[] = () => []): void {
    this.#bindings.servedBy(address)
    this.#status.limitsOfHttp = limits
  }

  /** Gives host and port of each listener as bound, by the name of its port. */
  addresses(): PortAddresses {
    const entries = [...this.#bindings.listeners].map(([name, listener]) => {
      const { host, port, message } = listener.status()
      return [name, { host, port, ...(message === undefined ? {} : { error: message }) }] as const
    })
    return Object.fromEntries(entries)
  }

  total(record: SeriesRecord): Total {
    return this.#totals.of(record)
  }

  countersOf(records: readonly CounterRecord[], totals: BigUint64Array): void {
    this.#totals.counters(records, totals)
  }

  rates(record: SeriesRecord): Rates | undefined {
    return this.#rates.read(record)
  }

  /** Counts measurements of a dialect so far: taken, refused and, by an emitting server, sent. */
  measurements(dialect: string): number {
    const binding = this.#bindings.of(dialect)
    return binding === undefined ? 0 : measurementsOf(binding)
  }

  tap(listener: string, take: TakeTapped): (() => void) | undefined {
    return this.#bindings.listeners.get(listener)?.tap(take)
  }

  sources(): SourcesAnswer {
    return describeSources(this.#status)
  }

  /** Resolves when all that the ingest threads have taken so far is in the totals. */
  async settle(): Promise<void> {
    await this.#bindings.threads?.ask({ kind: 'settle' })
  }

  /**
   * Stops taking data, closes the last, unfinished second so that nothing taken is lost, and lets
   * the sinks finish it. Starts no thread anew; `doors` ends when other ports take nothing more.
   */
  stop(doors?: Promise<unknown>): Promise<void> {
    this.#stopped ??= this.#stop(doors)
    return this.#stopped
  }

  async #stop(doors?: Promise<unknown>): Promise<void> {
    this.#isStarted = false
    this.#host?.stop()
    this.#bindings.threads?.endRestarts()
    await Promise.all([doors, drain(this.clock, () => this.#bindings.measurements)])
    await this.#bindings.stop()
    await Promise.all([...this.#residents.values()].map((each) => each.stop?.()))
    await this.#bindings.close()
    this.#ticker.stop()
    this.#load.stop()
    this.#merger.finish()
    const { endMs, seconds } = this.#ticker.open
    this.#second.closeLast(endMs, seconds)
    this.durable.finish()
    await Promise.all(this.#sinks.map((sink) => sink.close()))
    this.#writer.detach()
  }
}
