/**
 * A filter in a thread of its own, so that one that never returns can be ended: a watchdog looks
 * at the filter's turn (statistics.ts), and where one lasts longer than `callTimeoutMs`,
 * terminates the thread. The zone notices the end by itself and folds the segment; the next
 * request starts another thread, at most ten in a second, and later and later where calls take too
 * long again and again.
 */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../../time/clock.ts'
import { systemClock } from '../../../../time/system-clock.ts'
import { StartLimit, TimeoutPauses } from '../instance/rate-limits.ts'
import type { MetricSpaceSource } from '../metric-space.ts'
import { type FilterModule, FilterRefusedError } from '../module/module.ts'
import { CALL_TIMEOUT_MS, type FilterLogLine, type FilterOptions } from '../options.ts'
import { SharedData } from '../shared/shared-data.ts'
import { addStatistics, FilterCounts, type FilterStatistics } from '../statistics.ts'
import type { FilterOutcome, FilterRequest } from '../stream/exchange.ts'
import { FilterStream } from '../stream/stream.ts'
import type { FromThread, ThreadStart, ToThread } from './thread-entry.ts'

export interface FilterThreadParts {
  /** Space, asked for again for every thread that is started: ports and buffers go with one. */
  readonly space: MetricSpaceSource | (() => MetricSpaceSource)
  /** Longest call into the filter; 1,000. */
  readonly callTimeoutMs?: number
  /** Requests that may wait for the filter; more are answered 500. 1,024. */
  readonly waitingLimit?: number
  /** Values and queues of another thread of this filter (`sharedData`), to have in common. */
  readonly sharedData?: SharedArrayBuffer | undefined
  readonly onLog?: (line: FilterLogLine) => void
  /** Called when the filter has to wait for its next start, because its calls take too long. */
  readonly onPause?: (pauseMs: number) => void
  /**
   * Called each time that the filter has failed as a whole: a call took too long, its thread ended,
   * or it did not start again.
   */
  readonly onFailure?: (reason: string) => void
  readonly clock?: Clock
}

const WAITING_LIMIT = 1_024
/** Number of looks in a timeout's time: a call is ended at most a quarter late. */
const LOOKS = 4
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './thread-entry.ts' : './thread-entry.js',
  import.meta.url,
)

/** A thread that runs, or is starting. */
interface Running {
  readonly worker: Worker
  /** Promise that settles when the filter is started, or refused. */
  readonly started: Promise<void>
  readonly exited: Promise<void>
}

interface Waiting {
  readonly request: FilterRequest
  readonly settle: (outcome: FilterOutcome) => void
}

/**
 * A filter in a thread of its own, which is ended when a call takes too long.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { FilterModule, FilterThread, zoneSpaceSource } from 'pentameter/proxywasm'
 * import { Zone } from 'pentameter/shm'
 *
 * const module = await FilterModule.compile(await readFile('filter.wasm'))
 * const space = zoneSpaceSource({ shared: Zone.create({ backing: 'wasm' }).shared })
 * const filter = await FilterThread.start(module, { name: 'example' }, { space })
 * await filter.request({ headers: [[':path', '/']] })
 * await filter.close()
 */
export class FilterThread {
  readonly module: FilterModule
  readonly options: FilterOptions
  readonly #parts: FilterThreadParts
  readonly #clock: Clock
  /** Counts written by the filter's thread. */
  readonly #counts: FilterCounts
  /** Counts written here: what no thread of the filter saw. */
  readonly #sharedData: SharedData | undefined
  readonly #ownCounts = new FilterCounts([])
  readonly #starts: StartLimit
  readonly #pauses: TimeoutPauses
  readonly #waiting = new Map<number, Waiting>()
  /** Requests ever made. */
  #requests = 0
  /** Requests without an outcome yet. */
  #pending = 0
  #running: Running | undefined
  #segment: number | undefined
  #turn = 0
  #turnSinceNs = 0n
  #isClosed = false
  /** Reason for the last failure as a whole; undefined while it runs. */
  #failure: string | undefined

  private constructor(module: FilterModule, options: FilterOptions, parts: FilterThreadParts) {
    this.module = module
    this.options = options
    this.#parts = parts
    this.#clock = parts.clock ?? systemClock
    this.#counts = new FilterCounts(module.unknownImports)
    this.#starts = new StartLimit(this.#clock)
    if (module.isSharing) this.#sharedData = new SharedData(parts.sharedData)
    this.#pauses = new TimeoutPauses(this.#clock)
  }

  /** @throws {FilterRefusedError} when the filter does not start, or not in time */
  static async start(
    module: FilterModule,
    options: FilterOptions,
    parts: FilterThreadParts,
  ): Promise<FilterThread> {
    const thread = new FilterThread(module, options, parts)
    await thread.#start()
    return thread
  }

  /** Sends one request through the filter. Never rejects. */
  async request(request: FilterRequest = {}): Promise<FilterOutcome> {
    const id = this.#requests++
    this.#pending++
    try {
      return await this.#send(id, request)
    } finally {
      this.#pending--
    }
  }

  /** Reads the statistics at any moment, also while the filter loops. */
  statistics(): FilterStatistics {
    return addStatistics(this.#counts.read(), this.#ownCounts.read())
  }

  /** Number of the segment that its thread writes; undefined while there is none. */
  get segment(): number | undefined {
    return this.#running === undefined ? undefined : this.#segment
  }

  /** Memory of the filter's values and queues; undefined for a module that has none. */
  get sharedData(): SharedArrayBuffer | undefined {
    return this.#sharedData?.shared
  }

  /** Ends filter and thread; what was recorded stays. Requests that wait are answered 500. */
  async close(): Promise<void> {
    this.#isClosed = true
    const running = this.#running
    if (running === undefined) return
    this.#tell(running, { kind: 'close' })
    await running.exited
  }

  async #send(id: number, request: FilterRequest): Promise<FilterOutcome> {
    const reason = await this.#ready()
    const running = this.#running
    if (reason !== undefined || running === undefined) {
      this.#ownCounts.add('requests')
      return this.#failed(request, reason ?? 'filter ended')
    }
    return new Promise((settle) => {
      this.#waiting.set(id, { request, settle })
      this.#tell(running, { kind: 'request', id, request })
    })
  }

  /** Says why no request can be sent. */
  async #ready(): Promise<string | undefined> {
    if (this.#isClosed) return 'filter is closed'
    if (this.#pending > (this.#parts.waitingLimit ?? WAITING_LIMIT)) {
      return 'too many requests wait for the filter'
    }
    const running = this.#running
    try {
      await (running?.started ?? this.#start())
      return undefined
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      // of those that wait for one start the first tells
      if (running === undefined && this.pauseMs === 0) this.#fail(`it did not start: ${reason}`)
      return reason
    }
  }

  /** Reason why it stands still since it was started last; undefined while it runs. */
  get failure(): string | undefined {
    return this.#failure
  }

  #fail(reason: string): void {
    this.#failure = reason
    this.#parts.onFailure?.(reason)
  }

  /** Time until it may be started again, ms; 0 unless its calls take too long all the time. */
  get pauseMs(): number {
    return this.#pauses.restMs
  }

  async #start(): Promise<void> {
    const { pauseMs } = this
    if (pauseMs > 0) {
      this.#ownCounts.add('startsRefused')
      const detail = `filter waits ${pauseMs} ms for its next start: its calls took too long`
      throw new FilterRefusedError('start_failed', detail)
    }
    if (!this.#starts.take()) {
      this.#ownCounts.add('startsRefused')
      throw new FilterRefusedError('start_failed', 'filter was started too often within a second')
    }
    const source = typeof this.#parts.space === 'function' ? this.#parts.space() : this.#parts.space
    const start: ThreadStart = {
      module: this.module.parts,
      options: this.options,
      space: { module: source.module, data: source.data },
      counts: this.#counts.shared,
      callTimeoutMs: this.#parts.callTimeoutMs ?? CALL_TIMEOUT_MS,
      sharedData: this.sharedData,
    }
    const transferList = [...(source.transfer ?? [])]
    const worker = new Worker(ENTRY, { workerData: start, transferList })
    const running = this.#watch(worker)
    this.#running = running
    await running.started
  }

  #watch(worker: Worker): Running {
    const started = Promise.withResolvers<void>()
    const exited = Promise.withResolvers<void>()
    // What waits for the start hears of it; without such a caller it is no unhandled rejection.
    started.promise.catch(() => {})
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'started') {
        this.#segment = message.segment
        hasStarted = true
        this.#failure = undefined
        started.resolve()
      } else if (message.kind === 'refused') {
        started.reject(new FilterRefusedError(message.refusal, message.message))
      } else this.#hear(message)
    })
    const thread = worker.threadId
    let hasStarted = false
    let reason = 'filter’s thread ended'
    worker.on('error', (error: Error) => {
      reason = `filter’s thread ended: ${error.message}`
    })
    const stopLooking = this.#look(worker, (text) => {
      reason = text
    })
    worker.on('exit', () => {
      stopLooking()
      this.#sharedData?.releaseOf(thread)
      if (this.#running?.worker === worker) this.#running = undefined
      this.#settle(reason)
      if (hasStarted && !this.#isClosed) this.#fail(reason)
      started.reject(new FilterRefusedError('start_failed', reason))
      exited.resolve()
    })
    return { worker, started: started.promise, exited: exited.promise }
  }

  #hear(message: FromThread): void {
    if (message.kind === 'log') this.#parts.onLog?.(message.line)
    if (message.kind !== 'outcome') return
    this.#waiting.get(message.id)?.settle(message.outcome)
    this.#waiting.delete(message.id)
  }

  /** Watches the turn; an odd one that stays is a call that does not return. */
  #look(worker: Worker, onTimeout: (reason: string) => void): () => void {
    const timeoutMs = this.#parts.callTimeoutMs ?? CALL_TIMEOUT_MS
    const limitNs = BigInt(timeoutMs) * 1_000_000n
    this.#turn = -1
    const startedNs = this.#clock.monotonicNs()
    const look = (): void => {
      const turn = this.#counts.get('turn')
      const nowNs = this.#clock.monotonicNs()
      if (turn !== this.#turn) {
        this.#turn = turn
        this.#turnSinceNs = nowNs
      } else if (turn % 2 === 1 && nowNs - this.#turnSinceNs >= limitNs) {
        this.#ownCounts.add('callTimeouts')
        const pauseMs = this.#pauses.timedOut(startedNs)
        if (pauseMs > 0) this.#parts.onPause?.(pauseMs)
        onTimeout(`call into the filter took more than ${timeoutMs} ms`)
        void worker.terminate()
        return
      }
      cancel = this.#clock.after(Math.ceil(timeoutMs / LOOKS), look)
    }
    let cancel = this.#clock.after(Math.ceil(timeoutMs / LOOKS), look)
    return () => cancel()
  }

  /** Settles what waited for a thread that is gone; its counts have no writer any more. */
  #settle(reason: string): void {
    if (this.#counts.get('turn') % 2 === 1) this.#counts.add('turn')
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#ownCounts.set('requests', this.#requests - this.#counts.get('requests'))
    for (const { request, settle } of waiting) settle(this.#failed(request, reason))
  }

  #failed(request: FilterRequest, reason: string): FilterOutcome {
    this.#ownCounts.add('requestsFailed')
    const stream = new FilterStream(0, request)
    return {
      verdict: 'failed',
      status: 500,
      request: stream.message('request'),
      response: stream.message('response'),
      reason,
    }
  }

  #tell(running: Running, message: ToThread): void {
    running.worker.postMessage(message)
  }
}
