/**
 * Messages per second for the meter of the overview. Every message is counted in several
 * categories; those that have gone all the way through a pipeline are counted, or, where no
 * worker reports that, those of the category with most.
 */

/** Category of messages that have left their pipeline. */
const WHOLE = 'start-to-end'
/** Windows of workers, seconds: their messages come together, and belong to all of it. */
const WINDOW_S = 2
const SECONDS = 60

export class MessageRates {
  /** Messages by category: since the last second, and in all. */
  readonly #open = new Map<string, number>()
  readonly #totals = new Map<string, number>()
  /** Messages of each of the last seconds, oldest first. */
  #seconds: number[] = []
  #closedNs: bigint

  constructor(nowNs: bigint) {
    this.#closedNs = nowNs
  }

  count(category: string, messages: number): void {
    this.#open.set(category, (this.#open.get(category) ?? 0) + messages)
    this.#totals.set(category, (this.#totals.get(category) ?? 0) + messages)
  }

  /** Closes a second, or more after a standstill. */
  close(nowNs: bigint): void {
    const passed = Math.max(1, Math.round(Number(nowNs - this.#closedNs) / 1e9))
    this.#closedNs = nowNs
    const messages = this.#open.get(this.#shown()) ?? 0
    this.#open.clear()
    const each = new Array<number>(Math.min(passed, SECONDS)).fill(messages / passed)
    this.#seconds = [...this.#seconds, ...each].slice(-SECONDS - WINDOW_S)
  }

  #shown(): string {
    if (this.#totals.has(WHOLE)) return WHOLE
    const [largest] = [...this.#totals].sort((a, b) => b[1] - a[1])
    return largest?.[0] ?? WHOLE
  }

  /** Rates of the last 60 seconds, oldest first, each over the length of a window. */
  get recent(): readonly number[] {
    return this.#seconds
      .map((_, i) => {
        const window = this.#seconds.slice(Math.max(0, i - WINDOW_S + 1), i + 1)
        return window.reduce((sum, messages) => sum + messages, 0) / window.length
      })
      .slice(-SECONDS)
  }
}
