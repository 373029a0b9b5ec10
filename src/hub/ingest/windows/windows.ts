/**
 * Windows that their senders have closed (eventcounters.md §7.1), merged into the running second.
 * They come by the main thread only, which also closes the seconds, so nothing here is shared.
 */
import {
  type CounterCell,
  EMPTY_SUMMARY,
  type Exact,
  type Summary,
  type SummaryCell,
} from '../../../model/index.ts'
import type { Writer } from '../../../shm/index.ts'
import type { SeriesRecord } from '../../series.ts'
import { CounterWindows } from './counter-windows.ts'
import { SummaryWindows } from './summary-windows.ts'

export class Windows {
  readonly #writer: Writer
  #touched = new Set<SeriesRecord>()

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
    cell: CounterCell | SummaryCell,
    intervalSec: number,
    earlier = EMPTY_SUMMARY,
  ): boolean {
    const isMerged =
      cell.kind === 'counter'
        ? this.#mergeCounter(record, cell.delta, intervalSec)
        : mergeSummary(record, cell.summary, intervalSec, earlier)
    if (isMerged) this.#touched.add(record)
    return isMerged
  }

  #mergeCounter(record: SeriesRecord, delta: Exact, intervalSec: number): boolean {
    if (!(delta >= 0) || delta === Number.POSITIVE_INFINITY) return false
    const counter = this.#writer.counter(record.metric)
    if (counter === undefined) return false
    record.counterWindows ??= new CounterWindows()
    return record.counterWindows.add(delta, intervalSec, counter)
  }

  /** The series that had windows, in the order of their ids; the next second begins. */
  take(): readonly SeriesRecord[] {
    const touched = this.#touched
    if (touched.size === 0) return []
    this.#touched = new Set()
    return [...touched].sort((a, b) => a.id - b.id)
  }
}

function mergeSummary(
  record: SeriesRecord,
  summary: Summary,
  intervalSec: number,
  earlier: Summary,
): boolean {
  if (!isPlausible(summary) || !isPlausible(earlier)) return false
  record.summaryWindows ??= new SummaryWindows()
  record.summaryWindows.begin(earlier)
  record.summaryWindows.add(summary.count === 0 ? EMPTY_SUMMARY : summary, intervalSec)
  return true
}

/** Statistics that stay finite whatever they are merged with; min and max may be unknown. */
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
