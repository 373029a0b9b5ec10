/**
 * Windows that their senders have closed, merged into the running second.
 * They come by the main thread only, which also closes the seconds, so nothing here is shared.
 */
import {
  type CounterCell,
  EMPTY_SUMMARY,
  type Exact,
  type HistogramCell,
  type Summary,
  type SummaryCell,
} from '../../../model/index.ts'
import type { Writer } from '../../../shm/index.ts'
import type {
  CounterRecord,
  HistogramRecord,
  SeriesRecord,
  SummaryRecord,
} from '../../series/record.ts'
import { CounterWindows } from './counter-windows.ts'
import { HistogramWindows } from './histogram-windows.ts'
import { SummaryWindows } from './summary-windows.ts'

/** Series that had windows in a second. */
export interface WindowedSeries {
  /** Whether a counter was among it; these are found by `isWaiting`. */
  readonly hasCounters: boolean
  /** Histograms and summaries. */
  readonly distributions: (HistogramRecord | SummaryRecord)[]
}

export class Windows {
  readonly #writer: Writer
  #hasCounters = false
  #distributions: (HistogramRecord | SummaryRecord)[] = []

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /**
   * Merges a window into the running second.
   * @param intervalSec NaN where it is not known
   * @param earlier observations of a summary before its first window
   * @returns false, with nothing merged, for a delta or statistics that no total can take
   */
  merge(
    record: SeriesRecord,
    cell: CounterCell | HistogramCell | SummaryCell,
    intervalSec: number,
    earlier = EMPTY_SUMMARY,
  ): boolean {
    if (record.kind === 'gauge') return false
    if (!this.#mergeCell(record, cell, intervalSec, earlier)) return false
    if (record.isWaiting) return true
    record.isWaiting = true
    if (record.kind === 'counter') this.#hasCounters = true
    else this.#distributions.push(record)
    return true
  }

  #mergeCell(
    record: CounterRecord | HistogramRecord | SummaryRecord,
    cell: CounterCell | HistogramCell | SummaryCell,
    intervalSec: number,
    earlier: Summary,
  ): boolean {
    switch (record.kind) {
      case 'counter':
        return cell.kind === 'counter' && this.#mergeCounter(record, cell.delta, intervalSec)
      case 'histogram':
        if (cell.kind !== 'histogram' || !record.isWindowed) return false
        record.windows ??= new HistogramWindows()
        record.windows.add(cell.histogram)
        return true
      case 'summary':
        return cell.kind === 'summary' && mergeSummary(record, cell.summary, intervalSec, earlier)
    }
  }

  #mergeCounter(record: CounterRecord, delta: Exact, intervalSec: number): boolean {
    if (!(delta >= 0) || delta === Number.POSITIVE_INFINITY) return false
    const counter = this.#writer.counter(record.metric)
    if (counter === undefined) return false
    record.windows ??= new CounterWindows()
    if (!record.windows.add(delta, intervalSec, counter)) return false
    return true
  }

  /** Whether a counter had a window since the last {@link take}. */
  get hasCounters(): boolean {
    return this.#hasCounters
  }

  /**
   * Takes those that had windows, and the next second begins. Each is to be closed in its turn with
   * what has come meanwhile, and `isWaiting` taken back then.
   */
  take(): WindowedSeries {
    const taken = {
      hasCounters: this.#hasCounters,
      distributions: this.#distributions,
    }
    this.#hasCounters = false
    this.#distributions = []
    return taken
  }
}

function mergeSummary(
  record: SummaryRecord,
  summary: Summary,
  intervalSec: number,
  earlier: Summary,
): boolean {
  if (!isPlausible(summary) || !isPlausible(earlier)) return false
  record.windows ??= new SummaryWindows()
  record.windows.addEarlier(earlier)
  record.windows.add(summary.count === 0 ? EMPTY_SUMMARY : summary, intervalSec)
  return true
}

/**
 * Tells whether statistics stay finite whatever they are merged with; min and max may be unknown.
 */
function isPlausible({ count, mean, squares, min, max }: Summary): boolean {
  if (count === 0) return true
  if (!Number.isSafeInteger(count) || count < 0) return false
  return (
    Number.isFinite(mean) &&
    squares >= 0 &&
    squares < Number.POSITIVE_INFINITY &&
    isKnown(min) &&
    isKnown(max)
  )
}

function isKnown(extreme: number): boolean {
  return Number.isFinite(extreme) || Number.isNaN(extreme)
}
