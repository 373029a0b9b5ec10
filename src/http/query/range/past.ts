/**
 * The part of a range that the live ring has no more, from the history. Columns are whole: each
 * comes from one of both, so no second is missing between them and none is told twice.
 */
import { type CellAnswer, HistoryError, type HistoryStore } from '../../../history/store.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Cell } from '../../../model/index.ts'
import { HttpError } from '../../http-error.ts'

export interface RangeWindow {
  readonly fromMs: number
  readonly stepMs: number
  readonly length: number
}

/** Rounds the window outwards to whole steps, so that columns stay put while a window moves. */
export function alignWindow(fromMs: number, toMs: number, stepMs: number): RangeWindow {
  const from = Math.floor(fromMs / stepMs) * stepMs
  return { fromMs: from, stepMs, length: Math.max(0, Math.ceil((toMs - from) / stepMs)) }
}

/** Columns of a range that come from the history: the first ones of its window. */
export class Past {
  /** Number of them. */
  readonly length: number
  readonly #answer: CellAnswer
  /** Columns of the answer before the window's first: what gauges held until then. */
  readonly #lead: number
  readonly #places: ReadonlyMap<number, number>

  constructor(answer: CellAnswer, ids: readonly number[], lead: number) {
    this.#answer = answer
    this.#lead = lead
    this.length = Math.max(0, answer.length - lead)
    this.#places = new Map(ids.map((id, i) => [id, i]))
  }

  /** Calls back for the cell of every column, those before the window's first too. */
  forEach(id: number, visit: (column: number, cell: Cell | undefined) => void): void {
    const cells = this.#answer.columns[this.#places.get(id) ?? -1]?.cells ?? []
    for (let i = 0; i < cells.length; i++) visit(i - this.#lead, cells[i])
  }

  /** Tells whether a hub ran in a column. */
  isCovered(column: number): boolean {
    return this.#answer.covered[column + this.#lead] === 1
  }
}

/** Lists the stretches of columns in which no hub ran: the first of each, and their number. */
export function gapsOf(past: Past | undefined, live: Uint8Array): readonly [number, number][] {
  const length = past?.length ?? 0
  const gaps: [number, number][] = []
  for (let column = 0; column < length + live.length; column++) {
    const isKnown = column < length ? past!.isCovered(column) : live[column - length] === 1
    if (isKnown) continue
    const last = gaps.at(-1)
    if (last !== undefined && last[0] + last[1] === column) last[1]++
    else gaps.push([column, 1])
  }
  return gaps
}

interface AskedRange {
  readonly ids: readonly number[]
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
}

interface FoundRange {
  readonly window: RangeWindow
  readonly past: Past | undefined
}

/**
 * Reads what of a range is in the history alone. Its step is widened where the history keeps only
 * wider cells of that time.
 * @throws {HttpError} 400 for more than the history reads at once
 */
export async function findPast(view: HubView, asked: AskedRange): Promise<FoundRange> {
  const { fromMs, toMs, stepMs } = asked
  const oldestMs = view.live.oldestMs ?? view.clock.wallMs()
  const { history } = view
  const plain = { window: alignWindow(fromMs, toMs, stepMs), past: undefined }
  if (history === undefined || plain.window.fromMs >= oldestMs) return plain
  const wholeMs = Math.ceil(stepMs / 1000) * 1000
  try {
    const first = await readFrom(view, history, asked, wholeMs, oldestMs)
    if (first.window.stepMs === first.stepMs) return first
    return await readFrom(view, history, asked, first.stepMs, oldestMs)
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    if (error.code === 'too_large') {
      throw new HttpError(400, 'too_large', error.message, 'use a wider step, or ask for less')
    }
    return plain // what went wrong with it is told by the hub
  }
}

async function readFrom(
  view: HubView,
  history: Pick<HistoryStore, 'read'>,
  { ids, fromMs, toMs }: AskedRange,
  stepMs: number,
  oldestMs: number,
): Promise<FoundRange & { readonly stepMs: number }> {
  const window = alignWindow(fromMs, toMs, stepMs)
  const count = Math.min(window.length, Math.ceil((oldestMs - window.fromMs) / stepMs))
  const lead = Math.ceil(view.staleAfterMs / stepMs)
  const answer = await history.read({
    groups: ids.map((id) => {
      const record = view.series.get(id)
      return record === undefined ? [] : [view.series.keyOf(record).slice()]
    }),
    fromS: (window.fromMs - lead * stepMs) / 1000,
    toS: (window.fromMs + count * stepMs) / 1000,
    stepS: stepMs / 1000,
  })
  return { window, past: new Past(answer, ids, lead), stepMs: answer.stepS * 1000 }
}
