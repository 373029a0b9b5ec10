/**
 * The windows of all series of the hub at one boundary of one running series: made at most once,
 * and only those that a session wants.
 */

import type { Frame } from '../../../hub/live/frame.ts'
import { isDecrements, type SeriesRecord } from '../../../hub/series/record.ts'
import { forEachItem, type Task } from '../../../hub/tasks/task.ts'
import type { HubView, SeriesList } from '../../../hub/view.ts'
import type { CounterDescription, CounterWindow } from '../window.ts'
import { Descriptions } from './description.ts'
import { statisticsOf } from './statistics.ts'

export interface ServedSeries {
  readonly record: SeriesRecord
  readonly description: CounterDescription
}

/** The hub's series as they are served: in the order of their ids, without decrements. */
export class ServedList {
  readonly #series: SeriesList
  readonly #descriptions = new Descriptions()
  #rows: readonly ServedSeries[] = []
  #revision = -1

  constructor(series: SeriesList) {
    this.#series = series
  }

  /** Lists the rows: the same array for as long as no series came, left or changed its metadata. */
  *rows(): Task<readonly ServedSeries[]> {
    const { revision } = this.#series
    if (this.#revision === revision) return this.#rows
    const rows: ServedSeries[] = []
    yield* forEachItem(this.#series, (each) => {
      if (isDecrements(each)) return
      const record = this.#series.keep(each)
      rows.push({ record, description: this.#descriptions.of(record) })
    })
    this.#rows = rows
    this.#revision = revision
    return rows
  }
}

/** A place whose window was not asked for yet. */
const UNKNOWN = null

export class ClosedWindows {
  readonly rows: readonly ServedSeries[]
  readonly #frame: Frame
  readonly #seriesMs: number
  readonly #view: Pick<HubView, 'total' | 'wasAway'>
  readonly #windows: (CounterWindow | undefined | null)[]
  #all: readonly CounterWindow[] | undefined

  constructor(
    rows: readonly ServedSeries[],
    frame: Frame,
    seriesMs: number,
    view: Pick<HubView, 'total' | 'wasAway'>,
  ) {
    this.rows = rows
    this.#frame = frame
    this.#seriesMs = seriesMs
    this.#view = view
    this.#windows = new Array(rows.length).fill(UNKNOWN)
  }

  /** Lists the windows of these rows; of every row when `places` is undefined. */
  *of(places: readonly number[] | undefined): Task<readonly CounterWindow[]> {
    if (places === undefined && this.#all !== undefined) return this.#all
    const windows: CounterWindow[] = []
    yield* forEachItem(places ?? this.rows.keys(), (row) => {
      const window = this.#at(row)
      if (window !== undefined) windows.push(window)
    })
    if (places === undefined) this.#all = windows
    return windows
  }

  #at(row: number): CounterWindow | undefined {
    let window = this.#windows[row]
    if (window === UNKNOWN) {
      window = this.#close(this.rows[row]!)
      this.#windows[row] = window
    }
    return window
  }

  #close({ record, description }: ServedSeries): CounterWindow | undefined {
    const statistics = statisticsOf(record, this.#frame, this.#view)
    if (statistics === undefined) return undefined
    const intervalSec = this.#frame.seconds
    return { counter: description, seriesMs: this.#seriesMs, intervalSec, statistics }
  }
}
