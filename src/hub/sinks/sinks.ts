/**
 * Sinks take every closed second away from the hub: to an exporter, to another dialect's peer. Each
 * has a queue of its own; a full one drops its oldest frame and counts it, so that a slow sink
 * costs itself only. All of them work in the same shares of the event loop.
 */

import type { ChosenPeer } from '../../dialects/endpoints.ts'
import type { Clock } from '../../time/clock.ts'
import type { Frame } from '../live/frame.ts'
import type { Log } from '../log.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { ExportStatus, HistoryStatus } from '../status/status.ts'
import type { Task } from '../tasks/task.ts'
import type { TaskQueue } from '../tasks/task-queue.ts'

export interface Sink {
  readonly name: string
  /** Whether it tells totals of seconds: one is delivered when a further start goes on from it. */
  readonly tellsTotals?: boolean
  /**
   * Takes of a frame what may not be there any more when it is delivered, as series that leave;
   * part of the closing of its second.
   */
  take?(frame: Frame): Task
  /** Delivers one frame; frames come one at a time, in the order of time. */
  deliver(frame: Frame): Task
  /**
   * Takes note of a frame that is dropped in place of its delivery, where totals need what it had.
   */
  skip?(frame: Frame): Task
  /**
   * Takes what has come late to a second that was delivered; a sink without it does without.
   * @param frame of 0 seconds, with the end of that second
   */
  late?(frame: Frame): Task
  /** Flushes and lets go; called once, after the last frame. */
  close(): Promise<void>
  /** Describes a receiver that people want to see at work. */
  status?(): ExportStatus
  /** Describes the history that takes them. */
  history?(): HistoryStatus
  /** Describes a peer of a dialect that seconds are sent to. */
  peer?(): (ChosenPeer & { readonly dialect: string }) | undefined
}

interface SinkEvents {
  dropped(sink: string): void
  failed(sink: string, error: unknown): void
}

/** Counts and logs what happens to the seconds of sinks. */
export function sinkEvents(metrics: SelfMetrics, log: Log): SinkEvents {
  return {
    dropped: (sink) => metrics.counter('pentameter.sink.dropped', { sink }).add(),
    failed: (sink, error) => {
      metrics.counter('pentameter.sink.failed', { sink }).add()
      log('warn', `sink ${sink} did not take a second`, { error: String(error) })
    },
  }
}

interface SinkQueueOptions {
  readonly clock: Pick<Clock, 'monotonicNs'>
  /** Queue of work that all sinks share. */
  readonly work: TaskQueue
  /** Waits until what was offered may be told; undefined where it may. */
  readonly ready?: () => Promise<unknown> | undefined
  /** Limit of frames that wait: a minute. */
  readonly framesLimit?: number
  /** Limit of their bytes; one may always wait. */
  readonly bytesLimit?: number
}

const FRAMES_LIMIT = 60
const BYTES_LIMIT = 67_108_864
/** Time for which what waits is still delivered when the hub stops, ns. */
const CLOSE_NS = 3_000_000_000n

export class SinkQueue {
  readonly sink: Sink
  readonly #events: SinkEvents
  readonly #options: Required<SinkQueueOptions>
  readonly #frames: Frame[] = []
  /** Those among them that are parts of seconds which were delivered. */
  readonly #late = new WeakSet<Frame>()
  #bytes = 0
  #worker: Promise<void> | undefined
  /** Time after which only the newest frame is delivered. */
  #hurryNs: bigint | undefined

  constructor(sink: Sink, events: SinkEvents, options: SinkQueueOptions) {
    this.sink = sink
    this.#events = events
    const limits = { framesLimit: FRAMES_LIMIT, bytesLimit: BYTES_LIMIT }
    this.#options = { ready: () => undefined, ...limits, ...options }
  }

  /** Frames waiting, the one being delivered not counted. */
  get length(): number {
    return this.#frames.length
  }

  /** Takes a frame over; part of the closing of its second. */
  *offer(frame: Frame): Task {
    if (!(yield* this.#take(frame))) return
    const { framesLimit, bytesLimit } = this.#options
    while (this.#frames.length >= framesLimit) yield* this.#drop()
    while (this.#frames.length > 0 && this.#bytes + frame.size > bytesLimit) yield* this.#drop()
    this.#frames.push(frame)
    this.#bytes += frame.size
    this.#worker ??= this.#drain()
  }

  /** Takes over what has come late to a frame that was offered. */
  *offerLate(frame: Frame): Task {
    if (this.sink.late === undefined) return
    this.#late.add(frame)
    yield* this.offer(frame)
  }

  /** @returns whether the sink has taken what it needs */
  *#take(frame: Frame): Task<boolean> {
    try {
      if (this.sink.take !== undefined) yield* this.sink.take(frame)
      return true
    } catch (error) {
      this.#events.failed(this.sink.name, error)
      return false
    }
  }

  *#drop(): Task {
    const frame = this.#shift()
    if (frame === undefined) return
    this.#events.dropped(this.sink.name)
    try {
      if (this.sink.skip !== undefined) yield* this.sink.skip(frame)
    } catch (error) {
      this.#events.failed(this.sink.name, error)
    }
  }

  #shift(): Frame | undefined {
    const frame = this.#frames.shift()
    if (frame !== undefined) this.#bytes -= frame.size
    return frame
  }

  /** Delivers what waits, then closes the sink; after some seconds, the newest frame only. */
  async close(): Promise<void> {
    this.#hurryNs = this.#options.clock.monotonicNs() + CLOSE_NS
    await this.#worker
    await this.sink.close()
  }

  async #drain(): Promise<void> {
    while (this.#frames.length > 0) {
      if (this.#isLate && this.#frames.length > 1) {
        await this.#options.work.run(this.#drop())
        continue
      }
      try {
        const frame = this.#shift()!
        const ready = this.#options.ready()
        if (ready !== undefined) await ready
        const isLate = this.#late.has(frame)
        await this.#options.work.run(isLate ? this.sink.late!(frame) : this.sink.deliver(frame))
      } catch (error) {
        this.#events.failed(this.sink.name, error)
      }
    }
    this.#worker = undefined
  }

  get #isLate(): boolean {
    return this.#hurryNs !== undefined && this.#options.clock.monotonicNs() > this.#hurryNs
  }
}
