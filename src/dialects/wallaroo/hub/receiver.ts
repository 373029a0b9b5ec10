/**
 * The hub's side of one worker's connection (wallaroo.md §4.1): finds the series of each window and
 * says which workers this connection stands for.
 */

import type { Peer } from '../../endpoints.ts'
import { toNumber } from '../codec/halves.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { LATE_WINDOW, timeNotes } from '../rollup/time-notes.ts'
import type { WindowReceiver } from '../server/connection.ts'
import { noteBit } from '../spec.ts'
import { HEARD_BY } from './memory/layout.ts'
import type { ConnectionFrames } from './memory/usual-frames.ts'
import type { WallarooState } from './state.ts'
import type { WallarooSeries } from './wire-series.ts'
import type { WallarooWorker } from './workers.ts'

/** Workers that one connection may stand for. */
export const CONNECTION_WORKERS_LIMIT = 1000
const SERIES_OVERFLOW = noteBit('series_overflow')
/** Notes of a connection that has not joined the application of a window. */
const NOT_JOINED = noteBit('before_connect') | noteBit('topic_not_joined')

export class WorkerReceiver implements WindowReceiver {
  readonly peer: Peer
  readonly #state: WallarooState
  readonly #workers = new Set<WallarooWorker>()
  #last: WallarooWorker | undefined
  /** It has sent for a second worker, which a worker itself never does. */
  #isRelay = false
  readonly #onClose: (receiver: WorkerReceiver) => void
  readonly usual: ConnectionFrames | undefined

  constructor(state: WallarooState, peer: Peer, onClose: (receiver: WorkerReceiver) => void) {
    this.#state = state
    this.peer = peer
    this.usual = state.usualFrames(peer.address)
    this.#onClose = onClose
  }

  /** Workers it has joined or sent windows of. */
  get workers(): ReadonlySet<WallarooWorker> {
    return this.#workers
  }

  join(application: string, worker: string | undefined): void {
    const { workers, clock } = this.#state
    const nowMs = clock.wallMs()
    const joined = workers.of(application, worker, this.peer.address, nowMs)
    if (joined !== undefined) this.#hear(joined, nowMs)
  }

  metrics(frame: MetricsFrame, nowMs: number): number {
    const state = this.#state
    const { address } = this.peer
    const found = state.find(frame, address, nowMs)
    const series = found ?? state.overflow(frame.category)
    state.take(series, frame, address, nowMs)
    if (found === undefined) {
      return SERIES_OVERFLOW | notesOnTimes(frame, nowMs, 0, state.options.retentionMs)
    }
    const { worker } = series
    this.#hear(worker, nowMs)
    worker.arrive(endMsOf(frame), nowMs, periodMsOf(frame))
    if (this.usual !== undefined) this.#expect(this.usual, series, frame)
    return notesOnTimes(frame, nowMs, worker.offset.shiftMs, state.options.retentionMs)
  }

  /** Has the next frames like this one taken as usual ones. */
  #expect(usual: ConnectionFrames, series: WallarooSeries, frame: MetricsFrame): void {
    const { worker } = series
    this.#state.learn(series, frame)
    usual.follow(series.record)
    if ((frame.notes & NOT_JOINED) !== 0 || !this.#workers.has(worker)) return
    this.#state.memory.words[(worker.record + HEARD_BY) >>> 2] = usual.record
  }

  #hear(worker: WallarooWorker, nowMs: number): void {
    worker.lastSeenMs = nowMs
    if (worker === this.#last) return
    this.#last = worker
    if (this.#workers.has(worker)) return
    if (this.#workers.size === CONNECTION_WORKERS_LIMIT) {
      this.#state.workersNotHeld++
      return
    }
    this.#workers.add(worker)
    if (!this.#isRelay && this.#isSecondName()) this.#becomeRelay()
    else if (this.#isRelay) worker.relays++
    else worker.connections++
  }

  #isSecondName(): boolean {
    let names = 0
    for (const { worker } of this.#workers) if (worker !== undefined) names++
    return names > 1
  }

  /** Has its workers known by what is heard of them: it stays when they leave. */
  #becomeRelay(): void {
    this.#isRelay = true
    for (const worker of this.#workers) {
      if (worker !== this.#last) worker.connections--
      worker.relays++
    }
  }

  close(): void {
    const nowMs = this.#state.clock.wallMs()
    const { memory } = this.#state
    for (const worker of this.#workers) {
      if (this.#isRelay) worker.relays--
      else {
        worker.connections--
        worker.lastSeenMs = nowMs
      }
      if (!worker.isKept) continue
      const heardBy = (worker.record + HEARD_BY) >>> 2
      if (this.usual?.record === memory.words[heardBy]) memory.words[heardBy] = 0
    }
    this.#workers.clear()
    if (this.usual !== undefined) memory.removeSmall(this.usual.record)
    this.#onClose(this)
  }
}

function endMsOf({ endHigh, endLow }: MetricsFrame): number {
  return toNumber(endHigh, endLow) / 1e6
}

function periodMsOf({ periodHigh, periodLow }: MetricsFrame): number {
  return toNumber(periodHigh, periodLow) / 1e6
}

/**
 * Lists the notes on a window's times (wallaroo.md §6.1): once it is known by how much the worker's
 * clock is off, it is late by the corrected time, while an end in the future says what was sent.
 */
function notesOnTimes(frame: MetricsFrame, nowMs: number, shiftMs: number, retentionMs: number) {
  const endMs = endMsOf(frame)
  const periodMs = periodMsOf(frame)
  // nearly every window; what is close to a limit is looked at exactly
  const isCurrent = endMs <= nowMs && nowMs - endMs - shiftMs < retentionMs / 2
  if (isCurrent && periodMs < retentionMs / 2) return 0
  const [end, period] = [frame.endNs(), frame.periodNs()]
  const [now, retention] = [msToNs(nowMs), msToNs(retentionMs)]
  const asSent = timeNotes(end, period, now, retention)
  const corrected = timeNotes(end + msToNs(shiftMs), period, now, retention)
  return (asSent & ~LATE_WINDOW) | (corrected & LATE_WINDOW)
}

function msToNs(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6))
}
