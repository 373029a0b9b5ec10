/** One filter of a hub: its file, its threads, its invented requests, and what it did and cost. */
import type { Log, LogLevel } from '../../../hub/log.ts'
import type { Clock } from '../../../time/clock.ts'
import type { MetricSpaceSource } from '../host/metric-space.ts'
import type { FilterModule } from '../host/module/module.ts'
import { addStatistics, type FilterStatistics } from '../host/statistics.ts'
import type { FilterRequest } from '../host/stream/exchange.ts'
import type { FilterThread } from '../host/thread/thread.ts'
import type { FilterStatus, FilterWorker } from '../http/api.ts'
import type { FilterConfig } from '../options.ts'
import { sourceOf } from './announcement.ts'
import { type CodeCount, gainsOf, notesOf, problemsOf } from './problems.ts'
import { Traffic } from './traffic.ts'

/** Events of one interval. */
interface FilterInterval {
  /** Requests and ticks. */
  readonly measurements: number
  readonly problems: readonly CodeCount[]
  readonly notes: readonly CodeCount[]
  /** Workers whose threads were ended, by their numbers from 0. */
  readonly timedOut: readonly number[]
}

/**
 * Levels of a filter as the operator's log has them; a filter's own trace and debug are not told.
 */
const LOG_LEVELS: Readonly<Record<string, LogLevel>> = {
  info: 'info',
  warn: 'warn',
  error: 'error',
  critical: 'error',
}

const REFUSED: readonly CodeCount[] = [{ code: 'filter_refused', count: 1 }]

export class HubFilter {
  readonly config: FilterConfig
  readonly source: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #spaceOf: (worker: number) => MetricSpaceSource
  #module: FilterModule | undefined
  #threads: FilterThread[] = []
  /** Counts of threads that were ended when there were to be fewer. */
  #ended: FilterStatistics | undefined
  /** Number of requests sent, by which threads take turns. */
  #turn = 0
  #traffic: Traffic | undefined
  #abi: string | undefined
  #state: FilterStatus['state'] = 'stopped'
  #message: string | undefined
  #sinceMs = 0
  #statistics: FilterStatistics | undefined
  #ratePerSecond = 0
  /** Calls that took too long, by worker, up to the interval closed last. */
  #timeouts: readonly number[] = []
  #isRefusalTold = false

  /** @param spaceOf names the space of a worker's metrics, by its number from 0 */
  constructor(
    config: FilterConfig,
    spaceOf: (worker: number) => MetricSpaceSource,
    clock: Clock,
    log: Log,
  ) {
    this.config = config
    this.#spaceOf = spaceOf
    this.source = sourceOf(config.name)
    this.#clock = clock
    this.#log = log
  }

  /** Loads and starts it; one that can't be started is told of, and hurts no other. */
  async start(workers: number): Promise<void> {
    this.#sinceMs = this.#clock.wallMs()
    try {
      await this.#start(workers)
      this.#state = 'running'
      this.#log('info', `${this.source} runs`, { path: this.config.path, abi: this.#abi })
    } catch (error) {
      this.#state = 'refused'
      this.#message = reasonOf(error)
      const facts = { path: this.config.path }
      this.#log('error', `${this.source} was refused: ${this.#message}`, facts)
    }
  }

  async #start(workers: number): Promise<void> {
    const { config } = this
    // loaded only now: a hub without filters needs no host
    const [{ FilterModule }, { moduleBytes, readFilterFile }] = await Promise.all([
      import('../host/module/module.ts'),
      import('./filter-file.ts'),
    ])
    const { memoryPagesLimit } = config
    const bytes = await moduleBytes(await readFilterFile(config.path))
    const module = await FilterModule.compile(bytes, { memoryPagesLimit })
    this.#abi = module.abi
    this.#module = module
    try {
      await this.setWorkers(workers)
    } catch (error) {
      this.#module = undefined
      throw error
    }
    this.#traffic = new Traffic(this.#clock, config.requestsPerSecond, (request) =>
      this.#send(request),
    )
    this.#traffic.start()
  }

  /** Sends a request to the thread whose turn it is. */
  #send(request: FilterRequest): Promise<unknown> {
    const { length } = this.#threads
    return this.#threads[this.#turn++ % length]!.request(request)
  }

  get workers(): number {
    return this.#threads.length
  }

  /**
   * Starts or ends threads until there are so many. What those counted stays in the totals. A
   * filter that was refused stays as it is.
   * @throws {FilterRefusedError} when one does not start: then there are as many as before
   */
  async setWorkers(workers: number): Promise<void> {
    if (this.#module === undefined) return
    const more = Math.max(0, workers - this.#threads.length)
    const first = this.#threads.length
    const module = this.#module
    // the first one alone: its values and queues are those of all
    const started: FilterThread[] = []
    try {
      for (let i = 0; i < more; i++)
        started.push(await this.#startThread(module, first + i, started))
    } catch (error) {
      await Promise.all(started.map((thread) => thread.close()))
      throw error
    }
    const all = [...this.#threads, ...started]
    this.#threads = all.slice(0, workers)
    const ending = all.slice(workers)
    await Promise.all(ending.map((thread) => thread.close()))
    for (const thread of ending) {
      const counts = { ...thread.statistics(), memoryBytes: 0 }
      this.#ended = this.#ended === undefined ? counts : addStatistics(counts, this.#ended)
    }
  }

  async #startThread(
    module: FilterModule,
    worker: number,
    started: readonly FilterThread[],
  ): Promise<FilterThread> {
    const { FilterThread } = await import('../host/thread/thread.ts')
    const { config } = this
    const { name, rootId, configuration, vmConfiguration, metricsPerFilterLimit } = config
    const { callTimeoutMs } = config
    return FilterThread.start(
      module,
      {
        name,
        configuration,
        vmConfiguration,
        metricsPerFilterLimit,
        ...(rootId === undefined ? {} : { rootId }),
      },
      {
        space: this.#spaceOf(worker),
        callTimeoutMs,
        sharedData: (this.#threads[0] ?? started[0])?.sharedData,
        onPause: (pauseMs) => {
          const facts = { callTimeoutMs, pauseMs }
          this.#log('warn', `${this.source}: its calls take too long, it waits`, facts)
        },
        onFailure: (reason) => {
          const facts = { reason, next: 'it is started with the next request' }
          this.#log('warn', `${this.source} failed`, facts)
        },
        onLog: ({ level, text }) => {
          const shown = LOG_LEVELS[level]
          if (shown !== undefined) this.#log(shown, `filter ${name}`, factsOf(text, level, shown))
        },
      },
    )
  }

  /** Counts of all threads, also of those that are gone. */
  #counts(): FilterStatistics | undefined {
    const all = this.#threads.map((thread) => thread.statistics())
    if (all.length === 0) return undefined
    const now = all.reduce(addStatistics)
    return this.#ended === undefined ? now : addStatistics(now, this.#ended)
  }

  /** Segments that its threads write now. */
  get segments(): readonly (number | undefined)[] {
    return this.#threads.map(({ segment }) => segment)
  }

  /** Closes an interval. */
  tick(seconds: number): FilterInterval {
    const before = this.#statistics
    const now = this.#counts()
    if (now === undefined)
      return { measurements: 0, problems: this.#takeRefusal(), notes: [], timedOut: [] }
    this.#statistics = now
    const measurements = handledOf(now) - (before === undefined ? 0 : handledOf(before))
    this.#ratePerSecond = measurements / seconds
    return {
      measurements,
      problems: gainsOf(problemsOf(now), before === undefined ? [] : problemsOf(before)),
      notes: gainsOf(notesOf(now), before === undefined ? [] : notesOf(before)),
      timedOut: this.#takeTimedOut(),
    }
  }

  #takeTimedOut(): number[] {
    const before = this.#timeouts
    this.#timeouts = this.#threads.map((thread) => thread.statistics().callTimeouts)
    return this.#timeouts.flatMap((count, worker) =>
      count > (before[worker] ?? 0) ? [worker] : [],
    )
  }

  /** Takes the one problem of a filter that never ran, once. */
  #takeRefusal(): readonly CodeCount[] {
    const isNew = this.#state === 'refused' && !this.#isRefusalTold
    this.#isRefusalTold ||= isNew
    return isNew ? REFUSED : []
  }

  /** Requests and ticks since it was started. */
  get measurements(): number {
    const now = this.#counts()
    return now === undefined ? 0 : handledOf(now)
  }

  /** Whether it was called in the interval closed last. */
  get isActive(): boolean {
    return this.#ratePerSecond > 0
  }

  /** Whether one of its gauges was ever decremented below zero. */
  get hasWrapped(): boolean {
    return (this.#statistics?.gaugeWraps ?? 0) > 0
  }

  /** @param series how many series have come from it */
  status(series: number): FilterStatus {
    const counts = this.#counts()
    const { name, path, host } = this.config
    const unstarted = this.#state === 'refused' ? REFUSED : []
    const problems = counts === undefined ? unstarted : problemsOf(counts)
    const pauseMs = Math.max(0, ...this.#threads.map((thread) => thread.pauseMs))
    const failure = this.#threads.find((thread) => thread.failure !== undefined)?.failure
    const message = this.#message ?? pauseText(pauseMs) ?? failure
    return {
      name,
      path,
      host,
      state: this.#state,
      ...(message === undefined ? {} : { message }),
      ...(this.#abi === undefined ? {} : { abi: this.#abi }),
      sinceMs: this.#sinceMs,
      ratePerSecond: this.#ratePerSecond,
      requests: counts?.requests ?? 0,
      requestsFailed: counts?.requestsFailed ?? 0,
      callNs: counts === undefined || counts.calls === 0 ? 0 : counts.callbackNs / counts.calls,
      memoryBytes: counts?.memoryBytes ?? 0,
      instances: counts?.instances ?? 0,
      series,
      workers: this.#threads.map(workerOf),
      problems: Object.fromEntries(problems.map(({ code, count }) => [code, count])),
      unknownImports: counts?.unknownImports ?? [],
    }
  }

  async stop(): Promise<void> {
    this.#traffic?.stop()
    await Promise.all(this.#threads.map((thread) => thread.close()))
    if (this.#state === 'running') this.#state = 'stopped'
  }
}

function workerOf(thread: FilterThread): FilterWorker {
  const { requests, requestsFailed, calls, callbackNs, memoryBytes } = thread.statistics()
  const callNs = calls === 0 ? 0 : callbackNs / calls
  return { requests, requestsFailed, callNs, memoryBytes }
}

/** Gives the facts of a line: the level of the line says that of the filter, but for one. */
function factsOf(text: string, level: string, shown: LogLevel): Record<string, unknown> {
  return level === shown ? { text } : { text, filterLevel: level }
}

function pauseText(pauseMs = 0): string | undefined {
  const seconds = Math.ceil(pauseMs / 1000)
  return seconds === 0 ? undefined : `its calls take too long: started again in ${seconds} s`
}

function handledOf({ requests, ticks }: FilterStatistics): number {
  return requests + ticks
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  return message
}
