/**
 * A port as all ingest threads bind it together. Sockets that share a port do so with any other
 * program that wants to: so the hub first binds it for a moment alone, and a second hub on the same
 * port fails as it should.
 */
import { createServer } from 'node:net'
import type { PeerConnection } from '../../dialects/endpoints.ts'
import { KernelDrops } from '../listen/kernel-drops.ts'
import { bindProblem, type Listener, RETRY_MS, reportBuffer } from '../listen/listener.ts'
import type { PortContext, PortOptions } from '../listen/port-options.ts'
import type { TakeTapped } from '../listen/tap/tap.ts'
import { TapTakers } from '../listen/tap/tap-point.ts'
import { bindUdp } from '../listen/udp-socket.ts'
import type { OwnCounter } from '../status/self-metrics.ts'
import type { ListenerStatus } from '../status/status.ts'
import { type IngestThreads, udpReceiveOf } from './ingest-threads.ts'
import { inTurn } from './start-turn.ts'

export class ThreadedPort implements Listener {
  readonly options: PortOptions
  readonly #context: PortContext
  readonly #threads: IngestThreads
  readonly #onUnable: (reason: string) => Promise<void>
  /** Index among the ports of the threads. */
  readonly #index: number
  readonly #dialects: readonly string[]
  readonly #drops: OwnCounter
  readonly #kernel = new KernelDrops()
  #kernelDrops: number | undefined
  readonly #takers: TapTakers
  #problem: string | undefined
  #nextTryMs: number | undefined
  #cancelRetry: (() => void) | undefined
  #isStopped = false

  /** @param onUnable takes the port over where no thread starts */
  constructor(
    options: PortOptions,
    index: number,
    dialects: readonly string[],
    threads: IngestThreads,
    context: PortContext,
    onUnable: (reason: string) => Promise<void>,
  ) {
    this.#onUnable = onUnable
    this.options = options
    this.#index = index
    this.#dialects = dialects
    this.#threads = threads
    this.#context = context
    this.#drops = context.metrics.counter('pentameter.udp.kernel.drops', { listener: options.name })
    this.#takers = new TapTakers((give) => threads.tap(options.name, give))
  }

  tap(take: TakeTapped): () => void {
    return this.#takers.add(take)
  }

  get port(): number {
    return this.#listeners()[0]?.port ?? this.options.port
  }

  /** Lists the sockets of every thread that runs. */
  #listeners(): ListenerStatus[] {
    return this.#threads.listeners(this.options.name)
  }

  get isListening(): boolean {
    return this.#listeners().some(({ state }) => state === 'listening')
  }

  get refusedConnections(): number {
    return this.#threads.counts.connectionsRefused(this.#index)
  }

  async start(): Promise<void> {
    const { name, port } = this.options
    this.#nextTryMs = undefined
    await (port === 0 ? this.#threads.start(name, port) : inTurn(port, () => this.#bind()))
    const { failure } = this.#threads
    if (failure !== undefined && !this.#isStopped) {
      await this.#onUnable(failure)
      return
    }
    const granted = this.#bufferGranted()
    if (granted !== undefined) reportBuffer(this.options, granted, this.#context)
  }

  async #bind(): Promise<void> {
    try {
      await bindAlone(this.options)
    } catch (error) {
      this.#fail(bindProblem(error as NodeJS.ErrnoException))
      return
    }
    this.#problem = undefined
    const { name, port } = this.options
    if (!this.#isStopped) await this.#threads.start(name, port)
  }

  #fail(problem: string): void {
    const { name, host, port } = this.options
    this.#problem = problem
    this.#nextTryMs = this.#context.clock.wallMs() + RETRY_MS
    this.#context.log('error', `listener ${name} did not start: ${problem}`, {
      host,
      port,
      retryS: RETRY_MS / 1000,
    })
    this.#cancelRetry = this.#context.clock.after(RETRY_MS, () => void this.start())
  }

  /** Gives the buffer of the socket with the smallest one. */
  #bufferGranted(): number | undefined {
    const all = this.#listeners().flatMap(({ bufferGranted }) => bufferGranted ?? [])
    return all.length === 0 ? undefined : Math.min(...all)
  }

  async readDrops(): Promise<void> {
    if (!this.isListening || !this.options.transports.includes('udp')) return
    this.#kernelDrops = await this.#kernel.read(this.port)
    if (this.#kernelDrops !== undefined) this.#drops.raiseTo(this.#kernelDrops)
  }

  status(): ListenerStatus {
    const { name, host, transports, receiveBufferBytes } = this.options
    const failed = this.#listeners().find(({ state }) => state === 'failed')
    const message = this.#problem ?? failed?.message
    const nextTryMs = this.#nextTryMs ?? failed?.nextTryMs
    const bufferGranted = this.#bufferGranted()
    return {
      name,
      host,
      port: this.port,
      transports,
      dialects: this.#dialects,
      state: this.#state(),
      connections: this.#threads.counts.connections(this.#index),
      ...(message === undefined ? {} : { message }),
      ...(nextTryMs === undefined ? {} : { nextTryMs }),
      ...(bufferGranted === undefined
        ? {}
        : {
            bufferAsked: receiveBufferBytes,
            bufferGranted,
            ...udpReceiveOf(this.#listeners()),
            kernelDrops: this.#kernelDrops ?? null,
            datagramsDropped: this.#listeners().reduce(
              (sum, { datagramsDropped = 0 }) => sum + datagramsDropped,
              0,
            ),
          }),
    }
  }

  #state(): ListenerStatus['state'] {
    if (this.#isStopped) return 'stopped'
    if (this.isListening) return 'listening'
    return 'failed'
  }

  /** Stops: the threads take what has come, close their connections, and end. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelRetry?.()
    await this.#threads.stop()
  }
}

/** Server as the status sees it, of a dialect whose servers run in the ingest threads. */
export class ThreadedServer {
  readonly #threads: IngestThreads
  readonly #dialect: number

  /** @param dialect its index among those of the threads */
  constructor(threads: IngestThreads, dialect: number) {
    this.#threads = threads
    this.#dialect = dialect
  }

  get measurements(): number {
    return this.#threads.counts.measurements(this.#dialect)
  }

  takeActive(): Set<string> {
    return this.#threads.takeActive(this.#dialect)
  }

  /** Lists those opened last; as of about a second ago. */
  connections(): readonly PeerConnection[] {
    return this.#threads.connections(this.#dialect).told
  }

  get connectionCount(): number {
    return this.#threads.connections(this.#dialect).count
  }

  /** Stops nothing: the servers stop with their threads. */
  async stop(): Promise<void> {}
}

/**
 * Binds a port with sockets that share it with none, and closes them.
 * @throws the socket's error where that does not work
 */
async function bindAlone({ host, port, transports }: PortOptions): Promise<void> {
  if (transports.includes('tcp')) {
    await new Promise<void>((resolve, reject) => {
      const server = createServer().once('error', reject)
      server.listen(port, host, () => server.close(() => resolve()))
    })
  }
  if (!transports.includes('udp')) return
  const options = { host, port, bufferBytes: 0, isShared: false }
  const socket = await bindUdp(options, { onMessage() {}, onError() {} })
  socket.close()
}
