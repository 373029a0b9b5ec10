/** How many observations a second: of a distribution or a summary. */
import type { JSX } from 'preact'
import { drawPlot } from '../chart/plot.ts'
import { usePage } from '../shell/page.ts'
import { Section } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import { type Figure, Now } from './now.tsx'
import { useChart } from './use-chart.ts'

export function Observations({ entry }: { entry: Entry }): JSX.Element {
  const { cursor } = usePage()
  const canvas = useChart(entry, (painter, { data, ...view }, element) => {
    const values = new Float64Array(view.to - view.from + 1)
    data.copy('count', view.from, values)
    const drawn = drawPlot(painter, {
      ...view,
      step: 1,
      lines: [{ values, color: 'trace', width: 1.5, isFilled: true }],
      axis: 'zero',
      unit: '/s',
      size: 'large',
    })
    cursor.setAxis(element, drawn.time)
  })
  const figure: Figure = {
    caption: 'per second',
    unit: '/s',
    read: (data, second) => data.at('count', second),
  }
  return (
    <Section title="Observations" note="per second" isNoteRight>
      <div class="beside">
        <canvas
          ref={canvas}
          class="h104"
          role="img"
          aria-label={`Observations per second of ${entry.text}`}
        />
        <Now entry={entry} figures={[figure]} />
      </div>
    </Section>
  )
}
