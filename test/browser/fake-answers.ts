/** What a hub answers of one invented series: its names, cells and statistics. */
import type { NamesAnswer, RangeColumn, SeriesInfo } from '../../src/http/api.ts'
import {
  counterDelta,
  gaugeSpread,
  gaugeValue,
  histogramCell,
  type Invented,
  isAlive,
  summaryCell,
} from './invented.ts'

/** Names as a hub says them, of the simplest form. */
export function inventNames({ name, kind, labels }: Invented): NamesAnswer {
  const clean = name.replace(/\W/g, '_')
  const pairs = labels.map(([key, value]) => `${key}="${value}"`).join(',')
  const text = `${clean}${kind === 'counter' ? '_total' : ''}${pairs === '' ? '' : `{${pairs}}`}`
  return {
    names: [
      { where: 'Prometheus', text },
      { where: 'PromQL', text: `rate(${text}[5m])`, note: 'per second' },
      { where: 'OTLP', text: name, note: 'sum, scope pentameter' },
    ],
  }
}

type Cell = number | ReturnType<typeof histogramCell> | ReturnType<typeof summaryCell>

export function cellOf(series: Invented, from: number, to: number): Cell | null {
  if (series.kind === 'counter') {
    let sum = 0
    for (let t = from + 1; t <= to; t += 1) sum += isAlive(series, t) ? counterDelta(series, t) : 0
    return sum
  }
  if (!isAlive(series, to)) return null
  if (series.kind === 'gauge') return gaugeValue(series, to)
  return series.kind === 'summary' ? summaryCell(series, to) : histogramCell(series, from, to)
}

export function columnOf(
  series: Invented,
  cells: readonly (Cell | null)[],
  ends: readonly number[],
): RangeColumn {
  const { id, kind } = series
  if (kind === 'counter') return { id, kind, delta: cells as (number | null)[] }
  if (kind === 'gauge') {
    const value = cells as (number | null)[]
    const end = (which: 'min' | 'max') =>
      value.map((each, i) =>
        each === null ? null : (gaugeSpread(series, ends[i]!)?.[which] ?? each),
      )
    return { id, kind, value, min: end('min'), max: end('max') }
  }
  return { id, kind, cells } as RangeColumn
}

export function statisticsOf(
  series: Invented,
  second: number,
): NonNullable<SeriesInfo['statistics']> {
  const cell = histogramCell(series, second - 10, second)
  const { count, sum, min, max, p50, p90, p99 } = cell
  return {
    count: count * 3600,
    sum: sum === null ? null : sum * 3600,
    min,
    max,
    mean: count > 0 && sum !== null ? sum / count : null,
    stddev: p90 - p50,
    median: p50,
    p75: (p50 + p90) / 2,
    p95: (p90 + p99) / 2,
    p98: p99 * 0.97,
    p99,
    p999: max,
    relativeError: 0.022,
  }
}
