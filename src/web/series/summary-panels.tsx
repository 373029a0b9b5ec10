/**
 * A summary in three charts on one time axis: the mean within its deviation, the range of the
 * observations, and how many there were.
 */
import type { JSX } from 'preact'
import { deviationPicture, rangePicture } from '../chart/picture.ts'
import { drawPlot } from '../chart/plot.ts'
import { usePage } from '../shell/page.ts'
import { Section } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import type { Lane } from '../store/series-data.ts'
import { type Figure, Now, Observations, useChart } from './now.tsx'

interface PanelProps {
  readonly entry: Entry
  readonly title: string
  /** What the shaded part is. */
  readonly note: string
  /** What the chart shows of the series, for those who do not see it. */
  readonly shows: string
  readonly height: 'h168' | 'h232'
  readonly picture: typeof deviationPicture | typeof rangePicture
  /** Beside the chart, as large numbers. */
  readonly lanes: readonly Lane[]
}

function figuresOf(unit: string, lanes: readonly Lane[]): Figure[] {
  return lanes.map((lane) => ({
    caption: lane,
    unit,
    read: (data, second) => data.at(lane, second),
  }))
}

function Panel({ entry, title, note, shows, height, picture, lanes }: PanelProps): JSX.Element {
  const { cursor } = usePage()
  const unit = entry.info.unit ?? ''
  const canvas = useChart(entry, (painter, { data, steady, ...view }, element) => {
    const drawn = drawPlot(painter, picture(data, view, { unit, size: 'large', steady }))
    cursor.setAxis(element, drawn.time)
  })
  return (
    <Section title={title} note={note} isNoteRight>
      <div class="beside">
        <canvas
          ref={canvas}
          class={height}
          role="img"
          aria-label={`${shows} of ${entry.text} over time; as a table below`}
        />
        <Now entry={entry} figures={figuresOf(unit, lanes)} />
      </div>
    </Section>
  )
}

export function SummaryPanels({ entry }: Pick<PanelProps, 'entry'>): JSX.Element {
  return (
    <>
      <Panel
        entry={entry}
        title="Mean"
        note="shaded: the deviation around it"
        shows="Mean and deviation"
        height="h232"
        picture={deviationPicture}
        lanes={['mean', 'deviation']}
      />
      <Panel
        entry={entry}
        title="Range"
        note="smallest to largest, each second"
        shows="Smallest and largest"
        height="h168"
        picture={rangePicture}
        lanes={['max', 'min']}
      />
      <Observations entry={entry} />
    </>
  )
}
