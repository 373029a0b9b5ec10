/**
 * `counters monitor` for programs: one JSON line per window, no control bytes, and what happens to
 * the session on standard error. A number that JSON does not have is null.
 */

import { escapeUnseen, unseenJson } from '../../../../model/text/unseen.ts'
import { onExit, type ProcessEvents } from '../../../../terminal/index.ts'
import type { Clock } from '../../../../time/clock.ts'
import { countText, seenLine } from '../../../../viewer/format/seen.ts'
import type { FeedWindow } from '../../../command-line.ts'
import { rateOf } from '../../display.ts'
import type { CounterRequest } from '../request.ts'
import { Watch, type WatchContext } from '../watch.ts'
import { Board, type Series } from './board.ts'
import type { MonitorOptions } from './screen-monitor.ts'
import { CounterWords } from './selection.ts'
import { isOver } from './threshold.ts'

interface LineOutput {
  readonly writableLength?: number
  write(text: string): unknown
}

interface PipeParts extends WatchContext {
  readonly output: LineOutput
  readonly errors: LineOutput
  readonly process: ProcessEvents
}

/** Bytes that may wait for a reader that is slower than the counters; lines beyond are left out. */
const WAITING_LIMIT = 1_048_576

export async function monitorAsLines(
  request: CounterRequest,
  { views, thresholds, filter = '' }: Pick<MonitorOptions, 'views' | 'thresholds' | 'filter'>,
  parts: PipeParts,
): Promise<void> {
  const { output, errors, process, clock } = parts
  const board = new Board({
    seriesLimit: request.seriesLimit,
    view: views[0]!,
    isOver: (counter, value) => isOver(thresholds, counter, value),
  })
  const words = new CounterWords(filter, request.namesCounters)
  let skipped = 0
  const watch = new Watch(request, parts, {
    onWait: (text) => errors.write(`${escapeUnseen(text)}\n`),
    onOpen: () => errors.write(`reading from ${escapeUnseen(watch.target)}\n`),
    onWindow(window) {
      if (!words.match(window.counter)) return
      const series = board.take(window, clock.monotonicNs())
      if (series === undefined) return
      if ((output.writableLength ?? 0) > WAITING_LIMIT) skipped++
      else output.write(`${unseenJson(lineOf(window, series, clock))}\n`)
    },
    onLost({ message }, retryInMs) {
      board.gap()
      errors.write(`${escapeUnseen(message)}, next attempt in ${Math.ceil(retryInMs)} ms\n`)
    },
    onNote: (text) => errors.write(`${escapeUnseen(text)}\n`),
  })
  const tell = (): void => {
    const seen = [
      countText(board.size, 'series', 'series'),
      countText(watch.errors, 'error'),
      ...watch.troubles,
      ...(skipped === 0 ? [] : [`${skipped} lines skipped`]),
      ...(board.leftOut === 0 ? [] : [`${board.leftOut} windows beyond --max-time-series`]),
    ]
    errors.write(seenLine(watch.elapsedMs, seen))
    for (const text of watch.lastWords) errors.write(`  ${escapeUnseen(text)}\n`)
  }
  const off = onExit(process, { end: () => watch.end(), restore() {}, quit: tell })
  try {
    await watch.run()
  } finally {
    off()
  }
  tell()
}

/** Collects all figures of eventcounters.md §7.2; what is not finite becomes null in JSON. */
function lineOf(window: FeedWindow, { figures, delta, isOver }: Series, clock: Clock) {
  const { counter, statistics, intervalSec, timeMs } = window
  const { provider, name, displayName, units, metaData } = counter
  const head = {
    time: new Date(timeMs ?? clock.wallMs()).toISOString(),
    ...{ provider, name, displayName, units },
    tags: Object.fromEntries(metaData),
    intervalSec: intervalSec ?? null,
  }
  const tail = { delta: delta ?? null, ...(isOver ? { isOver } : {}) }
  if (statistics.kind === 'mean') {
    const { count, mean, deviation, min, max } = statistics
    const spread = { standardDeviation: deviation, min, max }
    return { ...head, type: 'Mean', mean, count, ...spread, ...tail }
  }
  const { rate = null, minute = null, total } = figures
  const { increment } = statistics
  const rateScaleSec = rateOf(window)?.scaleSec
  return { ...head, type: 'Sum', increment, rate, rateScaleSec, perMinute: minute, total, ...tail }
}
