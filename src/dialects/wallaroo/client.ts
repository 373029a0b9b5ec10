/**
 * The sending side (§2, §4.6): one connection per worker process, which comes back for ever.
 * Connect and the joins so far are the first bytes of every connection; nothing is sent twice.
 * While there is no connection windows are dropped and counted, but for the newest of an optional
 * buffer; while the hub reads too slowly whole frames are, so that the stream stays sound.
 */
import { connect, type Socket } from 'node:net'
import { Backoff } from '../../time/backoff.ts'
import { backgroundClock } from '../../time/system-clock.ts'
import { checkOptions, type GivenOptions, type ValuesOf } from '../options.ts'
import { FrameBuffer } from './client/frame-buffer.ts'
import { encodeConnect, encodeJoin, encodeMetrics, type Metrics } from './codec/encode.ts'
import { LINK_OPTIONS, REPORT_DEFAULTS } from './options.ts'
import {
  checkWindowOptions,
  Reporter,
  type ReporterClock,
  type WindowOptions,
} from './reporter/reporter.ts'

/** Worker whose windows are sent, where to, and how windows are made. */
export interface WallarooClientOptions extends GivenOptions<typeof LINK_OPTIONS>, WindowOptions {
  /** Joined by every connection; a client without one joins those that `join` is told. */
  readonly application?: string
  readonly worker?: string
  readonly clock?: ReporterClock
  readonly onConnect?: () => void
  /** A failure of the connection, which tries again by itself, after so many ms. */
  readonly onError?: (error: Error, retryMs: number) => void
}

/** Options of what frames look like. */
type FrameForm = Pick<WindowOptions, 'profile' | 'arraySizes'>

/** Frames by what became of them, and connections. */
export interface WallarooClientCounts {
  /** Handed over to a connection; what it holds when it breaks is lost. */
  sent: number
  /** Windows made while there was no connection, and not or no longer in the buffer. */
  droppedOffline: number
  /** Windows that did not fit into `maxPendingBytes`. */
  droppedSlow: number
  connects: number
}

/** Time that `close` waits for bytes to leave, ms. */
const CLOSE_WAIT_MS = 1000

/**
 * Client that sends windows of one worker. Does not keep the process running; `close` before the
 * end, or the last window is lost. What is recorded before `start` waits as if the hub were away.
 *
 * @example
 * import { ComputationStage, WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w1', bufferWindows: 100 })
 * await client.start()
 * const check = new ComputationStage(client.reporter(), 'Orders', 'Check Limit', 1)
 * check.computed(48_000) // nanoseconds
 * await client.close()
 */
export class WallarooClient {
  readonly counts: WallarooClientCounts = {
    sent: 0,
    droppedOffline: 0,
    droppedSlow: 0,
    connects: 0,
  }
  readonly #options: WallarooClientOptions & ValuesOf<typeof LINK_OPTIONS>
  readonly #clock: ReporterClock
  readonly #backoff: Backoff
  readonly #buffer: FrameBuffer
  readonly #reporters: Reporter[] = []
  /** Connect and the joins: what every connection begins with. */
  readonly #opening: Uint8Array[] = [encodeConnect()]
  #socket: Socket | undefined
  #isConnected = false
  #isClosed = false
  #cancelRetry: (() => void) | undefined

  /**
   * @throws {RangeError} for an option that cannot be used
   * @throws {EncodeError} for a name that is too long
   */
  constructor(options: WallarooClientOptions) {
    checkWindowOptions(options)
    this.#options = { ...options, ...checkOptions(LINK_OPTIONS, options) }
    const { application, worker, bufferWindows, maxPendingBytes } = this.#options
    if ((application === undefined) !== (worker === undefined)) {
      throw new RangeError('an application has a worker, and a worker an application')
    }
    this.#clock = options.clock ?? PLATFORM_CLOCK
    if (application !== undefined) this.#opening.push(encodeJoin(application, worker!))
    this.#buffer = new FrameBuffer(bufferWindows, maxPendingBytes)
    this.#backoff = new Backoff(this.#options, Math.random)
  }

  /** Begins to connect; does not wait for the hub, which is tried until it is there. */
  async start(): Promise<void> {
    if (this.#socket === undefined && !this.#isClosed) this.#connect()
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** Bytes handed over to the connection that have not left yet. */
  get pendingBytes(): number {
    return this.#isConnected ? this.#socket!.writableLength : 0
  }

  /**
   * Makes a reporter whose windows this client sends; it is closed with the client.
   * @throws {RangeError} where the client has no application and worker
   */
  reporter(options: WindowOptions = {}): Reporter {
    const { application, worker } = this.#options
    if (application === undefined || worker === undefined) {
      throw new RangeError('a reporter needs the application and the worker of its client')
    }
    const { profile, arraySizes, binning, windowRule, periodMs, idleFlush } = this.#options
    const own = { profile, arraySizes, binning, windowRule, periodMs, idleFlush, ...options }
    const reporter = new Reporter({
      ...own,
      application,
      worker,
      clock: this.#clock,
      send: (batch) => this.send(batch, own),
    })
    this.#reporters.push(reporter)
    return reporter
  }

  /** Announces another application on this connection and every one to come. */
  join(application: string, worker: string): void {
    const frame = encodeJoin(application, worker)
    this.#opening.push(frame)
    if (this.#isConnected) this.#socket!.write(frame)
  }

  /**
   * Sends windows, all in one write.
   * @param form of their frames; that of the client unless given
   * @throws {EncodeError} for a name that is too long or a number out of its range: nothing is sent
   */
  send(batch: readonly Metrics[], form: FrameForm = this.#options): void {
    const { profile = REPORT_DEFAULTS.profile, arraySizes = REPORT_DEFAULTS.arraySizes } = form
    const frames = batch.map((window) => encodeMetrics(window, profile, arraySizes))
    if (this.#isConnected) this.#write(frames)
    else if (this.#isClosed) this.counts.droppedOffline += frames.length
    else this.counts.droppedOffline += this.#buffer.push(frames)
  }

  /** Writes as many whole frames as may wait; the others are dropped, never a part of one. */
  #write(frames: readonly Uint8Array[]): void {
    const socket = this.#socket!
    let room = this.#options.maxPendingBytes - socket.writableLength
    const fitting: Uint8Array[] = []
    for (const frame of frames) {
      if (frame.length > room) {
        this.counts.droppedSlow++
      } else {
        room -= frame.length
        fitting.push(frame)
      }
    }
    this.counts.sent += fitting.length
    if (fitting.length > 0) socket.write(Buffer.concat(fitting))
  }

  #connect(): void {
    const { host, port, onConnect, onError } = this.#options
    const socket = connect({ host, port, noDelay: true })
    this.#socket = socket
    socket.unref()
    socket.on('connect', () => {
      this.#isConnected = true
      this.counts.connects++
      this.#backoff.reset()
      socket.write(Buffer.concat(this.#opening))
      this.#write(this.#buffer.takeAll())
      onConnect?.()
    })
    let failure: Error | undefined
    socket.on('error', (error) => {
      failure = error
    })
    socket.on('close', () => {
      this.#isConnected = false
      if (this.#isClosed) return
      const retryMs = this.#backoff.nextMs()
      this.#cancelRetry = this.#clock.after(retryMs, () => this.#connect())
      onError?.(failure ?? new Error('the hub has closed the connection'), retryMs)
    })
    // a hub never answers; reading notices that it has gone
    socket.resume()
  }

  /** Closes every reporter, waits at most a second for what they sent, and disconnects. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    for (const reporter of this.#reporters) reporter.close()
    this.#isClosed = true
    this.#cancelRetry?.()
    const socket = this.#socket
    if (socket !== undefined) await this.#finish(socket)
    this.counts.droppedOffline += this.#buffer.takeAll().length
    socket?.destroy()
  }

  async #finish(socket: Socket): Promise<void> {
    // a program that waits for this may have nothing else that keeps it running
    socket.ref()
    // a short run ends before its first connection stands: what is buffered still gets its chance
    if (socket.connecting && !this.#buffer.isEmpty) {
      await this.#within((done) => socket.once('connect', done).once('close', done))
    }
    if (this.#isConnected && !socket.closed) {
      await this.#within((done) => socket.once('close', done).end(done))
    }
  }

  /** Resolves when it is done, or after a second. */
  #within(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(CLOSE_WAIT_MS, resolve)
      begin(() => {
        cancel()
        resolve()
      })
    })
  }
}

const PLATFORM_CLOCK: ReporterClock = {
  wallMs: backgroundClock.wallMs,
  wallNs: () => BigInt(Date.now()) * 1_000_000n,
  after: backgroundClock.after,
}
