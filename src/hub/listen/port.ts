/**
 * One port that several dialects share: binds its sockets, finds each datagram's and connection's
 * dialect by its first bytes, and hands it to that dialect's server. A port that can't be bound is
 * tried again; the others are not affected.
 */
import { createServer, type Server } from 'node:net'
import type { Dialect } from '../../dialects/dialect.ts'
import type { DatagramPlace, DialectServer, Peer, Rest } from '../../dialects/endpoints.ts'
import type { Budget } from '../../time/budget.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { UNCLAIMED } from '../status/foreign.ts'
import type { OwnCounter } from '../status/self-metrics.ts'
import type { ListenerStatus } from '../status/status.ts'
import { chooseBind } from './batched-udp/index.ts'
import { Connections } from './connections.ts'
import { chooseDialect } from './dispatch.ts'
import { KernelDrops } from './kernel-drops.ts'
import { bindProblem, type Listener, RETRY_MS, reportBuffer } from './listener.ts'
import {
  ACCEPT_BACKLOG,
  type PortContext,
  type PortOptions,
  type ServedDialect,
} from './port-options.ts'
import { type TakeTapped, Tap } from './tap/tap.ts'
import { TapPoint, TapTakers } from './tap/tap-point.ts'
import { DatagramTurns } from './turns/datagram-turns.ts'
import type { UdpSocket } from './udp-socket.ts'

export class Port implements Listener {
  readonly options: PortOptions
  readonly #context: PortContext
  readonly #served: readonly ServedDialect[]
  readonly #dialects: readonly Dialect[]
  readonly #serverOf: ReadonlyMap<Dialect, DialectServer>
  readonly #connections: Connections
  readonly #datagrams: DatagramTurns
  readonly #drops: OwnCounter
  #udp: UdpSocket | undefined
  #tcp: Server | undefined
  #state: ListenerStatus['state'] = 'stopped'
  #message: string | undefined
  #nextTryMs: number | undefined
  #cancelRetry: (() => void) | undefined
  readonly #kernel = new KernelDrops()
  #kernelDrops: number | undefined
  readonly #unclaimedError: DecodeErrorFields
  readonly #unclaimedDetail: string
  readonly #point: TapPoint
  readonly #takers = new TapTakers((give) => this.#openTap(give))
  #datagramsDropped = 0

  constructor(options: PortOptions, served: readonly ServedDialect[], context: PortContext) {
    this.options = options
    this.#point = context.tapPoint ?? new TapPoint()
    this.#context = { ...context, tapPoint: this.#point }
    this.#served = served
    this.#dialects = served.map(({ dialect }) => dialect)
    this.#serverOf = new Map(served.map(({ dialect, server }) => [dialect, server]))
    this.#connections = new Connections(options, served, this.#context, (bytes, peer) => {
      this.#unclaimed(bytes, peer)
    })
    this.#unclaimedError = { dialect: options.name, code: UNCLAIMED, offset: 0, resync: false }
    const titles = this.#dialects.map(({ title }) => title).join(', ')
    this.#unclaimedDetail = `of no dialect that listens here (${titles})`
    this.#datagrams = new DatagramTurns(context.clock, {
      take: (bytes, address, port, budget) => this.#datagram(bytes, address, port, budget),
      hold: () => this.#udp?.hold(),
      release: () => this.#udp?.release(),
      drop: (reason) => {
        const labels = { listener: options.name, reason }
        context.metrics.counter('pentameter.udp.dropped', labels).add()
        this.#datagramsDropped++
      },
    })
    this.#drops = context.metrics.counter('pentameter.udp.kernel.drops', { listener: options.name })
  }

  /** The bound port; the wished one while it is not bound. */
  get port(): number {
    const address = this.#tcp?.address()
    if (typeof address === 'object' && address !== null) return address.port
    return this.#udp?.port ?? this.options.port
  }

  get isListening(): boolean {
    return this.#state === 'listening'
  }

  get refusedConnections(): number {
    return this.#connections.refused
  }

  /** Tries to bind; on failure says so and tries again later. */
  async start(): Promise<void> {
    this.#nextTryMs = undefined
    try {
      await this.#bind()
      this.#state = 'listening'
      this.#message = undefined
    } catch (error) {
      this.#close()
      this.#fail(error as NodeJS.ErrnoException)
    }
  }

  async #bind(): Promise<void> {
    const { host, transports, receiveBufferBytes, isShared = false } = this.options
    if (transports.includes('tcp')) this.#tcp = await this.#listenTcp()
    if (!transports.includes('udp')) return
    const bind = await chooseBind(this.options.udpReceive ?? 'dgram', this.#context.log)
    const datagrams = this.#datagrams
    this.#udp = await bind(
      { host, port: this.port, bufferBytes: receiveBufferBytes, isShared },
      {
        place: this.#place,
        turns: datagrams,
        onMessage: (bytes, address, port) => datagrams.receive(bytes, address, port),
        onError: (error) => {
          this.#context.log('warn', 'udp socket reported an error', { error: error.message })
        },
      },
    )
    if (!isShared) reportBuffer(this.options, this.#udp.bufferGranted, this.#context)
  }

  /** Place for datagrams of the first dialect, which is asked first for single ones, too. */
  get #place(): DatagramPlace | undefined {
    const [first] = this.#served
    const place = first?.server.datagrams
    return place && this.#point.place(first!.dialect.name, place)
  }

  #listenTcp(): Promise<Server> {
    const { host, port, isShared = false } = this.options
    const server = createServer(
      { noDelay: true, keepAlive: true, allowHalfOpen: true },
      (socket) => {
        this.#connections.accept(socket)
      },
    )
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host, reusePort: isShared, backlog: ACCEPT_BACKLOG }, () => {
        server.removeListener('error', reject)
        server.on('error', (error: NodeJS.ErrnoException) => {
          const labels = { listener: this.options.name, reason: error.code ?? 'unknown' }
          this.#context.metrics.counter('pentameter.accepts.failed', labels).add()
          this.#context.log('warn', 'accepting a connection did not work', { error: error.message })
        })
        resolve(server)
      })
    })
  }

  #fail(error: NodeJS.ErrnoException): void {
    const reason = bindProblem(error)
    this.#state = 'failed'
    this.#message = reason
    this.#nextTryMs = this.#context.clock.wallMs() + RETRY_MS
    this.#context.log('error', `listener ${this.options.name} did not start: ${reason}`, {
      host: this.options.host,
      port: this.options.port,
      retryS: RETRY_MS / 1000,
    })
    this.#cancelRetry = this.#context.clock.after(RETRY_MS, () => void this.start())
  }

  /** Takes a datagram; one dialect alone on a port still has to recognise it. */
  #datagram(bytes: Uint8Array, address: string, port: number, budget: Budget): Rest | undefined {
    const dialect = chooseDialect(this.#dialects, bytes, true)
    const peer = { transport: 'udp', address, port } as const
    if (dialect === null || dialect === undefined) {
      this.#unclaimed(bytes, peer)
      return undefined
    }
    const rest = this.#serverOf.get(dialect)!.datagram?.(bytes, peer, budget)
    // behind its errors, as reads are
    this.#point.tap?.datagram(dialect.name, bytes, address, port)
    return rest
  }

  #unclaimed(first: Uint8Array, peer: Peer): void {
    const { errors, metrics } = this.#context
    const labels = { listener: this.options.name, transport: peer.transport }
    metrics.counter('pentameter.unclaimed', labels).add()
    errors.decodeError(this.#unclaimedError, first, peer, this.#unclaimedDetail)
    this.#point.tap?.error(this.#unclaimedError, first, peer, this.#unclaimedDetail)
  }

  tap(take: TakeTapped): () => void {
    return this.#takers.add(take)
  }

  /** Gives what a tap in another thread has room for: so many batches. */
  creditTap(batches: number): void {
    const { tap } = this.#point
    if (tap !== undefined) tap.credit = batches
  }

  #openTap(give: TakeTapped): () => void {
    const tap = new Tap(this.#context.clock, give)
    this.#point.tap = tap
    this.#connections.show(tap)
    return () => {
      this.#point.tap = undefined
      tap.close()
    }
  }

  /** Reads the kernel's drop count; called about once a second. */
  async readDrops(): Promise<void> {
    if (this.#udp === undefined) return
    this.#kernelDrops = await this.#kernel.read(this.#udp.port)
    if (this.#kernelDrops !== undefined) this.#drops.raiseTo(this.#kernelDrops)
  }

  status(): ListenerStatus {
    const { name, host, transports, receiveBufferBytes } = this.options
    const status = {
      name,
      host,
      port: this.port,
      transports,
      dialects: this.#served.map(({ dialect }) => dialect.name),
      state: this.#state,
      connections: this.#connections.size,
    }
    return {
      ...status,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      ...(this.#nextTryMs === undefined ? {} : { nextTryMs: this.#nextTryMs }),
      ...(this.#udp === undefined
        ? {}
        : {
            bufferAsked: receiveBufferBytes,
            bufferGranted: this.#udp.bufferGranted,
            udpReceive: this.#udp.receive,
            kernelDrops: this.#kernelDrops ?? null,
            datagramsDropped: this.#datagramsDropped,
          }),
    }
  }

  async stop(): Promise<void> {
    this.#cancelRetry?.()
    this.#close()
    this.#datagrams.stop()
    this.#connections.stop()
    this.#point.tap?.close()
    this.#state = 'stopped'
  }

  #close(): void {
    this.#udp?.close()
    this.#tcp?.close()
    this.#udp = undefined
    this.#tcp = undefined
  }
}
