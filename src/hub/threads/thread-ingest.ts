/**
 * The ingest of one thread: its own sockets on the shared ports, its own dialect servers, its own
 * segment of the zone. What only the main thread can do goes there through the outbox.
 */
import type { Dialect } from '../../dialects/dialect.ts'
import type { DialectServer } from '../../dialects/endpoints.ts'
import type { SnapshotSource } from '../../dialects/snapshot-source.ts'
import { type Writer, Zone } from '../../shm/index.ts'
import type { Clock } from '../../time/clock.ts'
import { drain } from '../drain.ts'
import { ValueRows } from '../ingest/gauges/value-pages.ts'
import { LineZoneIngest } from '../ingest/ingest.ts'
import { SeriesQuota } from '../ingest/quota.ts'
import { PeerCounts } from '../listen/peer-counts.ts'
import { Port } from '../listen/port.ts'
import { portOptions } from '../listen/port-options.ts'
import { TapPoint } from '../listen/tap/tap-point.ts'
import { SelfMetrics } from '../status/self-metrics.ts'
import type {
  FromThread,
  ThreadDialect,
  ThreadDialectStatus,
  ThreadStart,
  ToThread,
} from './messages.ts'
import { Outbox } from './outbox.ts'
import { SharedCounts } from './shared-counts.ts'
import { ThreadSeries } from './thread-series.ts'

/** Connections of a dialect that a thread tells of; the rest is only counted. */
const CONNECTIONS_TOLD = 200
/** Threads take data; what a dialect would send to viewers is only in the main thread. */
const NO_SNAPSHOT: SnapshotSource = { revision: 0, list: () => [], read() {} }

interface ThreadIngestParts {
  readonly start: ThreadStart
  readonly clock: Clock
  /** All known dialects; those named in `start` are served. */
  readonly dialects: readonly Dialect[]
  readonly post: (message: FromThread) => void
}

interface ServedDialect {
  readonly dialect: Dialect
  readonly server: DialectServer
  readonly ingest: LineZoneIngest
}

export class ThreadIngest {
  readonly #clock: Clock
  readonly #start: ThreadStart
  readonly #post: (message: FromThread) => void
  readonly #counts: SharedCounts
  readonly #writer: Writer
  readonly #outbox: Outbox
  readonly #series: ThreadSeries
  readonly #metrics: SelfMetrics
  readonly #rows = new ValueRows((page) => this.#post({ kind: 'values', page }))
  readonly #served: readonly ServedDialect[]
  /** Places for taps, and what ends those that there are, by the names of the ports. */
  readonly #tapPoints = new Map<string, TapPoint>()
  readonly #taps = new Map<string, () => void>()
  /** Ports by name, once they are bound, or have failed to. */
  readonly #ports = new Map<string, Port>()
  /** Promise while ports are being bound. */
  #binding: Promise<void> | undefined

  constructor({ start, clock, dialects, post }: ThreadIngestParts) {
    this.#clock = clock
    this.#start = start
    this.#post = post
    const { thread, threads, config } = start
    const zone = Zone.openWatched(start.zone)
    this.#counts = new SharedCounts(start.counts, threads)
    this.#writer = zone.attach()
    this.#outbox = new Outbox(thread, this.#counts, clock, post)
    const quota = SeriesQuota.open(start.quota, config, thread)
    this.#series = new ThreadSeries(zone, quota, this.#writer, this.#outbox)
    this.#metrics = new SelfMetrics(this.#series, this.#writer)
    this.#served = start.dialects.map(({ name, options }, index) => {
      const dialect = dialects.find((each) => each.name === name)
      if (dialect === undefined) throw new Error(`dialect ${name} is not among the known ones`)
      return this.#startDialect(dialect, index, options)
    })
  }

  #tapPoint(port: string): TapPoint {
    const known = this.#tapPoints.get(port)
    if (known !== undefined) return known
    const made = new TapPoint()
    this.#tapPoints.set(port, made)
    return made
  }

  #startDialect(dialect: Dialect, index: number, options: ThreadDialect['options']): ServedDialect {
    const { thread, dialects } = this.#start
    const events = this.#outbox.reports.eventsOf(dialect.name)
    const ingest = new LineZoneIngest(
      {
        dialect: dialect.name,
        measurements: this.#counts.measurementsPlace(thread, index),
      },
      {
        series: this.#series,
        writer: this.#writer,
        queue: this.#outbox.queue(index, events),
        events,
        rows: this.#rows,
      },
    )
    const server = dialect.createServer?.({
      ingest,
      openSnapshot: () => NO_SNAPSHOT,
      reports: this.#tapPoint(dialects[index]!.port).reports(
        this.#outbox.reports.for(dialect.name),
      ),
      clock: this.#clock,
      options,
    })
    if (server === undefined) throw new Error(`dialect ${dialect.name} has no server`)
    return { dialect, server, ingest }
  }

  /** Finds the server of a dialect, for one that gets its bytes without a socket. */
  server(name: string): DialectServer | undefined {
    return this.#served.find(({ dialect }) => dialect.name === name)?.server
  }

  /**
   * Does what the main thread asks, says how it is doing, and answers. No answer overtakes that to
   * `bind`: who is told that all has settled may send to the port.
   */
  async answer(message: ToThread): Promise<void> {
    if (message.kind === 'bind') this.#bindNext(message.name, message.port)
    if (this.#binding !== undefined) await this.#binding
    if (message.kind === 'forget') this.#series.forget(message.metrics)
    if (message.kind === 'tap') this.#tap(message.name, message.batches)
    if (message.kind === 'stop') await this.#stop()
    this.#outbox.flush()
    this.tellStatus()
    this.#post({ kind: 'answer', number: message.number })
  }

  #tap(name: string, batches: number): void {
    const port = this.#ports.get(name)
    if (batches === 0) {
      this.#taps.get(name)?.()
      this.#taps.delete(name)
    } else if (port !== undefined) {
      if (!this.#taps.has(name)) {
        this.#taps.set(
          name,
          port.tap((batch) => this.#post({ kind: 'tapped', name, batch })),
        )
      }
      port.creditTap(batches)
    }
  }

  #bindNext(name: string, number: number): void {
    const binding = (this.#binding ?? Promise.resolve()).then(async () => {
      await this.#bind(name, number)
      if (this.#binding === binding) this.#binding = undefined
    })
    this.#binding = binding
  }

  async #bind(name: string, number: number): Promise<void> {
    const { thread, threads, config, dialects } = this.#start
    const names = [...new Set(dialects.map(({ port }) => port))]
    const served = this.#served.filter((_, index) => dialects[index]!.port === name)
    const options = portOptions(
      name,
      config,
      served.map(({ dialect }) => dialect),
    )
    const port = new Port({ ...options, port: number, isShared: threads > 1 }, served, {
      clock: this.#clock,
      log: this.#outbox.reports.log,
      metrics: this.#metrics,
      errors: this.#outbox.reports,
      tapPoint: this.#tapPoint(name),
      // the first row is the main thread's
      peers: new PeerCounts(this.#start.peers, 1 + thread, names.indexOf(name)),
      places: this.#counts.places(thread, names.indexOf(name), options.connectionsLimit),
    })
    await port.start()
    this.#ports.set(name, port)
  }

  /**
   * Stops: what has reached the machine is taken, then all is closed and the segment given back.
   */
  async #stop(): Promise<void> {
    await drain(this.#clock, () => this.#counts.measurementsOf(this.#start.thread))
    await Promise.all([...this.#ports.values()].map((port) => port.stop()))
    await Promise.all(this.#served.map(({ server }) => server.stop()))
    this.#outbox.flush()
    this.#writer.detach()
  }

  tellStatus(): void {
    if (this.#ports.size === 0) return
    const dialects = this.#served.map(({ server, ingest }): ThreadDialectStatus => {
      const connections = server.connections()
      return {
        connections: connections.slice(-CONNECTIONS_TOLD),
        connectionCount: connections.length,
        active: [...ingest.takeActive()],
      }
    })
    const { segment } = this.#writer
    const listeners = [...this.#ports.values()].map((port) => port.status())
    this.#post({ kind: 'status', segment, listeners, dialects })
  }
}
