/** The sending side: lines over one connection, for a program and for what the hub closes. */
import { connect, type Socket } from 'node:net'
import type { ChosenPeer, ClientContext, Emitter, Target } from '../../src/dialects/endpoints.ts'
import { checkOptions, type GivenOptions } from '../../src/dialects/options.ts'
import type { Cell, Identity } from '../../src/model/index.ts'
import { Backoff } from '../../src/time/backoff.ts'
import type { Clock } from '../../src/time/clock.ts'
import { LinkState } from '../../src/time/link-state.ts'
import { backgroundClock } from '../../src/time/system-clock.ts'
import type { Task } from '../../src/time/task.ts'
import { lineOf, type Message } from './codec.ts'
import { messageOf } from './map.ts'
import { CLIENT_OPTIONS } from './options.ts'

/** Bytes that wait for a slow receiver; above it lines are dropped and counted. */
const WAITING_BYTES_LIMIT = 1_048_576

/** Address of the server and pauses; `CLIENT_OPTIONS` has defaults and limits. */
export interface SemaphoreClientOptions extends GivenOptions<typeof CLIENT_OPTIONS> {
  readonly clock?: Pick<Clock, 'after'>
  readonly onConnect?: () => void
  /** A failure of the connection, which is tried again, after so many ms. */
  readonly onError?: (error: Error, retryMs: number) => void
}

/** Lines by what became of them. */
export interface SemaphoreClientCounts {
  /** Handed over to the network. */
  sent: number
  /** Found no connection, or one that was too slow. */
  dropped: number
}

/**
 * Sends the changes of a signal box.
 *
 * @example
 * import { SemaphoreClient } from 'pentameter/semaphore'
 *
 * const client = new SemaphoreClient({ host: '127.0.0.1', port: 8125 })
 * await client.start()
 * client.send({ kind: 'c', name: 'levers.pulled', value: 3 })
 * await client.close()
 */
export class SemaphoreClient {
  readonly counts: SemaphoreClientCounts = { sent: 0, dropped: 0 }
  readonly #connect: () => Socket
  readonly #clock: Pick<Clock, 'after'>
  readonly #backoff: Backoff
  readonly #onConnect: () => void
  readonly #onError: (error: Error, retryMs: number) => void
  #socket: Socket | undefined
  #cancelRetry: () => void = () => {}
  #isClosed = false

  /** @throws {RangeError} for an option that cannot be used */
  constructor(options: SemaphoreClientOptions = {}) {
    const { clock = backgroundClock, onConnect = () => {}, onError = () => {} } = options
    const { host, port, ...pauses } = checkOptions(CLIENT_OPTIONS, options)
    this.#connect = () => connect({ host, port })
    this.#clock = clock
    this.#backoff = new Backoff(pauses, Math.random)
    this.#onConnect = onConnect
    this.#onError = onError
  }

  /** Begins to connect; does not wait for the server, which is tried until it is there. */
  async start(): Promise<void> {
    if (this.#socket === undefined && !this.#isClosed) this.#open()
  }

  #open(): void {
    const socket = this.#connect()
    this.#socket = socket
    socket.once('connect', () => {
      this.#backoff.reset()
      this.#onConnect()
    })
    let failure = new Error('the server has closed the connection')
    socket.on('error', (error) => {
      failure = error
    })
    socket.once('close', () => {
      if (this.#isClosed) return
      const retryMs = this.#backoff.nextMs()
      this.#cancelRetry = this.#clock.after(retryMs, () => this.#open())
      this.#onError(failure, retryMs)
    })
    // a server never answers; reading notices that it has gone
    socket.resume()
  }

  /**
   * Sends one line.
   * @throws {EncodeError}
   */
  send(message: Message): void {
    const line = lineOf(message)
    const socket = this.#socket
    if (socket?.writable && socket.writableLength <= WAITING_BYTES_LIMIT) {
      socket.write(line)
      this.counts.sent++
    } else {
      this.counts.dropped++
    }
  }

  /** Sends what waits in the connection, and closes it. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    const socket = this.#socket
    if (socket === undefined || socket.connecting || socket.destroyed) socket?.destroy()
    else await new Promise<void>((resolve) => socket.end(() => resolve()))
  }
}

export function connectEmitter(target: Target, context: ClientContext): Emitter {
  return new SemaphoreEmitter(target, context)
}

class SemaphoreEmitter implements Emitter {
  readonly #client: SemaphoreClient
  readonly #target: Target
  readonly #link: LinkState
  readonly #context: ClientContext
  readonly #prefix: string
  /** Lines already reported. */
  #dropped = 0

  constructor(target: Target, context: ClientContext) {
    const { host, port } = target
    this.#target = target
    this.#link = new LinkState(context.clock)
    const { prefix = '' } = context.options.emit as { readonly prefix?: string }
    this.#prefix = prefix
    this.#context = context
    this.#client = new SemaphoreClient({
      ...{ host, port, clock: context.clock },
      onConnect: () => this.#link.connected(),
      onError: (error, retryMs) => {
        context.reports.log('warn', 'relay link failed, trying again', { error: error.message })
        this.#link.failed(error.message, retryMs)
      },
    })
    void this.#client.start()
  }

  send(identity: Identity, cell: Cell): void {
    const { reports } = this.#context
    const message = messageOf(identity, cell, this.#prefix)
    try {
      if (message === undefined) reports.count('emit', 'kind_not_said')
      else this.#client.send(message)
    } catch (error) {
      reports.count('emit', (error as { code?: string }).code ?? 'failed')
    }
  }

  status(): ChosenPeer {
    const { transport, host: address, port } = this.#target
    const link = this.#link.status
    const facts = { ...this.#client.counts }
    return { peer: { transport, address, port }, sinceMs: link.sinceMs, facts, link }
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *flush(): Task {
    this.#report()
  }

  #report(): void {
    const { dropped } = this.#client.counts
    if (dropped > this.#dropped) {
      this.#context.reports.count('emit', 'dropped', dropped - this.#dropped)
    }
    this.#dropped = dropped
  }

  async close(): Promise<void> {
    await this.#client.close()
    this.#report()
  }
}
