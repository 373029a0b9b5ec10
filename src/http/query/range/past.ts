/**
 * The part of a range that the live ring has no more, or not as fine as it is asked for, from the
 * history. Columns come from one of both, and those of the history have the seconds besides that
 * are not durable yet: no second is missing between them, and none is told twice.
 */
import { type CellAnswer, HistoryError, type HistoryStore } from '../../../history/store.ts'
import type { Frame } from '../../../hub/live/frame.ts'
import type { HubView } from '../../../hub/view.ts'
import { type Cell, type Kind, mergeCells } from '../../../model/index.ts'
import { refusalOf } from '../history-refusal.ts'

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
  readonly #ids: readonly number[]
  /** Columns of the answer before the window's first: what gauges held until then. */
  readonly #lead: number
  readonly #places: ReadonlyMap<number, number>

  /** @param end columns of the answer that are told, its first ones */
  constructor(answer: CellAnswer, ids: readonly number[], lead: number, end = answer.length) {
    this.#answer = answer
    this.#ids = ids
    this.#lead = lead
    this.length = Math.max(0, end - lead)
    this.#places = new Map(ids.map((id, i) => [id, i]))
  }

  /** Gives all columns of the answer, for series that the history alone has. */
  get whole(): Past {
    return new Past(this.#answer, this.#ids, this.#lead)
  }

  /** Calls back for the cell of every column, those before the window's first too. */
  forEach(id: number, visit: (column: number, cell: Cell | undefined) => void): void {
    const cells = this.#answer.columns[this.#places.get(id) ?? -1]?.cells ?? []
    const length = Math.min(cells.length, this.#lead + this.length)
    for (let i = 0; i < length; i++) visit(i - this.#lead, cells[i])
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
 * Reads what of a range is in the history alone, or finer there. Its step is widened where the
 * history keeps only wider cells of that time.
 * @throws {HttpError} 400 for more than the history reads at once, 503 where too many ask it
 */
export async function findPast(view: HubView, asked: AskedRange): Promise<FoundRange> {
  const { fromMs, toMs, stepMs } = asked
  const untilMs = historyUntilMs(view, asked)
  const parts = asked.ids.flatMap((id) => [...partsOf(view, id)])
  const { history } = view
  const plain = { window: alignWindow(fromMs, toMs, stepMs), past: undefined }
  if (history === undefined || plain.window.fromMs >= untilMs) return plain
  const wholeMs = Math.ceil(stepMs / 1000) * 1000
  try {
    const first = await readFrom(view, history, { ...asked, parts }, wholeMs, untilMs)
    // samples are finer than the history: it widens their steps only where it knows anything
    if (stepMs < 1000 && !first.isKnown) return plain
    if (first.window.stepMs === first.stepMs) return first
    return await readFrom(view, history, { ...asked, parts }, first.stepMs, untilMs)
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    if (error.code === 'too_large' || error.code === 'busy') {
      throw refusalOf(error, 'use a wider step, or ask for less')
    }
    return plain // what went wrong with it is told by the hub
  }
}

/** A series as a history knows it. */
interface Part {
  readonly id: number
  readonly key: Uint8Array
}

/** Lists a series and its decrements, as far as they are known, of the hub or of the past. */
function* partsOf({ series, past }: HubView, id: number): Iterable<Part> {
  const record = series.get(id)
  if (record !== undefined) {
    const { decrements } = record.kind === 'counter' ? record : {}
    for (const each of [record, decrements]) {
      if (each !== undefined) yield { id: each.id, key: series.keyOf(each).slice() }
    }
    return
  }
  const found = past?.get(id)
  if (found !== undefined) yield found
  if (found?.decrements !== undefined) yield found.decrements
}

/** Time ahead of the newest second from which on a range asks for what is to come, ms. */
const AHEAD_MS = 10_000

/**
 * Tells up to when the history is asked: the ring has nothing of what only the history knows, and
 * of a series that came again what there was before it has under another number. Nor has it what is
 * ahead of the clock: imported, or of a clock that was wrong; below a second samples tell of now.
 */
function historyUntilMs(view: HubView, { ids, toMs, stepMs }: AskedRange): number {
  const nowMs = view.clock.wallMs()
  const newestMs = view.live.newest?.endMs ?? nowMs
  if (stepMs >= 1000 && toMs > newestMs + AHEAD_MS) return toMs
  let untilMs = view.live.wholeFromMs(stepMs) ?? nowMs
  for (const id of ids) {
    const record = view.series.get(id)
    const overMs = view.past?.get(id) && newestMs
    untilMs = Math.max(untilMs, record?.firstSeenMs ?? overMs ?? 0)
  }
  return untilMs
}

async function readFrom(
  view: HubView,
  history: Pick<HistoryStore, 'read'>,
  { parts, fromMs, toMs }: AskedRange & { readonly parts: readonly Part[] },
  stepMs: number,
  untilMs: number,
): Promise<FoundRange & { readonly stepMs: number; readonly isKnown: boolean }> {
  const window = alignWindow(fromMs, toMs, stepMs)
  const columnsTo = (ms: number): number => {
    return Math.max(0, Math.min(window.length, Math.ceil((ms - window.fromMs) / stepMs)))
  }
  const lead = Math.ceil(view.staleAfterMs / stepMs)
  const ids = parts.map(({ id }) => id)
  const answer = await history.read({
    groups: parts.map(({ key }) => [key]),
    fromS: (window.fromMs - lead * stepMs) / 1000,
    toS: (window.fromMs + columnsTo(untilMs) * stepMs) / 1000,
    stepS: stepMs / 1000,
  })
  // what the history has lost, the ring has in wider steps
  const oldest = lead + columnsTo(view.live.oldestMs ?? untilMs)
  const { untilS } = answer
  const { whole, hasAll } =
    untilS === undefined
      ? { whole: answer, hasAll: isWhole(answer, oldest) }
      : withRing(answer, untilS, view, ids)
  const past = new Past(whole, ids, lead, hasAll ? whole.length : oldest)
  const isKnown =
    answer.columns.some(({ cells }) => cells.some((cell) => cell !== undefined)) ||
    answer.covered.subarray(lead, oldest).some((covered) => covered === 1)
  return { window, past, stepMs: answer.stepS * 1000, isKnown }
}

/**
 * Tells whether an answer that does not say up to when it is durable, as that of an engine, has all
 * columns from one on. A second that it lacks may be told with the next one: a relay holds its
 * first one back, so that none can be taken from the ring.
 */
function isWhole({ covered }: CellAnswer, from: number): boolean {
  return covered.subarray(from).every((column) => column === 1)
}

interface Completed {
  readonly whole: CellAnswer
  /** False where the ring has more of it, in frames that reach over several steps. */
  readonly hasAll: boolean
}

/**
 * Adds to an answer what the ring has besides: seconds that are not durable yet, where the answer
 * ends in its columns, and those that the history has lost, where these fill a step.
 */
function withRing(
  answer: CellAnswer,
  untilS: number,
  view: HubView,
  ids: readonly number[],
): Completed {
  const { fromS, stepS, length } = answer
  const stepAt = (ms: number): number => Math.ceil((ms / 1000 - fromS) / stepS) - 1
  const endMs = (fromS + length * stepS) * 1000
  const isWithin = (frame: Frame): boolean => {
    return frame.endMs <= endMs && frame.endMs - frame.seconds * 1000 >= fromS * 1000
  }
  const newest = view.live.since(untilS * 1000).filter((frame) => {
    return isWithin(frame) && frame.endMs - frame.seconds * 1000 >= untilS * 1000
  })
  const lost = view.live.between(fromS * 1000, Math.min(untilS * 1000, endMs)).filter((frame) => {
    const steps = answer.covered.subarray(
      stepAt(frame.endMs - frame.seconds * 1000 + 1),
      stepAt(frame.endMs) + 1,
    )
    return frame.endMs <= untilS * 1000 && isWithin(frame) && steps.every((step) => step === 0)
  })
  const isOfOne = ({ endMs: ms, seconds }: Frame): boolean => {
    return stepAt(ms - seconds * 1000 + 1) === stepAt(ms)
  }
  const frames = [...lost.filter(isOfOne), ...newest]
  const hasAll = lost.every(isOfOne)
  if (frames.length === 0) return { whole: answer, hasAll }
  const covered = answer.covered.slice()
  for (const frame of frames) covered[stepAt(frame.endMs)] = 1
  const columns = answer.columns.map((column, i) => {
    const kind = view.series.get(ids[i]!)?.identity.kind
    if (kind === undefined) return column
    const cells = [...column.cells]
    for (const frame of frames) addTo(cells, stepAt(frame.endMs), frame, ids[i]!, kind)
    return { kind, cells }
  })
  return { whole: { ...answer, covered, columns }, hasAll }
}

function addTo(
  cells: (Cell | undefined)[],
  step: number,
  frame: Frame,
  id: number,
  kind: Kind,
): void {
  const cell = frame.cell(id, kind)
  if (cell === undefined) return
  const held = cells[step]
  cells[step] = held === undefined ? cell : mergeCells(held, cell)
}
