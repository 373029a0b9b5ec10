/**
 * What closed seconds brought to series that are exported by interval, until a receiver has taken
 * it. Nothing is lost by a failed export: what was not taken is part of the next one. Bounded by
 * the number of series.
 */
import type { Frame } from '../../../hub/live/frame.ts'
import type { SeriesRecord, Total } from '../../../hub/series/record.ts'
import { forEachItem, type Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import { addExact, type Exact, type Histogram } from '../../../model/index.ts'
import { ROWS_PER_STEP } from '../../pieces.ts'
import { type FormOptions, isDelta } from './layout.ts'

export interface OpenDelta {
  readonly record: SeriesRecord
  /** Start of its time, Unix ms. */
  readonly sinceMs: number
  readonly gain: Extract<Total, { kind: 'counter' | 'histogram' }>
}

export class Deltas {
  readonly #view: HubView
  readonly #options: FormOptions
  #open = new Map<number, OpenDelta>()
  /** Series exported by interval, where not all are. */
  #ids: readonly number[] = []
  #revision = -1
  /** End of what the last export took: the next one begins there. */
  #sinceMs = 0

  constructor(view: HubView, options: FormOptions) {
    this.#view = view
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  /** Deltas that are open now; read only. */
  get open(): ReadonlyMap<number, OpenDelta> {
    return this.#open
  }

  /** Adds a closed second. */
  *take(frame: Frame): Task {
    if (this.#options.temporality === 'cumulative') return
    if (this.#options.temporality === 'dialect') yield* this.#follow()
    const { temporality } = this.#options
    for (const kind of ['counter', 'histogram'] as const) {
      const ids = temporality === 'delta' ? frame.ids(kind) : this.#ids
      yield* forEachItem(ids, (id) => this.#takeCell(frame, id, kind), ROWS_PER_STEP)
    }
  }

  #takeCell(frame: Frame, id: number, kind: 'counter' | 'histogram'): void {
    const row = frame.row(id, kind)
    const record = this.#view.series.get(id)
    if (row < 0 || record === undefined) return
    const { series } = this.#view
    const gain: OpenDelta['gain'] =
      kind === 'counter'
        ? { kind, total: frame.deltaAt(row), decrements: 0 }
        : { kind, histogram: frame.histogramAt(row) }
    this.#add({
      record: series.keep(record),
      sinceMs: Math.max(this.#sinceMs, record.firstSeenMs),
      gain,
    })
  }

  *#follow(): Task {
    const { series } = this.#view
    const { revision } = series
    if (revision === this.#revision) return
    const ids: number[] = []
    const add = (record: SeriesRecord): void => {
      if (isDelta(record, this.#options, this.#view)) ids.push(record.id)
    }
    yield* forEachItem(series, add, ROWS_PER_STEP)
    this.#ids = ids
    this.#revision = revision
  }

  #add(delta: OpenDelta): void {
    const held = this.#open.get(delta.record.id)
    this.#open.set(delta.record.id, held === undefined ? delta : merged(held, delta))
  }

  /** Takes what is open away, for an export that ends now. */
  close(endMs: number): Map<number, OpenDelta> {
    const closed = this.#open
    this.#open = new Map()
    this.#sinceMs = endMs
    return closed
  }

  /** Gives back what no receiver has taken. */
  *giveBack(left: Iterable<OpenDelta>): Task {
    yield* forEachItem(left, (delta) => this.#add(delta), ROWS_PER_STEP)
  }
}

function merged(a: OpenDelta, b: OpenDelta): OpenDelta {
  const sinceMs = Math.min(a.sinceMs, b.sinceMs)
  return { record: a.record, sinceMs, gain: mergedGain(a.gain, b.gain) }
}

function mergedGain(a: OpenDelta['gain'], b: OpenDelta['gain']): OpenDelta['gain'] {
  if (a.kind === 'counter') {
    const added: Exact = b.kind === 'counter' ? b.total : 0
    return { kind: 'counter', total: addExact(a.total, added), decrements: 0 }
  }
  return { kind: 'histogram', histogram: sum(a.histogram, b) }
}

/** Adds up two histograms; both are this export's own, so the first takes the second. */
function sum(histogram: Histogram, gain: OpenDelta['gain']): Histogram {
  if (gain.kind === 'histogram') histogram.mergeFrom(gain.histogram)
  return histogram
}
