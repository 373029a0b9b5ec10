/**
 * Totals as far as seconds have told of them: what a series began with in this start of the hub,
 * and all of its cells that were handed on since. What the zone holds is more, by what has come in
 * the second that is open, and in those that are still on their way; who adds later seconds to that
 * counts it twice.
 *
 *   zone  ├──────────── told ────────────┤── closed, on its way ──┤── open ──┤
 *                                      endMs                               now
 *
 * Fractions of a counter are kept with its windows; each cell's is rounded once, so that a total
 * told is right to the last digit of a double.
 */
import { type Exact, exact, subtractExact } from '../../model/index.ts'
import type { CounterRecord, GaugeRecord, SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { ListedTotals } from '../view.ts'
import type { Frame } from './frame.ts'

const PAGE_SHIFT = 10
const PAGE_ROWS = 1 << PAGE_SHIFT
const ROW_MASK = PAGE_ROWS - 1
/** Cells between two looks at the clock: some tenths of a millisecond. */
const ROWS_PER_STEP = 16_384
const NO_HALVES = new Uint32Array(0)
const KINDS = ['counter', 'histogram', 'summary'] as const

type ToldRecord = Exclude<SeriesRecord, GaugeRecord>
type ToldKind = ToldRecord['kind']

/** Totals of series whose ids are neighbours: whole parts of counters, counts of distributions. */
class Page {
  readonly wholes = new BigUint64Array(PAGE_ROWS)
  /** The same as `[low][high]`: a BigInt for each cell would be garbage. */
  readonly halves = new Uint32Array(this.wholes.buffer)
  /** Series of it that have left; none comes again under its id. */
  gone = 0
}

export class ToldTotals implements ListedTotals {
  readonly #store: Pick<SeriesStore, 'get' | 'onRemove'>
  readonly #pages: (Page | undefined)[] = []
  #endMs: number
  /** Frame that is being taken, and how many rows of each kind are. */
  #coming: { readonly frame: Frame; readonly taken: Record<ToldKind, number> } | undefined

  /** @param startMs a time in the first second that will be taken */
  constructor(store: Pick<SeriesStore, 'get' | 'onRemove'>, startMs: number) {
    this.#store = store
    this.#endMs = Math.floor(startMs / 1000) * 1000
    store.onRemove(({ id }) => this.#remove(id))
  }

  get endMs(): number {
    return this.#endMs
  }

  of(record: ToldRecord): Exact {
    if (record.kind !== 'counter') {
      const earlier = record.kind === 'summary' ? (record.windows?.earlierCount ?? 0) : 0
      return exact(this.#wholeOf(record, this.#rowToCome(record)) + BigInt(earlier))
    }
    const total = this.#counter(record)
    const { decrements } = record
    return decrements === undefined ? total : subtractExact(total, this.#counter(decrements))
  }

  #counter(record: CounterRecord): Exact {
    const { windows, falls } = record
    const row = this.#rowToCome(record)
    const whole = BigInt.asUintN(64, this.#wholeOf(record, row) - (falls?.lost ?? 0n))
    if (windows === undefined) return exact(whole)
    const { frame } = this.#coming ?? {}
    const rest = frame === undefined || row < 0 ? 0 : restAt(frame, row)
    return windows.told(whole, rest)
  }

  /** Finds the row of a cell of the frame that is being taken whose turn has not come. */
  #rowToCome({ id, kind }: ToldRecord): number {
    if (this.#coming === undefined) return -1
    const { frame, taken } = this.#coming
    const row = frame.row(id, kind)
    return row >= taken[kind] ? row : -1
  }

  #wholeOf({ id, kind }: ToldRecord, rowToCome: number): bigint {
    const whole = this.#pages[id >>> PAGE_SHIFT]?.wholes[id & ROW_MASK] ?? 0n
    if (rowToCome < 0) return whole
    const { frame } = this.#coming!
    if (kind === 'counter') return whole + frame.counterDeltas[rowToCome]!
    return whole + frame.countAt(rowToCome, kind)
  }

  /** Takes what a series has that was there before this start of the hub. */
  begin(record: SeriesRecord): void {
    const whole = wholeBefore(record)
    if (whole > 0n) this.#pageOf(record.id).wholes[record.id & ROW_MASK] = whole
  }

  /** Takes a second, in steps: totals are as of its end from the first step on. */
  *take(frame: Frame): Task {
    this.#endMs = frame.endMs
    yield* this.takeLate(frame)
  }

  /** Takes cells of a second that was handed on before. */
  *takeLate(frame: Frame): Task {
    const taken = { counter: 0, histogram: 0, summary: 0 }
    this.#coming = { frame, taken }
    const fractional = new Set(frame.fractionalIds)
    for (const kind of KINDS) {
      const ids = frame.ids(kind)
      while (taken[kind] < ids.length) {
        const end = Math.min(ids.length, taken[kind] + ROWS_PER_STEP)
        if (kind === 'counter') this.#addCounters(frame, taken[kind], end, fractional)
        else this.#addCounts(frame, kind, taken[kind], end)
        taken[kind] = end
        yield
      }
    }
    this.#coming = undefined
  }

  #addCounters(frame: Frame, from: number, end: number, fractional: ReadonlySet<number>): void {
    const { counterIds, counterDeltas } = frame
    const deltas = new Uint32Array(counterDeltas.buffer, counterDeltas.byteOffset)
    const hasFractions = fractional.size > 0
    let index = -1
    let halves = NO_HALVES
    for (let row = from; row < end; row++) {
      const id = counterIds[row]!
      if (id >>> PAGE_SHIFT !== index) {
        index = id >>> PAGE_SHIFT
        halves = this.#pageOf(id).halves
      }
      const at = (id & ROW_MASK) * 2
      const before = halves[at]!
      const low = (before + deltas[2 * row]!) >>> 0
      halves[at] = low
      halves[at + 1]! += deltas[2 * row + 1]! + (low < before ? 1 : 0)
      if (hasFractions && fractional.has(id)) this.#tellRest(frame, row)
    }
  }

  #tellRest(frame: Frame, row: number): void {
    const record = this.#store.get(frame.counterIds[row]!)
    if (record?.kind === 'counter') record.windows?.tell(restAt(frame, row))
  }

  #addCounts(frame: Frame, kind: 'histogram' | 'summary', from: number, end: number): void {
    const ids = frame.ids(kind)
    for (let row = from; row < end; row++) {
      const id = ids[row]!
      this.#pageOf(id).wholes[id & ROW_MASK]! += frame.countAt(row, kind)
    }
  }

  #pageOf(id: number): Page {
    const index = id >>> PAGE_SHIFT
    while (this.#pages.length <= index) this.#pages.push(undefined)
    this.#pages[index] ??= new Page()
    return this.#pages[index]
  }

  #remove(id: number): void {
    const page = this.#pageOf(id)
    if (++page.gone === PAGE_ROWS) this.#pages[id >>> PAGE_SHIFT] = undefined
  }
}

/** Computes what an increment has besides what the whole part of its total grew by. */
function restAt(frame: Frame, row: number): number {
  return Number(frame.deltaAt(row)) - Number(frame.counterDeltas[row]!)
}

function wholeBefore(record: SeriesRecord): bigint {
  switch (record.kind) {
    case 'counter':
      return record.begun ?? 0n
    case 'gauge':
      return 0n
    case 'histogram':
      return record.windows?.count ?? 0n
    case 'summary':
      return BigInt(record.windows?.total.count ?? 0)
  }
}
