/** What is usual for invented series, as the hub says it: columns of ten seconds of ten minutes. */
import type { UsualAnswer } from '../../src/http/api.ts'
import { baselineOf, changeFrom, isUnusual, leftUsualAgo } from '../../src/model/usual.ts'
import { packUsual } from '../support/usual-answer.ts'
import { counterDelta, gaugeValue, histogramCell, type Invented, isAlive } from './invented.ts'

const COLUMN_S = 10
const COLUMNS = 60
/** Series that are compared: to invent the past of all of a fleet takes too long. */
const COMPARED = 100
const STALE_S = 300

export class InventedUsual {
  /** Values by column of each series. */
  readonly #values = new Map<Invented, Map<number, number>>()

  answer(all: readonly Invented[], second: number): UsualAnswer {
    const column = Math.floor(second / COLUMN_S)
    const rows = all.slice(0, COMPARED).map((series) => this.#compare(series, column))
    const stale = all.filter(({ until }) => second - until > STALE_S).map(({ id }) => id)
    return packUsual(column * COLUMN_S * 1000, rows, stale)
  }

  #compare(series: Invented, column: number) {
    const past = Float64Array.from({ length: COLUMNS }, (_, i) =>
      this.#value(series, column - COLUMNS + 1 + i),
    )
    const recent = past.at(-1)!
    const baseline = baselineOf(past)
    const change = changeFrom(series.kind, recent, baseline)
    const unusualS = isUnusual(change) ? leftUsualAgo(past, change, COLUMN_S) : 0
    return { id: series.id, recent, rate: recent, unusualS, ...baseline }
  }

  #value(series: Invented, column: number): number {
    const values = this.#values.get(series) ?? new Map<number, number>()
    this.#values.set(series, values)
    let value = values.get(column)
    if (value === undefined) {
      value = inventedValue(series, column * COLUMN_S)
      values.set(column, value)
    }
    return value
  }
}

function inventedValue(series: Invented, end: number): number {
  if (!isAlive(series, end)) return Number.NaN
  if (series.kind === 'histogram') return histogramCell(series, end - COLUMN_S, end).p99
  const of = series.kind === 'counter' ? counterDelta : gaugeValue
  let sum = 0
  for (let t = end - COLUMN_S + 1; t <= end; t += 1) sum += of(series, t)
  return sum / COLUMN_S
}
