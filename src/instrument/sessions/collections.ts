/**
 * The collections of a registry: everything that is due at one moment is served together
 * (eventcounters.md §4.3). First all windows are closed, counter after counter, so that every
 * session sees the same even where one counter's callback writes to another; then the sessions are
 * called, so that nothing they do reaches this collection.
 */
import type { Boundary } from '../../dialects/eventcounters/server/counter-source.ts'
import type { Clock } from '../../time/clock.ts'
import { errorText, ignoreRejection, type Report } from '../reports.ts'
import type { Member, Series } from './members.ts'
import type { OpenSession } from './open-session.ts'
import type { Collection } from './served-counter.ts'

export class Collections {
  readonly #clock: Clock
  readonly #report: Report
  readonly #callbacks = new Set<(collection: Collection) => void>()
  #number = 0
  #stage: 'none' | 'closing' | 'calling' = 'none'

  constructor(clock: Clock, report: Report) {
    this.#clock = clock
    this.#report = report
  }

  get isRunning(): boolean {
    return this.#stage !== 'none'
  }

  /** Whether windows are being closed at this moment. */
  get isClosing(): boolean {
    return this.#stage === 'closing'
  }

  onCollection(callback: (collection: Collection) => void): () => void {
    this.#callbacks.add(callback)
    return () => this.#callbacks.delete(callback)
  }

  /**
   * Finds the collection for a baseline poll: the running one, whose calls it shares, or one of its
   * own.
   */
  current(): Collection {
    if (this.#stage !== 'closing') this.#number++
    return { number: this.#number, nowNs: this.#clock.monotonicNs() }
  }

  /**
   * Serves what is due of the series to those of the sessions that are open now.
   * @param reachedNs boundaries up to this moment are due
   */
  run(all: Iterable<Series>, sessions: Iterable<OpenSession>, reachedNs: bigint): void {
    this.serve(
      [...all].filter(({ schedule }) => schedule.isDue(reachedNs)),
      sessions,
    )
  }

  /** Closes the windows of these series now; nothing happens within another collection. */
  serve(due: readonly Series[], sessions: Iterable<OpenSession>): void {
    if (this.isRunning || due.length === 0) return
    const nowNs = this.#clock.monotonicNs()
    const timeMs = this.#clock.wallMs()
    const receivers = [...sessions]
    const collection = { number: ++this.#number, nowNs }
    this.#stage = 'closing'
    for (const series of due) series.begin(collection.number, nowNs)
    for (const callback of [...this.#callbacks]) this.#prepare(callback, collection)
    for (const member of membersOf(due, collection.number)) this.#closeWindows(member, collection)
    this.#stage = 'calling'
    for (const session of receivers) this.#call(session, collection.number, timeMs)
    for (const series of due) series.forget()
    this.#stage = 'none'
  }

  #prepare(callback: (collection: Collection) => void, collection: Collection): void {
    try {
      callback(collection)
    } catch (error) {
      this.#report('callback_errors', `before a collection: ${errorText(error)}`)
    }
  }

  #closeWindows(member: Member, collection: Collection): void {
    for (const window of member.due) {
      try {
        const closed = window.close(collection)
        if (closed !== undefined) window.series.push(member, closed)
      } catch (error) {
        this.#report('callback_errors', `${member.title}: ${errorText(error)}`)
      }
    }
    member.due.length = 0
  }

  #call(session: OpenSession, collectionNumber: number, timeMs: number): void {
    if (!session.isOpen) return
    const windows = session.windowsOf(collectionNumber)
    if (windows === undefined) return
    const fail = (error: unknown) => {
      this.#report('listener_errors', `listener of a session, closed: ${errorText(error)}`)
      session.close()
    }
    const boundary: Boundary = { timeMs, windows }
    try {
      ignoreRejection(session.onBoundary(boundary), fail)
    } catch (error) {
      fail(error)
    }
  }
}

/**
 * Lists the counters that have windows in the series, each once, in order of creation, with these
 * windows as those that are due: the windows of sessions that are not due are not even looked at.
 */
function membersOf(due: readonly Series[], collectionNumber: number): Member[] {
  const members: Member[] = []
  for (const series of due) {
    for (const window of series.windows) {
      const { member } = window
      if (member.collectionNumber !== collectionNumber) {
        member.collectionNumber = collectionNumber
        members.push(member)
      }
      member.due.push(window)
    }
  }
  return members.sort((a, b) => a.order - b.order)
}
