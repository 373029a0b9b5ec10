/**
 * A summary in three charts on one time axis: the mean within its deviation, the range of the
 * observations, and how many there were.
 */
import type { JSX } from 'preact'
import type { Entry } from '../../../viewer/store/catalogue.ts'
import type { Lane } from '../../../viewer/store/series-data.ts'
import { deviationPicture, rangePicture } from '../../chart/picture.ts'
import { ChartPanel, EachStep, laneFigure, Observations } from '../chart-panel.tsx'
import { lanesTable } from '../tables.ts'

export function SummaryPanels({ entry }: { entry: Entry }): JSX.Element {
  const unit = entry.info.unit ?? ''
  const lanes = (...names: Lane[]) => names.map((lane) => ({ lane, unit }))
  return (
    <>
      <ChartPanel
        entry={entry}
        title="Mean"
        note="shaded: the deviation around it"
        height="h232"
        label={`Mean and deviation of ${entry.text}`}
        table={(data, view) => lanesTable(data, view, lanes('mean', 'deviation'))}
        plot={(data, { steady, ...view }) =>
          deviationPicture(data, view, { unit, size: 'large', steady })
        }
        figures={[laneFigure('mean', unit), laneFigure('deviation', unit)]}
      />
      <ChartPanel
        entry={entry}
        title="Range"
        note={
          <>
            smallest to largest, <EachStep />
          </>
        }
        height="h168"
        label={`Smallest and largest of ${entry.text}`}
        table={(data, view) => lanesTable(data, view, lanes('min', 'max'))}
        plot={(data, { steady, ...view }) =>
          rangePicture(data, view, { unit, size: 'large', steady })
        }
        figures={[laneFigure('max', unit), laneFigure('min', unit)]}
      />
      <Observations entry={entry} />
    </>
  )
}
