/**
 * Requests on their way to the app. HTTP/1.1 lets a client send many into one connection before the
 * first is answered (RFC 9112 §9.3.2): only one of them is under way, and further ones wait (what
 * is behind those, reads.ts holds). Requests of all connections begin in turns of the event loop;
 * those of a supervisor, who sends one at a time, do not wait for any other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RoundRobin } from '../../hub/tasks/round-robin.ts'
import { StallLooks } from '../../peers/taking.ts'
import { type Clock, monotonicMs } from '../../time/clock.ts'
import type { HttpReports } from '../limits.ts'
import { type BodyLimits, takeBody } from './body.ts'
import { isProbe } from './probes.ts'

/** Answers a request, at once or later. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** The rest of a request may be on its way for so long, ms, before it is waited for. */
const REST_MS = 250
/** A client that has taken nothing for so long, ms, is waited for. */
const STALLED_MS = 1000

interface RequestsParts {
  readonly clock: Clock
  readonly answer: Answer
  readonly turns: RoundRobin
  /** Requests that may wait behind the one under way; one more ends the connection. */
  readonly pipelinedLimit: number
  /** Limits of bodies that are held; a longer one is refused to who reads it. */
  readonly bodies: BodyLimits
  /** Called when the answer to a request of the connection has ended. */
  readonly onAnswered: (socket: Socket) => void
  readonly reports: HttpReports
}

interface Request {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly answer: Answer
}

/** State of the last request of a connection. */
interface Latest {
  /** The request, as long as the answer to it is under way. */
  incoming: IncomingMessage | undefined
  /** Time when it began, or its answer ended. */
  sinceMs: number
}

export class Requests {
  readonly #parts: RequestsParts
  /** Requests that wait behind the one under way, by connection. */
  readonly #waiting = new WeakMap<Socket, Request[]>()
  /** Requests under way, or those before, by connection. */
  readonly #latest = new WeakMap<Socket, Latest>()
  /** Requests that came last, by connection. */
  readonly #newest = new WeakMap<Socket, IncomingMessage>()
  readonly #stalls: StallLooks

  constructor(parts: RequestsParts) {
    this.#parts = parts
    this.#stalls = new StallLooks(parts.clock)
  }

  /** Tells whether an answer to the connection is under way: nothing else may be written to it. */
  isAnswering(socket: Socket): boolean {
    return this.#waiting.has(socket)
  }

  /**
   * Tells whether a connection waits for its client: for a request, for the rest of one, or for it
   * to take the answer.
   */
  waitsForClient(socket: Socket): boolean {
    if (!this.isAnswering(socket)) return true
    const { incoming, sinceMs } = this.#latest.get(socket)!
    if (incoming?.complete === false && monotonicMs(this.#parts.clock) - sinceMs >= REST_MS)
      return true
    return this.#stalls.stalledMs(socket) >= STALLED_MS
  }

  /** Reads when its last request began, or the answer to it ended, ms; undefined without any. */
  sinceMs(socket: Socket): number | undefined {
    return this.#latest.get(socket)?.sinceMs
  }

  /** Counts requests that wait behind the one under way. */
  waitingIn(socket: Socket): number {
    return this.#waiting.get(socket)?.length ?? 0
  }

  /** Finds the request that came last: the only one of which more may come. */
  newestIn(socket: Socket): IncomingMessage | undefined {
    return this.#newest.get(socket)
  }

  /** @param answer where it is not the app's */
  take(incoming: IncomingMessage, outgoing: ServerResponse, answer = this.#parts.answer): void {
    const { socket } = incoming
    // Node goes on with what it has read of a connection that was closed for it.
    if (!socket.writable) return
    this.#newest.set(socket, incoming)
    takeBody(incoming, outgoing, this.#parts.bodies)
    const request = { incoming, outgoing, answer }
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) {
      this.#waiting.set(socket, [])
      this.#begin(request, isProbe(incoming.url ?? ''))
    } else if (waiting.length < this.#parts.pipelinedLimit) {
      waiting.push(request)
    } else {
      this.#parts.reports.count('refused', 'pipelined_limit')
      socket.destroy()
    }
  }

  #begin({ incoming, outgoing, answer }: Request, isAtOnce: boolean): void {
    const { socket } = incoming
    this.#latest.set(socket, { incoming, sinceMs: monotonicMs(this.#parts.clock) })
    outgoing.once('close', () => this.#beginNext(socket))
    const begin = (): void => {
      if (socket.writable) void answer(incoming, outgoing)
    }
    if (isAtOnce) begin()
    else void this.#parts.turns.turn(begin)
  }

  #beginNext(socket: Socket): void {
    const latest = this.#latest.get(socket)
    if (latest !== undefined)
      Object.assign(latest, { incoming: undefined, sinceMs: monotonicMs(this.#parts.clock) })
    const waiting = this.#waiting.get(socket)
    const next = waiting?.shift()
    if (waiting === undefined || next === undefined || !socket.writable) {
      this.#waiting.delete(socket)
    } else this.#begin(next, false)
    this.#parts.onAnswered(socket)
  }
}
