/**
 * Requests for steps of the past. Those of one moment are joined into few, and each series is asked
 * for once at a time: then it is seen what is missing.
 */
import type { RangeAnswer } from '../../http/api.ts'
import type { HubApi } from './hub-api.ts'

/** Pause, ms, long enough to join the charts of one scroll step. */
const JOIN_MS = 40
/** Series per request: a minute of fifty histograms is some 700 KB of JSON at worst. */
const BATCH = 50
/** Steps of all series in a request; of a longer past it has fewer series. */
const BATCH_STEPS = 6000
/** Longer spans are asked for apart from shorter ones, so that a gap of 2 s costs 2 s. */
const SHORT_STEPS = 15
/** Time for which a series is not asked for again after its request failed, ms. */
const REST_MS = 10_000

interface FillParts {
  readonly api: Pick<HubApi, 'range'>
  /** Seconds of a step. */
  readonly step: number
  /** @param from start of what was asked for, Unix second: an answer may begin later */
  readonly take: (answer: RangeAnswer, asked: readonly number[], from: number) => void
  /** Tells whether a series is on screen: what left before it was asked for is not read. */
  readonly isShown: (id: number) => boolean
  /** Called for a series of which more was asked for while an answer was under way. */
  readonly askAgain: (id: number) => void
}

interface Span {
  readonly from: number
  readonly to: number
}

export class Fills {
  readonly #parts: FillParts
  readonly #waiting = new Map<number, Span>()
  /** Series whose answers are under way; true where more has been asked for since. */
  readonly #asked = new Map<number, boolean>()
  /** Ends of the rests of series whose requests failed, as performance.now() has them. */
  readonly #resting = new Map<number, number>()
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: FillParts) {
    this.#parts = parts
  }

  /** Asks for seconds (from, to] of a series. */
  ask(id: number, from: number, to: number): void {
    if (to <= from || (this.#resting.get(id) ?? 0) > performance.now()) return
    if (this.#asked.has(id)) {
      this.#asked.set(id, true)
      return
    }
    this.#waiting.set(id, { from, to })
    this.#timer ??= setTimeout(() => this.#flush(), JOIN_MS)
  }

  /** Forgets what is asked for: its ids may mean other series by now, or it is shown no more. */
  drop(): void {
    this.#waiting.clear()
    this.#asked.clear()
    this.#resting.clear()
    this.#generation += 1
  }

  #flush(): void {
    this.#timer = undefined
    const { step, isShown } = this.#parts
    const spans = [...this.#waiting].filter(([id]) => isShown(id))
    this.#waiting.clear()
    const stepsOf = ([, { from, to }]: [number, Span]): number => (to - from) / step
    const short = spans.filter((span) => stepsOf(span) <= SHORT_STEPS)
    for (const group of [short, spans.filter((span) => !short.includes(span))]) {
      const longest = Math.max(1, ...group.map(stepsOf))
      const size = Math.max(1, Math.min(BATCH, Math.floor(BATCH_STEPS / longest)))
      for (let i = 0; i < group.length; i += size) void this.#read(group.slice(i, i + size))
    }
  }

  async #read(spans: readonly (readonly [number, Span])[]): Promise<void> {
    const { api, step, take, askAgain } = this.#parts
    const series = spans.map(([id]) => id)
    const from = spans.reduce((least, [, span]) => Math.min(least, span.from), Infinity)
    const to = spans.reduce((most, [, span]) => Math.max(most, span.to), 0)
    const generation = this.#generation
    for (const id of series) this.#asked.set(id, false)
    const answer = await api
      .range({ series, fromMs: from * 1000, toMs: to * 1000, stepMs: step * 1000 })
      // The stream says that the hub is away; the gap is asked for again when it is back.
      .catch(() => undefined)
    if (generation !== this.#generation) return
    const moved = series.filter((id) => this.#asked.get(id))
    for (const id of series) {
      this.#asked.delete(id)
      if (answer === undefined) this.#resting.set(id, performance.now() + REST_MS)
      else this.#resting.delete(id)
    }
    if (answer !== undefined) take(answer, series, from)
    for (const id of moved) askAgain(id)
  }
}
