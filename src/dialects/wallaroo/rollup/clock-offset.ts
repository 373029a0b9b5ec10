/**
 * By how much a worker's clock is off (§4.5), from when its windows arrive: established when at
 * least three windows with different ends arrive within a minute and agree within 10 s; it is their
 * median. Windows of reporters that were idle arrive late and agree with nothing: they do not
 * disturb it.
 */
const WITHIN_MS = 60_000
const AGREEMENT_MS = 10_000
const AGREEING_MIN = 3
/** Beyond this a worker is said to be off, and its charts are shifted. */
const OFF_MS = 60_000
/** A window that ends later than its period and this from now: only a clock ahead says that. */
const AHEAD_MS = 5_000
/** Number of ends remembered: a minute of windows of half a second, and no more. */
const ENDS_LIMIT = 120

interface Arrival {
  readonly delayMs: number
  readonly endMs: number
  readonly atMs: number
  /** Whether no window that is closed at its end, or even before it, can have come so early. */
  readonly isEarly: boolean
}

export class ClockOffset {
  #arrivals: Arrival[] = []
  #offsetMs: number | undefined
  #isOff = false
  /** Arrivals have come that the offset does not know. */
  #isStale = false
  /** End that came last; windows of all series end together: nearly all have it. */
  latestEndMs = Number.NaN

  /** Adds the arrival of a window with this end. Of equal ends, the first one counts. */
  add(endMs: number, atMs: number, periodMs: number): void {
    if (endMs === this.latestEndMs) return
    this.latestEndMs = endMs
    this.#arrivals = this.#arrivals.filter((each) => atMs - each.atMs <= WITHIN_MS)
    if (this.#arrivals.some((each) => each.endMs === endMs)) return
    if (this.#arrivals.length === ENDS_LIMIT) this.#arrivals.shift()
    const isEarly = endMs > atMs + periodMs + AHEAD_MS
    this.#arrivals.push({ delayMs: atMs - endMs, endMs, atMs, isEarly })
    this.#isStale = true
  }

  /** Lists the newest ends that are remembered. */
  newestEnds(count: number): number[] {
    return this.#arrivals.slice(-count).map(({ endMs }) => endMs)
  }

  /** Instant until which ends that are remembered change nothing but which one came last. */
  get rememberedUntilMs(): number {
    const first = this.#arrivals.reduce((least, { atMs }) => Math.min(least, atMs), 2 ** 53)
    return first + WITHIN_MS
  }

  /** Finds the largest group that agrees, among equals the one with the least delay, by delay. */
  #agreed(): readonly Arrival[] {
    const all = this.#arrivals.toSorted((a, b) => a.delayMs - b.delayMs)
    let best: readonly Arrival[] = []
    for (let from = 0; from < all.length; from++) {
      let end = from
      while (end < all.length && all[end]!.delayMs - all[from]!.delayMs <= AGREEMENT_MS) end++
      if (end - from > best.length) best = all.slice(from, end)
    }
    return best
  }

  #establish(): void {
    if (!this.#isStale) return
    this.#isStale = false
    const agreed = this.#agreed()
    if (agreed.length < AGREEING_MIN) return
    const upper = agreed[Math.floor(agreed.length / 2)]!
    const lower = agreed[Math.ceil(agreed.length / 2) - 1]!
    this.#offsetMs = (lower.delayMs + upper.delayMs) / 2
    // as the median goes, so that a few windows that differ decide nothing
    const isAhead = lower.isEarly && upper.isEarly
    this.#isOff = isAhead || Math.abs(this.#offsetMs) > OFF_MS
  }

  /** Hub clock less the worker's, in ms; undefined until it is established. */
  get offsetMs(): number | undefined {
    this.#establish()
    return this.#offsetMs
  }

  /** Shift that a chart adds to this worker's times, ms. */
  get shiftMs(): number {
    return this.isOff ? (this.#offsetMs ?? 0) : 0
  }

  get isOff(): boolean {
    this.#establish()
    return this.#isOff
  }
}
