/**
 * Reads what the live stream did not bring: the window of a series that has just come on screen,
 * the seconds of a lost connection. Requests of one moment are joined into few.
 */
import type { RangeAnswer } from '../../http/api.ts'
import type { HubApi } from './hub-api.ts'
import { secondOf } from './series-data.ts'

/** Long enough to join the charts of one scroll step. */
const JOIN_MS = 40
/** Series per request: a minute of fifty histograms is some 700 KB of JSON at worst. */
const BATCH = 50
/** Longer spans are asked for apart from shorter ones, so that a gap of 2 s costs 2 s. */
const SHORT_SECONDS = 15

/** @param from start of what was asked for, Unix second: an answer may begin later */
export type TakeAnswer = (answer: RangeAnswer, asked: readonly number[], from: number) => void

interface Span {
  readonly from: number
  readonly to: number
}

export class Fills {
  readonly #api: HubApi
  readonly #take: TakeAnswer
  readonly #waiting = new Map<number, Span>()
  readonly #asked = new Set<number>()
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: HubApi, take: TakeAnswer) {
    this.#api = api
    this.#take = take
  }

  /** Seconds (from, to] of a series. Asked once at a time: the answer shows what is missing. */
  ask(id: number, from: number, to: number): void {
    if (to <= from || this.#asked.has(id)) return
    this.#waiting.set(id, { from, to })
    this.#timer ??= setTimeout(() => this.#flush(), JOIN_MS)
  }

  /** Forgets what is asked for: its ids may mean other series by now. */
  drop(): void {
    this.#waiting.clear()
    this.#asked.clear()
    this.#generation += 1
  }

  #flush(): void {
    this.#timer = undefined
    const spans = [...this.#waiting]
    this.#waiting.clear()
    const isShort = ([, span]: [number, Span]): boolean => span.to - span.from <= SHORT_SECONDS
    for (const group of [spans.filter(isShort), spans.filter((span) => !isShort(span))]) {
      for (let i = 0; i < group.length; i += BATCH) void this.#read(group.slice(i, i + BATCH))
    }
  }

  async #read(spans: readonly (readonly [number, Span])[]): Promise<void> {
    const series = spans.map(([id]) => id)
    const from = spans.reduce((least, [, span]) => Math.min(least, span.from), Infinity)
    const to = spans.reduce((most, [, span]) => Math.max(most, span.to), 0)
    const generation = this.#generation
    for (const id of series) this.#asked.add(id)
    const answer = await this.#api
      .range({ series, fromMs: from * 1000, toMs: to * 1000, stepMs: 1000 })
      // The stream says that the hub is away; the gap is asked for again when it is back.
      .catch(() => undefined)
    if (generation !== this.#generation) return
    for (const id of series) this.#asked.delete(id)
    if (answer !== undefined) this.#take(answer, series, from)
  }
}

/** Second in which the first step of an answer ends. */
export function firstSecond(answer: RangeAnswer): number {
  return secondOf(answer.fromMs + answer.stepMs)
}
