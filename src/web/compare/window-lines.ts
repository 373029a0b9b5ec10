/** Lines of one series over two windows, the earlier one moved to where the later one is. */
import { type Lane, MAIN_LANE, SeriesData } from '../../viewer/store/series-data.ts'
import type { Line } from '../chart/line.ts'
import { SIDES } from './butterfly.ts'

/** Lanes that are drawn, with the looks of their lines. */
const LANES: Readonly<Record<SeriesData['kind'], readonly (readonly [Lane, number, boolean])[]>> = {
  counter: [[MAIN_LANE.counter, 1.5, false]],
  gauge: [[MAIN_LANE.gauge, 1.5, false]],
  summary: [[MAIN_LANE.summary, 1.5, false]],
  histogram: [
    ['p50', 1.25, true],
    ['p99', 1.75, false],
  ],
}

/** Makes the lines of both windows; of the earlier one, none while it has not been read. */
export function windowLines(
  [data, earlier]: readonly [SeriesData, SeriesData | undefined],
  from: number,
  to: number,
  { before, factor, names }: { before: number; factor: number; names: readonly [string, string] },
): readonly Line[] {
  return [0, before].flatMap((shift, side) =>
    LANES[data.kind].map(([lane, width, isDashed]): Line => {
      const of = side === 0 ? data : (earlier ?? new SeriesData(data.kind, data.step))
      const valuesOf = (lane: Lane): Float64Array => {
        const values = new Float64Array(data.countOf(from - data.step, to))
        of.copy(lane, data.endOf(from - data.step + 1) - shift, values)
        return values.map((value) => value * factor)
      }
      const isOne = LANES[data.kind].length === 1
      return {
        values: valuesOf(lane),
        ...(data.kind === 'gauge' && { spread: { low: valuesOf('min'), high: valuesOf('max') } }),
        color: SIDES[side]!,
        width,
        dash: isDashed ? [2, 3] : [],
        name: isOne ? names[side]! : `${names[side]} ${lane}`,
      }
    }),
  )
}
