/**
 * Readings of the series on screen: their totals, and when their last data came. The list of all
 * series, which says it, too, may be long.
 */
import type { SeriesInfo } from '../../http/api.ts'
import { type HubApi, PAGE_SIZE } from './hub-api.ts'

/** Readings are made anew after so long. */
const READINGS_MS = 30_000
/** Scrolling brings series in bursts: one request for each. */
const SETTLE_MS = 150

export class Readings {
  readonly #api: HubApi
  readonly #shown: () => Iterable<number>
  readonly #take: (series: readonly SeriesInfo[]) => void
  /** Time at which all were read, and at which single ones were, by the clock of this machine. */
  #allMs = Number.NEGATIVE_INFINITY
  readonly #readMs = new Map<number, number>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isReading = false

  /**
   * @param shown ids on screen
   * @param take gets new readings
   */
  constructor(
    api: HubApi,
    shown: () => Iterable<number>,
    take: (series: readonly SeriesInfo[]) => void,
  ) {
    this.#api = api
    this.#shown = shown
    this.#take = take
  }

  /** Notes that the whole list was read just now. */
  haveAll(): void {
    this.#allMs = Date.now()
    this.#readMs.clear()
  }

  /** Asks soon for readings of what is shown that are old. */
  refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#read()
    }, SETTLE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #read(): Promise<void> {
    const nowMs = Date.now()
    const isOld = (id: number): boolean =>
      id > 0 && nowMs - (this.#readMs.get(id) ?? this.#allMs) >= READINGS_MS
    const ids = [...this.#shown()].filter(isOld).slice(0, PAGE_SIZE)
    if (ids.length === 0 || this.#isReading) return
    for (const id of ids) this.#readMs.set(id, nowMs)
    this.#isReading = true
    // Without an answer what was read stays; the next round asks again.
    const page = await this.#api.listSeries({ ids }).catch(() => undefined)
    this.#isReading = false
    if (page !== undefined) this.#take(page.series)
  }
}
