/**
 * Windows of any number of series over a stretch of whole seconds (wallaroo.md §8.3): latencies
 * at the second in which each window ends, messages spread exactly over the seconds it covers.
 * Second t is the time (t-1, t] of the hub's clock; a worker that is off is shifted.
 */

import type { Completeness } from '../../http/api.ts'
import { LatencyTotals } from '../../rollup/latency-totals.ts'
import { SecondCounts } from '../../rollup/second-counts.ts'
import { WindowSpread } from '../../rollup/spread.ts'
import type { KeptWindow } from '../memory/kept-window.ts'
import type { SeriesReading, WindowSum } from './readings.ts'

const NS_PER_SECOND = 1_000_000_000
/** One serves for all windows: it holds nothing from one to the next. */
const parts = new WindowSpread()

export interface SpanRange {
  /** The first second is the one after it. */
  readonly fromS: number
  readonly toS: number
  /** Windows that are longer only count: no second is theirs. */
  readonly retentionMs: number
  readonly nowMs: number
  /** Whether messages of bin 64 count as all others. */
  readonly hasSkew: boolean
}

export class Span implements WindowSum {
  readonly range: SpanRange
  /** Totals of all windows that end within. */
  readonly totals = new LatencyTotals()
  /** Messages by second from `fromS + 1` on. */
  readonly messages: SecondCounts
  /** Messages since the series began. */
  total = 0n
  /** Latest end by the hub's clock; -Infinity without windows. */
  lastEndMs = Number.NEGATIVE_INFINITY
  /** Latest end of windows that left for want of memory; -Infinity where none did. */
  droppedEndMs = Number.NEGATIVE_INFINITY
  /** Id that was stated last. */
  id = 0
  #idSeenMs = Number.NEGATIVE_INFINITY

  readonly #end = new ShiftedEnd()

  constructor(range: SpanRange) {
    this.range = range
    this.messages = new SecondCounts(range.toS - range.fromS)
  }

  /** Begins anew. */
  clear(): void {
    this.totals.clear()
    this.messages.clear()
    this.total = 0n
    this.lastEndMs = Number.NEGATIVE_INFINITY
    this.droppedEndMs = Number.NEGATIVE_INFINITY
    this.#idSeenMs = Number.NEGATIVE_INFINITY
  }

  /** Enters what is known of a series without its windows; once they have been read. */
  enter(reading: SeriesReading): void {
    const { series, messages, lastEndMs } = reading
    this.total += messages
    this.lastEndMs = Math.max(this.lastEndMs, lastEndMs)
    this.miss(reading)
    this.#takeId(series.id, series.lastSeenMs)
  }

  /** Takes note that windows which a series had to let go are missing. */
  miss({ series, shiftMs }: SeriesReading): void {
    this.droppedEndMs = Math.max(this.droppedEndMs, series.windows.droppedEndMs + shiftMs)
  }

  #takeId(id: number, seenMs: number): void {
    if (seenMs <= this.#idSeenMs) return
    this.#idSeenMs = seenMs
    this.id = id
  }

  /** Adds all that another one of the same range has. */
  merge(other: Span): void {
    this.totals.merge(other.totals)
    for (let i = 0; i < this.messages.length; i++) {
      const count = other.messages.at(i)
      if (count !== undefined) this.messages.add(i, count)
    }
    this.total += other.total
    this.lastEndMs = Math.max(this.lastEndMs, other.lastEndMs)
    this.droppedEndMs = Math.max(this.droppedEndMs, other.droppedEndMs)
    this.#takeId(other.id, other.#idSeenMs)
  }

  addWindow(window: KeptWindow, { shiftMs }: SeriesReading): void {
    const { fromS, toS, retentionMs } = this.range
    this.#end.take(window, shiftMs)
    const { second, restNs } = this.#end
    const { periodNs } = window
    // no second of it is later than its end, or earlier than the one in which it begins
    if (second <= fromS || second - 2 - periodNs / NS_PER_SECOND >= toS) return
    if (periodNs > retentionMs * 1e6) return
    window.load()
    this.#spread(window, second, restNs)
    if (second <= toS) this.totals.add(window)
  }

  #spread(window: KeptWindow, second: number, restNs: number): void {
    const { fromS, toS } = this.range
    parts.lay(window.total(), restNs, window.periodNs)
    const first = Math.max(second - parts.length + 1, fromS + 1)
    for (let each = Math.min(second, toS); each >= first; each--) {
      this.messages.add(each - fromS - 1, parts.at(second - each))
    }
  }

  /**
   * Time from which on nothing is missing, and why before; empty where the whole range is complete.
   */
  get completeness(): Completeness {
    const { fromS, retentionMs, nowMs } = this.range
    // windows leave by whole ones: what was kept so long may be gone
    const keptFromMs = Math.floor((nowMs - retentionMs) / 1000) * 1000
    const completeFromMs = Math.max(this.droppedEndMs, keptFromMs)
    if (completeFromMs <= fromS * 1000) return {}
    // the later of the two is the one that more of it would help
    return { completeFromMs, missingFor: this.droppedEndMs > keptFromMs ? 'memory' : 'retention' }
  }
}

/** The end of a window by the hub's clock. */
class ShiftedEnd {
  /** Second in which the time lies. */
  second = 0
  /** Nanoseconds above that whole second. */
  restNs = 0

  take({ endS, endRestNs }: KeptWindow, shiftMs: number): void {
    const shiftS = Math.floor(shiftMs / 1000)
    const restNs = endRestNs + Math.round((shiftMs - shiftS * 1000) * 1e6)
    const isCarried = restNs >= NS_PER_SECOND
    this.restNs = isCarried ? restNs - NS_PER_SECOND : restNs
    this.second = endS + shiftS + (isCarried ? 1 : 0) + (this.restNs === 0 ? 0 : 1)
  }
}

/** Latencies by the second in which windows end: what a chart is made of. */
export class Columns implements WindowSum {
  /** Totals by second from `fromS + 1` on; undefined where no window ended. */
  readonly totals: (LatencyTotals | undefined)[]
  /** Length of the longest window that ended in each; 0 where none did. */
  readonly periodNs: Float64Array
  readonly #range: SpanRange
  readonly #end = new ShiftedEnd()

  constructor(range: SpanRange) {
    this.#range = range
    this.totals = new Array(range.toS - range.fromS).fill(undefined)
    this.periodNs = new Float64Array(range.toS - range.fromS)
  }

  addWindow(window: KeptWindow, { shiftMs }: SeriesReading): void {
    const { fromS, toS, retentionMs } = this.#range
    this.#end.take(window, shiftMs)
    const { second } = this.#end
    if (second <= fromS || second > toS || window.periodNs > retentionMs * 1e6) return
    window.load()
    const column = second - fromS - 1
    const totals = this.totals[column] ?? new LatencyTotals()
    this.totals[column] = totals
    totals.add(window)
    if (window.periodNs > this.periodNs[column]!) this.periodNs[column] = window.periodNs
  }
}
