/** What windows brought to a summary: in the open second, and since the series began. */
import { EMPTY_SUMMARY, mergeSummaries, type Summary, summarySum } from '../../../model/index.ts'

/** Sum of what the windows of one second brought. */
interface SummaryWindow {
  readonly summary: Summary
  /** Their length together; NaN where one did not say. */
  readonly seconds: number
}

export class SummaryWindows {
  #open = EMPTY_SUMMARY
  #seconds = 0
  #total = EMPTY_SUMMARY
  #sum = 0
  #earlierCount = 0
  #last: SummaryWindow = { summary: EMPTY_SUMMARY, seconds: 0 }

  add(summary: Summary, intervalSec: number): void {
    this.#open = mergeSummaries(this.#open, summary)
    this.#seconds += intervalSec
    this.begin(summary)
  }

  /** Adds to the total what was observed before the first window. */
  begin(summary: Summary): void {
    this.#total = mergeSummaries(this.#total, summary)
    this.#sum += summarySum(summary)
  }

  /** Adds likewise what its sender had observed before: no cell tells of it. */
  addEarlier(summary: Summary): void {
    this.#earlierCount += summary.count
    this.begin(summary)
  }

  get earlierCount(): number {
    return this.#earlierCount
  }

  /** All observations since the series began. */
  get total(): Summary {
    return this.#total
  }

  /** Adds to the total what a cell of another second tells of, which is the newest. */
  addApart(summary: Summary): void {
    this.begin(summary)
    this.#last = { summary, seconds: Number.NaN }
  }

  /**
   * Their sum, added up window by window: mean * count of the total may fall by a rounding, which a
   * scraper would take for a restart.
   */
  get sum(): number {
    return this.#sum
  }

  /** Window of the newest second that had any; empty where they were. */
  get last(): SummaryWindow {
    return this.#last
  }

  /** Ends the second and returns what it brought. */
  close(): Summary {
    this.#last = { summary: this.#open, seconds: this.#seconds }
    this.#open = EMPTY_SUMMARY
    this.#seconds = 0
    return this.#last.summary
  }
}
