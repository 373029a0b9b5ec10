/** Numbers of one series over two windows. */
import type { Shown } from '../../viewer/format/rate.ts'
import { extremeOf, moments } from '../../viewer/series/statistics.ts'
import { mergeSeconds, quantile } from '../../viewer/store/buckets.ts'
import type { SeriesData } from '../../viewer/store/series-data.ts'
import type { ComparedRow } from './sides.tsx'

/** Stretch of time: the seconds after `from` up to `to`. */
interface Stretch {
  readonly data: SeriesData
  readonly from: number
  readonly to: number
}

type Stretches = readonly [Stretch, Stretch]

function countOf({ data, from, to }: Stretch): number {
  let sum = Number.NaN
  data.values('count', from, to).forEach((rate, i) => {
    const count = rate * data.secondsAt(data.endOf(from + 1) + i * data.step)
    if (!Number.isNaN(count)) sum = (sum || 0) + count
  })
  return sum
}

const QUANTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

export function comparedRows(
  { unit, factor }: Shown,
  stretches: Stretches,
): readonly ComparedRow[] {
  const row = (
    name: string,
    read: (stretch: Stretch) => number,
    of: string = unit,
  ): ComparedRow => ({ name, unit: of, values: [read(stretches[0]), read(stretches[1])] })
  const count = row('observations', countOf, '')
  const { kind } = stretches[0].data
  if (kind !== 'histogram') {
    const rows = [
      row('mean', (stretch) => factor * moments(stretch.data, stretch.from, stretch.to).mean),
      row('lowest', ({ data, from, to }) => factor * extremeOf(data, 'min', from, to)),
      row('highest', ({ data, from, to }) => factor * extremeOf(data, 'max', from, to)),
    ]
    return kind === 'summary' ? [...rows, count] : rows
  }
  const merged = stretches.map(({ data, from, to }) => mergeSeconds(data, from, to))
  const of = (stretch: Stretch) => merged[stretches.indexOf(stretch)]!
  return [
    row('mean', (stretch) => of(stretch).sum / of(stretch).count),
    ...QUANTILES.map(([name, q]) => row(name, (stretch) => quantile(of(stretch), q))),
    count,
  ]
}
