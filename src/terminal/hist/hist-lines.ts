/** `pentameter hist` as lines: for each interval what was observed, all that match added up. */
import { unseenJson } from '../../model/text/unseen.ts'
import { countText } from '../../viewer/format/seen.ts'
import { instantText } from '../../viewer/format/time.ts'
import { addMerged, mergedOf } from '../../viewer/store/buckets.ts'
import { textWidth } from '../columns.ts'
import type { Hub } from '../hub/connect.ts'
import { LineOutput } from '../hub/line-output.ts'
import type { WatchedEvent } from '../watch/cell-lanes.ts'
import { Follow } from '../watch/follow.ts'
import { DAY_WIDTH, type LineOptions } from '../watch/lines.ts'
import { distributionJson, figuresIn } from './distribution.ts'

const TIME_WIDTH = 10
const FIGURE_WIDTH = 10

export async function printDistributions(hub: Hub, options: LineOptions): Promise<void> {
  const output = new LineOutput(options)
  const timeWidth = options.sinceMs === undefined ? TIME_WIDTH : DAY_WIDTH
  let sinceTitles = Number.POSITIVE_INFINITY
  const print = (event: WatchedEvent): void => {
    const histograms = follow.entries.filter(({ info }) => info.kind === 'histogram')
    const ids = new Set(histograms.map(({ id }) => id))
    const cells = event.histograms.filter(([id]) => ids.has(id))
    const merged = addMerged(cells.map(([, cell]) => mergedOf(cell)))
    if (merged.count === 0 && !output.isForPerson) return
    const unit = histograms[0]?.info.unit
    const seconds = event.intervalMs / 1000
    if (options.json) {
      const head = { time: new Date(event.endMs).toISOString(), intervalS: seconds }
      const series = histograms.map(({ text }) => text)
      const body = { ...head, series, ...(unit && { unit }), ...distributionJson(merged) }
      output.write(unseenJson(body))
      return
    }
    const figures = figuresIn(merged, seconds, unit ?? '')
    if (merged.count > 0 && sinceTitles++ >= (output.isForPerson ? output.rows - 2 : Infinity)) {
      sinceTitles = 1
      output.title(
        lineOf(
          timeWidth,
          'time',
          figures.map(([name]) => name),
        ),
      )
    }
    output.write(
      lineOf(
        timeWidth,
        instantText(event.endMs, Date.now()),
        figures.map(([, words]) => words),
      ),
    )
  }
  const follow = new Follow(hub, options, {
    onSeries() {},
    onCells: print,
    onLost: () => output.tell(`connection to ${hub.address.name} lost, trying again`),
    isReady: () => output.drained(),
    onNoPast: (reason) => output.tell(reason),
  })
  await output.run({
    start: () => follow.start(),
    stop: () => follow.stop(),
    seen: () => [
      countText(follow.entries.length, 'series', 'series'),
      countText(follow.losses, 'error'),
    ],
  })
}

function lineOf(width: number, time: string, texts: readonly string[]): string {
  const cells = texts.map((text) => ' '.repeat(Math.max(1, FIGURE_WIDTH - textWidth(text))) + text)
  return time.padEnd(width) + cells.join('')
}
