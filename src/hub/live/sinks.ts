/**
 * Sinks take every closed second away from the hub: to history, to an exporter, to another
 * dialect's peer. Each has a queue of its own; a full one drops its oldest frame and counts it, so
 * that a slow sink costs itself only.
 */

import type { ChosenPeer } from '../../dialects/endpoints.ts'
import type { ExportStatus } from '../status/status.ts'
import type { Frame } from './frame.ts'

export interface Sink {
  readonly name: string
  /** Delivers one frame; frames come one at a time, in the order of time. */
  deliver(frame: Frame): Promise<void>
  /** Flushes and lets go; called once, after the last frame. */
  close(): Promise<void>
  /** Describes a receiver that people want to see at work. */
  status?(): ExportStatus
  /** Describes a peer of a dialect that seconds are sent to. */
  peer?(): (ChosenPeer & { readonly dialect: string }) | undefined
}

interface SinkEvents {
  dropped(sink: string): void
  failed(sink: string, error: unknown): void
}

/** Limit of frames that wait for one sink: a minute. */
const SINK_QUEUE_LIMIT = 60

export class SinkQueue {
  readonly sink: Sink
  readonly #events: SinkEvents
  readonly #limit: number
  readonly #frames: Frame[] = []
  #worker: Promise<void> | undefined

  constructor(sink: Sink, events: SinkEvents, limit = SINK_QUEUE_LIMIT) {
    this.sink = sink
    this.#events = events
    this.#limit = limit
  }

  /** Frames waiting, the one being delivered not counted. */
  get length(): number {
    return this.#frames.length
  }

  offer(frame: Frame): void {
    if (this.#frames.length === this.#limit) {
      this.#frames.shift()
      this.#events.dropped(this.sink.name)
    }
    this.#frames.push(frame)
    this.#worker ??= this.#drain()
  }

  /** Delivers what waits, then closes the sink. */
  async close(): Promise<void> {
    await this.#worker
    await this.sink.close()
  }

  async #drain(): Promise<void> {
    for (let frame = this.#frames.shift(); frame !== undefined; frame = this.#frames.shift()) {
      try {
        await this.sink.deliver(frame)
      } catch (error) {
        this.#events.failed(this.sink.name, error)
      }
    }
    this.#worker = undefined
  }
}
