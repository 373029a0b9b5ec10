/** Numbers of one series over two windows. */
import type { Shown } from '../../viewer/format/rate.ts'
import { extremeOf } from '../../viewer/series/statistics.ts'
import { mergeSeconds, quantile } from '../../viewer/store/buckets.ts'
import { MAIN_LANE, type SeriesData } from '../../viewer/store/series-data.ts'
import type { ComparedRow } from './sides.tsx'

/** Stretch of time: the seconds after `from` up to `to`. */
interface Stretch {
  readonly from: number
  readonly to: number
}

type Stretches = readonly [Stretch, Stretch]

/** Adds up what is known of a lane; NaN where nothing is. */
function meanOf(data: SeriesData, { from, to }: Stretch): number {
  const values = new Float64Array(to - from)
  data.copy(MAIN_LANE[data.kind], from + 1, values)
  const known = values.filter((value) => !Number.isNaN(value))
  return known.reduce((sum, value) => sum + value, 0) / known.length
}

function countOf(data: SeriesData, { from, to }: Stretch): number {
  const values = new Float64Array(to - from)
  data.copy('count', from + 1, values)
  const known = values.filter((value) => !Number.isNaN(value))
  return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0)
}

const QUANTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

export function comparedRows(
  data: SeriesData,
  { unit, factor }: Shown,
  stretches: Stretches,
): readonly ComparedRow[] {
  const row = (
    name: string,
    read: (stretch: Stretch) => number,
    of: string = unit,
  ): ComparedRow => ({ name, unit: of, values: [read(stretches[0]), read(stretches[1])] })
  const count = row('observations', (stretch) => countOf(data, stretch), '')
  if (data.kind !== 'histogram') {
    const rows = [
      row('mean', (stretch) => factor * meanOf(data, stretch)),
      row('lowest', ({ from, to }) => factor * extremeOf(data, 'min', from, to)),
      row('highest', ({ from, to }) => factor * extremeOf(data, 'max', from, to)),
    ]
    return data.kind === 'summary' ? [...rows, count] : rows
  }
  const merged = stretches.map(({ from, to }) => mergeSeconds(data, from, to))
  const of = (stretch: Stretch) => merged[stretches.indexOf(stretch)]!
  return [
    row('mean', (stretch) => of(stretch).sum / of(stretch).count),
    ...QUANTILES.map(([name, q]) => row(name, (stretch) => quantile(of(stretch), q))),
    count,
  ]
}
