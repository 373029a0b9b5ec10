/**
 * What an answer takes of a series: all that had come when it was looked at. The windows are read
 * later, in steps, and maybe for several rows; those that arrive meanwhile are in none of them.
 */

import { forEachItem, type Task } from '../../../../hub/tasks/task.ts'
import type { SeriesNames } from '../../map.ts'
import { KeptWindow } from '../memory/kept-window.ts'
import type { WallarooSeries } from '../wire-series.ts'

/** Windows of one step of a pass. */
const WINDOWS_PER_STEP = 128

export interface SeriesReading {
  readonly series: WallarooSeries
  readonly names: SeriesNames
  /** Windows before it count. */
  readonly position: number
  /** Messages since the series began. */
  readonly messages: bigint
  /** Time by which the hub's clock is ahead of its worker's, where that is off, ms. */
  readonly shiftMs: number
  /** End of its last window by the hub's clock; -Infinity without windows. */
  readonly lastEndMs: number
}

/** Sum of windows; it loads those that it wants. */
export interface WindowSum {
  addWindow(window: KeptWindow, reading: SeriesReading): void
}

export function* readingsOf(
  all: readonly WallarooSeries[],
  isWanted: (names: SeriesNames) => boolean,
): Task<SeriesReading[]> {
  const readings: SeriesReading[] = []
  yield* forEachItem(all, (series) => {
    if (isWanted(series.names)) readings.push(readingOf(series))
  })
  return readings
}

function readingOf(series: WallarooSeries): SeriesReading {
  const { names, windows, worker } = series
  const { shiftMs } = worker.offset
  return {
    series,
    names,
    position: windows.position,
    messages: series.messages(),
    shiftMs,
    lastEndMs: series.lastEndMs + shiftMs,
  }
}

/** One object serves for all windows of all passes: it holds nothing from one step to the next. */
const window = new KeptWindow()

/** Adds the windows of a reading to one sum, or to two that both have it. */
export function* readWindows(reading: SeriesReading, sum: WindowSum, other?: WindowSum): Task {
  const { windows } = reading.series
  const visit = (each: KeptWindow): void => {
    sum.addWindow(each, reading)
    other?.addWindow(each, reading)
  }
  for (let at = 0; at < reading.position; ) {
    at = windows.walk(at, reading.position, WINDOWS_PER_STEP, window, visit)
    yield
  }
}
