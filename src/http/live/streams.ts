/**
 * The live stream (api.ts, LiveEvents) as server-sent events. Every stream has a session of its own
 * interval; what streams show alike is serialised once. A slow client loses events, never memory:
 * its buffer is bounded, and what does not fit is skipped and counted.
 */

import type { ServerResponse } from 'node:http'
import type { Frame } from '../../hub/live/frame.ts'
import type { Session, SessionOptions } from '../../hub/live/sessions.ts'
import { isDecrements } from '../../hub/series/record.ts'
import type { LimitStatus } from '../../hub/status/status.ts'
import type { RoundRobin } from '../../hub/tasks/round-robin.ts'
import type { HubView } from '../../hub/view.ts'
import type { MinuteLog } from '../../peers/minute-log.ts'
import { networkOf } from '../../peers/network.ts'
import { Idleness, Shares } from '../../peers/shares.ts'
import type { HelloEvent, SeriesEvent } from '../api.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'
import { LivePayloads, selectionOf } from './payloads.ts'
import { SamplePulses } from './sample-pulses.ts'
import { Stream } from './stream.ts'

/** Proxies and clients give up on a silent connection after 30 s or more. */
const HEARTBEAT_MS = 15_000
/** A stream whose client has taken nothing for so long, ms, is idle. */
const STALLED_MS = 1000
/** Line that asks browsers to come back after a second instead of their own three. */
const RETRY_LINE = 'retry: 1000\n\n'

interface StreamRequest {
  readonly ids: readonly number[]
  /** Length of its windows; below a second, the interval at which it is told of samples. */
  readonly intervalS: number
  /** End of the last interval that the client has seen. */
  readonly lastEventMs: number | undefined
}

interface StreamsParts {
  /** Turns in which replays are made. */
  readonly turns: RoundRobin
  readonly limits: HttpLimits
  readonly reports: HttpReports
  readonly log: MinuteLog
}

export class LiveStreams {
  readonly #view: HubView
  readonly #parts: StreamsParts
  readonly payloads: LivePayloads
  readonly #samples: SamplePulses
  readonly #open = new Map<string, Stream>()
  readonly #shares = new Shares<Stream>({
    idleness: ({ stalledMs }) => (stalledMs >= STALLED_MS ? Idleness.idle : Idleness.working),
    silence: ({ stalledMs }) => stalledMs,
  })
  readonly #sessions = new WeakMap<Stream, Session>()
  #refused = 0
  /**
   * Session that runs each second while streams are open, for what does not depend on their
   * intervals.
   */
  #pulse: Session | undefined
  #cancelHeartbeat: (() => void) | undefined
  /** Clock steps of the hub, as the open streams were told its time. */
  #clockSteps = 0
  #series: { readonly revision: number; readonly event: Buffer } | undefined
  #sources: { readonly json: string; readonly event: Buffer } | undefined

  constructor(view: HubView, parts: StreamsParts) {
    this.#view = view
    this.#parts = parts
    this.payloads = new LivePayloads(view)
    this.#samples = new SamplePulses(view, parts.turns)
  }

  get size(): number {
    return this.#open.size
  }

  /** Tells how full the places are. */
  status(): LimitStatus {
    return {
      name: 'live streams',
      limit: this.#parts.limits.streams,
      used: this.#open.size,
      refused: this.#refused,
      behaviour: 'The address with most makes room for others; or a further stream is refused.',
    }
  }

  /**
   * Takes over a response that nothing has been written to.
   * @returns false, with the response untouched, when a limit is reached
   */
  open(outgoing: ServerResponse, request: StreamRequest): boolean {
    const { limits, turns, reports, log } = this.#parts
    const address = networkOf(outgoing.socket?.remoteAddress ?? '')
    let stream: Stream | undefined
    const session = this.#openSession(address, {
      intervalS: Math.max(1, request.intervalS),
      onFrame: (frame) => stream?.take(frame),
      onError: (error) => {
        const facts = { error: String(error), stack: stackOf(error) }
        reports.log?.('error', 'a live stream failed', facts)
        stream?.close('error')
      },
    })
    if (session === undefined) {
      this.#refused++
      log.note('live streams refused: all places are taken', { address })
      this.#stopPulseIfIdle()
      return false
    }
    stream = new Stream(outgoing, {
      name: process.getBuiltinModule('node:crypto').randomBytes(12).toString('base64url'),
      selection: selectionOf(request.ids),
      ...{ limits, payloads: this.payloads, turns, reports, clock: this.#view.clock },
    })
    this.#adopt(stream, session, outgoing, address)
    if (request.intervalS < 1) this.#samples.join(stream, Math.round(request.intervalS * 1000))
    this.#greet(stream, request)
    stream.replay(this.#missed(request))
    return true
  }

  /** Opens a session, if need be in the place of another stream. */
  #openSession(address: string, options: SessionOptions): Session | undefined {
    const { sessions } = this.#view
    if (this.#open.size >= this.#parts.limits.streams && !this.#makeRoom(address)) return undefined
    if (!this.#startPulse()) return undefined
    // they may be fewer than the streams
    if (sessions.size >= sessions.limit) this.#makeRoom(address)
    return sessions.open(options)
  }

  #makeRoom(address: string): boolean {
    const found = this.#shares.yielding(address)
    if (found === undefined) return false
    this.#parts.log.note('live streams closed to make room for others')
    this.#leave(found)
    found.close('made_room')
    return true
  }

  #adopt(stream: Stream, session: Session, outgoing: ServerResponse, address: string): void {
    this.#open.set(stream.name, stream)
    this.#shares.add(stream, address)
    this.#sessions.set(stream, session)
    this.#parts.reports.count('streams', 'opened')
    outgoing.once('close', () => {
      this.#leave(stream)
      this.#parts.reports.count('streams', stream.endReason)
      this.#stopPulseIfIdle()
    })
  }

  /** Frees its place at once, before the response has said that it is closed. */
  #leave(stream: Stream): void {
    this.#sessions.get(stream)?.close()
    this.#samples.leave(stream)
    this.#shares.delete(stream)
    this.#open.delete(stream.name)
  }

  /**
   * Changes what a stream carries, from its next event on; false when there is no such stream.
   * @param intervalS up to 1, for a stream that was opened with no more: how often it is told of
   *   samples, not at all with 1; as before unless given
   */
  select(name: string, ids: readonly number[], intervalS?: number): boolean {
    const stream = this.#open.get(name)
    if (stream === undefined) return false
    stream.selection = selectionOf(ids)
    const asked =
      intervalS === undefined ? this.#samples.intervalOf(stream) : Math.round(intervalS * 1000)
    if (asked !== undefined && asked < 1000) this.#samples.join(stream, asked)
    else this.#samples.leave(stream)
    return true
  }

  /** Ends every stream in order; clients see an end and come back. */
  stop(): void {
    for (const stream of [...this.#open.values()]) stream.end()
  }

  #greet(stream: Stream, { intervalS, lastEventMs }: StreamRequest): void {
    const hello: HelloEvent = {
      stream: stream.name,
      version: this.#view.version,
      startId: this.#view.startId,
      nowMs: this.#view.clock.wallMs(),
      intervalMs: intervalS * 1000,
      staleAfterMs: this.#view.staleAfterMs,
      windowMaxMs: this.#view.live.spanSeconds * 1000,
    }
    const id = lastEventMs ?? this.#view.live.newest?.endMs
    if (id !== undefined) stream.greeted(id)
    stream.write(
      `${RETRY_LINE}event: hello\n${id === undefined ? '' : `id: ${id}\n`}` +
        `data: ${JSON.stringify(hello)}\n\n`,
    )
    stream.offerSeries(this.#seriesEvent())
    stream.offerSources(this.#sourcesEvent())
  }

  /**
   * Lists missed frames, those of one window of the stream's interval together; the last may be
   * few.
   */
  #missed({ lastEventMs, ...asked }: StreamRequest): Frame[][] {
    if (lastEventMs === undefined) return []
    const intervalS = Math.max(1, asked.intervalS)
    const windows: Frame[][] = []
    let seconds = intervalS
    for (const frame of this.#view.live.since(lastEventMs)) {
      if (seconds >= intervalS) {
        windows.push([])
        seconds = 0
      }
      windows.at(-1)!.push(frame)
      seconds += frame.seconds
    }
    return windows
  }

  #startPulse(): boolean {
    if (this.#pulse !== undefined) return true
    this.#clockSteps = this.#view.clockSteps
    this.#pulse = this.#view.sessions.open({
      intervalS: 1,
      // Behind the cells of the same second, whatever the order of the sessions.
      onFrame: () => queueMicrotask(() => this.#beat()),
    })
    if (this.#pulse === undefined) return false
    this.#scheduleHeartbeat()
    return true
  }

  #stopPulseIfIdle(): void {
    if (this.#open.size > 0) return
    this.#pulse?.close()
    this.#pulse = undefined
    this.#cancelHeartbeat?.()
    this.#cancelHeartbeat = undefined
    this.#sources = undefined
  }

  #beat(): void {
    if (this.#open.size === 0) return
    if (this.#clockSteps !== this.#view.clockSteps) {
      // the greeting of the next stream says the new time
      this.#clockSteps = this.#view.clockSteps
      const { newest } = this.#view.live
      for (const stream of [...this.#open.values()]) {
        // what is in its open window is of a time that the ring may not have any more
        this.#sessions.get(stream)?.flush()
        if (newest === undefined) stream.end()
        else stream.endAtStep(newest)
      }
      return
    }
    const series = this.#seriesEvent()
    const sources = this.#sourcesEvent(true)
    for (const stream of this.#open.values()) {
      stream.offerSeries(series)
      stream.offerSources(sources)
      stream.closeIfStalled()
    }
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat = this.#view.clock.after(HEARTBEAT_MS, () => {
      this.#scheduleHeartbeat()
      for (const stream of this.#open.values()) stream.heartbeat()
    })
  }

  #seriesEvent(): { readonly revision: number; readonly event: Buffer } {
    const { revision } = this.#view.series
    if (this.#series?.revision !== revision) {
      let total = 0
      for (const record of this.#view.series) if (!isDecrements(record)) total++
      const data: SeriesEvent = { revision, total }
      this.#series = { revision, event: eventBytes('series', JSON.stringify(data)) }
    }
    return this.#series!
  }

  /** Gives the event as of the last second; made anew, once for all streams, by `refresh`. */
  #sourcesEvent(refresh = false): { readonly json: string; readonly event: Buffer } {
    if (this.#sources !== undefined && !refresh) return this.#sources
    const json = JSON.stringify(this.#view.sources())
    if (this.#sources?.json !== json) {
      this.#sources = { json, event: eventBytes('sources', json) }
    }
    return this.#sources
  }
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined
}

/**
 * Encodes an event without an id: the client's last one stays the end of the last cells it has got.
 */
function eventBytes(event: string, json: string): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${json}\n\n`)
}
