/**
 * A sink that tells a store of totals what every closed second brought: of each series since it
 * was there, until it leaves.
 */
import type { ChosenPeer, EmittedSeries, TotalsEmitter } from '../../dialects/endpoints.ts'
import { type Cell, type Exact, KINDS, type Kind } from '../../model/index.ts'
import type { Frame } from '../live/frame.ts'
import type { SeriesRecord } from '../series/record.ts'
import type { Task } from '../tasks/task.ts'
import type { HubView } from '../view.ts'
import type { Sink } from './sinks.ts'

/** Cells of one step: a distribution takes some microseconds, one of all buckets 300. */
const CELLS_A_STEP = 8
const ROWS_A_STEP = 256

/** Series as the emitter keeps it. */
interface OpenSeries {
  readonly kept: unknown
  isChanged: boolean
}

/** Series of a frame, in the rows of its columns, and those that have left before its end. */
interface NotedSecond {
  readonly series: Readonly<Record<Kind, readonly (OpenSeries | undefined)[]>>
  readonly ended: readonly OpenSeries[]
  /** Totals of those that have had fractions, by id. */
  readonly sums: ReadonlyMap<number, Exact> | undefined
}

type TotalsView = Pick<HubView, 'series' | 'exportRules' | 'isAway' | 'total' | 'fractional'>

export class TotalsRelay implements Sink {
  readonly name: string
  readonly tellsTotals = true
  readonly #dialect: string
  readonly #emitter: TotalsEmitter
  readonly #view: TotalsView
  readonly #open = new Map<number, OpenSeries>()
  /** Ids of series that are not listed any more, but may have a last cell. */
  readonly #leaving = new Set<number>()
  readonly #noted = new WeakMap<Frame, NotedSecond>()

  /** Begins with what the hub goes on with: to be made before anything is received. */
  constructor(name: string, dialect: string, emitter: TotalsEmitter, view: TotalsView) {
    this.name = name
    this.#dialect = dialect
    this.#emitter = emitter
    this.#view = view
    for (const record of view.series) this.#begin(record, totalCell(view, record))
    view.series.watch({
      leaves: ({ id }) => this.#leaving.add(id),
      changes: ({ id }) => {
        const open = this.#open.get(id)
        if (open !== undefined) open.isChanged = true
      },
    })
  }

  #begin(found: SeriesRecord, total: Cell | undefined): OpenSeries {
    const kept = this.#emitter.open(this.#told(found), total)
    const open = { kept, isChanged: false }
    this.#open.set(found.id, open)
    return open
  }

  #told(found: SeriesRecord): EmittedSeries {
    const record = this.#view.series.keep(found)
    const { identity, metadata } = record
    const rules = this.#view.exportRules(metadata.dialect)
    return { identity, metadata, rules, isAway: () => this.#view.isAway(record) }
  }

  *take(frame: Frame): Task {
    const series: Record<Kind, (OpenSeries | undefined)[]> = {
      ...{ counter: [], gauge: [], histogram: [], summary: [] },
    }
    for (const kind of KINDS) {
      const ids = frame.ids(kind)
      for (let row = 0; row < ids.length; row++) {
        if (row % ROWS_A_STEP === ROWS_A_STEP - 1) yield
        series[kind].push(this.#seriesOf(ids[row]!))
      }
    }
    const { fractional } = this.#view
    const sums = fractional && (yield* fractional.noted(frame))
    this.#noted.set(frame, { series, ended: this.#takeEnded(), sums })
  }

  #seriesOf(id: number): OpenSeries | undefined {
    const open = this.#open.get(id)
    if (open !== undefined && !open.isChanged) return open
    const record = this.#view.series.get(id)
    if (record === undefined) return open
    if (open === undefined) return this.#begin(record, undefined)
    open.isChanged = false
    this.#emitter.change(open.kept, this.#told(record))
    return open
  }

  /** Takes those out that have had their last cell. */
  #takeEnded(): readonly OpenSeries[] {
    const ended: OpenSeries[] = []
    for (const id of this.#leaving) {
      if (this.#view.series.get(id) !== undefined) continue
      this.#leaving.delete(id)
      const open = this.#open.get(id)
      if (open !== undefined) ended.push(open)
      this.#open.delete(id)
    }
    return ended
  }

  *deliver(frame: Frame): Task {
    const { endMs } = frame
    yield* this.#each(frame, (kept, cell, sum) => this.#emitter.send(kept, cell, endMs, sum))
    yield* this.#emitter.flush(frame.endMs)
  }

  /** Adds up what came late: a store takes no older time than it has. */
  late(frame: Frame): Task {
    return this.skip(frame)
  }

  /** Adds up what is not sent: the next totals hold it. */
  skip(frame: Frame): Task {
    return this.#each(frame, (kept, cell, sum) => this.#emitter.add(kept, cell, sum))
  }

  *#each(frame: Frame, take: (kept: unknown, cell: Cell, sum?: Exact) => void): Task {
    const { series, ended, sums } = this.#noted.get(frame)!
    for (const { kept } of ended) this.#emitter.end(kept, frame.endMs)
    let cells = 0
    for (const kind of KINDS) {
      const rows = series[kind]
      const ids = frame.ids(kind)
      for (let row = 0; row < rows.length; row++) {
        if (++cells % CELLS_A_STEP === 0) yield
        const open = rows[row]
        if (open !== undefined) {
          take(open.kept, frame.cellAt(row, kind), sums?.get(ids[row]!))
        }
      }
    }
  }

  peer(): ChosenPeer & { readonly dialect: string } {
    return { ...this.#emitter.status(), dialect: this.#dialect }
  }

  close(): Promise<void> {
    return this.#emitter.close()
  }
}

/** Gives the total of a series as one cell; a gauge has none. */
function totalCell(view: TotalsView, record: SeriesRecord): Cell | undefined {
  const total = view.total(record)
  switch (total.kind) {
    case 'counter':
      return { kind: 'counter', delta: total.total }
    case 'gauge':
      return undefined
    case 'histogram':
      return { kind: 'histogram', histogram: total.histogram }
    case 'summary':
      return { kind: 'summary', summary: total.summary }
  }
}
