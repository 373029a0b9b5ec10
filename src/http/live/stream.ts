/** One client of the live stream: its selection, its bounded buffer, and how it ends. */
import type { ServerResponse } from 'node:http'
import type { Frame } from '../../hub/live/frame.ts'
import type { RoundRobin } from '../../hub/tasks/round-robin.ts'
import type { Clock } from '../../time/clock.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'
import { type EndReason, EventResponse } from './event-response.ts'
import type { LivePayloads, Selection } from './payloads.ts'

interface StreamContext {
  readonly name: string
  readonly selection: Selection
  readonly limits: HttpLimits
  readonly payloads: LivePayloads
  readonly turns: RoundRobin
  readonly reports: HttpReports
  readonly clock: Clock
}

export class Stream {
  readonly name: string
  selection: Selection
  readonly #response: EventResponse
  readonly #context: StreamContext
  /**
   * Windows of a replay that wait for room, by the frames that they are merged of when it is their
   * turn; the ring holds these too, so they cost no memory.
   */
  #backlog: (readonly Frame[])[] = []
  #isReplaying = false
  /** Whether it ends as soon as nothing waits to be made. */
  #isEnding = false
  /** Id that the client knows last: the end of what it was told, Unix ms. */
  #toldMs = Number.NEGATIVE_INFINITY
  #seenRevision: number | undefined
  #seenSources: string | undefined

  constructor(outgoing: ServerResponse, context: StreamContext) {
    this.name = context.name
    this.selection = context.selection
    this.#context = context
    this.#response = new EventResponse(outgoing, { ...context, errorReason: 'error' })
    outgoing.on('drain', () => void this.#sendBacklog())
  }

  /**
   * Takes a closed interval; it waits behind a replay, and is skipped when the client is too slow.
   */
  take(frame: Frame): void {
    if (this.#response.isEnded || this.#isEnding) return
    this.#toldMs = frame.endMs
    const { payloads } = this.#context
    const isCheap = payloads.isCheap(frame, this.selection)
    if (this.#backlog.length === 0 && !isCheap && !this.#hasRoom) {
      this.#skip('cells')
    } else if (this.#backlog.length > 0 || !isCheap) {
      // the events of many series take their time, and turns
      this.#backlog.push([frame])
      this.#limitBacklog()
      void this.#sendBacklog()
    } else if (!this.#offer(payloads.event(frame, this.selection))) {
      this.#skip('cells')
    }
  }

  /** Notes the id that its greeting said. */
  greeted(endMs: number): void {
    this.#toldMs = endMs
  }

  /** Sends what a returning client has missed, as fast as it takes it. */
  replay(windows: readonly (readonly Frame[])[]): void {
    this.#backlog = [...windows]
    void this.#sendBacklog()
  }

  /** Tells of a new list of series, again and again until there is room. */
  offerSeries({ revision, event }: { revision: number; event: Buffer }): void {
    if (this.#seenRevision === revision) return
    if (this.#offer(event)) this.#seenRevision = revision
    else this.#skip('series')
  }

  offerSources({ json, event }: { json: string; event: Buffer }): void {
    if (this.#seenSources === json) return
    if (this.#offer(event)) this.#seenSources = json
    else this.#skip('sources')
  }

  /** Sends samples of a moment that has passed when there is no room: they are in the log. */
  offerSamples(event: Buffer): void {
    if (this.#response.isEnded || this.#isEnding) return
    if (!this.#offer(event)) this.#skip('samples')
  }

  heartbeat(): void {
    this.#response.heartbeat()
  }

  closeIfStalled(): void {
    this.#response.closeIfStalled()
  }

  write(bytes: string | Buffer): void {
    this.#response.write(bytes)
  }

  get endReason(): EndReason {
    return this.#response.endReason
  }

  /** Time for which the client has taken nothing of what waits for it, ms, by the last look. */
  get stalledMs(): number {
    return Number(this.#response.silentNs) / 1e6
  }

  close(reason: EndReason): void {
    this.#response.close(reason)
  }

  end(): void {
    this.#response.end()
  }

  /**
   * Ends behind what waits, because the wall clock was set. A client whose last id is of a time to
   * come would be told nothing of what is closed until it is back; its id becomes the beginning of
   * the new time.
   */
  endAtStep({ endMs, seconds }: Frame): void {
    if (this.#toldMs > endMs) this.write(`id: ${endMs - seconds * 1000}\n\n`)
    this.#isEnding = true
    if (this.#backlog.length === 0) this.end()
  }

  /** Sends one window after another, each in turns of the event loop, until the buffer is full. */
  async #sendBacklog(): Promise<void> {
    if (this.#isReplaying) return
    this.#isReplaying = true
    const { payloads, turns } = this.#context
    const isWanted = (): boolean => !this.#response.isClosed
    while (this.#backlog.length > 0 && this.#hasRoom) {
      const frames = this.#backlog[0]!
      const event = await turns.run(payloads.replay(frames, this.selection), isWanted)
      if (event === undefined) break
      this.write(event)
      if (this.#backlog[0] === frames) this.#backlog.shift()
    }
    this.#isReplaying = false
    if (this.#isEnding && this.#backlog.length === 0) this.end()
  }

  #limitBacklog(): void {
    while (this.#backlog.length > BACKLOG_LIMIT) {
      this.#backlog.shift()
      this.#skip('cells')
    }
  }

  /** Whether a window of a replay may be made: less than half of the buffer waits. */
  get #hasRoom(): boolean {
    const { limits } = this.#context
    return this.#response.waitingBytes <= limits.streamBufferBytes / 2
  }

  /** Hands bytes over if the buffer has room; an empty one takes any size. */
  #offer(bytes: Buffer): boolean {
    if (!this.#response.hasRoomFor(bytes.length)) return false
    this.write(bytes)
    return true
  }

  #skip(event: string): void {
    this.#context.reports.count('events_skipped', event)
  }
}

/** Ten minutes of seconds: what the ring keeps at that resolution. */
const BACKLOG_LIMIT = 600
