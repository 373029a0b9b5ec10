/**
 * The hub: owns the zone, the listeners and the tick, and hands every closed second to the ring,
 * the sessions and the sinks. Ports, clock and dialects come from the composition root.
 */

import type {
  ClientContext,
  Dialect,
  DialectServer,
  SharedPort,
  Target,
} from '../dialects/dialect.ts'
import { type Clock, exact } from '../model/index.ts'
import { type GaugeReading, type Writer, Zone, type ZoneReader } from '../shm/index.ts'
import { VERSION } from '../version.ts'
import { ConfigError, type HubConfig } from './config.ts'
import { ZoneIngest } from './ingest/ingest.ts'
import { Port } from './listen/port.ts'
import { CanonicalValues } from './live/canonical-values.ts'
import { CounterRates } from './live/counter-rates.ts'
import type { Frame } from './live/frame.ts'
import { RelaySink } from './live/relay.ts'
import { LIVE_RING_DEFAULTS, LiveRing } from './live/ring.ts'
import { Sessions } from './live/sessions.ts'
import { type Sink, SinkQueue } from './live/sinks.ts'
import { CellCloser, Grid } from './live/tick.ts'
import type { Log } from './log.ts'
import { type SeriesRecord, SeriesStore, type Total } from './series.ts'
import { Activity } from './status/activity.ts'
import { ErrorReports } from './status/reports.ts'
import { SelfMetrics } from './status/self-metrics.ts'
import { measurementsOf, observeHub } from './status/self-observation.ts'
import { type DialectAtWork, describeSources, type StatusParts } from './status/sources.ts'
import type { SourcesAnswer } from './status/status.ts'
import { parseTarget } from './target.ts'
import type { HubView, Rates } from './view.ts'

export interface HubParts {
  readonly config: HubConfig
  readonly clock: Clock
  readonly log: Log
  readonly dialects: readonly Dialect[]
}

/** Largest identity in bytes: a name of any dialect with its labels. */
const IDENTITY_BYTES_LIMIT = 65_535
/** At a stop: turns of the event loop without data that count as drained, and the longest wait. */
const QUIET_TURNS = 3
const DRAIN_NS = 200_000_000n
/** Where a listener is bound, or should be and why it is not. */
export interface BoundAddress {
  readonly host: string
  readonly port: number
  readonly error?: string
}

const PORT_NAMES: readonly SharedPort[] = ['text', 'stream']

export class Hub implements HubView {
  readonly version = VERSION
  readonly clock: Clock
  readonly series: SeriesStore
  readonly live: LiveRing
  readonly sessions: Sessions
  readonly metrics: SelfMetrics
  readonly reports: ErrorReports
  readonly #config: HubConfig
  readonly #log: Log
  readonly #zone: Zone
  readonly #writer: Writer
  readonly #reader: ZoneReader
  readonly #closer: CellCloser
  /** One number per series, for viewers that know numbers only. */
  readonly canonical: CanonicalValues
  readonly #rates: CounterRates
  readonly #grid: Grid
  readonly #ports = new Map<SharedPort, Port>()
  readonly #dialects: DialectAtWork[] = []
  readonly #known: readonly Dialect[]
  readonly #sinks: SinkQueue[] = []
  readonly #status: StatusParts
  readonly #gauge: GaugeReading = { value: Number.NaN, sequence: 0 }
  #isStarted = false

  constructor({ config, clock, log, dialects }: HubParts) {
    this.#config = config
    this.clock = clock
    this.#log = log
    this.#zone = Zone.create({
      zoneBytesLimit: config.zoneBytesLimit,
      keyBytesLimit: IDENTITY_BYTES_LIMIT,
    })
    this.#writer = this.#zone.attach()
    this.#reader = this.#zone.reader()
    const nowMs = (): number => clock.wallMs()
    this.series = new SeriesStore(this.#zone, config, nowMs)
    this.live = new LiveRing({ ...LIVE_RING_DEFAULTS, bytesLimit: config.liveBytesLimit })
    this.sessions = new Sessions(config.sessionsLimit)
    this.metrics = new SelfMetrics(this.series, this.#writer)
    this.reports = new ErrorReports(clock, this.metrics, log)
    this.#closer = new CellCloser(this.series, this.#reader)
    this.canonical = new CanonicalValues(this.series, this.#reader, nowMs, {
      staleAfterMs: this.staleAfterMs,
      select: config.scope.select,
    })
    this.#rates = new CounterRates(this.series)
    this.#grid = new Grid(clock)
    this.#known = dialects
    for (const name of PORT_NAMES) this.#preparePort(name, dialects)
    this.#status = {
      dialects: this.#dialects,
      ports: [...this.#ports.values()],
      store: this.series,
      reports: this.reports,
      live: this.live,
      sessions: this.sessions,
      zoneUsage: () => ({ bytes: this.#zone.usage().bytesTotal, limit: config.zoneBytesLimit }),
    }
  }

  get staleAfterMs(): number {
    return this.#config.staleAfterS * 1000
  }

  get isReady(): boolean {
    return this.#isStarted && [...this.#ports.values()].some((port) => port.isListening)
  }

  #preparePort(name: SharedPort, dialects: readonly Dialect[]): void {
    const sharing = dialects.filter((dialect) => dialect.port === name)
    const speakers = sharing.flatMap((dialect) => this.#startDialect(dialect))
    if (speakers.length === 0) return
    const { host, textPort, streamPort, connectionsLimit, receiveBufferBytes } = this.#config
    const port = new Port(
      {
        name,
        host,
        port: name === 'text' ? textPort : streamPort,
        transports: [...new Set(sharing.flatMap(({ transports }) => transports))],
        connectionsLimit,
        receiveBufferBytes,
      },
      speakers,
      { clock: this.clock, log: this.#log, metrics: this.metrics },
    )
    this.#ports.set(name, port)
    for (const { dialect, server, ingest } of speakers) {
      this.#dialects.push({
        dialect,
        server,
        ingests: [ingest],
        attached: [],
        activity: new Activity(dialect.name),
        port,
      })
    }
  }

  #startDialect(
    dialect: Dialect,
  ): { dialect: Dialect; server: DialectServer; ingest: ZoneIngest }[] {
    if (dialect.createServer === undefined) return []
    const ingest = this.createIngest(dialect.name)
    const context = this.#context(dialect)
    const server = dialect.createServer({ ...context, ingest, snapshot: this.canonical })
    return [{ dialect, server, ingest }]
  }

  /** Verbs of the model for one dialect, writing into this hub's zone. */
  createIngest(dialect: string): ZoneIngest {
    return new ZoneIngest(
      { dialect, negativeMeter: this.#config.statshero.negativeMeter },
      this.series,
      this.#writer,
      {
        refused: (code, source, name) => this.reports.refused(dialect, code, source, name),
        noted: (code) => this.reports.noted(dialect, code),
        contested: (record) => {
          this.#log('warn', 'readings of one counter seem to come from two senders', {
            series: record.identity.name,
            sources: record.reading?.sources,
          })
        },
      },
    )
  }

  /** Connects to the peers of the config: those to send to, and those to read from. */
  #connectPeers(dialects: readonly Dialect[]): void {
    for (const text of this.#config.relay) {
      const { dialect, target, name } = parseTarget(text, dialects)
      this.#refuseSelf(text, dialect, target)
      const emitter = dialect.connectEmitter?.(target, this.#context(dialect, 'emit'))
      if (emitter === undefined)
        throw new ConfigError([`relay ${text}: ${dialect.name} can't send`])
      this.addSink(
        new RelaySink(name, emitter, {
          get: (id) => this.series.get(id),
          counterTotal: (record) => exact(this.#reader.counter(record.metric)),
        }),
      )
    }
    for (const text of this.#config.attach) {
      const { dialect, target } = parseTarget(text, dialects)
      this.#refuseSelf(text, dialect, target)
      const ingest = this.createIngest(dialect.name)
      const context = this.#context(dialect, 'client')
      const source = dialect.connectSource?.(target, { ...context, ingest })
      const known = this.#dialects.find((each) => each.dialect === dialect)
      if (source === undefined || known === undefined) {
        throw new ConfigError([`attach ${text}: ${dialect.name} sends nothing that can be read`])
      }
      known.ingests.push(ingest)
      known.attached.push(source)
    }
  }

  /** What it sends itself would come round every second, and grow. */
  #refuseSelf(text: string, dialect: Dialect, { host, port }: Target): void {
    const { textPort, streamPort, host: own } = this.#config
    const isOwnPort = port === (dialect.port === 'text' ? textPort : streamPort)
    if (isOwnPort && [own, '127.0.0.1', 'localhost', '::1'].includes(host)) {
      throw new ConfigError([`target ${text}: that is this hub itself`])
    }
  }

  /** What a server or client of a dialect gets; `part` is the client's section of its options. */
  #context({ name }: Dialect, part?: 'emit' | 'client'): ClientContext {
    const section = optionsOf(this.#config, name)
    const options = part === undefined ? section : ((section[part] ?? {}) as typeof section)
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
    await Promise.all([...this.#ports.values()].map((port) => port.start()))
    this.#isStarted = true
    this.#grid.start((endMs, seconds) => this.#tick(endMs, seconds))
  }

  /** Host and port of each listener as bound. */
  addresses(): Record<SharedPort, BoundAddress | undefined> {
    const address = (name: SharedPort): BoundAddress | undefined => {
      const status = this.#ports.get(name)?.status()
      if (status === undefined) return undefined
      const { host, port, message } = status
      return { host, port, ...(message === undefined ? {} : { error: message }) }
    }
    return { text: address('text'), stream: address('stream') }
  }

  #tick(endMs: number, seconds: number): void {
    observeHub(this.metrics, this.#status, this.#sinks, seconds)
    const frame = this.#closer.close(endMs, seconds)
    this.#deliver(frame)
    for (const each of this.#dialects) {
      const sources = each.ingests.flatMap((ingest) => [...ingest.takeActive()])
      each.activity.close(measurementsOf(each), sources, endMs, seconds)
    }
    if (this.#config.expireAfterS > 0) {
      const expired = this.series.expire(endMs - this.#config.expireAfterS * 1000)
      if (expired > 0) this.metrics.counter('pentameter.series.expired').add(expired)
    }
    for (const port of this.#ports.values()) void port.readDrops()
  }

  #deliver(frame: Frame): void {
    this.canonical.take(frame)
    this.#rates.take(frame)
    this.live.push(frame)
    this.sessions.push(frame)
    for (const sink of this.#sinks) sink.offer(frame)
  }

  total(record: SeriesRecord): Total {
    const { kind } = record.identity
    switch (kind) {
      case 'counter': {
        const down = record.down === undefined ? 0n : this.#reader.counter(record.down.metric)
        return { kind, total: exact(this.#reader.counter(record.metric)), down: exact(down) }
      }
      case 'gauge': {
        const isWritten = this.#reader.gauge(record.metric, this.#gauge)
        return { kind, value: isWritten ? this.#gauge.value : undefined }
      }
      case 'histogram':
        return { kind, histogram: this.#reader.exponential(record.metric) }
      case 'summary':
        throw new TypeError('no dialect of this version brings summaries')
    }
  }

  rates(record: SeriesRecord): Rates | undefined {
    return this.#rates.read(record)
  }

  /** Measurements of a dialect so far: taken, refused and, by an emitting server, sent. */
  measurements(dialect: string): number {
    const known = this.#dialects.find((each) => each.dialect.name === dialect)
    return known === undefined ? 0 : measurementsOf(known)
  }

  sources(): SourcesAnswer {
    return describeSources(this.#status)
  }

  /** Takes what has reached this machine already, for at most a fifth of a second. */
  async #drain(): Promise<void> {
    const endNs = this.clock.monotonicNs() + DRAIN_NS
    let seen = -1
    for (let quiet = 0; quiet < QUIET_TURNS && this.clock.monotonicNs() < endNs; quiet++) {
      await new Promise((resolve) => setImmediate(resolve))
      const taken = this.#dialects.reduce((sum, each) => sum + measurementsOf(each), 0)
      if (taken !== seen) quiet = 0
      seen = taken
    }
  }

  /**
   * Stops taking data, closes the last, unfinished second so that nothing taken is lost, delivers
   * it, and lets the sinks finish.
   */
  async stop(): Promise<void> {
    this.#isStarted = false
    await this.#drain()
    for (const port of this.#ports.values()) port.stop()
    await Promise.all(
      this.#dialects.flatMap(({ server, attached }) => [
        server.stop(),
        ...attached.map((source) => source.close()),
      ]),
    )
    this.#grid.stop()
    this.#deliver(this.#closer.close(this.#grid.boundaryMs + 1000, 1))
    await Promise.all(this.#sinks.map((sink) => sink.close()))
    this.#writer.detach()
  }
}

/** The dialect's own section of the config. */
function optionsOf(config: HubConfig, dialect: string): Readonly<Record<string, unknown>> {
  return (config as unknown as Record<string, Record<string, unknown>>)[dialect] ?? {}
}
