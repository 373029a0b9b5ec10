/** The page's time: the hub's clock, the newest second, and the stretch that charts show. */
import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Connection } from './stream.ts'

/** Seconds that a stream may greet behind the one before, without a clock that was set. */
const SLACK_S = 3

export class Clock {
  /** Rises with every second that the stream brings, and every second while it is lost. */
  readonly tick = signal(0)
  /** Seconds that charts show. */
  readonly window = signal(60)
  /** Seconds of a step of the picture: 1 unless it shows more than the hub has in memory. */
  readonly step = signal(1)
  /** Unix second the picture ends at while paused. */
  readonly pausedAt = signal<number | undefined>(undefined)
  readonly connection: ReadonlySignal<Connection>
  /** Unix second of the newest closed second the stream brought. */
  newest = 0
  #hubAheadMs = 0

  constructor(connection: ReadonlySignal<Connection>) {
    this.connection = connection
  }

  /**
   * @param hubMs the hub's clock as its stream begins: the second before is closed
   * @returns whether it was set back: seconds that are known come again
   */
  set(hubMs: number): boolean {
    this.#hubAheadMs = hubMs - Date.now()
    const second = Math.floor(hubMs / 1000) - 1
    const isBack = second < this.newest - SLACK_S
    if (isBack) this.newest = second
    else this.pass(second)
    return isBack
  }

  pass(second: number): void {
    this.newest = Math.max(this.newest, second)
  }

  /** Reads the hub's clock. */
  nowMs(): number {
    return Date.now() + this.#hubAheadMs
  }

  /**
   * Gives the right edge of every chart, a whole second. A picture that stands still ends with a
   * whole step: what comes after it changes nothing.
   */
  edge(): number {
    const at = this.pausedAt.peek()
    const step = this.step.peek()
    return at === undefined ? this.liveEdge() : Math.floor(at / step) * step
  }

  /** Gives the right edge of a picture that moves, whether this one does or not. */
  liveEdge(): number {
    if (this.newest > 0 && this.connection.peek().state === 'live') return this.newest
    return Math.max(Math.floor(this.nowMs() / 1000) - 1, this.newest)
  }

  /**
   * Gives the last second of which anything can be known now: values are read there without a
   * cursor.
   */
  readingSecond(): number {
    const edge = this.edge()
    return this.newest === 0 ? edge : Math.min(edge, this.newest)
  }

  /** Gives the seconds since the newest while the hub is away; a picture that stands has none. */
  awayS(): number {
    if (this.connection.peek().state !== 'lost' || this.pausedAt.peek() !== undefined) return 0
    return Math.max(0, this.liveEdge() - this.newest)
  }

  /** Gives the instant up to which silence counts: nothing grows stale while the hub is away. */
  silenceEndMs(): number {
    return this.connection.peek().state === 'lost' ? this.newest * 1000 : this.nowMs()
  }
}
