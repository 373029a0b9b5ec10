/** Increments of a counter by column, net of decrements. */
import type { HubView } from '../../../hub/view.ts'
import { addExact, type Exact, exact, isInteger, subtractExact } from '../../../model/index.ts'
import type { Pieces } from '../../pieces.ts'
import { deltaJson } from '../cell-json.ts'
import { type Columns, type Placement, type ShownSeries, split } from './columns.ts'

/** Makes a counter's column: where nothing came while its peer was away, it did not stand still. */
export function* counterColumn(
  columns: Columns,
  record: ShownSeries,
  view: HubView,
): Pieces<never, string[]> {
  const deltas = new Array<Exact>(columns.window.length).fill(0)
  for (const { id, add } of partsOf(record)) {
    yield* columns.forEach(id, 'counter', (frame, row, placement) => {
      const shares = splitDelta(frame.deltaAt(row), placement)
      placement.columns.forEach((column, i) => {
        if (column < 0 || column >= deltas.length) return
        deltas[column] = add(deltas[column]!, shares[i]!)
      })
    })
  }
  const texts = deltas.map((delta, column) => {
    if (delta !== 0) return deltaJson(delta)
    const endMs = columns.endOf(column)
    const isKnown =
      columns.covered[column] === 1 &&
      endMs > record.firstSeenMs &&
      !view.wasAway(record.source, endMs - columns.window.stepMs, endMs)
    return isKnown ? deltaJson(delta) : 'null'
  })
  return [...pastDeltas(columns, record, view), ...texts]
}

/** Lists the increments of the past; before the first one ever the counter was not there. */
function pastDeltas(columns: Columns, record: ShownSeries, view: HubView): string[] {
  const { firstSeenMs, goneMs = Number.POSITIVE_INFINITY } = record
  const { past } = columns
  const { stepMs } = columns.window
  const deltas = new Array<Exact | undefined>(past?.length ?? 0).fill(undefined)
  for (const { id, add } of partsOf(record)) {
    let isThere = false
    past?.forEach(id, (column, cell) => {
      const endMs = columns.endOf(column - past.length)
      isThere ||= cell?.kind === 'counter' || endMs > firstSeenMs
      if (column < 0) return
      const fromMs = endMs - stepMs
      if (cell?.kind === 'counter') deltas[column] = add(deltas[column] ?? 0, cell.delta)
      else if (isThere && fromMs < goneMs && past.isCovered(column)) {
        if (!view.wasAway(record.source, fromMs, endMs)) deltas[column] ??= 0
      }
    })
  }
  return deltas.map((delta) => (delta === undefined ? 'null' : deltaJson(delta)))
}

interface Part {
  readonly id: number
  readonly add: (sum: Exact, delta: Exact) => Exact
}

/** Lists the parts of a counter: increments are added, decrements taken off. */
function partsOf({ id, decrements }: ShownSeries): readonly Part[] {
  const own = { id, add: addExact }
  return decrements === undefined ? [own] : [own, { id: decrements.id, add: subtractExact }]
}

/** Shares of an increment; one with a fraction is divided as a double. */
function splitDelta(delta: Exact, placement: Placement): Exact[] {
  const { seconds } = placement
  if (seconds.length === 1) return [delta]
  if (isInteger(delta)) return split(BigInt(delta), placement).map(exact)
  const all = seconds.reduce((sum, each) => sum + each, 0)
  return seconds.map((each) => (Number(delta) * each) / all)
}
