/**
 * The live stream: one EventSource, reopened by our own clock so that the banner can say when, and
 * the set of series it carries, changed by POST while it is open.
 */
import { signal } from '@preact/signals'
import type { CellsEvent, HelloEvent, SeriesEvent, SourcesAnswer } from '../../http/api.ts'
import type { HubApi } from './hub-api.ts'
import { secondOf } from './series-data.ts'

/** Pauses between attempts; the last one repeats. */
const RETRY_MS = [1000, 2000, 3000, 5000] as const
/** A stream that says nothing for so long is taken for lost; the hub speaks every second. */
const SILENCE_MS = 6000
/** Scrolling changes the visible set in bursts: one POST per burst. */
const SETTLE_MS = 120

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly sinceMs: number; readonly retryAtMs: number }

interface StreamEvents {
  hello(event: HelloEvent): void
  cells(event: CellsEvent): void
  series(event: SeriesEvent): void
  sources(answer: SourcesAnswer, endMs: number): void
}

export class LiveStream {
  readonly connection = signal<Connection>({ state: 'connecting' })
  readonly #api: HubApi
  readonly #events: StreamEvents
  #source: EventSource | undefined
  #name: string | undefined
  #wanted: readonly number[] = []
  /** Second from which on the stream carries a series; absent while it does not. */
  readonly #carriedFrom = new Map<number, number>()
  #lastEnd = 0
  #attempts = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #settle: ReturnType<typeof setTimeout> | undefined
  #watchdog: ReturnType<typeof setTimeout> | undefined
  #isPosting = false

  constructor(api: HubApi, events: StreamEvents) {
    this.#api = api
    this.#events = events
  }

  open(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    const wanted = this.#wanted
    const source = this.#api.openStream(wanted)
    this.#source = source
    this.#name = undefined
    this.#carriedFrom.clear()
    const on = <T>(name: string, take: (data: T, id: number) => void): void => {
      source.addEventListener(name, (event) => {
        if (this.#source !== source) return
        this.#guardSilence()
        take(JSON.parse(event.data) as T, Number(event.lastEventId))
      })
    }
    on<HelloEvent>('hello', (hello) => this.#greet(hello, wanted))
    on<CellsEvent>('cells', (cells) => {
      this.#lastEnd = secondOf(cells.endMs)
      this.#events.cells(cells)
    })
    on<SeriesEvent>('series', (event) => this.#events.series(event))
    on<SourcesAnswer>('sources', (answer, endMs) => this.#events.sources(answer, endMs))
    source.onerror = () => {
      if (this.#source === source) this.#lose()
    }
    this.#guardSilence()
  }

  /** Asks for the series that are on screen; takes effect shortly after the last change. */
  want(series: readonly number[]): void {
    this.#wanted = series
    clearTimeout(this.#settle)
    this.#settle = setTimeout(() => void this.#post(), SETTLE_MS)
  }

  /** Tells whether the stream has all there is of this series and second. */
  carries(id: number, second: number): boolean {
    const from = this.#carriedFrom.get(id)
    return from !== undefined && second >= from
  }

  #greet(hello: HelloEvent, carried: readonly number[]): void {
    this.#name = hello.stream
    this.#attempts = 0
    this.#lastEnd = Math.floor(hello.nowMs / 1000)
    this.#carry(carried)
    this.#events.hello(hello)
    this.connection.value = { state: 'live' }
    if (carried !== this.#wanted) void this.#post()
  }

  /**
   * Notes from which second on each series is carried. The window that is open now may have begun
   * without the newcomers: only the seconds after the next one are theirs for certain; what lies
   * before is read from the range endpoint.
   */
  #carry(series: readonly number[]): void {
    const next = new Set(series)
    for (const id of this.#carriedFrom.keys()) if (!next.has(id)) this.#carriedFrom.delete(id)
    for (const id of next) {
      if (!this.#carriedFrom.has(id)) this.#carriedFrom.set(id, this.#lastEnd + 2)
    }
  }

  async #post(): Promise<void> {
    const name = this.#name
    const wanted = this.#wanted
    if (name === undefined || this.#isPosting) return
    this.#isPosting = true
    try {
      await this.#api.setSeries(name, wanted)
      if (this.#name === name) this.#carry(wanted)
    } catch {
      // The stream is unknown to the hub, or the hub is away: a new stream carries the new set.
      if (this.#name === name) this.#lose()
    } finally {
      this.#isPosting = false
    }
    if (wanted !== this.#wanted) void this.#post()
  }

  #lose(): void {
    this.#source?.close()
    this.#source = undefined
    this.#name = undefined
    clearTimeout(this.#watchdog)
    const delay = RETRY_MS[Math.min(this.#attempts, RETRY_MS.length - 1)]!
    this.#attempts += 1
    const nowMs = Date.now()
    const last = this.connection.peek()
    const sinceMs = last.state === 'lost' ? last.sinceMs : nowMs
    this.#retry = setTimeout(() => this.open(), delay)
    this.connection.value = { state: 'lost', sinceMs, retryAtMs: nowMs + delay }
  }

  #guardSilence(): void {
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => this.#lose(), SILENCE_MS)
  }
}
