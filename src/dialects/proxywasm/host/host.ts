/**
 * Hosts one filter in the calling thread: starts it, sends requests through, wakes it for its tick,
 * and after a trap builds a new instance, within limits. Whatever the filter does, a request is
 * answered and the thread goes on, but for one case: a filter that never returns keeps the thread,
 * unless it has one of its own (thread/thread.ts).
 */
import type { Clock } from '../../../time/clock.ts'
import { systemClock } from '../../../time/system-clock.ts'
import { FilterInstance, ROOT_CONTEXT } from './instance/instance.ts'
import { LogGate, StartLimit } from './instance/rate-limits.ts'
import type { MetricSpace } from './metric-space.ts'
import { CrcIds } from './metrics/crc-ids.ts'
import { type FilterModule, FilterRefusedError } from './module/module.ts'
import { CALL_TIMEOUT_MS, type FilterLogLine, type FilterOptions } from './options.ts'
import { FilterQueues } from './shared/filter-queues.ts'
import { FilterCounts, type FilterStatistics } from './statistics.ts'
import { runStream } from './stream/cycle.ts'
import type { FilterOutcome, FilterRequest } from './stream/exchange.ts'
import { FilterStream } from './stream/stream.ts'

/** Surroundings of a host. */
export interface FilterHostParts {
  readonly space: MetricSpace
  readonly clock?: Clock
  /** Takes lines that the filter logs, and the host about it. Must not throw. */
  readonly onLog?: (line: FilterLogLine) => void
  /** Time that a filter may spend waiting in one call, ms; 1,000. */
  readonly callTimeoutMs?: number
  /** Stops the thread for a while, where a filter sleeps. */
  readonly sleep?: (ms: number) => void
  /** Values and queues that other hosts of the same filter have, too; its own without it. */
  readonly sharedData?: SharedArrayBuffer | undefined
  /** Counts to go on with, of the host that ended. */
  readonly counts?: FilterCounts
}

/** Contexts after the root's; numbers are u32 and start again far from those in use. */
const CONTEXT_FIRST = ROOT_CONTEXT + 1
const CONTEXT_LAST = 0xffff_ffff
const NS_PER_MS = 1_000_000n

/**
 * A filter in the calling thread: one that loops is the end of it, so an unknown one belongs
 * into a thread of its own.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { FilterHost, FilterModule, openZoneSpace } from 'pentameter/proxywasm'
 * import { Zone } from 'pentameter/shm'
 *
 * const module = await FilterModule.compile(await readFile('filter.wasm'))
 * const space = openZoneSpace({ shared: Zone.create().shared })
 * const host = FilterHost.start(module, { name: 'example' }, { space })
 * console.log(host.statistics())
 */
export class FilterHost {
  readonly module: FilterModule
  readonly options: FilterOptions
  readonly #space: MetricSpace
  readonly #clock: Clock
  readonly #counts: FilterCounts
  readonly #ids: CrcIds
  readonly #log: LogGate
  readonly #starts: StartLimit
  readonly #callTimeoutMs: number
  readonly #sleep: (ms: number) => void
  readonly #queues: FilterQueues
  #instance: FilterInstance | undefined
  #context = CONTEXT_FIRST
  #cancelTick: () => void = () => {}
  #isClosed = false

  private constructor(module: FilterModule, options: FilterOptions, parts: FilterHostParts) {
    this.module = module
    this.options = options
    this.#space = parts.space
    this.#clock = parts.clock ?? systemClock
    this.#counts = parts.counts ?? new FilterCounts(module.unknownImports)
    this.#ids = new CrcIds(this.#space, this.#counts)
    this.#log = new LogGate(this.#clock, this.#counts, parts.onLog)
    this.#starts = new StartLimit(this.#clock)
    this.#callTimeoutMs = parts.callTimeoutMs ?? CALL_TIMEOUT_MS
    this.#sleep = parts.sleep ?? sleep
    this.#queues = new FilterQueues(parts.sharedData, (queue) => this.#queueReady(queue))
  }

  /** @throws {FilterRefusedError} when the module does not suit the host mode or does not start */
  static start(module: FilterModule, options: FilterOptions, parts: FilterHostParts): FilterHost {
    module.checkFor(parts.space.host)
    const host = new FilterHost(module, options, parts)
    const reason = host.#start()
    if (reason === undefined) return host
    const message = `filter "${options.name}" did not start: ${reason}`
    throw new FilterRefusedError('start_failed', message)
  }

  /** Whether there is an instance; after a trap the next request builds one. */
  get isRunning(): boolean {
    return this.#instance !== undefined
  }

  /** Sends one request through the filter. Never throws. */
  request(request: FilterRequest = {}): FilterOutcome {
    this.#counts.add('requests')
    const stream = new FilterStream(this.#nextContext(), request)
    const reason = this.#ready()
    if (reason !== undefined) return this.#failed(stream, reason)
    try {
      const verdict = runStream(this.#instance!, stream)
      if (verdict === 'paused') return this.#failed(stream, 'filter waits', 'paused')
      return outcome(stream, verdict, stream.status, stream.localResponse?.details ?? '')
    } catch (error) {
      this.#end(error)
      return this.#failed(stream, textOf(error))
    }
  }

  statistics(): FilterStatistics {
    return this.#counts.read()
  }

  /** Ends the filter; its root context is told. The space stays its owner's. */
  close(): void {
    this.#isClosed = true
    this.#cancelTick()
    this.#queues.close()
    const instance = this.#instance
    this.#instance = undefined
    try {
      instance?.call('proxy_on_done', ROOT_CONTEXT)
      instance?.call('proxy_on_delete', ROOT_CONTEXT)
    } catch (error) {
      this.#counts.add('traps')
      this.#log.write('error', textOf(error))
    }
  }

  /** Says why there is no instance that could take a request. */
  #ready(): string | undefined {
    if (this.#instance !== undefined) return undefined
    if (this.#isClosed) return 'filter is closed'
    return this.#start()
  }

  /** @returns why not */
  #start(): string | undefined {
    if (!this.#starts.take()) {
      this.#counts.add('startsRefused')
      return 'filter was started too often within a second'
    }
    const instance = new FilterInstance({
      module: this.module.parts,
      options: this.options,
      space: this.#space,
      ids: this.#ids,
      counts: this.#counts,
      clock: this.#clock,
      callTimeoutMs: this.#callTimeoutMs,
      sleep: this.#sleep,
      queues: this.#queues,
      log: (level, text) => this.#log.write(level, text),
      setTickPeriod: (ms) => this.#setTickPeriod(ms),
    })
    try {
      instance.start()
    } catch (error) {
      this.#end(error)
      return textOf(error)
    }
    this.#instance = instance
    return undefined
  }

  /** Ends the instance; nginx's host logs it in these words (peer). */
  #end(error: unknown): void {
    this.#instance = undefined
    this.#cancelTick()
    this.#queues.forget()
    this.#counts.add('traps')
    this.#counts.set('memoryBytes', 0)
    const text = textOf(error)
    const isNginx = this.#space.host === 'nginx'
    this.#log.write('error', isNginx ? `host trap (internal error): ${text}` : `trap: ${text}`)
  }

  #failed(
    stream: FilterStream,
    reason: string,
    verdict: 'failed' | 'paused' = 'failed',
  ): FilterOutcome {
    this.#counts.add('requestsFailed')
    return outcome(stream, verdict, 500, reason)
  }

  #nextContext(): number {
    const id = this.#context
    this.#context = id === CONTEXT_LAST ? CONTEXT_FIRST : id + 1
    return id
  }

  /** Ticks on a grid from now on; 0 ends them. A filter that is told of its end gets none. */
  #setTickPeriod(ms: number): void {
    this.#cancelTick()
    if (ms > 0 && !this.#isClosed)
      this.#awaitTick(BigInt(ms) * NS_PER_MS, this.#clock.monotonicNs())
  }

  #awaitTick(periodNs: bigint, baseNs: bigint): void {
    const elapsedNs = this.#clock.monotonicNs() - baseNs
    const leftNs = periodNs - (elapsedNs % periodNs)
    const leftMs = Math.ceil(Number(leftNs) / Number(NS_PER_MS))
    this.#cancelTick = this.#clock.after(leftMs, () => this.#tick(periodNs, baseNs))
  }

  #queueReady(queue: number): void {
    try {
      this.#instance?.call('proxy_on_queue_ready', ROOT_CONTEXT, queue)
    } catch (error) {
      this.#end(error)
    }
  }

  /** Calls once however many grid points have passed: the next one is awaited from now. */
  #tick(periodNs: bigint, baseNs: bigint): void {
    this.#awaitTick(periodNs, baseNs)
    this.#counts.add('ticks')
    try {
      this.#instance?.call('proxy_on_tick', ROOT_CONTEXT)
    } catch (error) {
      this.#end(error)
    }
  }
}

function outcome(
  stream: FilterStream,
  verdict: FilterOutcome['verdict'],
  status: number,
  reason: string,
): FilterOutcome {
  const request = stream.message('request')
  return { verdict, status, request, response: stream.message('response'), reason }
}

/** A word that never changes, to wait for. */
const NEVER = new Int32Array(new SharedArrayBuffer(4))

function sleep(ms: number): void {
  Atomics.wait(NEVER, 0, 0, ms)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
