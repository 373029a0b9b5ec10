/**
 * Findings: how far series are from their usual, and since when. The hub compares all of them, in
 * steps of ten seconds; those on screen are compared here with what it calls usual, second by
 * second.
 */
import { signal } from '@preact/signals-core'
import type { Kind, UsualAnswer } from '../../../http/api.ts'
import {
  type Change,
  changeFrom,
  isUnusual,
  leftUsualAgo,
  meanOf,
  middleOf,
  UNKNOWN_CHANGE,
} from '../../../model/usual.ts'
import { quantileOf } from '../buckets.ts'
import { type HubApi, PAGE_SIZE } from '../hub-api.ts'
import type { Visibility } from '../polling.ts'
import { MAIN_LANE, type SeriesData } from '../series-data.ts'
import { type Compared, Survey } from './survey.ts'

const RECENT_SECONDS = 10
/** Longest past in which the start of something unusual is looked for, in seconds. */
const PAST_SECONDS = 600
/** Pause where the hub gives no answer, and where the page is hidden, ms. */
const PAUSE_MS = 10_000
/** Pause after which series that came on screen are asked for, ms. */
const SETTLE_MS = 1000

export interface Finding extends Change {
  /** Unix second since which it is unusual; 0 while it isn't. */
  readonly since: number
}

const NOTHING_FOUND: Finding = { ...UNKNOWN_CHANGE, since: 0 }

/** Knowledge of series that a watch needs. */
interface Watched {
  readonly kindOf: (id: number) => Kind | undefined
  readonly dataOf: (id: number) => SeriesData | undefined
  /** Ids of the series on screen. */
  readonly shown: () => Iterable<number>
}

export class Watch {
  /** Rises when it has looked around. */
  readonly version = signal(0)
  readonly #api: Pick<HubApi, 'get'>
  readonly #watched: Watched
  readonly #page: Visibility | undefined
  #survey: Survey | undefined
  /** Findings of series on screen, by their own seconds. */
  #seen: ReadonlyMap<number, Finding> = new Map()
  #needsAll = false
  /** The hub reads the past, for the first who asks. */
  #isReading = false
  #asking: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueMs = Number.POSITIVE_INFINITY

  constructor(api: Pick<HubApi, 'get'>, watched: Watched, page?: Visibility) {
    this.#api = api
    this.#watched = watched
    this.#page = page
  }

  finding(id: number): Finding {
    return this.#seen.get(id) ?? this.#told(id) ?? NOTHING_FOUND
  }

  /** Tells whether the hub has said that it does not know yet of any series what is usual. */
  isLearning(): boolean {
    return this.#survey === undefined ? this.#isReading : !this.#survey.knowsUsual()
  }

  /** Lists the series that are unusual. */
  unusual(): readonly number[] {
    const ids = new Set(this.#survey?.unusual)
    for (const [id, { since }] of this.#seen) {
      if (since > 0) ids.add(id)
      else ids.delete(id)
    }
    return [...ids]
  }

  /** Gives the mean or value of the last ten seconds as far as it is known, for orders by size. */
  lastValue(id: number): number {
    return this.#survey?.get(id)?.recent ?? Number.NaN
  }

  rate(id: number): number {
    return this.#survey?.get(id)?.rate ?? Number.NaN
  }

  /** Tells what the hub says of a series' silence; undefined while it has said nothing. */
  isStale(id: number): boolean | undefined {
    return this.#survey?.isStale(id)
  }

  /** Says whether values of all series are needed, for an order, or of those on screen alone. */
  needAll(isNeeded: boolean): void {
    if (isNeeded === this.#needsAll) return
    this.#needsAll = isNeeded
    if (isNeeded) this.#askIn(0)
  }

  /** Notes that other series are on screen. */
  shownChanged(): void {
    if (!this.#needsAll) this.#askIn(SETTLE_MS)
  }

  /** Forgets what it knows by id, and asks anew: ids may mean other series. */
  restart(): void {
    this.stop()
    this.#survey = undefined
    this.#seen = new Map()
    this.#askIn(0)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#dueMs = Number.POSITIVE_INFINITY
    this.#asking?.abort()
    this.#asking = undefined
  }

  /** Compares what is on screen. @param second newest one that was read */
  round(second: number): void {
    const seen = new Map<number, Finding>()
    for (const id of this.#watched.shown()) {
      const finding = this.#judge(id, second)
      if (finding !== undefined) seen.set(id, finding)
    }
    this.#seen = seen
    this.version.value += 1
  }

  /** Asks after a pause, if that is not to happen sooner. */
  #askIn(pauseMs: number): void {
    const dueMs = Date.now() + pauseMs
    if (dueMs >= this.#dueMs || this.#asking !== undefined) return
    clearTimeout(this.#timer)
    this.#dueMs = dueMs
    this.#timer = setTimeout(() => void this.#ask(), pauseMs)
  }

  async #ask(): Promise<void> {
    this.#dueMs = Number.POSITIVE_INFINITY
    if (this.#page?.hidden === true) return this.#askIn(PAUSE_MS)
    const asking = new AbortController()
    this.#asking = asking
    const ids = [...this.#watched.shown()].filter((id) => id > 0).slice(0, PAGE_SIZE)
    const query = this.#needsAll ? '' : `?series=${ids.join(',')}`
    const answer = (await this.#api
      .get(`/usual${query}`, asking.signal)
      // The findings stay as they are; the next answer is asked for in its time.
      .catch(() => undefined)) as UsualAnswer | undefined
    if (this.#asking !== asking) return
    this.#asking = undefined
    if (answer !== undefined) {
      this.#isReading = answer.endMs === null
      if (answer.endMs !== null) this.#survey = new Survey(answer)
      this.version.value += 1
    }
    this.#askIn(answer?.nextMs ?? PAUSE_MS)
  }

  #told(id: number): Finding | undefined {
    const compared = this.#survey?.get(id)
    const kind = this.#watched.kindOf(id)
    if (compared === undefined || kind === undefined) return undefined
    return { ...changeFrom(kind, compared.recent, compared), since: compared.since }
  }

  #judge(id: number, second: number): Finding | undefined {
    const compared = this.#survey?.get(id)
    const data = this.#watched.dataOf(id)
    if (compared === undefined || data === undefined || data.coveredTo < second - 1) {
      return undefined
    }
    const change = changeFrom(data.kind, recentOf(data, second), compared)
    if (isUnusual(change)) return { ...change, since: sinceOf(data, second, change, compared) }
    // The hub knows distributions better than by the buckets that are drawn.
    const told = data.kind === 'histogram' ? this.#told(id) : undefined
    return { ...(told ?? change), since: 0 }
  }
}

function sinceOf(data: SeriesData, second: number, change: Change, { since }: Compared): number {
  const length = Math.min(PAST_SECONDS, second - data.coveredFrom)
  const values = secondsOf(data, second - length + 1, length)
  const ago = leftUsualAgo(values, change)
  if (ago < length) return second - ago
  return since > 0 ? Math.min(since, second - length) : second - length
}

/** Gives the recent value as the hub's columns have theirs: see docs/http.md. */
function recentOf(data: SeriesData, second: number): number {
  const from = second - RECENT_SECONDS
  if (data.kind === 'histogram') return quantileOf(data, 0.99, from, second)
  const values = secondsOf(data, from + 1, RECENT_SECONDS)
  return data.kind === 'summary' ? observedMean(data, from, values) : meanOf(values)
}

/** Gives what a series was in each of some seconds. */
function secondsOf(data: SeriesData, from: number, length: number): Float64Array {
  const values = new Float64Array(length)
  if (data.kind !== 'gauge') {
    data.copy(MAIN_LANE[data.kind], from, values)
    return values
  }
  const max = new Float64Array(length)
  data.copy('min', from, values)
  data.copy('max', from, max)
  return values.map((min, i) => middleOf(min, max[i]!))
}

/** Computes the mean of all observations of a summary from the means of its seconds. */
function observedMean(data: SeriesData, from: number, means: Float64Array): number {
  let count = 0
  let sum = 0
  means.forEach((mean, i) => {
    if (Number.isNaN(mean)) return
    const observed = data.at('count', from + 1 + i)
    count += observed
    sum += mean * observed
  })
  return sum / count
}
