/**
 * Series that the hub has no more, of the time that is shown: asked for when the time or the words
 * are others, and no more of them than a page shows.
 */
import { signal } from '@preact/signals-core'
import { exact } from '../format/number.ts'
import type { Catalogue } from '../store/catalogue.ts'
import { type HubApi, RefusedRequest } from '../store/hub-api.ts'
import { hubWords } from './select.ts'

/** Series that are listed at most. */
const LIMIT = 500
/** Pause, ms, in which a person types, or goes from one view to the next. */
const SETTLE_MS = 300

/** Seconds (from, to]. */
export interface PastSpan {
  readonly from: number
  readonly to: number
}

export class PastList {
  /** Words for what is not listed; empty where all is. */
  readonly note = signal('')
  readonly #api: Pick<HubApi, 'listPast'>
  readonly #catalogue: Pick<Catalogue, 'setPast'>
  #words = ''
  #span: PastSpan | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Rises with every question: older answers are dropped. */
  #asked = 0

  constructor(api: Pick<HubApi, 'listPast'>, catalogue: Pick<Catalogue, 'setPast'>) {
    this.#api = api
    this.#catalogue = catalogue
  }

  /**
   * Lists the series of a time.
   * @param words of the filter, as a person wrote them
   * @param span undefined where nothing is shown that is over: none is listed then
   */
  show(words: string, span: PastSpan | undefined): void {
    const isSame = this.#span?.from === span?.from && this.#span?.to === span?.to
    if (isSame && words === this.#words) return
    this.#words = words
    this.#span = span
    this.#readSoon()
  }

  /** Asks once more: another hub may answer, whose ids are others. */
  renew(): void {
    this.#take([], '')
    if (this.#span !== undefined) this.#readSoon()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #readSoon(): void {
    this.#asked += 1
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#read(), SETTLE_MS)
  }

  async #read(): Promise<void> {
    const asked = this.#asked
    const span = this.#span
    if (span === undefined) {
      this.#take([], '')
      return
    }
    try {
      const { series, total } = await this.#api.listPast({
        ...{ words: hubWords(this.#words), limit: LIMIT },
        ...{ fromMs: span.from * 1000, toMs: span.to * 1000 },
      })
      if (asked !== this.#asked) return
      const more = total - series.length
      this.#take(series, more > 0 ? `${exact(more)} more of the past: narrow the words` : '')
    } catch (error) {
      if (asked !== this.#asked) return
      this.#take([], error instanceof RefusedRequest ? `the past: ${error.reason}` : '')
    }
  }

  #take(series: Parameters<Catalogue['setPast']>[0], note: string): void {
    this.#catalogue.setPast(series)
    this.note.value = note
  }
}
