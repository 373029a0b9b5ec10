/**
 * Overload as a state: once a second memory is compared with what there is, and the delay of the
 * event loop with what is bearable. Beyond thresholds the hub refuses large answers first, then new
 * names, then new connections; what it knows it goes on counting. Each level ends a little below
 * the threshold at which it began, so that it does not flicker.
 */
import { totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { backgroundClock } from '../../time/system-clock.ts'
import type { SeriesQuota } from '../ingest/quota.ts'
import type { PeerCounts } from '../listen/peer-counts.ts'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { Task } from '../tasks/task.ts'
import type { SelfMetrics } from './self-metrics.ts'
import type { OverloadStatus } from './status.ts'

/** Levels, each of which refuses what those before it do, too. */
const LEVELS = ['none', 'answers', 'names', 'connections'] as const
type Level = (typeof LEVELS)[number]

/** Shares of the heap and of the memory budget at which the levels begin. */
const MEMORY_THRESHOLDS = [0.75, 0.85, 0.92] as const
/** A level ends when the share is lower by so much. */
const SLACK = 0.05
/** Longest delay of the event loop in a second; above it in as many seconds: large answers wait. */
const DELAY_LIMIT_MS = 250
const DELAYED_SECONDS = 3

/** Time between two looks at the delay, ms. They are Node's own: a timer here costs three times. */
const DELAY_STEP_MS = 20
const NS_PER_MS = 1e6

/** Load as it is measured; shares may pass 1. */
interface Load {
  /** Share of V8's heap of the main thread. */
  readonly heapShare: number
  /** Share of the process' resident memory in its budget. */
  readonly memoryShare: number
  /** Longest delay of the event loop since the last look, ms. */
  readonly delayMs: number
}

/** Meter of what this process uses and how late its event loop is, while it is started. */
export class LoadMeter {
  readonly #memoryBytesLimit: number
  /** Times between two looks, ns, since it was reset; the first of them is not in it. */
  readonly #steps = monitorEventLoopDelay({ resolution: DELAY_STEP_MS })
  /** Delay in that first one. */
  #firstDelayMs = 0
  #cancelFirst: () => void = () => {}
  #residentBytes = 0

  /** @param memoryBytesLimit budget of the process */
  constructor(memoryBytesLimit: number) {
    this.#memoryBytesLimit = memoryBytesLimit
  }

  start(): void {
    this.#steps.enable()
    this.#startFirst()
  }

  stop(): void {
    this.#cancelFirst()
    this.#steps.disable()
  }

  #startFirst(): void {
    const { monotonicNs, after } = backgroundClock
    const beganNs = monotonicNs()
    this.#firstDelayMs = 0
    this.#cancelFirst()
    this.#cancelFirst = after(DELAY_STEP_MS, () => {
      this.#firstDelayMs = Number(monotonicNs() - beganNs) / NS_PER_MS - DELAY_STEP_MS
    })
  }

  /** Reads the load since the call before. */
  read(): Load {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    const stepMs = this.#steps.count === 0 ? 0 : this.#steps.max / NS_PER_MS
    const delayMs = Math.max(0, stepMs - DELAY_STEP_MS, this.#firstDelayMs)
    this.#steps.reset()
    this.#startFirst()
    try {
      this.#residentBytes = process.memoryUsage.rss()
    } catch {
      // the system is asked through a file; without a descriptor the last answer counts
    }
    const memoryShare = this.#residentBytes / this.#memoryBytesLimit
    return { heapShare: used / limit, memoryShare, delayMs }
  }
}

/** Share of a container's or machine's memory; the rest is left to others. */
const MEMORY_SHARE = 0.9

/** Computes the budget of memory that an option means, in bytes. */
export function memoryBudget(limit: number | 'auto'): number {
  if (limit !== 'auto') return limit
  const container = process.constrainedMemory()
  const machine = totalmem()
  const bytes = container > 0 && container < machine ? container : machine
  return bytes * MEMORY_SHARE
}

interface OverloadParts {
  readonly read: () => Load
  readonly quota: SeriesQuota
  readonly peers: PeerCounts
  readonly metrics: Pick<SelfMetrics, 'gauge'>
  readonly log: Log
  readonly nowMs: () => number
}

export class Overload implements Participant {
  readonly #parts: OverloadParts
  #level = 0
  #cause = ''
  #sinceMs = 0
  #delayedSeconds = 0

  constructor(parts: OverloadParts) {
    this.#parts = parts
  }

  get refusesAnswers(): boolean {
    return this.#level >= 1
  }

  /** Describes the overload; undefined while there is none. */
  status(): OverloadStatus | undefined {
    if (this.#level === 0) return undefined
    return { refuses: LEVELS[this.#level]!, cause: this.#cause, sinceMs: this.#sinceMs }
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(): Task {
    const load = this.#parts.read()
    const { metrics } = this.#parts
    this.#delayedSeconds = load.delayMs > DELAY_LIMIT_MS ? this.#delayedSeconds + 1 : 0
    const [share, what] =
      load.heapShare >= load.memoryShare
        ? ([load.heapShare, 'heap'] as const)
        : ([load.memoryShare, 'memory'] as const)
    const byMemory = this.#memoryLevel(share)
    const isDelayed = this.#delayedSeconds >= DELAYED_SECONDS
    const level = Math.max(byMemory, isDelayed ? 1 : 0)
    const percent = `${Math.round(share * 100)} % of the ${what}`
    this.#enter(level, byMemory > 0 ? percent : `event loop held up ${Math.round(load.delayMs)} ms`)
    metrics.gauge('pentameter.overload', level)
    metrics.gauge('pentameter.loop.delay', load.delayMs / 1000, {}, 'seconds')
    metrics.gauge('pentameter.memory.share', share)
  }

  /** Finds the highest level whose threshold is passed, or not yet left by the slack. */
  #memoryLevel(share: number): number {
    let level = 0
    MEMORY_THRESHOLDS.forEach((threshold, i) => {
      const isIn = this.#level > i
      if (share >= (isIn ? threshold - SLACK : threshold)) level = i + 1
    })
    return level
  }

  #enter(level: number, cause: string): void {
    const { quota, peers, log, nowMs } = this.#parts
    quota.isOverloaded = level >= 2
    peers.isOverloaded = level >= 3
    if (level > 0) this.#cause = cause
    if (level === this.#level) return
    if (this.#level === 0) this.#sinceMs = nowMs()
    this.#level = level
    const refuses: Level = LEVELS[level]!
    if (level === 0) log('info', 'the hub is no longer overloaded')
    else log('warn', 'the hub is overloaded; it refuses some of what is new', { refuses, cause })
  }
}
