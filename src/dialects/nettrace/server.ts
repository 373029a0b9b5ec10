/**
 * The socket that a .NET process would have (§2, §3), on which the tools of .NET find this process
 * and read its counters. Connections are served side by side, each session with windows of its own.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import type { Clock } from '../../time/clock.ts'
import { backgroundClock } from '../../time/system-clock.ts'
import { NO_REPORTS, type PeerConnection, type Reports } from '../endpoints.ts'
import { checkOptions, type GivenOptions } from '../options.ts'
import type { CounterEventSource } from '../snapshot-source.ts'
import type { CollectCommand } from './codec/ipc/messages.ts'
import { SOCKET_OPTIONS } from './options.ts'
import { Connection, type ConnectionHost } from './server/connection.ts'
import { readProcessFacts } from './server/process-facts.ts'
import { bindSocket, type SocketFile, socketFolder } from './server/socket-file.ts'
import { TracingSession } from './server/tracing-session.ts'
import { HRESULT, SOCKET_LIMITS } from './spec.ts'

/** Time that what was written may take to leave when the socket closes, ms. */
const CLOSE_GRACE_MS = 500
const WIDE_PROCESSORS: ReadonlySet<string> = new Set(['x64', 'arm64', 'ppc64', 's390x', 'riscv64'])

export interface DotnetSocketOptions extends GivenOptions<typeof SOCKET_OPTIONS> {
  /** Counters that tools see: a registry of `pentameter/instrument`, for one. */
  readonly source: CounterEventSource
  /** One whose timers do not keep the process alive by default. */
  readonly clock?: Clock
  readonly reports?: Pick<Reports, 'count'>
}

/**
 * The diagnostics socket of this process, for dotnet-counters and what else reads counters of .NET.
 * It does not keep the process alive, and goes when that exits. The same user may connect, and
 * root.
 *
 * @example
 * import { Counter, CounterRegistry, EventSource } from 'pentameter/instrument'
 * import { DotnetSocket } from 'pentameter/nettrace'
 *
 * const registry = new CounterRegistry()
 * const shop = new EventSource('Shop', { registry })
 * new Counter('orders', shop).add(3)
 * const socket = new DotnetSocket({ source: registry })
 * await socket.start()
 * console.log(`dotnet-counters monitor -p ${process.pid} --counters Shop`)
 * await socket.close()
 */
export class DotnetSocket {
  readonly #source: CounterEventSource
  readonly #clock: Clock
  readonly #reports: Pick<Reports, 'count'>
  readonly #folder: string
  readonly #host: ConnectionHost
  readonly #connections = new Set<Connection>()
  readonly #counts: Record<string, number> = {}
  readonly #onExit = (): void => this.#leave()
  #server: Server | undefined
  #file: SocketFile | undefined
  #ids = 0
  #eventsOfClosed = 0
  #sessionsRefused = 0

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: DotnetSocketOptions) {
    const { source, clock = backgroundClock, reports = NO_REPORTS } = options
    const { clrVersion, folder } = checkOptions(SOCKET_OPTIONS, options)
    this.#source = source
    this.#clock = clock
    this.#reports = reports
    this.#folder = folder === '' ? socketFolder() : folder
    this.#host = {
      clock,
      facts: readProcessFacts(clrVersion),
      open: (command, socket) => this.#open(command, socket),
      stop: (id) => this.#stop(id),
      forget: (connection) => this.#forget(connection),
      count: (name, reason) => this.#count(name, reason),
    }
  }

  /** File of the socket; empty before `start`. */
  get path(): string {
    return this.#file?.path ?? ''
  }

  /** Counts by name and reason, for example `commands_refused 80131385`; absent = 0. */
  get counts(): Readonly<Record<string, number>> {
    return this.#counts
  }

  /** Events in all sessions so far. */
  get valuesSent(): number {
    let sum = this.#eventsOfClosed
    for (const { session } of this.#connections) sum += session?.eventsSent ?? 0
    return sum
  }

  /** Sessions refused because of a limit. */
  get sessionsRefused(): number {
    return this.#sessionsRefused
  }

  /** Number of sessions that are open. */
  get sessionCount(): number {
    return this.#sessions().length
  }

  /**
   * Binds the socket.
   * @throws {Error} where the system does not let it, or there is one: another socket of this
   *   process, or that of .NET, if .NET hosts it
   */
  async start(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket))
    server.maxConnections = SOCKET_LIMITS.connections
    server.on('drop', () => this.#count('connections_closed', 'connections_limit'))
    this.#file = await bindSocket(server, this.#folder)
    // a failed accept (no file descriptors left) costs that connection, not the process
    server.on('error', () => this.#count('connections_closed', 'accept_failed'))
    server.unref()
    this.#server = server
    process.on('exit', this.#onExit)
  }

  /** Lists the sessions. */
  connections(): readonly PeerConnection[] {
    const name = `unix ${this.path}`
    const peer = { transport: 'tcp', address: '', port: 0, name } as const
    return this.#sessions().map(({ sinceMs, providers, eventsSent, eventsLost }) => {
      const facts = { providers: providers.join(', '), sent: eventsSent, lost: eventsLost }
      return { peer, sinceMs, facts }
    })
  }

  /** Ends every session and removes the socket; resolves when all are gone. */
  async close(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    process.off('exit', this.#onExit)
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    this.#leave()
    const grace = setTimeout(() => {
      for (const { socket } of this.#connections) socket.destroy()
    }, CLOSE_GRACE_MS)
    await closed
    clearTimeout(grace)
  }

  /** Ends the streams at once, with their end marks, and takes the name away. */
  #leave(): void {
    for (const connection of [...this.#connections]) connection.stop()
    this.#file?.remove()
    this.#file = undefined
  }

  #accept(socket: Socket): void {
    socket.unref()
    this.#connections.add(new Connection(socket, this.#host))
  }

  #sessions(): TracingSession[] {
    return [...this.#connections].flatMap(({ session, socket }) => {
      return session === undefined || socket.writableEnded ? [] : [session]
    })
  }

  #open(command: CollectCommand, socket: Socket): TracingSession | string {
    const session = new TracingSession(command, {
      id: String(++this.#ids),
      ...{ socket, clock: this.#clock },
      process: {
        pid: process.pid,
        cpus: availableParallelism(),
        pointerSize: WIDE_PROCESSORS.has(process.arch) ? 8 : 4,
      },
      outputBytes: () => this.#share(),
      onLoss: (reason, count) => this.#count('events_lost', reason, count),
    })
    const isFull = this.sessionCount >= SOCKET_LIMITS.sessions
    if (isFull || !this.#openCounters(session)) {
      this.#sessionsRefused++
      return HRESULT.fail
    }
    this.#count('sessions', 'opened')
    return session
  }

  #openCounters(session: TracingSession): boolean {
    try {
      return session.open(this.#source)
    } catch {
      // a source that serves no session, as a joined registry: to ask it ends no process
      this.#count('sessions', 'source_failed')
      return false
    }
  }

  /** Shares the memory for what waits among the sessions. */
  #share(): number {
    const { outputBytes, outputBytesOfAll } = SOCKET_LIMITS
    return Math.min(outputBytes, outputBytesOfAll / Math.max(1, this.sessionCount))
  }

  #stop(id: string): void {
    for (const connection of this.#connections) {
      if (connection.session?.id === id) connection.stop()
    }
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection)
    this.#eventsOfClosed += connection.session?.eventsSent ?? 0
  }

  #count(name: string, reason: string, amount = 1): void {
    const key = `${name} ${reason}`
    this.#counts[key] = (this.#counts[key] ?? 0) + amount
    this.#reports.count(name, reason, amount)
  }
}
