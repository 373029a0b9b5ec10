/**
 * Answers that may be large: each has one of a bounded number of places from before it is made
 * until its client has taken it, and all are made in turns of the event loop. So many clients cost
 * as much memory as the places, and as much time as one. An answer without a place waits a little,
 * then it is 503. Both the places and those to wait in are shared out by address (shares.ts), and a
 * client that takes its answer slowly must leave its place to one that waits.
 */
import type { ServerResponse } from 'node:http'
import type { LimitStatus } from '../../hub/status/status.ts'
import type { RoundRobin, Share } from '../../hub/tasks/round-robin.ts'
import type { MinuteLog } from '../../peers/minute-log.ts'
import { networkOf } from '../../peers/network.ts'
import { Idleness, Shares } from '../../peers/shares.ts'
import { type Clock, monotonicMs } from '../../time/clock.ts'
import { HttpError } from '../http-error.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'

/** Seconds that a refusal asks to wait: by then those that wait have been served or refused. */
const RETRY_AFTER_S = 2
const OVERLOADED_RETRY_S = 10
/** A client that has let its answer wait for so long, in all, gives way to one that waits. */
const SLOW_MS = 1000
/** Pause between looks of those that wait for clients that give way, ms. */
const LOOK_MS = 250
/**
 * Part of its time that an answer waits for others to end by themselves; then it gets the place of
 * one that is being made, if its address has fewer.
 */
const PATIENCE = 0.25

const CUT_SLOW = 'large answers cut whose clients took them slowly, to make room for others'
const CUT_MAKING = 'large answers cut of the address that had most, to make room for others'

interface HeavyAnswersParts {
  readonly clock: Clock
  readonly turns: RoundRobin
  readonly limits: Pick<HttpLimits, 'answersLimit' | 'answersWaitingLimit' | 'answerWaitMs'>
  readonly reports: HttpReports
  readonly log: MinuteLog
  /** Whether none may be begun: the hub is short of memory or time. */
  readonly isOverloaded: () => boolean
}

/** An answer that waits for a place. */
interface Waiting {
  readonly outgoing: ServerResponse
  readonly address: string
  readonly sinceMs: number
  /** Number in the order in which they came. */
  readonly number: number
  readonly resolve: (place: Place) => void
  readonly reject: (refusal: HttpError) => void
}

export class HeavyAnswers {
  readonly #parts: HeavyAnswersParts
  readonly #open = new Shares<Place>({
    idleness: ({ takingMs }) => (takingMs >= SLOW_MS ? Idleness.idle : Idleness.working),
    silence: ({ takingMs }) => takingMs,
  })
  /** Answers that wait, in the order in which they came; of an address the newest has to go. */
  readonly #waiting = new Shares<Waiting>({
    idleness: () => Idleness.working,
    silence: ({ number }) => number,
  })
  #cancelLook: (() => void) | undefined
  #refused = 0
  #numbered = 0

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
      behaviour:
        'A further large answer waits a little, then gets 503; slow clients give way, ' +
        'then the address with most.',
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
    const address = networkOf(outgoing.socket?.remoteAddress ?? '')
    if (this.#waiting.size === 0 && this.#hasRoom(address)) {
      return Promise.resolve(this.#place(outgoing, address))
    }
    if (this.#waiting.size >= limits.answersWaitingLimit) {
      const found = this.#waiting.yielding(address)
      if (found === undefined) return Promise.reject(this.#refusal())
      this.#waiting.delete(found)
      found.reject(this.#refusal())
    }
    return new Promise((resolve, reject) => {
      const [sinceMs, number] = [monotonicMs(clock), this.#numbered++]
      this.#waiting.add({ outgoing, address, sinceMs, number, resolve, reject }, address)
      outgoing.once('close', () => this.#admit())
      this.#look()
    })
  }

  #place(outgoing: ServerResponse, address: string): Place {
    const { clock, turns } = this.#parts
    const place = new Place(outgoing, turns, clock, () => {
      if (this.#open.delete(place)) this.#admit()
    })
    if (!place.isGone) this.#open.add(place, address)
    return place
  }

  /** Gives free places to those that wait, and up on those that waited too long. */
  #admit(): void {
    const { clock, limits } = this.#parts
    for (const each of [...this.#waiting.members()]) {
      if (each.outgoing.destroyed || each.outgoing.closed) this.#enter(each)
    }
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (!this.#hasRoom(next.address, next)) break
      this.#enter(next)
    }
    const lateMs = monotonicMs(clock) - limits.answerWaitMs
    for (const each of [...this.#waiting.members()]) {
      if (each.sinceMs > lateMs) break
      this.#waiting.delete(each)
      each.reject(this.#refusal())
    }
    this.#look()
  }

  #enter(waiting: Waiting): void {
    this.#waiting.delete(waiting)
    waiting.resolve(this.#place(waiting.outgoing, waiting.address))
  }

  /** Finds the first of those that wait whose address has the fewest places. */
  #next(): Waiting | undefined {
    let found: Waiting | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const each of this.#waiting.members()) {
      const own = this.#open.count(each.address)
      if (own < fewest) [found, fewest] = [each, own]
    }
    return found
  }

  #look(): void {
    if (this.#waiting.size === 0) {
      this.#cancelLook?.()
      this.#cancelLook = undefined
    }
    if (this.#waiting.size === 0 || this.#cancelLook !== undefined) return
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => {
      this.#cancelLook = undefined
      this.#admit()
    })
  }

  /** Tells whether there is a place for one more, if need be that of another. */
  #hasRoom(address: string, waiting?: Waiting): boolean {
    const { clock, limits, reports, log } = this.#parts
    if (this.#open.size < limits.answersLimit) return true
    const patienceMs = PATIENCE * limits.answerWaitMs
    const isPatient = waiting === undefined || monotonicMs(clock) - waiting.sinceMs < patienceMs
    const found = this.#open.yielding(address, isPatient)
    if (found === undefined) return false
    const isSlow = found.takingMs >= SLOW_MS
    reports.count('answers_cut', isSlow ? 'slow' : 'made_room')
    log.note(isSlow ? CUT_SLOW : CUT_MAKING)
    this.#open.delete(found)
    found.cut()
    return true
  }

  #refusal(): HttpError {
    this.#refused++
    this.#parts.log.note('large answers refused: all places are taken')
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
  readonly #onLeave: () => void
  /** Time for which its client has let it wait, up to the chunk at hand. */
  #takenMs = 0
  /** Time when the client was handed what it has not taken yet. */
  #handedOverMs: number | undefined

  constructor(outgoing: ServerResponse, turns: RoundRobin, clock: Clock, onLeave: () => void) {
    this.#outgoing = outgoing
    this.#turns = turns
    this.#clock = clock
    this.#onLeave = onLeave
    outgoing.once('close', onLeave)
  }

  /** True once the client takes no more of the answer. */
  get isGone(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.closed
  }

  /** Milliseconds for which the answer has waited for its client. */
  get takingMs(): number {
    const sinceMs = this.#handedOverMs
    return this.#takenMs + (sinceMs === undefined ? 0 : monotonicMs(this.#clock) - sinceMs)
  }

  /** Does a part of the work in a turn of the loop ({@link RoundRobin.turn}). */
  turn<T>(work: (share: Share) => T): Promise<T> {
    this.#takenMs = this.takingMs
    this.#handedOverMs = undefined
    return this.#turns.turn(work)
  }

  /** Notes that it is the client's move. */
  handOver(): void {
    this.#handedOverMs ??= monotonicMs(this.#clock)
  }

  /** Gives the place back: all is made, and the little that is left of it waits for something. */
  leave(): void {
    this.#onLeave()
  }

  /** Ends the answer where it is, with its connection. */
  cut(): void {
    this.#outgoing.socket?.destroy()
    this.#outgoing.destroy()
  }
}
