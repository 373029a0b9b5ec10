/** Keeps, for every series, how far it is from its usual, and since when. */
import { signal } from '@preact/signals'
import type { Kind } from '../../http/api.ts'
import { quantileOf } from './buckets.ts'
import { type Entry, type Renumbering, renumber } from './catalogue.ts'
import type { HubApi } from './hub-api.ts'
import { MAIN_LANE, type SeriesData } from './series-data.ts'
import { COLUMN_SECONDS, Survey } from './survey.ts'

const RECENT_SECONDS = 10
/** Longest past in which the start of something unusual is looked for, in seconds. */
const PAST_SECONDS = 600

export interface Finding extends Change {
  /** Unix second since which it is unusual; 0 while it isn't. */
  readonly since: number
}

export const UNKNOWN_CHANGE: Change = {
  recent: Number.NaN,
  usual: Number.NaN,
  ratio: Number.NaN,
  score: 0,
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

  /** Mean or value of the last ten seconds as far as it is known, for orders by size. */
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

/** A distribution of ten seconds has one p99, as the columns of the past have. */
function recentOf(data: SeriesData, second: number): Float64Array {
  const from = second - RECENT_SECONDS
  if (data.kind === 'histogram') return Float64Array.of(quantileOf(data, 0.99, from, second))
  const values = new Float64Array(RECENT_SECONDS)
  data.copy(MAIN_LANE[data.kind], from + 1, values)
  return values
}

interface Change {
  readonly recent: number
  readonly usual: number
  /** recent / usual; Infinity from a usual 0, NaN while too little is known. */
  readonly ratio: number
  /** Distance from usual in spreads, 0 while the ratio is an everyday one. */
  readonly score: number
}

const RATIO_ABOVE = 1.8
const RATIO_BELOW = 0.5
const SCORE_ABOVE = 6
/** Values of the past that it takes to call anything usual. */
const USUAL_LEAST = 6
/** A rare event that goes from 0 to 2 is nothing: counts scatter by their root. */
const COUNTER_SPREAD = 0.8

export function isUnusual(change: Change): boolean {
  return change.score > SCORE_ABOVE
}

/**
 * @param recent values of the last 10 s
 * @param past values of the last 10 min, NaN where nothing is known
 */
export function compare(kind: Kind, recent: Float64Array, past: Float64Array): Change {
  const now = median(known(recent))
  const pastKnown = known(past)
  if (Number.isNaN(now) || pastKnown.length < USUAL_LEAST) return UNKNOWN_CHANGE
  const usual = median(pastKnown)
  const ratio = now === usual ? 1 : now / usual
  const distance = Math.abs(now - usual)
  const isFar = ratio > RATIO_ABOVE || ratio < RATIO_BELOW
  const spread = median(pastKnown.map((value) => Math.abs(value - usual)))
  const floor = kind === 'counter' ? Math.sqrt(usual) + COUNTER_SPREAD : Math.abs(usual) / 100
  const score = isFar ? distance / Math.max(spread, floor, 1e-9) : 0
  return { recent: now, usual, ratio: usual === 0 && now !== 0 ? Infinity : ratio, score }
}

/**
 * When it left its usual: the end of the last five values whose mean was on the usual side of half
 * way. `values` end now, oldest first, `step` seconds apart; the answer is seconds before now.
 */
export function leftUsualAgo(values: Float64Array, change: Change, step = 1): number {
  const half = (change.usual + change.recent) / 2
  const isUp = change.recent > change.usual
  const width = Math.max(1, Math.round(5 / step))
  for (let end = values.length - 1; end >= width - 1; end -= 1) {
    let sum = 0
    for (let i = end - width + 1; i <= end; i += 1) sum += values[i]!
    const mean = sum / width
    if (isUp ? mean < half : mean > half) return (values.length - 1 - end) * step
  }
  return values.length * step
}

export function median(values: Float64Array): number {
  if (values.length === 0) return Number.NaN
  const sorted = values.slice().sort()
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle]!
  return (sorted[middle - 1]! + sorted[middle]!) / 2
}

function known(values: Float64Array): Float64Array {
  return values.filter((value) => !Number.isNaN(value))
}
