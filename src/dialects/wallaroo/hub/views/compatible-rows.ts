/** Rows and numbers as the original Metrics UI has them (wallaroo.md §8.2). */

import { forEachItem, type Task } from '../../../../hub/tasks/task.ts'
import { exactToJson } from '../../../../model/index.ts'
import type {
  CompatibleNumbers,
  CompatibleRow,
  CompatibleTextsJson,
  CompatibleThroughput,
} from '../../http/api.ts'
import {
  COMPATIBLE_PERCENTILES,
  type CompatibleOrigin,
  type CompatiblePercentiles,
  CompatibleTotals,
  compatiblePercentiles,
} from '../../rollup/compatible.ts'
import { latencyLabel, throughputText } from '../../rollup/compatible-text.ts'
import type { KeptWindow } from '../memory/kept-window.ts'
import type { Group } from './groups.ts'
import { readWindows, type SeriesReading, type WindowSum } from './readings.ts'

/** Windows of a key: their times are as sent, for the original knows no other clock. */
export class CompatibleSum implements WindowSum {
  readonly totals = new CompatibleTotals()

  addWindow(window: KeptWindow): void {
    if (window.roundedEndS < this.totals.fromS) return
    window.load()
    this.totals.add(window)
  }
}

/** Finds the origin: that of the series which was heard first, by its first window. */
function* originOf(readings: readonly SeriesReading[]): Task<CompatibleOrigin> {
  let first = readings[0]!.series
  yield* forEachItem(readings, ({ series }) => {
    if (series.order < first.order) first = series
  })
  return first.origin
}

/** Adds up all windows of some series. */
export function* addCompatible(
  readings: readonly SeriesReading[],
  sum: CompatibleSum,
  hubS: number,
): Task {
  sum.totals.begin(yield* originOf(readings), hubS)
  for (const reading of readings) yield* readWindows(reading, sum)
}

/** Makes one row for each group. */
export function* compatibleRows(groups: readonly Group[], hubS: number): Task<CompatibleRow[]> {
  const sum = new CompatibleSum()
  const rows: CompatibleRow[] = []
  for (const { key, readings } of groups) {
    yield* addCompatible(readings, sum, hubS)
    rows.push({ key, ...numbersOf(sum.totals) })
  }
  return rows
}

export function numbersOf(totals: CompatibleTotals): CompatibleNumbers {
  const percentiles = compatiblePercentiles(totals.counts)
  const throughput = throughputOf(totals)
  return { percentiles, throughput, texts: textsOf(percentiles, throughput) }
}

function throughputOf(totals: CompatibleTotals): CompatibleThroughput {
  const { min, median, max } = totals.throughput()
  return { min: exactToJson(min), med: exactToJson(median), max: exactToJson(max) }
}

function textsOf(
  percentiles: CompatiblePercentiles,
  { min, med, max }: CompatibleThroughput,
): CompatibleTextsJson {
  const labels = COMPATIBLE_PERCENTILES.map((name) => [name, latencyLabel(percentiles[name])])
  return {
    percentiles: Object.fromEntries(labels) as CompatiblePercentiles,
    throughput: {
      min: throughputText(Number(min)),
      med: throughputText(Number(med)),
      max: throughputText(Number(max)),
    },
  }
}
