/**
 * A distribution in three charts on one time axis: percentiles, the heat map with the distribution
 * now on its side, observations per second.
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { drawMarginal } from '../chart/heat.ts'
import { Painter } from '../chart/painter.ts'
import { pictureOf } from '../chart/picture.ts'
import { drawPlot } from '../chart/plot.ts'
import type { Range } from '../chart/scale.ts'
import { clockText } from '../format/time.ts'
import { usePage, usePanel } from '../shell/page.ts'
import { Section, setText } from '../shell/parts.tsx'
import { mergeSeconds } from '../store/buckets.ts'
import type { Entry } from '../store/catalogue.ts'
import type { Lane } from '../store/series-data.ts'
import { type Figure, Now, Observations, useChart } from './now.tsx'
import { undrawnWords } from './statistics.ts'

/** Seconds that "now" is, without a cursor: one second alone is ragged. */
const NOW_SECONDS = 10

interface PanelProps {
  readonly entry: Entry
}

function Percentiles({ entry }: PanelProps): JSX.Element {
  const { cursor } = usePage()
  const unit = entry.info.unit ?? ''
  const canvas = useChart(entry, (painter, { data, steady, ...view }, element) => {
    const drawn = drawPlot(painter, pictureOf(data, view, { unit, size: 'large', steady }))
    cursor.setAxis(element, drawn.time)
  })
  const figure = (lane: Lane): Figure => ({
    caption: lane,
    unit,
    read: (data, second) => data.at(lane, second),
  })
  return (
    <Section title="Percentiles" note="each second" isNoteRight>
      <div class="beside">
        <canvas
          ref={canvas}
          class="h216"
          role="img"
          aria-label={`Percentiles of ${entry.text} over time; as a table below`}
        />
        <Now entry={entry} figures={[figure('p99'), figure('p90'), figure('p50')]} />
      </div>
    </Section>
  )
}

function Distribution({ entry }: PanelProps): JSX.Element {
  const page = usePage()
  const { store, cursor } = page
  const range = useRef<Range | undefined>(undefined)
  const when = useRef<HTMLSpanElement>(null)
  const unit = entry.info.unit ?? ''
  const heat = useChart(entry, (painter, { data, ...view }, element) => {
    const plot = { ...view, step: 1, lines: [], unit, axis: 'log', size: 'large' } as const
    const missing = undrawnWords(data, view.from, view.to)
    const emptyWords = missing === '' ? 'nothing in this window' : missing
    const drawn = drawPlot(painter, { ...plot, heat: { data, ramp: 'heat' }, emptyWords })
    range.current = drawn.range
    cursor.setAxis(element, drawn.time)
    const now = view.cursor === null ? 'last 10 s' : clockText(view.cursor * 1000)
    setText(when.current, missing === '' ? now : `${missing}; ${now}`)
    if (side.current) page.frame.touch(side.current)
  })
  const side = usePanel<HTMLCanvasElement>({
    draw: (size) => {
      const data = store.data(entry.id)
      if (side.current === null || size.width === 0 || data === undefined) return
      const painter = new Painter(side.current, size, page.theme.palette)
      if (range.current === undefined) return
      const second = page.readingSecond()
      const from = second - (cursor.second.value === null ? NOW_SECONDS : 1)
      drawMarginal(painter, mergeSeconds(data, from, second), range.current)
    },
  })
  return (
    <Section title="Distribution over time" note={<span class="follows" ref={when} />} isNoteRight>
      <div class="beside">
        <canvas
          ref={heat}
          class="h232"
          role="img"
          aria-label={`Distribution over time of ${entry.text}`}
        />
        <canvas
          ref={side}
          class="h232"
          role="img"
          aria-label={`Distribution now of ${entry.text}`}
        />
      </div>
    </Section>
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
