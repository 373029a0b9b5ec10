/**
 * What the page keeps of series and dialects, whatever brought it: seconds of the live stream and
 * of history. Pausing stops the picture, not the reading: a paused picture is a copy.
 */
import { signal } from '@preact/signals-core'
import type { CellsEvent, DialectStatus, Kind, RangeAnswer, SeriesInfo } from '../../http/api.ts'
import { type Renumbering, renumber } from './catalogue.ts'
import { type CellJson, SeriesData, STEPS_KEPT, secondOf } from './series-data.ts'

/** Series whose seconds are kept although they are off screen: some 100 KB each at most. */
const KEPT_LIMIT = 400

/** Cell of any list of an event; of a gauge with the extremes of several values. */
type ListedCell = readonly [
  id: number,
  cell: CellJson | null,
  spread?: { readonly min: number; readonly max: number },
]

/** Data of series in one step: seconds of the live stream, or what was read of another time. */
export class Shelf {
  /** Seconds of a step. */
  readonly step: number
  readonly #data = new Map<number, SeriesData>()
  /** Data of which the ring began anew, until the first answer is there. */
  readonly #former = new Map<number, SeriesData>()

  constructor(step: number) {
    this.step = step
  }

  get(id: number): SeriesData | undefined {
    return this.#data.get(id)
  }

  /** Finds what can be drawn: while nothing has been read yet, what was there before. */
  shown(id: number): SeriesData | undefined {
    const data = this.#data.get(id)
    return data !== undefined && data.coveredTo > 0 ? data : this.#former.get(id)
  }

  /** Makes room for a series; others leave that have been off screen the longest. */
  make(id: number, kind: Kind, isVisible: (id: number) => boolean): void {
    const data = this.#data.get(id) ?? new SeriesData(kind, this.step)
    this.#data.delete(id)
    this.#data.set(id, data)
    for (const other of this.#data.keys()) {
      if (this.#data.size <= KEPT_LIMIT) break
      if (!isVisible(other)) this.#data.delete(other)
    }
  }

  /** Lets the ring of a series begin anew: what is to be shown is older than it reaches. */
  renew(id: number): SeriesData {
    const former = this.#data.get(id)!
    const data = new SeriesData(former.kind, this.step)
    this.#former.set(id, former)
    this.#data.set(id, data)
    return data
  }

  set(id: number, data: SeriesData): void {
    this.#data.set(id, data)
  }

  /**
   * Writes an answer; of another step it says only that there is nothing of this one.
   * @param infoOf a series, which was nothing before it was seen
   * @param isWhole whether what was asked for counts as read where the hub had not closed it yet
   */
  take(
    answer: RangeAnswer,
    asked: readonly number[],
    from: number,
    infoOf: (id: number) => Pick<SeriesInfo, 'firstSeenMs' | 'isPast'> | undefined,
    isWhole: boolean,
  ): void {
    const first = secondOf(answer.fromMs + answer.stepMs)
    const last = secondOf(answer.fromMs + answer.length * answer.stepMs)
    const closed = secondOf(answer.closedMs)
    const columns = new Map(answer.columns.map((column) => [column.id, column]))
    for (const id of asked) {
      const data = this.#data.get(id)
      if (data === undefined) continue
      const column = columns.get(id)
      if (column?.kind === data.kind && answer.stepMs === this.step * 1000) {
        const { gaps } = answer
        const { firstSeenMs = 0, isPast = false } = infoOf(id) ?? {}
        const since = Math.floor(firstSeenMs / 1000) + 1
        // what is known of one of the past may be the end of its first cell, of an hour
        data.writeColumn(first, column, since, { closed, gaps, isFirstWhole: isPast })
      }
      data.cover(Math.min(from, first - this.step), isWhole ? last : Math.min(last, closed))
      this.#former.delete(id)
    }
  }

  forget(): void {
    for (const [id, { kind }] of this.#data) this.#data.set(id, new SeriesData(kind, this.step))
  }

  renumber(change: Renumbering): void {
    renumber(this.#data, change)
    this.#former.clear()
  }
}

export class SeriesCache {
  /** Rises when seconds of the past have been read. */
  readonly version = signal(0)
  readonly live = new Shelf(1)
  /** Picture of a held time, or of wider steps; undefined while seconds are shown as they come. */
  picture: Shelf | undefined
  /** Picture that was there before, drawn until the new one has been read. */
  #former: Shelf | undefined
  /** Picture of some time before, that is compared. */
  earlier: Shelf | undefined
  readonly #rates = new Map<string, DialectRates>()

  /** Finds data of the picture that is shown: the live one, a held one, or one of wider steps. */
  shown(id: number): SeriesData | undefined {
    if (this.picture === undefined) return this.live.get(id)
    return this.picture.shown(id) ?? this.#former?.get(id) ?? this.live.get(id)
  }

  /** Gives the rates of dialects, added up; NaN where one of them is not known. */
  rates(...dialects: readonly string[]): Rates {
    const [first, ...others] = dialects.map((name) => this.#rates.get(name) ?? NO_RATES)
    return others.reduce<Rates>(addRates, first ?? NO_RATES)
  }

  /** Makes room for a series in all pictures from now on. */
  make(id: number, kind: Kind, isVisible: (id: number) => boolean): void {
    for (const shelf of [this.live, this.picture, this.earlier]) shelf?.make(id, kind, isVisible)
  }

  /**
   * Begins a picture.
   * @param ids of the series on screen: a picture of seconds begins with a copy of the live ones
   */
  begin(step: number, ids: Iterable<number>): void {
    this.#former = this.picture
    this.picture = new Shelf(step)
    if (step > 1) return
    for (const id of ids) {
      const data = this.live.get(id)
      if (data !== undefined) this.picture.set(id, data.clone())
    }
  }

  /** Shows the live seconds again. */
  showLive(): void {
    this.picture = undefined
    this.#former = undefined
  }

  /** Writes the cells of one event. @returns every series that has one */
  takeCells(event: CellsEvent, isVisible: (id: number) => boolean): ReadonlySet<number> {
    const second = secondOf(event.endMs)
    const seen = new Set<number>()
    for (const list of [event.counters, event.gauges, event.histograms, event.summaries]) {
      for (const [id, cell, spread] of list as readonly ListedCell[]) {
        seen.add(id)
        const data = this.live.get(id)
        if (data === undefined || !isVisible(id)) continue
        data.write(second, cell, secondsOf(event), spread)
        if (cell !== null) data.lastData = Math.max(data.lastData, second)
      }
    }
    return seen
  }

  takeRates(second: number, dialects: readonly DialectStatus[]): void {
    for (const { name, recent } of dialects) {
      const rates = this.#rates.get(name) ?? new DialectRates()
      this.#rates.set(name, rates)
      rates.merge(second, recent)
    }
  }

  /** Forgets all seconds: the hub's clock was set back, and they are of times that come again. */
  forget(): void {
    this.live.forget()
    this.#rates.clear()
    this.version.value += 1
  }

  renumber(change: Renumbering): void {
    for (const shelf of [this.live, this.picture, this.earlier]) shelf?.renumber(change)
    this.#former = undefined
  }
}

/** Computes whole seconds of a stream's event. */
export function secondsOf({ intervalMs }: CellsEvent): number {
  return Math.max(1, Math.round(intervalMs / 1000))
}

/** Rates by second, NaN where none is known. */
interface Rates {
  /** Unix second of the oldest one; 0 while there is none. */
  readonly oldest: number
  at(second: number): number
  /** Copies those from a second on. */
  copy(from: number, out: Float64Array): void
}

const NO_RATES: Rates = {
  oldest: 0,
  at: () => Number.NaN,
  copy: (_, out) => {
    out.fill(Number.NaN)
  },
}

function addRates(a: Rates, b: Rates): Rates {
  const at = (second: number): number => a.at(second) + b.at(second)
  return {
    oldest: Math.max(a.oldest, b.oldest),
    at,
    copy: (from, out) => {
      for (let i = 0; i < out.length; i += 1) out[i] = at(from + i)
    },
  }
}

/** Rates of one dialect by second, kept longer than the sixty seconds that the hub sends. */
class DialectRates implements Rates {
  readonly #values = new Float64Array(STEPS_KEPT).fill(Number.NaN)
  newest = 0
  oldest = 0

  /** @param recent oldest first; the last of them is the second that ends at `second` */
  merge(second: number, recent: readonly number[]): void {
    const first = second - recent.length + 1
    const from = Math.max(this.newest + 1, second - STEPS_KEPT + 1)
    for (let at = from; at < first; at += 1) this.#values[at % STEPS_KEPT] = Number.NaN
    for (let i = Math.max(0, recent.length - STEPS_KEPT); i < recent.length; i += 1) {
      this.#values[(first + i) % STEPS_KEPT] = recent[i]!
    }
    this.newest = Math.max(this.newest, second)
    if (this.oldest === 0) this.oldest = first
  }

  at(second: number): number {
    if (second > this.newest || second <= this.newest - STEPS_KEPT) return Number.NaN
    return this.#values[second % STEPS_KEPT]!
  }

  copy(from: number, out: Float64Array): void {
    for (let i = 0; i < out.length; i += 1) out[i] = this.at(from + i)
  }
}
