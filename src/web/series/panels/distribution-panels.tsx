/**
 * A distribution in three charts on one time axis: percentiles, the heat map with the distribution
 * now on its side, observations per second.
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Range } from '../../../viewer/chart/scale.ts'
import { instantText, spanText } from '../../../viewer/format/time.ts'
import { emptyWordsOf } from '../../../viewer/series/reading.ts'
import { outerRowWords, undrawnWords } from '../../../viewer/series/statistics.ts'
import { mergeSeconds } from '../../../viewer/store/buckets.ts'
import type { Entry } from '../../../viewer/store/catalogue.ts'
import { drawMarginal } from '../../chart/heat.ts'
import { pictureOf, stepsOf } from '../../chart/picture.ts'
import { useDrawing, usePage } from '../../shell/page.ts'
import { setText } from '../../shell/parts.tsx'
import { ChartPanel, EachStep, laneFigure, Observations } from '../chart-panel.tsx'
import { bucketsTable, heatTable, lanesTable } from '../tables.ts'

/** Seconds that "now" is, without a cursor: one second alone is ragged. */
const NOW_SECONDS = 10

interface PanelProps {
  readonly entry: Entry
}

function Percentiles({ entry }: PanelProps): JSX.Element {
  const unit = entry.info.unit ?? ''
  return (
    <ChartPanel
      entry={entry}
      title="Percentiles"
      note={<EachStep />}
      height="h216"
      label={`Percentiles of ${entry.text}`}
      table={(data, view) =>
        lanesTable(
          data,
          view,
          (['p50', 'p90', 'p99'] as const).map((lane) => ({ lane, unit })),
        )
      }
      plot={(data, { steady, ...view }) => pictureOf(data, view, { unit, size: 'large', steady })}
      figures={(['p99', 'p90', 'p50'] as const).map((lane) => laneFigure(lane, unit))}
    />
  )
}

function Distribution({ entry }: PanelProps): JSX.Element {
  const page = usePage()
  const { store, cursor } = page
  const range = useRef<Range | undefined>(undefined)
  const when = useRef<HTMLSpanElement>(null)
  const unit = entry.info.unit ?? ''
  const nowWords = (at: number | null): string => {
    if (at !== null) return instantText(at * 1000, store.clock.nowMs())
    const { pausedAt, step } = store.clock
    const isStep = pausedAt.peek() !== undefined && step.peek() > NOW_SECONDS
    return `last ${spanText(isStep ? step.peek() : NOW_SECONDS)}`
  }
  const side = useDrawing((painter) => {
    const hasCursor = cursor.second.value !== null
    const data = store.readings(entry.id, hasCursor)
    if (data === undefined || range.current === undefined) return
    const second = page.readingSecond()
    const from = second - (hasCursor ? 1 : NOW_SECONDS)
    drawMarginal(painter, mergeSeconds(data, from, second), range.current)
  })
  return (
    <ChartPanel
      entry={entry}
      title="Distribution over time"
      note={<span class="follows" ref={when} />}
      height="h232"
      label={`Distribution over time of ${entry.text}`}
      table={(data, view) => bucketsTable(data, view, unit)}
      all={(data, view) => heatTable(data, view, unit)}
      plot={(data, view) => {
        const missing = undrawnWords(data, view.from, view.to)
        const emptyWords = missing === '' ? emptyWordsOf(data, view.from) : missing
        const now = nowWords(view.cursor)
        const outer = outerRowWords(data, view.from, view.to, unit)
        setText(when.current, [missing, outer, now].filter((each) => each !== '').join('; '))
        const plot = { ...view, lines: [], unit, axis: 'log', size: 'large' } as const
        return { ...plot, ...stepsOf(data, view), heat: { data, ramp: 'heat' }, emptyWords }
      }}
      onDrawn={(drawn) => {
        range.current = drawn.range
        if (side.current) page.frame.touch(side.current)
      }}
    >
      <canvas ref={side} class="h232" role="img" aria-label={`Distribution now of ${entry.text}`} />
    </ChartPanel>
  )
}

export function DistributionPanels({ entry }: PanelProps): JSX.Element {
  return (
    <>
      <Percentiles entry={entry} />
      <Distribution entry={entry} />
      <Observations entry={entry} />
    </>
  )
}
