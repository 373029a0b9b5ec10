/** Findings: how far every series is from its usual, and since when. */
import { signal } from '@preact/signals'
import { quantileOf } from '../buckets.ts'
import { type Entry, type Renumbering, renumber } from '../catalogue.ts'
import type { HubApi } from '../hub-api.ts'
import { MAIN_LANE, type SeriesData } from '../series-data.ts'
import { type Change, compare, isUnusual, leftUsualAgo, UNKNOWN_CHANGE } from './change.ts'
import { COLUMN_SECONDS } from './columns.ts'
import { Survey } from './survey.ts'

const RECENT_SECONDS = 10
/** Longest past in which the start of something unusual is looked for, in seconds. */
const PAST_SECONDS = 600

export interface Finding extends Change {
  /** Unix second since which it is unusual; 0 while it isn't. */
  readonly since: number
}

const NOTHING_FOUND: Finding = { ...UNKNOWN_CHANGE, since: 0 }

export class Watch {
  /** Rises when it has looked around. */
  readonly version = signal(0)
  readonly #survey: Survey
  readonly #findings = new Map<number, Finding>()

  constructor(api: HubApi) {
    this.#survey = new Survey(api)
  }

  finding(id: number): Finding {
    return this.#findings.get(id) ?? NOTHING_FOUND
  }

  /** Gives the mean or value of the last ten seconds as far as it is known, for orders by size. */
  lastValue(id: number): number {
    return this.#survey.columns.get(id)?.last ?? Number.NaN
  }

  rate(id: number): number {
    return this.#survey.columns.get(id)?.rate ?? Number.NaN
  }

  renumber(change: Renumbering): void {
    this.#survey.renumber(change)
    renumber(this.#findings, change)
  }

  async round(
    entries: readonly Entry[],
    dataOf: (id: number) => SeriesData | undefined,
    isVisible: (id: number) => boolean,
    second: number,
  ): Promise<void> {
    // A survey that failed leaves the findings as they are; the next round asks again.
    await this.#survey.round(entries, isVisible, second * 1000).catch(() => false)
    for (const entry of entries) {
      const finding = this.#judge(entry, dataOf(entry.id), second)
      if (finding === undefined) this.#findings.delete(entry.id)
      else this.#findings.set(entry.id, finding)
    }
    this.version.value += 1
  }

  #judge(entry: Entry, data: SeriesData | undefined, second: number): Finding | undefined {
    const columns = this.#survey.columns.get(entry.id)
    if (columns === undefined) return undefined
    const past = columns.inOrder()
    const { kind } = entry.info
    const isKnown = data !== undefined && data.coveredTo >= second - 1
    const recent = isKnown ? recentOf(data, second) : past.subarray(-1)
    const change = compare(kind, recent, past)
    if (!isUnusual(change)) return { ...change, since: 0 }
    return { ...change, since: this.#sinceOf(entry, change, data, second, past, columns.newest) }
  }

  #sinceOf(
    entry: Entry,
    change: Change,
    data: SeriesData | undefined,
    second: number,
    past: Float64Array,
    newestColumn: number,
  ): number {
    if (data !== undefined && data.coveredTo >= second - 1) {
      const length = Math.min(PAST_SECONDS, second - data.coveredFrom)
      const values = new Float64Array(length)
      data.copy(MAIN_LANE[entry.info.kind], second - length + 1, values)
      const ago = leftUsualAgo(values, change)
      if (ago < length) return second - ago
    }
    return newestColumn * COLUMN_SECONDS - leftUsualAgo(past, change, COLUMN_SECONDS)
  }
}

/**
 * Lists recent values; a distribution of ten seconds has one p99, as the columns of the past have.
 */
function recentOf(data: SeriesData, second: number): Float64Array {
  const from = second - RECENT_SECONDS
  if (data.kind === 'histogram') return Float64Array.of(quantileOf(data, 0.99, from, second))
  const values = new Float64Array(RECENT_SECONDS)
  data.copy(MAIN_LANE[data.kind], from + 1, values)
  return values
}
