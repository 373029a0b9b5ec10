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
import { nsOfMs } from '../../time/clock.ts'
import type { TapHelloEvent, TapSkippedEvent } from '../api.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'
import { SECURITY_HEADERS } from '../security.ts'
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
    idleness: ({ isWaiting }) => (isWaiting ? Idleness.idle : Idleness.working),
    silence: ({ silentNs }) => Number(silentNs),
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
      reports.count('taps', viewer.endReason)
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
    found.close('made_room')
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
      for (const viewer of [...this.#shares.members()]) viewer.heartbeat()
    })
  }

  /** Ends every stream in order. */
  stop(): void {
    for (const viewer of [...this.#shares.members()]) viewer.end()
  }
}

/** One client that watches a listener. */
class Viewer {
  endReason: 'disconnected' | 'stalled' | 'stopped' | 'made_room' = 'disconnected'
  readonly listener: string
  readonly #outgoing: ServerResponse
  readonly #hasHex: boolean
  readonly #clock: HubView['clock']
  readonly #limits: HttpLimits
  #skipped: TapSkippedEvent = NO_COUNTS
  /** Bytes handed over, and of those the most that have ever left the buffer. */
  #writtenBytes = 0
  #deliveredBytes = 0
  /** Monotonic time of the last of them. */
  #progressNs: bigint

  constructor(
    outgoing: ServerResponse,
    listener: string,
    hasHex: boolean,
    clock: HubView['clock'],
    limits: HttpLimits,
  ) {
    this.listener = listener
    this.#outgoing = outgoing
    this.#hasHex = hasHex
    this.#clock = clock
    this.#limits = limits
    this.#progressNs = clock.monotonicNs()
    outgoing.writeHead(200, {
      ...SECURITY_HEADERS,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    // it may be silent for long
    outgoing.socket?.setTimeout(0)
    outgoing.on('error', () => this.close('disconnected'))
  }

  greet(dialects: readonly string[]): void {
    const { listener } = this
    const hello: TapHelloEvent = { listener, dialects, nowMs: this.#clock.wallMs() }
    this.#write(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`)
  }

  /** Whether bytes wait for the client. */
  get isWaiting(): boolean {
    return this.#outgoing.writableLength > 0
  }

  /** Time for which it has taken nothing of what waits. */
  get silentNs(): bigint {
    return this.isWaiting ? this.#clock.monotonicNs() - this.#progressNs : 0n
  }

  take(news: TapNews): void {
    if (this.#outgoing.writableEnded) return
    this.#skipped = addCounts(this.#skipped, news.skipped)
    const text = this.#skippedText() + news.text(this.#hasHex)
    if (text === '') return
    const waiting = this.#outgoing.writableLength
    if (waiting > 0 && waiting + text.length > this.#limits.streamBufferBytes) {
      this.#skipped = addCounts(this.#skipped, news.told)
      return
    }
    this.#skipped = NO_COUNTS
    this.#write(text)
  }

  #skippedText(): string {
    if (Object.values(this.#skipped).every((count) => count === 0)) return ''
    return `event: skipped\ndata: ${JSON.stringify(this.#skipped)}\n\n`
  }

  /** Keeps the connection alive, or closes that of a client that has taken nothing for long. */
  heartbeat(): void {
    const delivered = this.#writtenBytes - this.#outgoing.writableLength
    if (!this.isWaiting || delivered > this.#deliveredBytes) {
      this.#deliveredBytes = delivered
      this.#progressNs = this.#clock.monotonicNs()
    } else if (this.silentNs > nsOfMs(this.#limits.streamStallMs)) this.close('stalled')
    if (!this.isWaiting && !this.#outgoing.destroyed) this.#write(':\n\n')
  }

  #write(text: string): void {
    this.#writtenBytes += Buffer.byteLength(text)
    this.#outgoing.write(text)
  }

  close(reason: Viewer['endReason']): void {
    if (this.#outgoing.destroyed) return
    this.endReason = reason
    this.#outgoing.destroy()
  }

  /** Ends behind what waits. */
  end(): void {
    this.endReason = 'stopped'
    this.#outgoing.end()
  }
}
