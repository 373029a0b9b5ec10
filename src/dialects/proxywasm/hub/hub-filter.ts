/** One filter of a hub: its file, its thread, its invented requests, and what it did and cost. */
import { readFile } from 'node:fs/promises'
import type { Log, LogLevel } from '../../../hub/log.ts'
import type { Clock } from '../../../time/clock.ts'
import type { MetricSpaceSource } from '../host/metric-space.ts'
import type { FilterStatistics } from '../host/statistics.ts'
import type { FilterThread } from '../host/thread/thread.ts'
import type { FilterStatus } from '../http/api.ts'
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
  #thread: FilterThread | undefined
  #traffic: Traffic | undefined
  #abi: string | undefined
  #state: FilterStatus['state'] = 'stopped'
  #message: string | undefined
  #sinceMs = 0
  #statistics: FilterStatistics | undefined
  #ratePerSecond = 0
  #isRefusalTold = false

  constructor(config: FilterConfig, clock: Clock, log: Log) {
    this.config = config
    this.source = sourceOf(config.name)
    this.#clock = clock
    this.#log = log
  }

  /** Loads and starts it; one that can't be started is told of, and hurts no other. */
  async start(space: MetricSpaceSource): Promise<void> {
    this.#sinceMs = this.#clock.wallMs()
    try {
      await this.#start(space)
      this.#state = 'running'
      this.#log('info', `${this.source} runs`, { path: this.config.path, abi: this.#abi })
    } catch (error) {
      this.#state = 'refused'
      this.#message = reasonOf(error)
      const facts = { path: this.config.path }
      this.#log('error', `${this.source} was refused: ${this.#message}`, facts)
    }
  }

  async #start(space: MetricSpaceSource): Promise<void> {
    const { config } = this
    const file = await readFile(config.path)
    // loaded only now: a hub without filters needs no host
    const [{ FilterModule }, { FilterThread }, { moduleBytes }] = await Promise.all([
      import('../host/module/module.ts'),
      import('../host/thread/thread.ts'),
      import('./filter-file.ts'),
    ])
    const { memoryPagesLimit, callTimeoutMs } = config
    const module = await FilterModule.compile(await moduleBytes(file), { memoryPagesLimit })
    this.#abi = module.abi
    const { name, rootId, configuration, vmConfiguration, metricsPerFilterLimit } = config
    this.#thread = await FilterThread.start(
      module,
      {
        name,
        configuration,
        vmConfiguration,
        metricsPerFilterLimit,
        ...(rootId === undefined ? {} : { rootId }),
      },
      {
        space,
        callTimeoutMs,
        onPause: (pauseMs) => {
          const facts = { callTimeoutMs, pauseMs }
          this.#log('warn', `${this.source}: its calls take too long, it waits`, facts)
        },
        onLog: ({ level, text }) => {
          const shown = LOG_LEVELS[level]
          if (shown !== undefined) this.#log(shown, `filter ${name}`, { text, level })
        },
      },
    )
    const thread = this.#thread
    this.#traffic = new Traffic(this.#clock, config.requestsPerSecond, (request) =>
      thread.request(request),
    )
    this.#traffic.start()
  }

  /** Closes an interval. */
  tick(seconds: number): FilterInterval {
    const before = this.#statistics
    const now = this.#thread?.statistics()
    if (now === undefined) return { measurements: 0, problems: this.#takeRefusal(), notes: [] }
    this.#statistics = now
    const measurements = handledOf(now) - (before === undefined ? 0 : handledOf(before))
    this.#ratePerSecond = measurements / seconds
    return {
      measurements,
      problems: gainsOf(problemsOf(now), before === undefined ? [] : problemsOf(before)),
      notes: gainsOf(notesOf(now), before === undefined ? [] : notesOf(before)),
    }
  }

  /** Takes the one problem of a filter that never ran, once. */
  #takeRefusal(): readonly CodeCount[] {
    const isNew = this.#state === 'refused' && !this.#isRefusalTold
    this.#isRefusalTold ||= isNew
    return isNew ? REFUSED : []
  }

  /** Requests and ticks since it was started. */
  get measurements(): number {
    const now = this.#thread?.statistics()
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
    const counts = this.#thread?.statistics()
    const { name, path, host } = this.config
    const unstarted = this.#state === 'refused' ? REFUSED : []
    const problems = counts === undefined ? unstarted : problemsOf(counts)
    const message = this.#message ?? pauseText(this.#thread?.pauseMs)
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
      problems: Object.fromEntries(problems.map(({ code, count }) => [code, count])),
      unknownImports: counts?.unknownImports ?? [],
    }
  }

  async stop(): Promise<void> {
    this.#traffic?.stop()
    await this.#thread?.close()
    if (this.#state === 'running') this.#state = 'stopped'
  }
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
