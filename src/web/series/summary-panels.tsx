/**
 * A summary in three charts on one time axis: the mean within its deviation, the range of the
 * observations, and how many there were.
 */
import type { JSX } from 'preact'
import { deviationPicture, rangePicture } from '../chart/picture.ts'
import type { Entry } from '../store/catalogue.ts'
import { ChartPanel, laneFigure, Observations } from './chart-panel.tsx'

export function SummaryPanels({ entry }: { entry: Entry }): JSX.Element {
  const unit = entry.info.unit ?? ''
  return (
    <>
      <ChartPanel
        entry={entry}
        title="Mean"
        note="shaded: the deviation around it"
        height="h232"
        label={`Mean and deviation of ${entry.text} over time; as a table below`}
        plot={(data, { steady, ...view }) =>
          deviationPicture(data, view, { unit, size: 'large', steady })
        }
        figures={[laneFigure('mean', unit), laneFigure('deviation', unit)]}
      />
      <ChartPanel
        entry={entry}
        title="Range"
        note="smallest to largest, each second"
        height="h168"
        label={`Smallest and largest of ${entry.text} over time; as a table below`}
        plot={(data, { steady, ...view }) =>
          rangePicture(data, view, { unit, size: 'large', steady })
        }
        figures={[laneFigure('max', unit), laneFigure('min', unit)]}
      />
      <Observations entry={entry} />
    </>
  )
}
