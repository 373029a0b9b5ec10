/**
 * A summary in three charts on one time axis: the mean within its deviation, the range of the
 * observations, and how many there were.
 */
import type { JSX } from 'preact'
import { usePage } from '../app/page.ts'
import { Section } from '../app/parts.tsx'
import { deviationPicture, rangePicture } from '../chart/picture.ts'
import { drawPlot } from '../chart/plot.ts'
import type { Entry } from '../store/catalogue.ts'
import type { Lane } from '../store/series-data.ts'
import { type Figure, Now } from './now.tsx'
import { Observations } from './observations.tsx'
import { useChart } from './use-chart.ts'

interface PanelProps {
  readonly entry: Entry
}

function figuresOf(unit: string, lanes: readonly Lane[]): Figure[] {
  return lanes.map((lane) => ({
    caption: lane,
    unit,
    read: (data, second) => data.at(lane, second),
  }))
}

function Mean({ entry }: PanelProps): JSX.Element {
  const { cursor } = usePage()
  const unit = entry.info.unit ?? ''
  const canvas = useChart(entry, (painter, { data, steady, ...view }, element) => {
    const drawn = drawPlot(painter, deviationPicture(data, view, { unit, size: 'large', steady }))
    cursor.setAxis(element, drawn.time)
  })
  return (
    <Section title="Mean" note="shaded: the deviation around it" isNoteRight>
      <div class="beside">
        <canvas
          ref={canvas}
          class="h232"
          role="img"
          aria-label={`Mean and deviation of ${entry.text} over time; as a table below`}
        />
        <Now entry={entry} figures={figuresOf(unit, ['mean', 'deviation'])} />
      </div>
    </Section>
  )
}

function Range({ entry }: PanelProps): JSX.Element {
  const { cursor } = usePage()
  const unit = entry.info.unit ?? ''
  const canvas = useChart(entry, (painter, { data, steady, ...view }, element) => {
    const drawn = drawPlot(painter, rangePicture(data, view, { unit, size: 'large', steady }))
    cursor.setAxis(element, drawn.time)
  })
  return (
    <Section title="Range" note="smallest to largest, each second" isNoteRight>
      <div class="beside">
        <canvas
          ref={canvas}
          class="h168"
          role="img"
          aria-label={`Smallest and largest of ${entry.text} over time; as a table below`}
        />
        <Now entry={entry} figures={figuresOf(unit, ['max', 'min'])} />
      </div>
    </Section>
  )
}

export function SummaryPanels({ entry }: PanelProps): JSX.Element {
  return (
    <>
      <Mean entry={entry} />
      <Range entry={entry} />
      <Observations entry={entry} />
    </>
  )
}
