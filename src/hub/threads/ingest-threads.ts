/**
 * The ingest threads of a hub: N workers that bind the ports of text together, each the single
 * writer of its segment of the zone. One that ends by itself is replaced; what it had counted
 * stays, since the zone folds its segment.
 */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Dialect } from '../../dialects/dialect.ts'
import type { PeerConnection } from '../../dialects/endpoints.ts'
import type { Zone } from '../../shm/index.ts'
import type { Clock } from '../../time/clock.ts'
import { dialectOptions, type HubConfig } from '../config/values.ts'
import type { CommandApplier, CommandEvents } from '../ingest/command-queue.ts'
import type { WrittenValues } from '../ingest/gauges/written-values.ts'
import type { PeerCounts } from '../listen/peer-counts.ts'
import type { TakeTapped, TapBatch } from '../listen/tap/tap.ts'
import type { Log } from '../log.ts'
import type { SeriesStore } from '../series/series.ts'
import type { WorkerReading } from '../status/activity.ts'
import type { ErrorReports } from '../status/reports.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { ListenerStatus } from '../status/status.ts'
import { Inbox } from './inbox.ts'
import type { FromThread, Question, ThreadDialectStatus, ThreadStart } from './messages.ts'
import { SharedCounts } from './shared-counts.ts'
import { ThreadLink } from './thread-link.ts'

/** However many cores there are. */
export const THREADS_MAX = 64
/** A thread that has not finished after so long at a stop is ended. */
const STOP_LIMIT_MS = 5000

/**
 * Node reads a connection into a new buffer of 64 KiB each time, and V8 frees these when it clears
 * the young generation. The smallest one there is (half-spaces of 512 KiB) keeps them few and in
 * the processor's cache: by TCP a line costs a fifth to a third less than with V8's own size.
 */
const YOUNG_GENERATION_MB = 1

/**
 * Platforms where a port can be bound by several sockets among which the kernel spreads what comes.
 */
const SHARES_PORTS: ReadonlySet<NodeJS.Platform> = new Set(['linux', 'freebsd', 'aix', 'sunos'])

/** Batches of a tap that a thread sends before it has heard that they were taken. */
const TAP_BATCHES = 16

export type CreateWorker = (start: ThreadStart) => Worker

interface IngestThreadsParts {
  readonly config: HubConfig
  /** Dialects that the threads serve. */
  readonly dialects: readonly Dialect[]
  readonly zone: Zone
  readonly store: SeriesStore
  readonly commands: CommandApplier
  readonly reports: ErrorReports
  readonly events: (dialect: string) => CommandEvents
  readonly clock: Clock
  readonly log: Log
  readonly metrics: SelfMetrics
  /** Pages of what gauges go through in a second. */
  readonly values: WrittenValues
  /** Counts of what peers hold; the first row is the main thread's. */
  readonly peers: PeerCounts
  /** Maker of threads for programs that are bundled: starts the thread's program. */
  readonly createWorker?: CreateWorker
}

export class IngestThreads {
  readonly counts: SharedCounts
  readonly #parts: IngestThreadsParts
  readonly #inbox: Inbox
  readonly #links: readonly ThreadLink[]
  /** Sources heard since they were last taken, by dialect. */
  readonly #active: Set<string>[]
  /** Numbers of the ports that were started, by name. */
  readonly #ports = new Map<string, number>()
  /** Taps of ports, by their names; and batches that each thread has sent of one. */
  readonly #taps = new Map<string, { readonly give: TakeTapped; readonly sent: number[] }>()
  #stopped: Promise<void> | undefined
  #failure: string | undefined
  #hasRun = false

  constructor(parts: IngestThreadsParts) {
    const { config, dialects, store, reports, commands, events } = parts
    const count = threadCount(config.ingestWorkers)
    this.#parts = parts
    this.counts = SharedCounts.create(count)
    this.#inbox = new Inbox({
      store,
      reports,
      commands,
      counts: this.counts,
      events: dialects.map(({ name }) => events(name)),
    })
    this.#active = dialects.map(() => new Set())
    this.#links = Array.from({ length: count }, (_, thread) => this.#createLink(thread))
  }

  #createLink(thread: number): ThreadLink {
    const { clock, zone, createWorker = createThread } = this.#parts
    return new ThreadLink({
      clock,
      createWorker: () => {
        const worker = createWorker(this.#startOf(thread))
        zone.watchExit(worker.threadId)
        return worker
      },
      onMessage: (message) => this.#take(thread, message),
      onCrash: (reason, waitMs) => this.#crashed(thread, reason, waitMs),
      onRestart: () => this.#bindAgain(thread),
    })
  }

  #startOf(thread: number): ThreadStart {
    const { config, dialects, zone, store, peers } = this.#parts
    return {
      thread,
      threads: this.counts.threads,
      zone: zone.shared,
      quota: store.quota.shared,
      counts: this.counts.shared,
      peers: peers.shared,
      dialects: dialects.map(({ name, port, threadModule: module = '' }) => {
        return { name, port: port?.name ?? '', module, options: dialectOptions(config, name) }
      }),
      config,
    }
  }

  #bindAgain(thread: number): void {
    const link = this.#links[thread]!
    for (const [name, port] of this.#ports) void link.ask({ kind: 'bind', name, port })
    for (const name of this.#taps.keys()) void link.ask({ kind: 'tap', name, batches: TAP_BATCHES })
  }

  #take(thread: number, message: FromThread): void {
    if (message.kind === 'batch') this.#inbox.take(thread, message)
    if (message.kind === 'values') this.#parts.values.add(thread, message.page)
    if (message.kind === 'tapped') this.#takeTapped(thread, message.name, message.batch)
    if (message.kind !== 'status') return
    this.#hasRun = true
    for (const { name, state, port } of message.listeners) {
      if (state === 'listening') this.#ports.set(name, port)
    }
    message.dialects.forEach(({ active }, index) => {
      for (const source of active) this.#active[index]!.add(source)
    })
  }

  /**
   * Taps a port in every thread.
   * @returns a function that ends it
   */
  tap(name: string, give: TakeTapped): () => void {
    this.#taps.set(name, { give, sent: this.#links.map(() => 0) })
    void this.ask({ kind: 'tap', name, batches: TAP_BATCHES })
    return () => {
      this.#taps.delete(name)
      void this.ask({ kind: 'tap', name, batches: 0 })
    }
  }

  /** Takes a batch, and has the thread send more of them before those that it may send are over. */
  #takeTapped(thread: number, name: string, batch: TapBatch): void {
    const tap = this.#taps.get(name)
    if (tap === undefined) return
    tap.sent[thread]!++
    if (tap.sent[thread]! % (TAP_BATCHES / 2) === 0) {
      void this.#links[thread]!.ask({ kind: 'tap', name, batches: TAP_BATCHES })
    }
    tap.give(batch)
  }

  #crashed(thread: number, reason: string, waitMs: number): void {
    const { log, metrics, store, peers, values } = this.#parts
    this.#failure = reason
    values.release(thread)
    // all that the thread had sent has been taken by now: what the counts still hold is lost
    const losses = this.counts.release(thread)
    const unfinishedBytes = peers.release(1 + thread)
    store.quota.releaseOf(thread)
    metrics.counter('pentameter.ingest.worker.restarts').add()
    for (const [part, count] of Object.entries(losses)) {
      if (count > 0) metrics.counter('pentameter.ingest.worker.lost', { part }).add(count)
    }
    const again = waitMs === 0 ? 'at once' : `in ${waitMs / 1000} s`
    log('warn', `ingest thread ${thread} ended and is started again ${again}`, {
      ...{ reason, ...losses, unfinishedBytes },
    })
  }

  /** Reason why no thread has ever started; undefined once one has, and before any was tried. */
  get failure(): string | undefined {
    return this.#hasRun ? undefined : this.#failure
  }

  get count(): number {
    return this.#links.length
  }

  /**
   * Starts the threads, where they don't run, and has them bind a port, one after the other where
   * they must first find out which it is.
   * @param port 0 = any free one
   */
  async start(name: string, port: number): Promise<void> {
    this.#ports.set(name, port)
    for (const link of this.#links) if (!link.isRunning) link.start()
    const unbound = [...this.#links]
    while (this.#ports.get(name) === 0 && unbound.length > 0) {
      await unbound.shift()!.ask({ kind: 'bind', name, port: 0 })
    }
    const found = this.#ports.get(name) ?? port
    await Promise.all(unbound.map((link) => link.ask({ kind: 'bind', name, port: found })))
  }

  /** Resolves when every thread has answered, or is no more. */
  async ask(question: Question): Promise<void> {
    await Promise.all(this.#links.map((link) => link.ask(question)))
  }

  /** Lists the sockets of each running thread on a port. */
  listeners(name: string): ListenerStatus[] {
    return this.#links.flatMap(
      ({ status }) => status?.listeners.find((listener) => listener.name === name) ?? [],
    )
  }

  /** Lists connections of a dialect: those told of, and how many there are. */
  connections(dialect: number): { told: readonly PeerConnection[]; count: number } {
    const statuses = this.#links.flatMap(
      ({ status }): ThreadDialectStatus[] | ThreadDialectStatus => status?.dialects[dialect] ?? [],
    )
    return {
      told: statuses.flatMap(({ connections }) => connections),
      count: statuses.reduce((sum, { connectionCount }) => sum + connectionCount, 0),
    }
  }

  takeActive(dialect: number): Set<string> {
    const active = this.#active[dialect]!
    this.#active[dialect] = new Set()
    return active
  }

  workers(): WorkerReading[] {
    return this.#links.map(({ status, restarts }, thread) => ({
      thread,
      state: status === undefined ? 'starting' : 'running',
      segment: status?.segment ?? null,
      connections: this.counts.connectionsOf(thread),
      measurements: this.counts.measurementsOf(thread),
      restarts,
      ...udpReceiveOf(status?.listeners ?? []),
    }))
  }

  /** Starts no thread anew from now on: the hub is about to stop. */
  endRestarts(): void {
    for (const link of this.#links) link.endRestarts()
  }

  /**
   * Stops every thread: each takes what has reached the machine, sends what it has gathered, and
   * ends.
   */
  stop(): Promise<void> {
    this.#stopped ??= Promise.all(this.#links.map((link) => link.stop(STOP_LIMIT_MS))).then()
    return this.#stopped
  }
}

/** Tells how sockets receive datagrams: batched, unless one of them could not. */
export function udpReceiveOf(
  listeners: readonly ListenerStatus[],
): Pick<ListenerStatus, 'udpReceive'> {
  const ways = listeners.flatMap(({ udpReceive }) => udpReceive ?? [])
  if (ways.length === 0) return {}
  return { udpReceive: ways.includes('dgram') ? 'dgram' : 'recvmmsg' }
}

/**
 * Computes the threads: unless told, one for each core but the main thread's; more than one need a
 * port that several sockets can share.
 */
export function threadCount(wanted: number | 'auto'): number {
  if (!SHARES_PORTS.has(process.platform)) return 1
  if (wanted !== 'auto') return wanted
  return Math.max(1, Math.min(availableParallelism() - 1, THREADS_MAX))
}

/**
 * Runs the program beside this file, from sources as from the built package. Flags of the main
 * thread (`--eval`, `--test`) are not for it.
 */
const createThread: CreateWorker = (start) =>
  new Worker(new URL(`./ingest-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: start,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    name: `ingest ${start.thread}`,
  })
