/**
 * What the page keeps of series and dialects, whatever brought it: seconds of the live stream and
 * of history. Pausing stops the picture, not the reading: a paused picture is a copy.
 */
import { signal } from '@preact/signals-core'
import type { CellsEvent, DialectStatus, Kind, RangeAnswer } from '../../http/api.ts'
import { type Renumbering, renumber } from './catalogue.ts'
import { type CellJson, SECONDS_KEPT, SeriesData, secondOf } from './series-data.ts'

/** Series whose seconds are kept although they are off screen: some 100 KB each at most. */
const KEPT_LIMIT = 400

/** Cell of any list of an event; of a gauge with the extremes of several values. */
type ListedCell = readonly [
  id: number,
  cell: CellJson | null,
  spread?: { readonly min: number; readonly max: number },
]

export class SeriesCache {
  /** Rises when seconds of the past have been read. */
  readonly version = signal(0)
  readonly #live = new Map<number, SeriesData>()
  /** Series that are shown while the picture is paused. */
  #frozen: Map<number, SeriesData> | undefined
  readonly #rates = new Map<string, DialectRates>()

  /** Finds data of the picture that is shown: the live one, or the copy made when it was paused. */
  shown(id: number): SeriesData | undefined {
    return (this.#frozen ?? this.#live).get(id)
  }

  live(id: number): SeriesData | undefined {
    return this.#live.get(id)
  }

  rates(dialect: string): DialectRates | undefined {
    return this.#rates.get(dialect)
  }

  /** Makes room for a series from now on; others leave that have been off screen the longest. */
  make(id: number, kind: Kind, isVisible: (id: number) => boolean): void {
    const data = this.#live.get(id) ?? new SeriesData(kind)
    this.#live.delete(id)
    this.#live.set(id, data)
    for (const other of this.#live.keys()) {
      if (this.#live.size <= KEPT_LIMIT) break
      if (!isVisible(other)) this.#live.delete(other)
    }
    if (this.#frozen?.has(id) === false) this.#frozen.set(id, new SeriesData(kind))
  }

  /** @param ids of the series on screen, which are the picture */
  freeze(ids: Iterable<number>): void {
    this.#frozen = new Map()
    for (const id of ids) {
      const data = this.#live.get(id)
      if (data !== undefined) this.#frozen.set(id, data.clone())
    }
  }

  thaw(): void {
    this.#frozen = undefined
  }

  /** Writes the cells of one event. @returns every series that has one */
  takeCells(event: CellsEvent, isVisible: (id: number) => boolean): ReadonlySet<number> {
    const second = secondOf(event.endMs)
    const seen = new Set<number>()
    for (const list of [event.counters, event.gauges, event.histograms, event.summaries]) {
      for (const [id, cell, spread] of list as readonly ListedCell[]) {
        seen.add(id)
        const data = this.#live.get(id)
        if (data === undefined || !isVisible(id)) continue
        data.write(second, cell, secondsOf(event), spread)
        if (cell !== null) data.lastData = Math.max(data.lastData, second)
      }
    }
    return seen
  }

  /** @param firstSeenMs of a series, before which it was nothing */
  takeRange(
    answer: RangeAnswer,
    asked: readonly number[],
    from: number,
    firstSeenMs: (id: number) => number,
  ): void {
    const first = secondOf(answer.fromMs + answer.stepMs)
    const columns = new Map(answer.columns.map((column) => [column.id, column]))
    for (const id of asked) {
      const data = this.shown(id)
      if (data === undefined) continue
      const column = columns.get(id)
      if (column?.kind === data.kind) data.writeColumn(first, column, secondOf(firstSeenMs(id)))
      data.cover(Math.min(from, first - 1), first + answer.length - 1)
    }
    this.version.value += 1
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
    for (const [id, { kind }] of this.#live) this.#live.set(id, new SeriesData(kind))
    this.#rates.clear()
    this.version.value += 1
  }

  renumber(change: Renumbering): void {
    renumber(this.#live, change)
    if (this.#frozen !== undefined) renumber(this.#frozen, change)
  }
}

/** Computes whole seconds of a stream's event. */
export function secondsOf({ intervalMs }: CellsEvent): number {
  return Math.max(1, Math.round(intervalMs / 1000))
}

/** Rates of one dialect by second, kept longer than the sixty seconds that the hub sends. */
class DialectRates {
  readonly #values = new Float64Array(SECONDS_KEPT).fill(Number.NaN)
  newest = 0
  oldest = 0

  /** @param recent oldest first; the last of them is the second that ends at `second` */
  merge(second: number, recent: readonly number[]): void {
    const first = second - recent.length + 1
    const from = Math.max(this.newest + 1, second - SECONDS_KEPT + 1)
    for (let at = from; at < first; at += 1) this.#values[at % SECONDS_KEPT] = Number.NaN
    for (let i = Math.max(0, recent.length - SECONDS_KEPT); i < recent.length; i += 1) {
      this.#values[(first + i) % SECONDS_KEPT] = recent[i]!
    }
    this.newest = Math.max(this.newest, second)
    if (this.oldest === 0) this.oldest = first
  }

  at(second: number): number {
    if (second > this.newest || second <= this.newest - SECONDS_KEPT) return Number.NaN
    return this.#values[second % SECONDS_KEPT]!
  }

  copy(from: number, out: Float64Array): void {
    for (let i = 0; i < out.length; i += 1) out[i] = this.at(from + i)
  }
}
