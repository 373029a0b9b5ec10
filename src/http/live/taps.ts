/**
 * Streams of what comes to a listener (api.ts, TapEvents): each listener is tapped once, however
 * many watch it, and only while a client does. A slow client misses events, which it is told the
 * number of; it never costs memory beyond its buffer, nor the hub a wait.
 */
import type { ServerResponse } from 'node:http'
import type { Dialect } from '../../dialects/dialect.ts'
import type { LimitStatus } from '../../hub/status/status.ts'
import type { HubView } from '../../hub/view.ts'
import type { MinuteLog } from '../../peers/minute-log.ts'
import { networkOf } from '../../peers/network.ts'
import { Idleness, Shares } from '../../peers/shares.ts'
import type { TapHelloEvent, TapSkippedEvent } from '../api.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'
import { EventResponse } from './event-response.ts'
import { addCounts, NO_COUNTS, type TapNews, TapReader } from './tap-reader.ts'

const HEARTBEAT_MS = 15_000

interface TapRequest {
  readonly listener: string
  /** Whether packets have their bytes. */
  readonly hex: boolean
}

interface TapsParts {
  readonly dialects: readonly Dialect[]
  readonly limits: HttpLimits
  readonly reports: HttpReports
  readonly log: MinuteLog
}

/** A listener that is watched. */
interface Watched {
  readonly viewers: Set<Viewer>
  readonly end: () => void
}

export class TapStreams {
  readonly #view: HubView
  readonly #parts: TapsParts
  readonly #dialects: ReadonlyMap<string, Dialect>
  readonly #watched = new Map<string, Watched>()
  readonly #shares = new Shares<Viewer>({
    idleness: ({ response }) => (response.waitingBytes > 0 ? Idleness.idle : Idleness.working),
    silence: ({ response }) => Number(response.silentNs),
  })
  #refused = 0
  #cancelHeartbeat: (() => void) | undefined

  constructor(view: HubView, parts: TapsParts) {
    this.#view = view
    this.#parts = parts
    this.#dialects = new Map(parts.dialects.map((dialect) => [dialect.name, dialect]))
  }

  get size(): number {
    return this.#shares.size
  }

  /** Tells how full the places are. */
  status(): LimitStatus {
    return {
      name: 'taps',
      limit: this.#parts.limits.taps,
      used: this.size,
      refused: this.#refused,
      behaviour: 'The address with most makes room for others; or a further tap is refused.',
    }
  }

  /**
   * Takes over a response that nothing has been written to.
   * @returns false, with the response untouched, when a limit is reached
   */
  open(outgoing: ServerResponse, { listener, hex }: TapRequest): boolean {
    const { limits, reports, log } = this.#parts
    const address = networkOf(outgoing.socket?.remoteAddress ?? '')
    if (this.size >= limits.taps && !this.#makeRoom(address)) {
      this.#refused++
      log.note('taps refused: all places are taken', { address })
      return false
    }
    const viewer = new Viewer(outgoing, listener, hex, this.#view.clock, limits)
    this.#shares.add(viewer, address)
    reports.count('taps', 'opened')
    outgoing.once('close', () => {
      this.#leave(viewer)
      reports.count('taps', viewer.response.endReason)
    })
    viewer.greet(this.#dialectsOf(listener))
    this.#watch(listener).viewers.add(viewer)
    this.#cancelHeartbeat ??= this.#beatLater()
    return true
  }

  #dialectsOf(listener: string): readonly string[] {
    const status = this.#view.sources().listeners.find(({ name }) => name === listener)
    return status?.dialects ?? []
  }

  #watch(listener: string): Watched {
    const known = this.#watched.get(listener)
    if (known !== undefined) return known
    const viewers = new Set<Viewer>()
    const reader = new TapReader(this.#dialects, this.#view.clock)
    const end = this.#view.tap(listener, (batch) => {
      const news = reader.read(batch)
      for (const viewer of viewers) viewer.take(news)
    })
    const made = { viewers, end: () => end?.() }
    this.#watched.set(listener, made)
    return made
  }

  #makeRoom(address: string): boolean {
    const found = this.#shares.yielding(address)
    if (found === undefined) return false
    this.#parts.log.note('taps closed to make room for others')
    this.#leave(found)
    found.response.close('made_room')
    return true
  }

  #leave(viewer: Viewer): void {
    if (!this.#shares.has(viewer)) return
    this.#shares.delete(viewer)
    const watched = this.#watched.get(viewer.listener)!
    watched.viewers.delete(viewer)
    if (watched.viewers.size === 0) {
      this.#watched.delete(viewer.listener)
      watched.end()
    }
    if (this.size > 0) return
    this.#cancelHeartbeat?.()
    this.#cancelHeartbeat = undefined
  }

  #beatLater(): () => void {
    return this.#view.clock.after(HEARTBEAT_MS, () => {
      this.#cancelHeartbeat = this.#beatLater()
      for (const viewer of [...this.#shares.members()]) viewer.response.heartbeat()
    })
  }

  /** Ends every stream in order. */
  stop(): void {
    for (const viewer of [...this.#shares.members()]) viewer.response.end()
  }
}

/** One client that watches a listener. */
class Viewer {
  readonly listener: string
  readonly response: EventResponse
  readonly #hasHex: boolean
  readonly #clock: HubView['clock']
  #skipped: TapSkippedEvent = NO_COUNTS

  constructor(
    outgoing: ServerResponse,
    listener: string,
    hasHex: boolean,
    clock: HubView['clock'],
    limits: HttpLimits,
  ) {
    this.listener = listener
    this.response = new EventResponse(outgoing, { clock, limits, errorReason: 'disconnected' })
    this.#hasHex = hasHex
    this.#clock = clock
  }

  greet(dialects: readonly string[]): void {
    const { listener } = this
    const hello: TapHelloEvent = { listener, dialects, nowMs: this.#clock.wallMs() }
    this.response.write(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`)
  }

  take(news: TapNews): void {
    if (this.response.isEnded) return
    this.#skipped = addCounts(this.#skipped, news.skipped)
    const text = this.#skippedText() + news.text(this.#hasHex)
    if (text === '') return
    if (!this.response.hasRoomFor(text.length)) {
      this.#skipped = addCounts(this.#skipped, news.told)
      return
    }
    this.#skipped = NO_COUNTS
    this.response.write(text)
  }

  #skippedText(): string {
    if (Object.values(this.#skipped).every((count) => count === 0)) return ''
    return `event: skipped\ndata: ${JSON.stringify(this.#skipped)}\n\n`
  }
}
