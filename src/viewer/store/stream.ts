/**
 * The live stream: one EventSource, reopened by our own clock so that the banner can say when, and
 * the set of series it carries, changed by POST while it is open.
 */
import { signal } from '@preact/signals-core'
import type {
  CellsEvent,
  HelloEvent,
  SamplesEvent,
  SeriesEvent,
  SourcesAnswer,
} from '../../http/api.ts'
import type { EventStream, HubApi } from './hub-api.ts'
import { secondOf } from './series-data.ts'

/** Pauses between attempts; the last one repeats. */
const RETRY_MS = [1000, 2000, 3000, 5000] as const
/** A stream of seconds that says nothing for so long is taken for lost. */
const SILENCE_MS = 6000
/** Scrolling changes the visible set in bursts: one POST per burst. */
const SETTLE_MS = 120

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Lost since the last that was heard. */
  | { readonly state: 'lost'; readonly sinceMs: number; readonly retryAtMs: number }

/** Series that a stream is to carry. */
interface Wanted {
  readonly series: readonly number[]
  readonly intervalS: number
}

interface StreamEvents {
  hello(event: HelloEvent): void
  cells(event: CellsEvent): void
  samples(event: SamplesEvent): void
  /** Says that the stream carries what was asked for last, or some of it. */
  carried(): void
  series(event: SeriesEvent): void
  sources(answer: SourcesAnswer, endMs: number): void
}

/** Part of the API that a stream needs. */
type LiveApi = Pick<HubApi, 'openStream' | 'setSeries'>

export class LiveStream {
  readonly connection = signal<Connection>({ state: 'connecting' })
  readonly #api: LiveApi
  readonly #events: StreamEvents
  readonly #silenceMs: number
  #source: EventStream | undefined
  #name: string | undefined
  #wanted: Wanted = { series: [], intervalS: 1 }
  /** Second from which on the stream carries a series; absent while it does not. */
  readonly #carriedFrom = new Map<number, number>()
  #lastEnd = 0
  #attempts = 0
  #heardMs = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #settle: ReturnType<typeof setTimeout> | undefined
  #watchdog: ReturnType<typeof setTimeout> | undefined
  /** Stream that is being told what to carry: a later one does not wait for its answer. */
  #posting: string | undefined

  /** @param silenceMs after which it is taken for lost: longer where its interval is */
  constructor(api: LiveApi, events: StreamEvents, silenceMs = SILENCE_MS) {
    this.#api = api
    this.#events = events
    this.#silenceMs = silenceMs
  }

  open(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    const wanted = this.#wanted
    const source = this.#api.openStream(wanted.series, wanted.intervalS)
    this.#source = source
    this.#name = undefined
    this.#carriedFrom.clear()
    const on = <T>(name: string, take: (data: T, id: number) => void): void => {
      source.addEventListener(name, (event) => {
        if (this.#source !== source) return
        this.#guardSilence()
        const data = parsed<T>(event.data)
        if (data === undefined) this.#lose()
        else take(data, Number(event.lastEventId))
      })
    }
    on<HelloEvent>('hello', (hello) => this.#greet(hello, wanted))
    on<CellsEvent>('cells', (cells) => {
      this.#lastEnd = secondOf(cells.endMs)
      this.#events.cells(cells)
    })
    on<SamplesEvent>('samples', (samples) => this.#events.samples(samples))
    on<SeriesEvent>('series', (event) => this.#events.series(event))
    on<SourcesAnswer>('sources', (answer, endMs) => this.#events.sources(answer, endMs))
    source.onerror = () => {
      if (this.#source === source) this.#lose()
    }
    this.#guardSilence()
  }

  /** Ends it; nothing is reopened. */
  close(): void {
    for (const timer of [this.#retry, this.#settle, this.#watchdog]) clearTimeout(timer)
    this.#source?.close()
    this.#source = undefined
    this.#name = undefined
  }

  /**
   * Asks for the series that are on screen; takes effect shortly after the last change.
   * @param intervalS seconds between two events with samples of them; 1 for none
   */
  want(series: readonly number[], intervalS = 1): void {
    this.#wanted = { series, intervalS }
    clearTimeout(this.#settle)
    this.#settle = setTimeout(() => void this.#post(), SETTLE_MS)
  }

  /** Tells whether the stream carries a series by now. */
  has(id: number): boolean {
    return this.#carriedFrom.has(id)
  }

  /** Tells whether the stream has all there is of this series and second. */
  carries(id: number, second: number): boolean {
    const from = this.#carriedFrom.get(id)
    return from !== undefined && second >= from
  }

  #greet(hello: HelloEvent, carried: Wanted): void {
    this.#name = hello.stream
    this.#attempts = 0
    this.#lastEnd = Math.floor(hello.nowMs / 1000)
    this.#carry(carried.series)
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
    if (name === undefined || this.#posting === name) return
    this.#posting = name
    try {
      await this.#api.setSeries(name, wanted.series, wanted.intervalS)
      if (this.#name === name) {
        this.#carry(wanted.series)
        this.#events.carried()
      }
    } catch {
      // The stream is unknown to the hub, or the hub is away: a new stream carries the new set.
      if (this.#name === name) this.#lose()
    }
    if (this.#posting !== name) return
    this.#posting = undefined
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
    const sinceMs = last.state === 'lost' ? last.sinceMs : this.#heardMs
    this.#retry = setTimeout(() => this.open(), delay)
    this.connection.value = { state: 'lost', sinceMs, retryAtMs: nowMs + delay }
  }

  /** Notes that something was heard, or may be from now on. */
  #guardSilence(): void {
    this.#heardMs = Date.now()
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => this.#lose(), this.#silenceMs)
  }
}

/** Reads JSON; undefined for what something on the way has made unreadable. */
function parsed<T>(data: string): T | undefined {
  try {
    return JSON.parse(data) as T
  } catch {
    return undefined
  }
}
