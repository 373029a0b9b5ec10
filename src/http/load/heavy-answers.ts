/**
 * Answers that may be large: each has one of a bounded number of places from before it is made
 * until its client has taken it, and all are made in turns of the event loop. So many clients cost
 * as much memory as the places, and as much time as one. An answer without a place waits a little,
 * then it is 503; a client that takes its answer slowly must leave its place to one that waits.
 */
import type { ServerResponse } from 'node:http'
import type { LimitStatus } from '../../hub/status/status.ts'
import type { RoundRobin, Share } from '../../hub/tasks/round-robin.ts'
import type { Clock } from '../../time/clock.ts'
import { HttpError } from '../http-error.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'

/** Seconds that a refusal asks to wait: by then those that wait have been served or refused. */
const RETRY_AFTER_S = 2
const OVERLOADED_RETRY_S = 10
/** A client that has let its answer wait for so long, in all, gives way to one that waits. */
const SLOW_MS = 1000
/** Pause between looks of those that wait for clients that give way, ms. */
const LOOK_MS = 250

interface HeavyAnswersParts {
  readonly clock: Clock
  readonly turns: RoundRobin
  readonly limits: Pick<HttpLimits, 'answersLimit' | 'answersWaitingLimit' | 'answerWaitMs'>
  readonly reports: HttpReports
  /** Whether none may be begun: the hub is short of memory or time. */
  readonly isOverloaded: () => boolean
}

/** An answer that waits for a place. */
interface Waiting {
  readonly outgoing: ServerResponse
  readonly untilMs: number
  readonly resolve: (place: Place) => void
  readonly reject: (refusal: HttpError) => void
}

export class HeavyAnswers {
  readonly #parts: HeavyAnswersParts
  /** Places in the order in which they came. */
  readonly #open = new Set<Place>()
  #waiting: Waiting[] = []
  #cancelLook: (() => void) | undefined
  #refused = 0

  constructor(parts: HeavyAnswersParts) {
    this.#parts = parts
  }

  /** Turns in which all answers are made, those that are never large or never end included. */
  get turns(): RoundRobin {
    return this.#parts.turns
  }

  /** Tells how full the places are. */
  status(): LimitStatus {
    return {
      name: 'http.answersLimit',
      limit: this.#parts.limits.answersLimit,
      used: this.#open.size,
      refused: this.#refused,
      behaviour: 'A further large answer waits a little, then gets 503; slow clients give way.',
    }
  }

  /**
   * Waits for a place, which is free again when the response is closed.
   * @param isNeeded whether the answer is given in overload, too: it is small, or says why
   * @throws {HttpError} 503 when there is none in time
   */
  enter(outgoing: ServerResponse, isNeeded = false): Promise<Place> {
    const { clock, limits, isOverloaded } = this.#parts
    if (isOverloaded() && !isNeeded) return Promise.reject(overloaded())
    if (this.#waiting.length === 0 && this.#hasRoom()) return Promise.resolve(this.#place(outgoing))
    if (this.#waiting.length >= limits.answersWaitingLimit) return Promise.reject(this.#refusal())
    return new Promise((resolve, reject) => {
      const untilMs = nowMs(clock) + limits.answerWaitMs
      this.#waiting.push({ outgoing, untilMs, resolve, reject })
      outgoing.once('close', () => this.#admit())
      this.#look()
    })
  }

  #place(outgoing: ServerResponse): Place {
    const { clock, turns } = this.#parts
    const place = new Place(outgoing, turns, clock, () => {
      if (this.#open.delete(place)) this.#admit()
    })
    if (!place.isGone) this.#open.add(place)
    return place
  }

  /** Gives free places to those that wait, and up on those that waited too long. */
  #admit(): void {
    const now = nowMs(this.#parts.clock)
    while (this.#waiting.length > 0) {
      const { outgoing, resolve, reject, untilMs } = this.#waiting[0]!
      if (!outgoing.destroyed && !outgoing.closed && !this.#hasRoom()) {
        if (untilMs > now) break
        reject(this.#refusal())
      } else resolve(this.#place(outgoing))
      this.#waiting.shift()
    }
    this.#look()
  }

  #look(): void {
    if (this.#waiting.length === 0) {
      this.#cancelLook?.()
      this.#cancelLook = undefined
    }
    if (this.#waiting.length === 0 || this.#cancelLook !== undefined) return
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => {
      this.#cancelLook = undefined
      this.#admit()
    })
  }

  #hasRoom(): boolean {
    if (this.#open.size < this.#parts.limits.answersLimit) return true
    const slowest = this.#slowest()
    if (slowest === undefined) return false
    this.#parts.reports.count('answers_cut', 'slow')
    this.#open.delete(slowest)
    slowest.cut()
    return true
  }

  #slowest(): Place | undefined {
    let slowest: Place | undefined
    for (const place of this.#open) {
      if (place.takingMs >= Math.max(SLOW_MS, slowest?.takingMs ?? 0)) slowest = place
    }
    return slowest
  }

  #refusal(): HttpError {
    this.#refused++
    const message = `${this.#open.size} large answers are under way`
    const hint = `ask again in ${RETRY_AFTER_S} s`
    return new HttpError(503, 'busy', message, hint, { 'Retry-After': `${RETRY_AFTER_S}` })
  }
}

/** Refuses a large answer: it is worth less than what goes on being counted. */
function overloaded(): HttpError {
  const message = 'the hub is short of memory or time, and gives no large answers'
  const hint = 'GET /api/v1/sources says why'
  const headers = { 'Retry-After': String(OVERLOADED_RETRY_S) }
  return new HttpError(503, 'overloaded', message, hint, headers)
}

/** One answer's place. */
export class Place {
  readonly #outgoing: ServerResponse
  readonly #turns: RoundRobin
  readonly #clock: Clock
  /** Time for which its client has let it wait, up to the chunk at hand. */
  #takenMs = 0
  /** Time when the client was handed what it has not taken yet. */
  #handedOverMs: number | undefined

  constructor(outgoing: ServerResponse, turns: RoundRobin, clock: Clock, onClose: () => void) {
    this.#outgoing = outgoing
    this.#turns = turns
    this.#clock = clock
    outgoing.once('close', onClose)
  }

  /** True once the client takes no more of the answer. */
  get isGone(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.closed
  }

  /** Milliseconds for which the answer has waited for its client. */
  get takingMs(): number {
    const sinceMs = this.#handedOverMs
    return this.#takenMs + (sinceMs === undefined ? 0 : nowMs(this.#clock) - sinceMs)
  }

  /** Does a part of the work in a turn of the loop ({@link RoundRobin.turn}). */
  turn<T>(work: (share: Share) => T): Promise<T> {
    this.#takenMs = this.takingMs
    this.#handedOverMs = undefined
    return this.#turns.turn(work)
  }

  /** Notes that it is the client's move. */
  handOver(): void {
    this.#handedOverMs ??= nowMs(this.#clock)
  }

  /** Ends the answer where it is, with its connection. */
  cut(): void {
    this.#outgoing.socket?.destroy()
    this.#outgoing.destroy()
  }
}

function nowMs(clock: Clock): number {
  return Number(clock.monotonicNs() / 1_000_000n)
}
