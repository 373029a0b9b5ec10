/**
 * The page's live stream as a browser reads it: what is ended by the hub, as it does when its clock
 * was set, is opened again with the last id.
 */
import type { CellsEvent } from '../../../src/http/api.ts'
import { EventReader } from '../../support/http-client.ts'
import type { Target } from '../target.ts'

const READ_MS = 100
/** As the stream itself asks for it. */
const RETRY_MS = 1000

export class PageStream {
  /** Number of times that it was opened again. */
  returns = 0
  readonly #port: number
  readonly #path: string
  readonly #counts = new Map<number, number>()
  #reader: EventReader
  #lastId: string | undefined
  #timer: NodeJS.Timeout

  private constructor(port: number, path: string, reader: EventReader) {
    this.#port = port
    this.#path = path
    this.#reader = reader
    this.#timer = setTimeout(() => this.#look(), READ_MS)
  }

  static async open({ http }: Target, ids: readonly number[], intervalS: number) {
    const path = `/api/v1/live?series=${ids.join(',')}&interval=${intervalS}`
    return new PageStream(http.port, path, await EventReader.open(http.port, path))
  }

  /** Counts what the stream has told of a series: increments, or observations. */
  countOf(id: number): number {
    this.#read()
    return this.#counts.get(id) ?? 0
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#reader.close()
  }

  #read(): void {
    this.#lastId = this.#reader.lastId ?? this.#lastId
    for (const { event, data } of this.#reader.events.splice(0)) {
      if (event !== 'cells') continue
      const { counters, histograms } = JSON.parse(data) as CellsEvent
      for (const [series, delta] of counters) this.#add(series, Number(delta))
      for (const [series, { count }] of histograms) this.#add(series, count)
    }
  }

  #add(id: number, count: number): void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + count)
  }

  #look(): void {
    this.#read()
    const { isEnded } = this.#reader
    if (isEnded) this.#timer = setTimeout(() => void this.#openAgain(), RETRY_MS)
    else this.#timer = setTimeout(() => this.#look(), READ_MS)
  }

  async #openAgain(): Promise<void> {
    const headers = this.#lastId === undefined ? {} : { 'Last-Event-ID': this.#lastId }
    try {
      this.#reader = await EventReader.open(this.#port, this.#path, headers)
      this.returns++
    } catch {
      // refused for now: the next look tries again
    }
    this.#timer = setTimeout(() => this.#look(), READ_MS)
  }
}
