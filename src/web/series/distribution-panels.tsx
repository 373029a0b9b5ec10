/**
 * A distribution in three charts on one time axis: percentiles, the heat map with the distribution
 * now on its side, observations per second.
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { drawMarginal } from '../chart/heat.ts'
import { pictureOf } from '../chart/picture.ts'
import { emptyWordsOf } from '../chart/plot.ts'
import type { Range } from '../chart/scale.ts'
import { clockText } from '../format/time.ts'
import { useDrawing, usePage } from '../shell/page.ts'
import { setText } from '../shell/parts.tsx'
import { mergeSeconds } from '../store/buckets.ts'
import type { Entry } from '../store/catalogue.ts'
import { ChartPanel, laneFigure, Observations } from './chart-panel.tsx'
import { undrawnWords } from './statistics.ts'

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
      label={`Percentiles of ${entry.text} over time; as a table below`}
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
      label={`Distribution over time of ${entry.text}`}
      plot={(data, view) => {
        const missing = undrawnWords(data, view.from, view.to)
        const emptyWords = missing === '' ? emptyWordsOf(data, view.from) : missing
        const now = view.cursor === null ? 'last 10 s' : clockText(view.cursor * 1000)
        setText(when.current, missing === '' ? now : `${missing}; ${now}`)
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
