/**
 * A distribution in three charts on one time axis: percentiles, the heat map with the distribution
 * now on its side, observations per second.
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Range } from '../../viewer/chart/scale.ts'
import { clockText } from '../../viewer/format/time.ts'
import { emptyWordsOf } from '../../viewer/series/reading.ts'
import { outerRowWords, undrawnWords } from '../../viewer/series/statistics.ts'
import { mergeSeconds } from '../../viewer/store/buckets.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { drawMarginal } from '../chart/heat.ts'
import { pictureOf } from '../chart/picture.ts'
import { useDrawing, usePage } from '../shell/page.ts'
import { setText } from '../shell/parts.tsx'
import { ChartPanel, laneFigure, Observations } from './chart-panel.tsx'
import { bucketsTable, heatTable, lanesTable } from './tables.ts'

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
      note="each second"
      height="h216"
      label={`Percentiles of ${entry.text} over time; T: as a table`}
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
  const side = useDrawing((painter) => {
    const data = store.data(entry.id)
    if (data === undefined || range.current === undefined) return
    const second = page.readingSecond()
    const from = second - (cursor.second.value === null ? NOW_SECONDS : 1)
    drawMarginal(painter, mergeSeconds(data, from, second), range.current)
  })
  return (
    <ChartPanel
      entry={entry}
      title="Distribution over time"
      note={<span class="follows" ref={when} />}
      height="h232"
      label={`Distribution over time of ${entry.text}; T: as a table`}
      table={(data, view) => bucketsTable(data, view, unit)}
      all={(data, view) => heatTable(data, view, unit)}
      plot={(data, view) => {
        const missing = undrawnWords(data, view.from, view.to)
        const emptyWords = missing === '' ? emptyWordsOf(data, view.from) : missing
        const now = view.cursor === null ? 'last 10 s' : clockText(view.cursor * 1000)
        const outer = outerRowWords(data, view.from, view.to, unit)
        setText(when.current, [missing, outer, now].filter((each) => each !== '').join('; '))
        const plot = { ...view, step: 1, lines: [], unit, axis: 'log', size: 'large' } as const
        return { ...plot, heat: { data, ramp: 'heat' }, emptyWords }
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
